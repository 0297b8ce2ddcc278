/* Pools as they are drawn: a row for each connection, who held it when, and how many queued (pooling.py).
 *
 * Not for: the rows above them (run_chart.js).
 */

/* The turns that tracks waited for, by pool; a child's is told once, as its own. */
function queueing(run) {
  const waited = new Map(run.pools.map(pool => [pool.index, []]));
  for (const { spans } of run.tracks.values()) {
    const wanted = String(QUEUED_STATE);
    for (let i = spans.states.indexOf(wanted); i >= 0; i = spans.states.indexOf(wanted, i + 1)) {
      const { resource, via } = run.causeOf(spans, i);
      const end = i + 1 < spans.after ? spans.starts[i + 1] : spans.end;
      if (via === null) waited.get(resource)?.push([spans.starts[i], end]);
    }
  }
  return waited;
}

/* How many of the intervals there are at once, whenever that changes. */
function levels(intervals) {
  const changes = new Map();
  const add = (at, by) => changes.set(at, (changes.get(at) || 0) + by);
  for (const [start, end] of intervals) { add(start, 1); add(end, -1); }
  let level = 0;
  return [...changes].filter(([, by]) => by).sort(([one], [other]) => one - other).map(([at, by]) => [at, level += by]);
}

/* What a track was at work on: the request or lane of it, or of the track that made it; else its name. */
function namesOf(run) {
  const rows = new Map();
  for (const { track, handled, start, end, name } of run.rows) {
    if (track === null) continue;
    if (!rows.has(track)) rows.set(track, []);
    rows.get(track).push({ begun: handled ?? start, end, name });
  }
  const inOrder = (one, other) => one.begun - other.begun || one.end - other.end ||
    (one.name < other.name ? -1 : Number(one.name > other.name));
  for (const list of rows.values()) list.sort(inOrder);
  const nameAt = (track, at) => {
    const list = rows.get(track) || [], last = after(list, at, row => row.begun) - 1;
    for (let i = last; i >= 0 && i > last - LIMITS.nested; i -= 1) if (at <= list[i].end) return list[i].name;
    return '';
  };
  return (track, at) => {
    for (let index = track; index !== null; index = run.tracks.get(index).parent) {
      const name = nameAt(index, at);
      if (name) return name;
    }
    return run.tracks.get(track).name;
  };
}

/* What a connection was, from when until when, without a gap: [start, end, shade, who]. */
function stretches(connection, zero, until, names) {
  const end = connection.closed ?? until, opener = connection.track;
  let at = Math.min(connection.ready ?? end, end);
  const found = [[connection.opened, at, SHADE.OPENING, opener === null ? '' : names(opener, connection.opened)]];
  for (const use of connection.uses) {
    const start = Math.min(Math.max(use.start, at), end), stop = Math.min(Math.max(use.end, at), end);
    if (start > at) found.push([at, start, SHADE.IDLE, '']);
    found.push([start, stop, SHADE.HELD, names(use.track, use.start)]);
    at = stop;
  }
  if (end > at) found.push([at, end, SHADE.IDLE, '']);
  return found.flatMap(([start, stop, shade, who]) => {
    const from = Math.max(start, zero), to = Math.min(stop, until);
    return from < to || (from === to && start === stop) ? [[from - zero, to - zero, shade, who]] : [];
  });
}

/* Pools that one line made share a section where they are many. */
function poolSections(run) {
  if (!run.rows.length) return [];
  const waited = queueing(run), names = namesOf(run), made = new Map();
  for (const pool of run.pools) {
    if (!pool.connections.length && !pool.refused.length && !waited.get(pool.index).length) continue;
    const { file, line, function: within } = pool.site || {};
    const key = JSON.stringify([file, line, within, pool.name, pool.process]);
    if (!made.has(key)) made.set(key, []);
    made.get(key).push(pool);
  }
  return [...made.values()].flatMap(pools => {
    const [{ name, process }] = pools, word = name ? `${name} pool` : 'pool';
    const of = process ? ` of process ${process}` : '';
    if (pools.length > LIMITS.apart) {
      return [poolSection(run, pools, `${counted(pools.length, word)}${of}`, waited, names)];
    }
    return pools.map((pool, at) => {
      const which = pools.length > 1 ? ` ${at + 1} of ${pools.length}` : '';
      return poolSection(run, [pool], `${word}${which}${of}`, waited, names);
    });
  });
}

function poolSection(run, pools, name, waited, names) {
  const zero = zeroOf(run), until = zero + extentOf(run);
  const [{ limit, site, name: kind }] = pools, where = place(site);
  const limited = (limit === null ? 'no limit' : `limit ${grouped(limit)}`) + (pools.length > 1 ? ' each' : '');
  const opened = pools.flatMap(pool => pool.connections).sort((one, other) => one.opened - other.opened);
  return {
    title: clean(name),
    about: where ? `${limited}, made at ${where}` : limited,
    rows: opened.map((connection, at) => ({
      label: `${kind || 'connection'} ${grouped(at + 1)}`,
      stretches: stretches(connection, zero, until, names),
    })),
    queued: levels(pools.flatMap(pool => waited.get(pool.index))).map(([at, level]) => [Math.max(at - zero, 0), level]),
  };
}

function poolRows(rows, columnNs, scale) {
  const drawn = rows.filter(row => row.stretches.length);
  const bars = drawn.reduce((sum, row) => sum + row.stretches.length, 0);
  if (drawn.length <= LIMITS.pool_rows && bars <= LIMITS.pool_bars) {
    return drawn.map(row => ({
      label: clean(row.label),
      size: 1,
      ended: '',
      bars: row.stretches.filter(([start, end]) => end > start).map(([start, end, shade, who]) =>
        [start, end, shade, clean(who)]),
      bands: [],
    }));
  }
  const cells = new Accumulator(LIMITS.columns, columnNs, LIMITS.pool_rows, drawn.length);
  const last = LIMITS.columns * columnNs - 1;
  for (const [index, row] of drawn.entries()) {
    const [[opened, , shade]] = row.stretches;
    cells.open(index, Math.min(opened, last), shade);
    for (const [start, , next] of row.stretches) cells.change(Math.min(start, last), next);
    cells.close(Math.min(row.stretches[row.stretches.length - 1][1], last + 1));
  }
  return cutRows(cells, scale, index => ({ label: clean(drawn[index].label), ended: '' }));
}
