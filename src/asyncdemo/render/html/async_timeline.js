/* <async-timeline>: recorded runs on one scale, to be played, stepped through and read as a table.
 *
 * Its children are still pictures (for paper, and where no script runs) and a JSON script with the data.
 * Not for: the shape of the data (timeline_reading.js), the drawing (timeline_drawing.js).
 *
 * Attribute "covered": nothing shows until reveal() is called or its button pressed (predict first, then reveal);
 * then the event "revealed" is dispatched, and "seen" when it was played to its end; "moment" whenever another time
 * is shown. A classic script without dependencies: works from file://.
 */
const CLOSER = 4, CLOSEST = 1000, AN_EYEFUL_S = 8, TABLE_ROWS = 2000, LEAST_STEP = 2;  // the last: pixels
const HALF = { threshold: Array.from({ length: 21 }, (_, part) => part / 20) };
const STYLE = `
  :host { display: block; color: var(--fg); container-type: inline-size;
    font-size: 14px; line-height: 1.4; }
  [hidden] { display: none !important; }
  p { margin: 0; }
  .textures { position: absolute; }
  .run { margin: 0 0 19px; }
  .name { font-weight: bold; font-size: 15px; margin-right: .8em; }
  .figures { color: var(--dim); font-size: 13px; }
  .warn { color: var(--warn); font-weight: bold; }
  .now { line-height: 1.4; margin: 2px 0 6px; font-variant-numeric: tabular-nums; }
  .aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .picture { position: relative; cursor: pointer; background: var(--bg); }
  .picture svg { display: block; }
  .plot { position: absolute; top: 0; bottom: ${AXIS}px; right: 0; overflow: hidden; pointer-events: none; }
  .veil { position: absolute; inset: 0; border-left: 2px solid var(--fg); will-change: transform; }
  .veil::before { content: ''; position: absolute; inset: 0; background: var(--bg); opacity: .82; }
  .secret .veil::before { opacity: 1; }
  .secret :is(.figures, .warn, .figure) { visibility: hidden; }
  text { fill: var(--fg); font-family: var(--md-code-font-family, ui-monospace, monospace); white-space: pre; }
  .dim { fill: var(--dim); }
  .part { font-family: inherit; font-weight: bold; font-size: 12px; }
  .about { font-weight: normal; fill: var(--dim); }
  .who { fill: #fff; font-size: 10px; }
  .grid { stroke: var(--line); }
  .idle { stroke-opacity: .6; }
  .curve { stroke: #0072b2; fill: #0072b2; fill-opacity: .25; stroke-width: 1.5; }
  .lit, .wake { fill: none; stroke: var(--fg); stroke-width: 2; }
  .line { stroke: #cc79a7; fill: #cc79a7; fill-opacity: .4; }
  .legend { display: flex; flex-wrap: wrap; gap: 3px 19px; margin: 0; padding: 0; list-style: none; color: var(--dim);
    font-size: 13px; }
  .key { margin: 0 0 14px; }
  .legend li { display: flex; align-items: center; gap: 6px; }
  .chooser { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; margin: 0 0 6px; color: var(--dim); }
  label { display: flex; color: var(--fg); align-items: center; gap: 6px; min-height: 32px; cursor: pointer; }
  input[type=checkbox] { width: 18px; height: 18px; margin: 3px; scroll-margin: 120px; accent-color: var(--accent); }
  .controls, .bar, .more { display: flex; gap: 6px; align-items: center; padding: 4px 0; }
  .controls, .bar { flex: 1; min-width: 0; background: var(--bg); }
  .controls { border-top: 1px solid var(--line); }
  /* In sight while somebody uses it: at the end it stands below the picture, and covers nothing. */
  @media (min-height: 441px) { .midway :is(.controls, .bar) { position: sticky; bottom: 0; z-index: 1; } }
  button, select { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--dim); border-radius: 6px;
    min-width: 44px; min-height: 44px; padding: 0 10px; margin: 0; cursor: pointer; }
  button:hover, select:hover { border-color: var(--fg); }
  .main { min-width: 6.2em; font-weight: bold; }
  input[type=range] { flex: 1; min-width: 40px; height: 44px; margin: 0; accent-color: var(--accent); cursor: pointer; }
  output { min-width: 5.2em; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  .cover { border: 2px dashed var(--dim); border-radius: 8px; padding: 24px; text-align: center; }
  .cover button { margin-top: 13px; padding: 0 20px; font-weight: bold; }
  summary { min-height: 32px; line-height: 32px; cursor: pointer; }
  .scroll { max-height: 420px; overflow: auto; border: 1px solid var(--line); }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
  caption { text-align: left; font-weight: bold; padding: 6px; }
  th, td { text-align: left; vertical-align: top; padding: 3px 10px 3px 6px; border-bottom: 1px solid var(--line); }
  th { background: var(--bg); position: sticky; top: 0; }
  slot { display: none; }
  /* Two rows; one stays in sight. */
  @container (max-width: 660px) {
    .controls { display: contents; }
    .bar { border-top: 1px solid var(--line); }
  }
  @container (max-width: 480px) {
    .bar { gap: 4px; }
    button, select { padding: 0 5px; min-width: 40px; }
    .main { min-width: 5.2em; }
    output { min-width: 3.8em; }
    .run .name { display: block; }
  }
  @media print { .live { display: none; } slot { display: block; } }`;
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

