/* Drawing a run of <async-timeline> at the width there is: letters keep their size, time gets what is left.
 * Not for: the data (timeline_reading.js), buttons and time (async_timeline.js).
 *
 * A row is a group whose zero is its middle; a bar in it is a line as thick as the bar is high. So no row cuts
 * a texture in another way than the next. The still pictures are made alike (asyncdemo.render.svg.rows).
 */
const ROW = 18, LEAST_ROW = 7, BAND_ROW = 10, POOL_ROW = 13, FEW = 8;
const ALL_ROWS = 900;  // pixels that the rows of all runs take together, if they can
const LETTER = 12, SMALL_LETTER = 10, EM = .602, SANS = .62;  // the last: widths of letters
const TOP = 4, RIGHT = 6, AXIS = 20, NAMED = 24, QUEUE = 18, CURVE = 44, SHORTEST = 1.5, LOWEST = 2;

const maker = namespace => (name, attributes = {}, ...children) => {
  const node = document.createElementNS(namespace, name);
  for (const [key, text] of Object.entries(attributes)) node.setAttribute(key, text);
  node.append(...children);
  return node;
};
const html = maker('http://www.w3.org/1999/xhtml'), svg = maker('http://www.w3.org/2000/svg');
const tenth = amount => Math.round(amount * 10) / 10;
const paint = ({ tile, name, colour }) => tile ? `url(#texture-${name})` : colour;
const mark = (run, row) => (ENDS[run.noun] || ENDS.lane)[row.ended];
const labelled = (run, row) => mark(run, row) ? `${row.label} ${mark(run, row)[0]}` : row.label;

/* The textures of all shades, for every picture in the same shadow tree. */
function textures() {
  const defs = svg('defs');
  for (const { name, colour, tile, mark } of SHADES) {
    if (!tile) continue;
    const pattern = svg('pattern', {
      id: `texture-${name}`, y: -tile / 2, width: tile, height: tile, patternUnits: 'userSpaceOnUse' });
    pattern.innerHTML = `<rect width="${tile}" height="${tile}" fill="${colour}"/>${mark}`;
    defs.append(pattern);
  }
  return svg('svg', { width: 0, height: 0, class: 'textures', 'aria-hidden': 'true' }, defs);
}

/* Where time is and how high a row: the same for all runs. `runs`: those that are shown; names are as long as in any.
 * from, scale: the time that is in sight; what is before or after it is at the edge, and so of no length. */
function frameFor(data, runs, total, from, scale) {
  const row = Math.round(Math.min(Math.max(ALL_ROWS / Math.max(rowsOf(runs), 1), LEAST_ROW), ROW));
  const letter = row < LETTER + 2 ? SMALL_LETTER : LETTER;
  let longest = 4;
  for (const run of data.runs) {
    if (run.memory.length) longest = Math.max(longest, 7);
    for (const one of everyRow(run)) longest = Math.max(longest, labelled(run, one).length);
  }
  const left = Math.round(Math.min(longest * letter * EM + 8, Math.max(total * .28, 64), 220));
  const most = {};
  for (const { memory } of data.runs) {
    for (const { label, points } of memory) most[label] = points.reduce((high, [, bytes]) => Math.max(high, bytes), most[label] || 1);
  }
  const width = total - left - RIGHT;
  const part = time => Math.min(Math.max((time - from) / scale, 0), 1);
  return { from, scale, left, top: TOP, width, total, row, letter, most, x: time => left + part(time) * width };
}

