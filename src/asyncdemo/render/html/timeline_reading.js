/* Reading the data of <async-timeline>, and telling it in words. Not for: drawing and playing.
 *
 * What `load` takes, all times in nanoseconds since the first row opened:
 *   {scale_ns, runs: [{name, file, noun: 'lane' | 'request', length_ns, outcome, figures, warning, empty,
 *    folded, fold, rows: [row], pools: [{title, about, folded, fold, rows: [row], queued: [[since, how many]]}],
 *    memory: [{label, about, points: [[since, bytes]]}], wakes: [[when, by which row, which row]]}]}
 *   row: {label, size, ended: '' | 'returned' | 'raised' | 'cancelled' | 'open',
 *    bars: [[start, end, shade, why, line]], bands: [[start, end, [how many by shade]]]}
 * file: whose lines the bars name; line: where the row is then, 0 if that is not known.
 * outcome, figures, warning, empty, about: words. size: how many lanes a row stands for. folded: how many lanes have
 * no row of their own; fold: the most that one row stands for. A shade is an index into SHADES.
 * In a page it is packed (asyncdemo.render.html.packing): differences in units of unit_ns, [how long, kind] in turn.
 */
const RUNNING = 0, BLOCKING = 4, HELD = SHADES.findIndex(({ name }) => name === 'held');
const MOST_ROWS = 12, MOST_PARTS = 3, MOST_NAMES = 3;

function unpacked({ unit_ns: unit, kinds, ...data }) {
  /* Pairs in a flat list, the time since the one before made a time since zero. */
  const pairs = (flat, make) => {
    const found = [];
    let at = 0;
    for (let i = 0; i < flat.length; i += 2) {
      const from = at;
      at += flat[i];
      make(found, from * unit, at * unit, flat[i + 1]);
    }
    return found;
  };
  const wakes = flat => {
    const found = [];
    let at = 0;
    for (let i = 0; i < flat.length; i += 3) found.push([(at += flat[i]) * unit, flat[i + 1], flat[i + 2]]);
    return found;
  };
  const points = flat => pairs(flat, (found, _, at, value) => found.push([at, value]));
  const row = ({ bars = [], bands = [], ...rest }) => ({
    size: 1, ended: '', ...rest,
    bars: pairs(bars, (found, from, to, kind) => { if (kind >= 0) found.push([from, to, ...kinds[kind]]); }),
    bands: pairs(bands, (found, from, to, amounts) => { if (amounts.length) found.push([from, to, amounts]); }),
  });
  return {
    ...data,
    runs: data.runs.map(run => ({
      ...run,
      rows: run.rows.map(row),
      pools: run.pools.map(pool => ({ ...pool, rows: pool.rows.map(row), queued: points(pool.queued) })),
      memory: run.memory.map(curve => ({ ...curve, points: points(curve.points) })),
      wakes: wakes(run.wakes),
    })),
  };
}

/* The times to step to, in order: where something changes, at least `least` apart (but for the first, after zero).
 * Changes too close to be distinguished are one step, at the last of them. */
function steps(runs, least) {
  const times = new Set();
  for (const run of runs) {
    for (const row of everyRow(run)) {
      for (const [from, to] of [...row.bars, ...row.bands]) times.add(from).add(to);
    }
  }
  times.delete(0);
  const found = [0];
  let first = -Infinity;
  for (const time of [...times].sort((one, other) => one - other)) {
    if (time - first < 2 * least) found.pop();
    else first = time;
    found.push(time);
  }
  return found.filter((time, place) => place === 0 || !(found[place + 1] - time < least));
}

/* Of a folded row: how many of its lanes are at work, and what most of them do (grid.py), or of all if none is. */
const atWork = counts => AT_WORK.reduce((sum, shade) => sum + (counts[shade] || 0), 0);

function busiest(counts) {
  if (counts[BLOCKING] > 0) return BLOCKING;
  const among = atWork(counts) > 0 ? AT_WORK : [...counts.keys()];
  return among.reduce((found, shade) => (counts[shade] || 0) > (counts[found] || 0) ? shade : found);
}