class AsyncTimeline extends HTMLElement {
  constructor() {
    super();
    this.frame = 0;
    this.time = 0;
    this.live = html('div', { class: 'live' });
    this.attachShadow({ mode: 'open' }).append(html('style', {}, STYLE), textures(), this.live, html('slot'));
    this.sizes = new ResizeObserver(() => this.fit());
    this.sight = new IntersectionObserver(([seen]) => this.startIfInSight(seen), HALF);
  }

  connectedCallback() {
    this.sizes.observe(this);
    if (document.readyState !== 'loading') this.begin();
    else document.addEventListener('DOMContentLoaded', () => this.begin(), { once: true });
  }

  disconnectedCallback() {
    this.stop();
    this.sizes.disconnect();
    this.sight.disconnect();
  }

  begin() {
    const script = this.querySelector('script[type="application/json"]');
    if (!this.data && script) this.load(unpacked(JSON.parse(script.textContent)));
  }

  get covered() { return this.hasAttribute('covered'); }

  get end() { return this.data ? this.data.scale_ns : 0; }

  /* What is said of now, of all runs that are shown. */
  get said() { return [...this.live.querySelectorAll('.now')].map(now => now.textContent).join(' '); }

  tell(event) { this.dispatchEvent(new CustomEvent(event, { bubbles: true, composed: true })); }

  /* Plain data, as timeline_reading.js describes it; replaces what was there. */
  load(data) {
    this.stop();
    this.data = data;
    this.all = false;
    this.shown = this.data.runs.map(() => true);
    this.secret = false;
    this.time = this.announced = this.end;
    this.build();
  }

  /* Uncovers it. With play it plays from the start, as soon as half of it is in sight, and what comes stays hidden
   * until the end was seen once. */
  reveal({ play = false } = {}) {
    const had = this.shadowRoot.activeElement;
    if (this.covered) {
      this.removeAttribute('covered');
      this.tell('revealed');
    }
    if (!this.data) return;
    this.secret = play && !calm();
    this.time = this.secret ? 0 : this.end;
    this.build();
    if (had) this.play.focus({ preventScroll: true });
    if (this.secret) this.sight.observe(this.live);
    else this.tell('seen');
  }

  /* Half of it, or as much as fills half of the window. */
  startIfInSight({ intersectionRatio, intersectionRect, rootBounds }) {
    if (intersectionRatio < .5 && intersectionRect.height < rootBounds.height / 2) return;
    this.sight.disconnect();
    if (this.secret && this.time === 0 && !this.frame) this.toggle();
  }