/* The picture of a run, without its name and figures, and where in it time goes on: [top, bottom] of each stretch. */
function drawRun(run, frame) {
  const parts = [], stretches = [];
  let y = TOP;
  const timed = high => { stretches.push([y, y + high]); y += high; };
  const group = (rows, row) => {
    const each = Math.ceil((frame.letter + 1) / row);
    rows.forEach((one, number) => parts.push(drawRow(run, one, y + number * row + row / 2, { ...frame, row }, number % each === 0)));
    timed(rows.length * row);
  };
  // Below the bars; where it would be cut off on the right, it begins further left.
  const note = words => {
    parts.push(text(words, Math.max(Math.min(frame.left, frame.total - words.length * LETTER * EM), 0), y + 13, 'dim'));
    y += ROW;
  };
  const named = (title, about) => {
    const words = text(title, 0, y + 17, 'part');
    words.append(svg('tspan', { dx: 10, class: 'about figure' }, shorten(about, frame.total / LETTER / SANS - title.length - 2)));
    parts.push(words);
    y += NAMED;
  };
  const folded = ({ folded, fold }, noun) => {  // on a phone without the explanation, which would be cut off
    if (folded) note(`+${counted(folded, noun)} folded, up to ${number(fold)} to a row${frame.total < 660 ? '' : HEIGHT_WORDS}`);
  };
  group(run.rows, run.rows.some(row => row.size > 1) ? Math.max(frame.row, BAND_ROW) : frame.row);
  if (!run.rows.length) note(run.empty || 'no rows');
  folded(run, run.noun);
  for (const pool of run.pools) {
    named(pool.title, pool.about);
    group(pool.rows, pool.rows.length <= FEW ? ROW : Math.min(frame.row, POOL_ROW));
    folded(pool, 'connection');
    if (pool.queued.length) {
      const most = Math.max(...pool.queued.map(([, queued]) => queued));
      parts.push(text(`queued ${number(most)}`, 0, y + 13, 'dim figure'), curve(pool.queued, most, y + 2, QUEUE - 4, run, frame, 'line'));
      timed(QUEUE);
    }
  }
  for (const { label, about = '', points } of run.memory) {
    named(`${label} memory`, about);
    const most = frame.most[label];
    parts.push(text(size(most), frame.left - 5, y + 9, 'dim figure', 'end'), text('0', frame.left - 5, y + CURVE - 4, 'dim', 'end'));
    if (points.length) parts.push(curve(points, most, y, CURVE - 4, run, frame, 'curve'));
    timed(CURVE);
  }
  const marks = [...ticks(frame)];
  const grid = svg('path', { class: 'grid',
    d: marks.map(([, x]) => stretches.map(([top, bottom]) => `M${tenth(x)} ${top}V${bottom}`).join('')).join('') });
  const axis = marks.map(([words, x], number) =>
    text(words, tenth(x), y + 16, 'dim', number === 0 ? 'start' : x > frame.total - 34 ? 'end' : 'middle'));
  const height = y + AXIS;
  const shape = { width: frame.total, height, viewBox: `0 0 ${frame.total} ${height}` };
  return [svg('svg', { ...shape, 'font-size': frame.letter, role: 'img' }, grid, ...parts, ...axis), stretches];
}

/* x, y: of its baseline. */
function text(words, x, y, kind = '', anchor = 'start') {
  return svg('text', { x, y, class: kind, 'text-anchor': anchor }, words);
}

/* At most this many letters; what is left out is in the middle, as in words.py: either end may tell the rows apart. */
function shorten(words, room) {
  const most = Math.max(Math.floor(room), 3);
  if (words.length <= most) return words;
  const [numbered = ''] = words.match(/ \d+$/) || [];
  const end = numbered && numbered.length <= most / 2 ? numbered : words.slice(words.length - Math.floor(most / 3));
  return `${words.slice(0, most - 1 - end.length).trimEnd()}…${end}`;
}

/* y: of its middle. */
function drawRow(run, row, y, frame, named) {
  const group = svg('g', { transform: `translate(0 ${y})` });
  const baseline = tenth(frame.letter * .35);
  if (named) {
    const words = shorten(labelled(run, row), (frame.left - 6) / frame.letter / EM);
    group.append(text(words, 0, baseline, row.size > 1 ? 'dim' : ''));
  }
  drawBands(group, row, frame);
  const stretches = SHADES.map(() => []);
  for (const bar of row.bars) stretches[bar[2]].push(ends(bar, frame));
  // The least important first: those after it may hide it.
  for (const shade of [...STACK].reverse()) {
    if (!stretches[shade].length) continue;
    const thick = Math.min(SHADES[shade].height * (frame.row + 2) / (ROW + 2), frame.row - 1);
    group.append(svg('path', { class: SHADES[shade].name, stroke: paint(SHADES[shade]), 'stroke-width': tenth(thick), d: dashes(stretches[shade]) }));
  }
  const letter = Math.min(frame.letter, 10);
  for (const bar of row.bars) {
    if (SHADES[bar[2]].name !== 'held' || frame.row < LETTER) continue;
    const [from, to] = ends(bar, frame);
    const who = [bar[3], (bar[3].match(/[ (]([^ ()]+)\)?$/) || [])[1]].find(name => name && name.length * 5.8 + 4 <= to - from);
    if (who) group.append(text(who, tenth((from + to) / 2), baseline, 'who', 'middle'));
  }
  return group;
}

