/* What is drawn of runs: the data that <async-timeline> plays, number for number what chart.py makes of the same runs.
 *
 * chartData(runs) promises the data (element_data.py), figures(run) are what a page tells of a run beside it.
 * Where Python has a name for something (layout.py, curves.py, ...), the same name is here.
 * Not for: reading files (run_file.js), cells (run_cells.js), pools (run_pools.js), drawing (async_timeline.js).
 */

const RUNNING_STATE = 0, QUEUED_STATE = 3;

/* ---- layout.py: rows on one axis ---- */

const least = (list, of) => list.reduce((found, one) => Math.min(found, of(one)), Infinity);
const most = (list, of) => list.reduce((found, one) => Math.max(found, of(one)), -Infinity);
const zeroOf = run => run.rows.length ? least(run.rows, row => row.start) : 0;
const extentOf = run => run.rows.length ? most(run.rows, row => row.end) - zeroOf(run) : 0;

/* Of a server the time in which requests were under way; of what is no server from ever to ever. */
function served(run) {
  if (!run.requests.length) return [-Infinity, Infinity];
  return [least(run.requests, one => one.sent), most(run.requests, one => one.end)];
}

function blockingSteps(run) {
  const [start, end] = served(run);
  return run.slow_steps.filter(step => step.start < end && step.end > start &&
    Math.max(step.end - step.start - step.stolen, 0) > run.threshold_ns);
}

function blockedOf(run) {
  const byTrack = new Map();
  for (const step of blockingSteps(run)) {
    if (step.track === null) continue; // a callback, of no row
    if (!byTrack.has(step.track)) byTrack.set(step.track, []);
    byTrack.get(step.track).push(step);
  }
  for (const steps of byTrack.values()) steps.sort((one, other) => one.start - other.start);
  return byTrack;
}

const CAUSES = TABLES.causes.map(ofState => new Map(ofState));
const shadeOf = (state, reason) => CAUSES[state].get(reason) ?? state;

/* The spans of a row, with what blocked the loop told apart from other running. */
function* pieces(run, row, blocked) {
  const { spans } = row, steps = blocked.get(row.track) || [];
  for (let i = spans.first; i < spans.after; i += 1) {
    let start = i === spans.first ? spans.from : spans.starts[i];
    const end = i + 1 === spans.after ? spans.end : spans.starts[i + 1];
    const state = spans.states.charCodeAt(i) - 48, { reason } = run.causeOf(spans, i);
    if (state !== RUNNING_STATE || !steps.length) {
      yield { start, end, shade: shadeOf(state, reason), reason };
      continue;
    }
    for (let at = after(steps, start, step => step.end); at < steps.length && steps[at].start < end; at += 1) {
      const step = steps[at];
      if (step.start > start) {
        yield { start, end: step.start, shade: SHADE.RUNNING, reason };
        start = step.start;
      }
      const until = Math.min(end, step.end);
      yield { start, end: until, shade: SHADE.BLOCKING, step };
      start = until;
    }
    if (start < end) yield { start, end, shade: SHADE.RUNNING, reason };
  }
}

/* Every bar of every row. */
function exactRows(run) {
  const blocked = blockedOf(run), zero = zeroOf(run);
  return run.rows.map(row => {
    const bars = [];
    for (const { start, end, shade, reason, step } of pieces(run, row, blocked)) {
      if (end > start) bars.push([start - zero, end - zero, shade, step ? blockingWords(step) : clean(reason)]);
    }
    return { label: clean(row.name), size: 1, ended: row.outcome, bars, bands: [] };
  });
}

async function foldedRows(run, columnNs, scale, breath) {
  const cells = new Accumulator(LIMITS.columns, columnNs, LIMITS.rows, run.rows.length);
  const blocked = blockedOf(run), zero = zeroOf(run);
  for (const [index, row] of run.rows.entries()) {
    let opened = row.start - zero, closed = row.end - zero;
    // One without length that opened at the very end belongs to the last cell.
    if (opened === closed) opened = closed = Math.min(opened, LIMITS.columns * columnNs - 1);
    cells.open(index, opened, SHADE.READY);
    if (closed > opened) for (const piece of pieces(run, row, blocked)) cells.change(piece.start - zero, piece.shade);
    cells.close(closed);
    await breath();
  }
  const of = index => ({ label: clean(run.rows[index].name), ended: run.rows[index].outcome });
  return cutRows(cells, scale, of);
}

function fits(run) {
  const bars = run.rows.reduce((sum, row) => sum + row.spans.after - row.spans.first, 0);
  return run.rows.length <= LIMITS.rows && bars <= LIMITS.bars;
}

/* ---- curves.py ---- */