  build() {
    const { runs } = this.data;
    this.wide = this.since = 0;
    this.zoom = 1;
    this.runs = [];
    if (this.covered) {
      const show = html('button', { type: 'button' }, 'Show it');
      show.addEventListener('click', () => this.reveal({ play: true }));
      const names = runs.map(run => run.name).join(', ');
      this.live.replaceChildren(html('div', { class: 'cover' },
        html('p', {}, `Hidden until you have predicted it: what was recorded of ${names}.`), show));
      return;
    }
    this.runs = runs.map(run => {
      const plot = html('div', { class: 'plot' }, html('div', { class: 'veil' }));
      const now = html('p', { class: 'now', 'aria-live': 'polite' });
      const picture = html('div', { class: 'picture' }, plot);
      picture.addEventListener('click', event => this.point(event));
      const section = html('div', { class: 'run' },
        html('p', {}, html('span', { class: 'name' }, run.name),
          html('span', { class: 'figures' }, run.figures || run.outcome), ' ', html('span', { class: 'warn' }, run.warning)),
        now, picture);
      return { run, section, now, picture, plot, veil: plot.firstChild, view: run };
    });
    this.key = html('div', { class: 'key' });
    const parts = [this.key, ...this.runs.map(({ section }) => section), this.controls(), this.table()];
    const choosers = this.choosers();
    if (choosers.length) parts.unshift(html('div', { class: 'chooser', role: 'group', 'aria-label': 'What to show' }, 'Show', ...choosers));
    const stage = html('div', {}, ...parts);
    stage.addEventListener('keydown', event => this.pressed(event));
    this.live.replaceChildren(stage);
    this.fit();
  }

  /* Redraws it where the width is another one, and whenever other runs are shown. */
  fit() {
    const wide = Math.floor(this.live.clientWidth);
    if (!this.runs || !this.runs.length || !wide || wide === this.wide) return;
    this.wide = wide;
    const views = this.data.runs.map(run => this.all ? run : inBrief(run));
    const chosen = views.filter((_, number) => this.shown[number]);
    const inSight = this.end / this.zoom;
    // Out of sight: as one turns a page, with a little of the one before.
    if (this.time < this.since) this.since = this.time - .9 * inSight;
    if (this.time > this.since + inSight) this.since = this.time - .1 * inSight;
    this.since = Math.min(Math.max(this.since, 0), this.end - inSight);
    this.place = frameFor(this.data, chosen, wide, this.since, inSight);
    this.steps = steps(chosen, LEAST_STEP / this.place.width * inSight);
    this.wider.disabled = this.zoom === 1;
    this.closer.disabled = this.zoom >= CLOSEST;
    this.runs.forEach(({ run, section, now, picture, plot }, number) => {
      section.hidden = !this.shown[number];
      if (section.hidden) return;
      this.runs[number].view = views[number];
      const [drawn, stretches] = drawRun(views[number], this.place);
      const rows = counted(run.rows.length, run.rows.some(row => row.size > 1) ? 'row' : run.noun);
      drawn.setAttribute('aria-label', `Timeline of ${run.name}: ${rows}, from left to right ${duration(run.length_ns)} of time.`
        + ' The table below says the same in words.');
      picture.replaceChildren(drawn, plot);
      plot.style.left = `${this.place.left - 2}px`;
      // Not over the names and figures between them.
      plot.style.clipPath = `path('${stretches.map(([top, bottom]) => `M0 ${top - 2}H${wide}V${bottom + 2}H0z`).join('')}')`;
      // As many lines as it will take, or everything below would jump while it plays.
      const lines = Math.max(...this.moments().map(time => this.tells(run, time).length)) * LETTER * SANS / wide;
      now.style.minHeight = `${Math.ceil(lines) * 1.4}em`;
    });
    this.key.replaceChildren(legend(chosen));
    this.seek(this.time);
  }

  /* Shows less of time, or more: what is at the playhead stays there. With 1 all of it. */
  zoomTo(zoom) {
    const inSight = this.end / this.zoom;
    this.zoom = Math.min(Math.max(zoom, 1), CLOSEST);
    this.since = this.time - (this.time - this.since) / inSight * this.end / this.zoom;
    this.redraw();
  }