/* Where a bar begins and ends; what only waited may vanish. */
function ends([start, end, shade], frame) {
  const from = frame.x(start), to = frame.x(end);
  const inSight = end >= frame.from && start <= frame.from + frame.scale;
  return [from, SHADES[shade].visible && inSight ? Math.max(to, from + SHORTEST) : to];
}

/* A line with gaps: "M130 0h5m3 0h7". */
function dashes(stretches) {
  let path = '', last = null;
  for (const [start, end] of stretches) {
    const from = last === null ? tenth(start) : Math.max(tenth(start), last), to = tenth(end);
    if (to <= from) continue;
    path += from === last ? `H${to}` : `M${from} 0H${to}`;
    last = to;
  }
  return path;
}

/* Columns as high as the share of the lanes at work, in a plain colour: a texture is for a row of one lane. Where
 * none is at work, but some are open, a thin line. */
function drawBands(group, row, frame) {
  const ground = frame.row / 2 - 1, full = frame.row - 2, outlines = new Map();
  for (const [start, end, counts] of row.bands) {
    const working = atWork(counts), shade = busiest(counts), from = frame.x(start);
    if (end <= frame.from || start >= frame.from + frame.scale) continue;
    const high = working > 0 ? Math.max(working / row.size * full, LOWEST) : 1;
    const to = Math.max(frame.x(end), from + 1);
    outlines.set(shade, `${outlines.get(shade) || ''}M${tenth(from)} ${ground}v${-tenth(high)}H${tenth(to)}V${ground}z`);
  }
  for (const [shade, d] of outlines) group.append(svg('path', { fill: SHADES[shade].colour, d }));
}

/* A value holds until the next one. y: of the upper edge, which is `most`. */
function curve(points, most, y, height, run, frame, kind) {
  const ground = y + height;
  let path = `M${tenth(frame.x(points[0][0]))} ${ground}`;
  for (const [since, amount] of points) {
    path += `H${tenth(frame.x(Math.min(since, run.length_ns)))}V${tenth(ground - amount / Math.max(most, 1) * height)}`;
  }
  return svg('path', { class: kind, d: `${path}H${tenth(frame.x(run.length_ns))}V${ground}z` });
}

/* Marks of the axis, a round step (1, 2 or 5 of a unit) apart: [words, x]. A run of 3.01 s is to have one each second. */
function* ticks(frame) {
  const least = frame.scale / Math.max(Math.floor(frame.width / 90), 3);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(by => by * power).find(by => by >= least * .9);
  const [unit, of] = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]].find(([, ns]) => frame.scale >= ns) || ['ns', 1];
  const decimals = Math.max(0, -Math.floor(Math.log10(step / of) + 1e-9));
  for (let number = Math.ceil(frame.from / step); number * step <= frame.from + frame.scale; number += 1) {
    yield [`${(number * step / of).toFixed(number ? decimals : 0)} ${unit}`, frame.x(number * step)];
  }
}

/* What the textures and marks mean, of those that occur in these runs. */
function legend(runs) {
  const shades = new Set(), marks = new Set();
  for (const run of runs) {
    for (const row of everyRow(run)) {
      for (const bar of row.bars) shades.add(bar[2]);
      for (const [, , counts] of row.bands) shades.add(busiest(counts));
      if (mark(run, row)) marks.add(mark(run, row).join(' '));
    }
  }
  return html('ul', { class: 'legend' },
    ...SHADES.filter((_, shade) => shades.has(shade)).map(look => html('li', {},
      svg('svg', { width: 28, height: 16, viewBox: '0 -8 28 16', 'aria-hidden': 'true' },
        svg('path', { class: look.name, stroke: paint(look), 'stroke-width': look.height, d: 'M0 0H28' })), look.legend)),
    ...[...marks].map(words => html('li', {}, words)));
}