function memoryCurves(run) {
  const zero = zeroOf(run), until = zero + extentOf(run);
  const before = run.memory.filter(sample => sample.at <= zero).slice(-1);
  const shown = [...before, ...run.memory.filter(sample => sample.at > zero && sample.at <= until)];
  if (!shown.length || !run.rows.length) return [];
  return ['resident', 'virtual'].map(label => ({
    label,
    about: `${size(run.memory[0][label])} at first, ${size(most(run.memory, sample => sample[label]))} at most`,
    points: shown.map(sample => [Math.max(sample.at - zero, 0), sample[label]]),
  }));
}

/* ---- all together ---- */

function emptyWords(run) {
  if (run.rows.length) return '';
  const why = run.named && run.tracks.size ? 'none of the named functions was called' : 'nothing was recorded';
  return `no lanes: ${why}`;
}

/* How many have no row of their own, and the most that one row stands for. */
function folding(rows) {
  const sizes = rows.map(row => row.size).filter(size => size > 1);
  return { folded: sizes.reduce((sum, size) => sum + size, 0), fold: Math.max(1, ...sizes) };
}

/* rows: as they are drawn. Of the figures of Python only those that a page has without it. */
function runData(run, rows, columnNs, scale) {
  const told = figures(run), blocked = told.blocking.reduce((sum, step) => sum + step.held_ns, 0);
  const noun = run.requests.length ? 'request' : 'lane';
  return {
    name: told.title,
    noun,
    length_ns: extentOf(run),
    outcome: told.status,
    figures: `${noun === 'lane' ? 'time ' : 'all in '}${duration(told.length_ns)}, ${counted(told.rows, noun)}, at most ${grouped(told.open)} open`,
    warning: blocked ? `loop blocked for ${duration(blocked)}` : '',
    empty: emptyWords(run),
    rows,
    ...folding(rows),
    pools: poolSections(run).slice(0, LIMITS.pools).map(section => {
      const connections = poolRows(section.rows, columnNs, scale);
      return { ...section, rows: connections, ...folding(connections) };
    }),
    memory: memoryCurves(run),
  };
}

async function chartData(runs) {
  const breath = breaths();
  const longest = runs.length ? most(runs, extentOf) : 0, scale = Math.max(longest, LIMITS.scale_ns);
  const columnNs = Math.ceil(scale / LIMITS.columns);
  const data = { scale_ns: scale, runs: [] };
  for (const run of runs) {
    const rows = fits(run) ? exactRows(run) : await foldedRows(run, columnNs, scale, breath);
    data.runs.push(runData(run, rows, columnNs, scale));
    await breath();
  }
  return data;
}

/* The most rows that are open at once; one without length counts with those around it (metrics/limits.py). */
function openAtOnce(rows) {
  const long = rows.filter(row => row.end > row.start);
  const starts = Float64Array.from(long, row => row.start).sort();
  const ends = Float64Array.from(long, row => row.end).sort();
  let found = 0;
  starts.forEach((start, i) => { found = Math.max(found, i + 1 - after(ends, start)); });
  for (const { start: at } of rows.filter(row => row.end <= row.start)) {
    found = Math.max(found, before(starts, at) - after(ends, at) + 1);
  }
  return found;
}

/* Who raised what: equal errors in one sentence. */
function raisedWords(raised, begun) {
  return [...new Set(raised.map(track => track.error))].map(error => {
    const [{ name, end }, ...others] = raised.filter(track => track.error === error);
    const when = end < begun ? '' : ` after ${duration(end - begun)}`;
    const also = others.length ? `, and so did ${grouped(others.length)} more` : '';
    return `${clean(name)} raised${when}: ${clean(error)}${also}`;
  });
}

/* Equal sentences once, with their number. */
function once(sentences) {
  return [...new Set(sentences)].map(sentence => {
    const times = sentences.filter(other => other === sentence).length;
    return times > 1 ? `${sentence} (${grouped(times)} times)` : sentence;
  });
}

/* What a page tells of a run in words, beside its header. */
function figures(run) {
  const zero = zeroOf(run), installed = /(^|[/\\])(site|dist)-packages([/\\]|$)/;
  const begun = run.rows.length || !run.tracks.size ? zero : least([...run.tracks.values()], track => track.start);
  const [, last] = served(run);
  // Lanes that were too many to keep each of them count, too.
  const opened = run.requests.length ? run.rows : [...run.rows, ...run.summed];
  const raised = [...run.tracks.values()].filter(track => track.error &&
    !(run.requests.length && track.site && installed.test(track.site.file) && track.end > last));
  return {
    title: title(run),
    status: status(run),
    rows: opened.length,
    open: openAtOnce(opened),
    length_ns: opened.length ? most(opened, one => one.end) - least(opened, one => one.start) : 0,
    blocking: blockingSteps(run).map(step => ({ at_ns: step.start - begun, words: blockingWords(step),
      held_ns: Math.max(step.end - step.start - step.stolen, 0) })),
    steps: [...run.tracks.values()].some(track => track.steps),
    notes: [...raisedWords(raised, begun), ...once(run.notes.map(clean))],
  };
}