  redraw() {
    this.wide = 0;
    this.fit();
  }

  /* The steps, and some times evenly over all of it. */
  moments() { return [...this.steps, ...Array.from({ length: 60 }, (_, part) => part / 60 * this.end)]; }

  /* Boxes: for each run, if there are some, and for the rows that are left out at first. */
  choosers() {
    const { runs } = this.data;
    const choice = (name, checked, act) => {
      const box = html('input', { type: 'checkbox' });
      box.checked = checked;
      box.addEventListener('change', () => {
        act(box);
        this.redraw();
      });
      return html('label', {}, box, name);
    };
    const boxes = runs.length < 2 ? [] : runs.map((run, number) => choice(run.name, this.shown[number], box => {
      this.shown[number] = box.checked;
      // One must be left to look at.
      if (!this.shown.includes(true)) this.shown[number] = box.checked = true;
    }));
    const all = rowsOf(runs);
    if (rowsOf(runs.map(inBrief)) < all) {
      boxes.push(choice(`all ${number(all)} rows`, this.all, box => { this.all = box.checked; }));
    }
    return boxes;
  }

  controls() {
    const button = (sign, label, act) => {
      const node = html('button', { type: 'button', 'aria-label': label, title: label }, sign);
      node.addEventListener('click', act);
      return node;
    };
    this.play = html('button', { type: 'button', class: 'main' });
    this.play.addEventListener('click', () => this.toggle());
    this.scrub = html('input', { type: 'range', min: 0, max: 1000, step: 'any', 'aria-label': 'Time' });
    this.scrub.addEventListener('input', () => this.stopAt(this.scrub.value / 1000 * this.end));
    this.clock = html('output', { 'aria-live': 'off' });
    this.closer = button('+', 'Zoom in', () => this.zoomTo(this.zoom * CLOSER));
    this.wider = button('\u2212', 'Zoom out', () => this.zoomTo(this.zoom / CLOSER));
    const seconds = this.end / 1e9;
    this.speed = html('select', { 'aria-label': 'Speed' },
      html('option', { value: seconds / AN_EYEFUL_S }, `in ${AN_EYEFUL_S} s`), html('option', { value: 1 }, 'real time'),
      html('option', { value: .25 }, '1/4 speed'), html('option', { value: .1 }, '1/10 speed'));
    this.speed.selectedIndex = seconds < 1.5 || seconds > 1.5 * AN_EYEFUL_S ? 0 : 1;
    // U+FE0E: as a letter, not as a coloured picture.
    const bar = html('div', { class: 'bar' }, this.play, button('◀\uFE0E', 'Previous event', () => this.step(-1)),
      button('▶\uFE0E', 'Next event', () => this.step(1)), this.scrub, this.clock);
    const start = button('|◀\uFE0E', 'Start', () => this.stopAt(0));
    const more = html('div', { class: 'more' }, start, this.speed, this.wider, this.closer);
    this.label();
    return html('div', { class: 'controls', role: 'group', 'aria-label': 'Timeline controls: Space plays, arrow keys step' },
      bar, more);
  }