/* At most MOST_ROWS rows, in order: the first of each kind (folded or not, how it ended, what it did), and others evenly between them. */
function representatives(rows) {
  if (rows.length <= MOST_ROWS) return rows;
  const kinds = new Map();
  rows.forEach((row, place) => {
    const did = [...row.bars.map(bar => bar[2]), ...row.bands.map(([, , counts]) => busiest(counts))];
    const kind = [row.ended, row.size > 1, ...new Set(did)].sort().join();
    if (!kinds.has(kind)) kinds.set(kind, place);
  });
  const chosen = [...new Set([0, rows.length - 1, ...kinds.values()])].slice(0, MOST_ROWS);
  const inOrder = () => chosen.sort((one, other) => one - other);
  while (inOrder().length < MOST_ROWS) {
    const gaps = chosen.slice(1).map((place, before) => place - chosen[before]);
    const widest = Math.max(...gaps);
    chosen.push(chosen[gaps.indexOf(widest)] + (widest >> 1));
  }
  return chosen.map(place => rows[place]);
}

const inBrief = run => ({ ...run, rows: representatives(run.rows),
  pools: run.pools.map(pool => ({ ...pool, rows: representatives(pool.rows) })) });
const everyRow = run => [...run.rows, ...run.pools.flatMap(pool => pool.rows)];
const rowsOf = runs => runs.flatMap(everyRow).length;

const number = amount => amount.toLocaleString('en', { maximumSignificantDigits: amount < 100 ? 2 : 21 });
/* Whole lanes, though bands are averages: at least this many were in the state at some time. */
const whole = amount => number(Math.ceil(amount - 1e-6));
const counted = (amount, noun) => `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`;

/* As asyncdemo.render.words has them: three figures at most, in the unit a person would say. */
function duration(ns) {
  const ms = ns / 1e6;
  if (ns === 0) return '0 s';
  if (ns < 1e4) return '<0.01 ms';
  if (ms < 999.5) return `${ms.toFixed(ms < .995 ? 2 : ms < 9.95 ? 1 : 0)} ms`;
  if (ms < 599500) return `${(ms / 1e3).toFixed(ms < 9995 ? 2 : ms < 99950 ? 1 : 0)} s`;
  return `${number(Math.floor(ms / 6e4))} min ${String(Math.floor(ms / 1e3 % 60)).padStart(2, '0')} s`;
}

function size(bytes) {
  if (bytes < 999.5e3) return `${Math.round(bytes / 1e3)} kB`;
  if (bytes < 999.5e6) return `${(bytes / 1e6).toFixed(bytes < 99.5e6 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 9.95e9 ? 2 : 1)} GB`;
}

/* A time of the clock beside the controls: always as many digits, so that nothing jumps while it plays. */
function clock(ns, scale) {
  return scale < 1e9 ? `${(ns / 1e6).toFixed(scale < 1e8 ? 2 : 0)} ms` : `${(ns / 1e9).toFixed(2)} s`;
}

/* The bar or band at a time: they are in order and do not overlap. */
function at(list, time) {
  let low = 0, high = list.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (list[middle][1] <= time) low = middle + 1;
    else if (list[middle][0] > time) high = middle - 1;
    else return list[middle];
  }
  return null;
}

/* The value of a curve at a time: each holds until the next one. */
function value(points, time) {
  let found = 0;
  for (const [since, next] of points) {
    if (since > time) break;
    found = next;
  }
  return found;
}

/* How many are in each shade, bars and bands together. */
function count(rows, time) {
  const counts = SHADES.map(() => 0);
  for (const row of rows) {
    const bar = at(row.bars, time), band = at(row.bands, time);
    if (bar) counts[bar[2]] += 1;
    if (band) band[2].forEach((amount, shade) => { counts[shade] += amount; });
  }
  return counts;
}

const amounts = counts => counts.map((amount, shade) => amount > 0 ? `${whole(amount)} ${SHADES[shade].words}` : '').filter(Boolean);

/* What the pools and the memory of a run are at a time. */
function below(run, time) {
  const parts = run.pools.map(pool => {
    const found = amounts(count(pool.rows, time)), queued = value(pool.queued, time);
    if (queued) found.push(`${whole(queued)} queued`);
    return `${pool.title}: ${found.join(', ') || 'no connection'}`;
  });
  if (run.memory.length) {
    parts.push(run.memory.map(({ label, points }) => `${label} ${size(value(points, time))}`).join(', '));
  }
  return parts.map(part => `; ${part}`).join('');
}

/* How its rows ended: ": 18 returned, 2 raised"; of folded ones that is not known. */
function endings(run) {
  if (!run.rows.length || run.rows.some(row => row.size > 1)) return '';
  const counts = new Map();
  for (const row of run.rows) {
    const [, words] = mark(run, row) || ['', run.noun === 'request' ? 'answered' : 'returned'];
    counts.set(words, (counts.get(words) || 0) + 1);
  }
  return `: ${[...counts].map(([words, amount]) => `${number(amount)} ${words}`).join(', ')}`;
}

