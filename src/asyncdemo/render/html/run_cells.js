/* Many rows and bars in cells: what accumulator.py, grid.py and chart.py do where a picture has too many of them.
 *
 * Not for: what the lanes did (run_chart.js), connections (run_pools.js).
 */

/* ---- accumulator.py: many rows, in cells ---- */

const headOf = rows => Math.min(Math.floor(rows / 3), 8);

/* How many lanes share a row past the head, so that all of them get in. */
const foldOf = (lanes, rows) => lanes <= rows ? 1 : Math.ceil((lanes - headOf(rows)) / (rows - headOf(rows)));

class Accumulator {
  constructor(columns, columnNs, rows, lanes) {
    Object.assign(this, { columns, columnNs, lanes, head: headOf(rows), fold: foldOf(lanes, rows) });
    this.groups = [];
  }

  /* One lane: when it opened and in which shade, each change of that, when it closed. */
  open(lane, at, shade) {
    const group = lane < this.head ? lane : this.head + Math.floor((lane - this.head) / this.fold);
    this.group = this.groups[group] ??= {
      first: lane,
      size: lane < this.head ? 1 : Math.min(this.fold, this.lanes - lane),
      shades: [],
    };
    Object.assign(this, { opened: at, since: at, shade });
    this.count(shade, at, 1);
  }

  change(at, shade) {
    if (shade === this.shade) return;
    this.since = Math.max(at, this.since);
    this.count(this.shade, this.since, -1);
    this.count(shade, this.since, 1);
    this.shade = shade;
  }

  close(at) {
    at = Math.max(at, this.since);
    this.count(this.shade, at, -1);
    if (at === this.opened) { // as if it ran for a nanosecond
      this.count(SHADE.RUNNING, at, 1);
      this.count(SHADE.RUNNING, at + 1, -1);
    }
  }

  /* So many more are in the shade from then on: a change for what follows, the rest for its column. */
  count(shade, at, by) {
    const column = Math.min(Math.max(Math.floor(at / this.columnNs), 0), this.columns + 1);
    const kept = this.group.shades[shade] ??= {
      changes: new Float64Array(this.columns + 2),
      rests: new Float64Array(this.columns + 2),
    };
    kept.changes[column] += by;
    kept.rests[column] += by * ((column + 1) * this.columnNs - at);
  }

  /* By column: how many lanes of a group were in each shade, on average. */
  amounts(group) {
    const byColumn = Array.from({ length: this.columns }, () => new Float64Array(SHADE.CLOSED));
    group.shades.forEach(({ changes, rests }, shade) => {
      let level = 0;
      byColumn.forEach((counts, column) => {
        counts[shade] = (level * this.columnNs + rests[column]) / this.columnNs;
        level += changes[column];
      });
    });
    return byColumn;
  }
}

/* The first of the greatest from one shade up to another. */
function dominant(counts, from, to) {
  let found = from;
  for (let shade = from + 1; shade < to; shade += 1) if (counts[shade] > counts[found]) found = shade;
  return found;
}

/* Half of an eighth goes to the even one, as in Python. */
const eighths = part => Math.min(Math.max(Number(fixed(part * LIMITS.full, 0)), 1), LIMITS.full);

/* grid.py's rule of what a cell shows of a row of one lane: {shade, fill}. */
function cellOf(counts, wasBrief) {
  for (const urgent of [SHADE.BLOCKING, SHADE.OPENING]) if (counts[urgent] > 0) return { shade: urgent };
  const busy = counts[SHADE.HELD] > 0 ? SHADE.HELD : SHADE.RUNNING;
  const other = dominant(counts, SHADE.READY, SHADE.HELD);
  if (counts[busy] > 0 && (counts[busy] >= counts[other] || !wasBrief)) {
    return { shade: busy, fill: eighths(counts[busy]) };
  }
  return counts[other] > 0 ? { shade: other } : null;
}

/* ---- chart.py: bars where a reader can see them, cells and bands where there are too many ---- */

function cellBars(counts, cell, start, width) {
  if (cell.shade !== SHADE.RUNNING || cell.fill === LIMITS.full) return [[start, start + width, cell.shade, '']];
  const ran = start + Math.floor(width * cell.fill / LIMITS.full);
  const rest = dominant(counts, SHADE.READY, SHADE.CLOSED);
  const bars = [[start, ran, SHADE.RUNNING, '']];
  return counts[rest] > 0 ? [...bars, [ran, start + width, rest, '']] : bars;
}

function cutBars(columns, width, scale) {
  const bars = [];
  let wasBrief = false;
  columns.forEach((counts, at) => {
    const cell = counts.some(Boolean) ? cellOf(counts, wasBrief) : null;
    wasBrief = cell !== null && (cell.shade === SHADE.RUNNING || cell.shade === SHADE.HELD) &&
      counts[cell.shade] < Math.max(...counts);
    for (const bar of cell ? cellBars(counts, cell, at * width, width) : []) {
      const last = bars[bars.length - 1];
      if (last && last[2] === bar[2] && last[1] === bar[0]) last[1] = bar[1];
      else bars.push(bar);
    }
  });
  return bars.filter(([start]) => start < scale).map(([start, end, ...rest]) => [start, Math.min(end, scale), ...rest]);
}

/* As exact as it is told: nobody is nobody, but a little is not. */
function rounded(amount) {
  if (amount <= 0) return 0;
  return amount >= 10 ? Number(fixed(amount, 0)) : Math.max(Number(fixed(amount, 1)), .1);
}

/* Up to the last one that is not zero: most shades do not occur. */
function amountsOf(counts) {
  const amounts = Array.from(counts, rounded);
  while (amounts.length && !amounts[amounts.length - 1]) amounts.pop();
  return amounts;
}

function cutBands(columns, width, scale) {
  return columns.flatMap((counts, at) => counts.some(Boolean)
    ? [[at * width, Math.min((at + 1) * width, scale), amountsOf(counts)]] : []);
}

/* The rows of what is counted. of: {label, ended} of a lane that has a row of its own. */
function cutRows(cells, scale, of) {
  return cells.groups.map(group => {
    const { first, size } = group, columns = cells.amounts(group);
    if (size === 1) return { size, ...of(first), bars: cutBars(columns, cells.columnNs, scale), bands: [] };
    const label = `${grouped(first + 1)}-${grouped(first + size)}`;
    return { label, size, ended: '', bars: [], bands: cutBands(columns, cells.columnNs, scale) };
  });
}