  /* The same in words, made when it is asked for. */
  table() {
    const details = html('details', {}, html('summary', {}, 'The same as a table'));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) details.append(...this.tables());
    });
    return details;
  }

  *tables() {
    let left = TABLE_ROWS;
    const scroll = html('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The timeline as a table' });
    for (const run of this.data.runs) {
      const body = html('tbody');
      for (const cells of tableRows(run)) {
        if (--left < 0) break;
        body.append(html('tr', {}, ...cells.map(cell => html('td', {}, cell))));
      }
      const heads = [run.noun, 'from', 'to', 'state', 'why'].map(head => html('th', { scope: 'col' }, head));
      scroll.append(html('table', {}, html('caption', {}, run.name), html('thead', {}, html('tr', {}, ...heads)), body));
    }
    if (left < 0) yield html('p', {}, 'The first 2,000 rows.');
    yield scroll;
  }

  point(event) {
    const from = event.currentTarget.getBoundingClientRect().left + this.place.left;
    this.stopAt(this.timeAt(event.clientX - from));
    this.scrub.focus({ preventScroll: true });
  }

  pressed(event) {
    const on = event.target.closest('select, details, input[type=checkbox]');
    if (on || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in KEYS) this.step(KEYS[event.key]);
    else if (event.key === '+' || event.key === '=') this.zoomTo(this.zoom * CLOSER);
    else if (event.key === '-') this.zoomTo(this.zoom / CLOSER);
    else if (event.key === '0') this.zoomTo(1);
    else if (event.key === ' ' && event.target.localName !== 'button') this.toggle();
    else if (event.key === 'Home') this.stopAt(0);
    else if (event.key === 'End') this.stopAt(this.end);
    else return;
    event.preventDefault();
  }

  /* x: from where time begins. */
  timeAt(x) { return this.place.from + x / this.place.width * this.place.scale; }

  /* What a bar is at a time: [its line, state, colour]. */
  where(row, time) {
    const bar = at(row.bars, time);
    return bar && [bar[4], SHADES[bar[2]].words, SHADES[bar[2]].colour];
  }

  /* To a time in nanoseconds. Moves the veils over the pictures: nothing is redrawn. */
  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.end);
    if (!this.place || !this.runs.length) return;
    const over = this.time >= this.end;
    const first = over && this.secret;
    if (over) this.secret = false;
    this.live.classList.toggle('secret', this.secret);
    this.live.classList.toggle('midway', !over);
    const part = (this.time - this.place.from) / this.place.scale;
    if (part < -1e-6 || part > 1 + 1e-6) return this.redraw();
    const x = this.place.x(this.time) - this.place.left;
    this.runs.forEach(({ run, now, veil }, number) => {
      if (!this.shown[number]) return;
      veil.style.transform = `translateX(${x + (over ? 9 : 1)}px)`;
      // The name stands above it already: it is for who listens.
      const named = `${run.name}: `;
      now.replaceChildren(html('span', { class: 'aside' }, named), this.tells(run, this.time).slice(named.length));
    });
    const words = clock(this.time, this.end);
    this.scrub.value = this.time / this.end * 1000;
    this.scrub.setAttribute('aria-valuetext', words);
    this.clock.textContent = words;
    if (this.announced !== this.time) this.tell('moment');
    this.announced = this.time;
    if (first) this.tell('seen');
  }

  /* What is said of a run at a time: after a step what has changed, else what there is. */
  tells(run, time) {
    const step = this.steps.indexOf(time);
    return step > 0 && time < run.length_ns && changed(run, this.steps[step - 1], time) || sentence(run, time);
  }

  stopAt(time) {
    this.stop();
    this.seek(time);
  }

  step(by) {
    this.stop();
    const next = by > 0 ? this.steps.find(time => time > this.time) : this.steps.findLast(time => time < this.time);
    if (next !== undefined) this.seek(next);
  }

  toggle() {
    if (this.frame) return this.stop();
    if (this.covered || !this.data) return;
    if (this.time >= this.end) this.seek(0);
    if (calm()) return this.step(1);
    let last = performance.now();
    const draw = now => {
      this.frame = requestAnimationFrame(draw);
      this.seek(this.time + (now - last) * 1e6 * this.speed.value);
      last = now;
      if (this.time >= this.end) this.stop();
    };
    this.frame = requestAnimationFrame(draw);
    this.label();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (this.play) this.label();
  }

  label() {
    this.play.textContent = this.frame ? 'Pause' : calm() ? 'Next step' : 'Play';
    // A screen reader must not announce every frame.
    for (const { now } of this.runs) now.setAttribute('aria-live', this.frame ? 'off' : 'polite');
  }
}

if (!customElements.get('async-timeline')) {
  document.head.append(html('style', {}, SCHEMES));
  customElements.define('async-timeline', AsyncTimeline);
}