/* What a run does at a time, in a sentence. */
function sentence(run, time) {
  if (time >= run.length_ns) return `${run.name}: over${endings(run)}.`;
  const counts = count(run.rows, time), atIt = [], parts = [];
  for (const row of run.rows) {
    const bar = at(row.bars, time);
    if (!bar) continue;
    if (bar[2] === BLOCKING && !parts.length) parts.push(`${row.label} blocks the loop${bar[3] ? ` (${bar[3]})` : ''}`);
    if (bar[2] === RUNNING && atIt.length < 3) atIt.push(row.label);
  }
  if (parts.length) counts[BLOCKING] = 0;
  if (atIt.length) {
    parts.push(`${atIt.join(', ')} running`);
    counts[RUNNING] = 0;
  }
  return `${run.name}: ${[...parts, ...amounts(counts)].join('; ') || 'nothing is open'}${below(run, time)}.`;
}

/* "order(3)", "order(3) and order(8)", "order(3), order(8), order(9) and 5 more". */
function subject(names) {
  const some = names.slice(0, MOST_NAMES), more = names.length - some.length;
  const last = more ? `${number(more)} more` : some.length > 1 ? some.pop() : '';
  return last ? `${some.join(', ')} and ${last}` : some[0];
}

/* What changed in a run after one time until another, in a sentence; '' if nothing did, or rows stand for many lanes. */
function changed(run, from, to) {
  const verbs = new Map();
  const tell = (name, verb, many = verb) => {
    if (!verbs.has(verb)) verbs.set(verb, { names: new Set(), many });
    verbs.get(verb).names.add(name);
  };
  const held = (bars, time) => {
    const bar = at(bars, time);
    return bar && bar[2] === HELD && bar[3] ? bar : null;
  };
  for (const { bars } of run.pools.flatMap(pool => pool.rows)) {
    const was = held(bars, from), is = held(bars, to);
    if (was === is) continue;
    if (was) tell(was[3], 'gave a connection back');
    if (is) tell(is[3], was ? 'took it' : 'took a connection', was ? 'took them' : 'took a connection each');
  }
  for (const { label, bars, ended, size } of run.rows) {
    if (size > 1) return '';
    const was = at(bars, from), is = at(bars, to), last = bars.at(-1);
    const end = mark(run, { ended });
    if (last && from < last[1] && last[1] <= to) tell(label, end ? end[1] : run.noun === 'request' ? 'was answered' : ended || 'ended');
    else if (is && (!was || was[2] !== is[2])) {
      const words = `now ${SHADES[is[2]].words}${is[2] === BLOCKING ? ' the loop' : ''}`;
      tell(label, `is ${words}`, `are ${words}`);
    } else if (was !== is && bars.some(([start, , shade]) => shade === RUNNING && from < start && start <= to)) tell(label, 'ran');
  }
  const parts = [...verbs].map(([verb, { names, many }]) => `${subject([...names])} ${names.size > 1 ? many : verb}`);
  const more = parts.length - MOST_PARTS;
  if (!parts.length) return '';
  return `${run.name}: ${parts.slice(0, MOST_PARTS).join('; ')}${more > 0 ? `; ${counted(more, 'more change')}` : ''}.`;
}

/* The cells of a table that says the same as the picture: [row, from, to, state, why]. */
function* tableRows(run) {
  for (const row of run.rows) yield* rowsOfTable(row.size > 1 ? `${run.noun}s ${row.label}` : row.label, row);
  for (const [at, waker, woken] of run.wakes) yield [run.rows[woken].label, duration(at), '', 'woken', run.rows[waker].label];
  for (const pool of run.pools) {
    for (const row of pool.rows) yield* rowsOfTable(`${pool.title}: ${row.label}`, row);
    for (const [since, queued] of pool.queued) yield [pool.title, duration(since), '', `${number(queued)} queued`, ''];
  }
  for (const { label, points } of run.memory) {
    for (const [since, bytes] of points) yield [`${label} memory`, duration(since), '', size(bytes), ''];
  }
}

function* rowsOfTable(name, { bars, bands }) {
  for (const [from, to, shade, why] of bars) yield [name, duration(from), duration(to), SHADES[SHADES[shade].state].words, why];
  for (const [from, to, counts] of bands) yield [name, duration(from), duration(to), amounts(counts).join(', '), ''];
}
