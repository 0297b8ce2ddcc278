/* The page "Open your own run": the form to choose or drop files, and what is shown of them.
 *
 * The page has the form (docs/explore/open.md), hidden until this runs. Files are read here and go nowhere. Names of
 * lanes, paths, notes are foreign text: they become text nodes, never HTML.
 * window.asyncdemoExamples: [{label, files: [{name, text}]}], if examples.js was loaded before.
 * Not for: reading (run_lines.js, run_file.js), figures and the data of the picture (run_chart.js).
 */

const LARGE = 5e6, MOST_FILES = 8, MOST_PLACES = 20;

/* An element with properties, and children that are texts or elements. */
function made(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
const code = text => made('code', {}, text);
const list = items => made('ul', {}, ...items.map(item => made('li', {}, item)));

/* As a shell takes it for one word. */
const quoted = text => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/* ---- a run in words ---- */

/* The steps that held the loop, by what they did and where; what took longest first. */
function blockedWords(run, { blocking, steps }) {
  if (!blocking.length) return steps ? `never for more than ${duration(run.threshold_ns)}` : '';
  const places = new Map();
  for (const step of blocking) {
    const place = places.get(step.words) || { times: 0, held_ns: 0, at_ns: step.at_ns };
    places.set(step.words, { ...place, times: place.times + 1, held_ns: place.held_ns + step.held_ns });
  }
  const gravest = [...places].sort(([, one], [, other]) => other.held_ns - one.held_ns);
  const told = gravest.slice(0, MOST_PLACES).map(([words, { times, held_ns, at_ns }]) => {
    const first = times > 1 ? `, ${grouped(times)} times, the first` : ',';
    return `${words}: for ${duration(held_ns)}${first} ${duration(at_ns)} after the first open`;
  });
  const more = gravest.length - told.length;
  return list(more ? [...told, `and ${counted(more, 'more place')}`] : told);
}

const CLOCKS = { real: 'real', virtual: 'virtual: it jumps to the next event, instead of waiting for it' };

/* [what, text or element], of what there is. */
function facts(run, told) {
  const { argv, knobs, rows } = run, set = Object.entries(knobs).map(([name, value]) => clean(`${name}=${value}`));
  const processes = run.processes > 1 ? `, ${counted(run.processes, 'process').replace(/ss$/, 'sses')}` : '';
  return [
    ['Script', code(clean(run.script))],
    ['Arguments', argv.length ? code(argv.map(clean).map(quoted).join(' ')) : ''],
    ['Knobs', set.join(', ')],
    ['Python', clean(run.python) + processes],
    ['Clock', CLOCKS[run.clock]],
    ['End', told.status],
    [run.requests.length ? 'Requests' : 'Lanes',
      emptyWords(run) || `${grouped(told.rows)}, at most ${grouped(told.open)} open at once`],
    [run.requests.length ? 'All in' : 'Wall',
      rows.length ? `${duration(told.length_ns)} from first open to last close` : ''],
    ['Loop blocked', blockedWords(run, told)],
    ['Notes', told.notes.length ? list(told.notes) : ''],
  ].filter(([, what]) => what !== '');
}

/* What is told of runs below their picture; read: [{run, file}]. */
function accounts(read) {
  const files = read.map(({ file }) => quoted(file)).join(' ');
  return [
    made('div', { className: 'open-accounts' }, ...read.map(({ run }) => account(run, figures(run)))),
    made('p', {}, 'Peak, ideal and findings need Python. In a terminal:'),
    made('pre', {}, code(`asyncdemo show ${files}\nasyncdemo export ${files} --to html`)),
  ];
}

function account(run, told) {
  const rows = facts(run, told).map(([what, value]) => made('div', {}, made('dt', {}, what), made('dd', {}, value)));
  return made('section', {}, made('h3', {}, told.title), made('dl', {}, ...rows));
}

/* ---- the page ---- */

class Page {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector('input[type=file]');
    this.status = form.querySelector('[role=status]');
    this.problems = form.querySelector('[role=alert]');
    this.shown = form.querySelector('.open-shown');
    this.asked = 0;
    this.input.addEventListener('change', () => this.open([...this.input.files]));
    // The same file again is a change, too: it may have been recorded anew.
    this.input.addEventListener('click', () => { this.input.value = ''; });
    this.takeDrops();
    this.offer(window.asyncdemoExamples || []);
    form.hidden = false;
  }

  /* Anywhere on the page: a file dropped beside a zone would take the reader away from it. */
  takeDrops() {
    const hasFiles = event => [...event.dataTransfer?.types ?? []].includes('Files');
    const mark = on => this.form.classList.toggle('open-over', on);
    addEventListener('dragover', event => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(true);
    });
    addEventListener('dragleave', event => { if (event.relatedTarget === null) mark(false); });
    addEventListener('drop', event => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(false);
      this.input.value = '';
      this.open([...event.dataTransfer.files]);
    });
  }

  offer(examples) {
    const place = this.form.querySelector('.open-examples');
    place.hidden = !examples.length;
    for (const { label, files } of examples) {
      const button = made('button', { type: 'button', className: 'md-button' }, label);
      button.addEventListener('click', () => {
        this.input.value = '';
        this.open(files.map(({ name, text }) => new File([text], name)));
      });
      place.append(' ', button);
    }
  }

  problem(text) {
    this.problems.append(made('p', {}, text));
  }

  /* Read and show files; a later choice overtakes one that is still being read. */
  async open(files) {
    if (!files.length) return;
    const asked = this.asked += 1;
    this.shown.replaceChildren();
    this.problems.replaceChildren();
    if (files.length > MOST_FILES) {
      this.problem(`${files.length} files are too many for one picture: these are the first ${MOST_FILES}.`);
    }
    const read = [];
    for (const file of files.slice(0, MOST_FILES)) {
      this.status.textContent = `Reading ${file.name}`;
      try {
        const run = await readRun(file, file.name, characters => {
          if (asked !== this.asked || characters < LARGE) return;
          this.status.textContent = `Reading ${file.name}: ${size(characters)}`;
        });
        if (asked !== this.asked) return;
        read.push({ run, file: file.name });
        if (run.incomplete) this.problem(`${file.name}: ${run.incomplete}`);
      } catch (error) {
        if (asked !== this.asked) return;
        this.problem(error.message);
        if (!(error instanceof RunFileError)) throw error;
      }
    }
    try {
      await this.show(read, asked);
    } catch (error) {
      this.status.textContent = '';
      this.problem(`This cannot be drawn: ${error.message}`);
      throw error;
    }
  }

  async show(read, asked) {
    if (!read.length) {
      this.status.textContent = 'Nothing is shown. Expected is a file that "asyncdemo trace --save FILE" ' +
        'or "asyncdemo run --save DIR" wrote.';
      return;
    }
    const data = await chartData(read.map(({ run }) => run));
    if (asked !== this.asked) return;
    const names = data.runs.map(run => run.name).join(', ');
    const timeline = document.createElement('async-timeline');
    this.shown.append(made('h2', {}, `Timeline of ${names}`), timeline);
    timeline.load(data);
    this.shown.append(...accounts(read));
    this.status.textContent = `Shown below: ${data.runs.map(run => `${run.name} (${run.outcome})`).join(', ')}.`;
  }
}

window.asyncdemo = { readRun, chartData, figures, words: { clean, duration, size } };
const form = document.getElementById('open-run');
if (form) new Page(form);
