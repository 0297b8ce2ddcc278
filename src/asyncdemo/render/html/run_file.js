/* Reads run files (docs/reference/run-format.md) into what they hold, as store/decode.py and resolve.py do.
 *
 * A Reader is given the lines, and makes a run of them: {name, script, argv, ..., tracks, lanes, requests, rows, pools,
 * memory, slow_steps, summed, notes}.
 * All times are nanoseconds since the first time of the file: the clock of a machine that is up for 104 days
 * does not fit a number of JavaScript, and only differences mean anything.
 * A file that was cut off gives what it holds, and a note says so. Of what is no run file it raises a RunFileError.
 * Not for: where the lines come from (run_lines.js), what is drawn of a run (run_chart.js).
 */

const FORMAT = 'asyncdemo.run/1';
const NO_CAUSE = { reason: '', resource: null, via: null };

/* ---- spans: columns, of which a lane sees a part ---- */

const EMPTY = { starts: [], states: '', causes: [], first: 0, after: 0, from: 0, end: 0 };

/* The first place after those that are at most as great: Python's bisect_right. */
function after(list, value, key = one => one) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < key(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* The first place of those that are at least as great: Python's bisect_left. */
function before(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The part of a track's spans between two times. */
function clip(spans, start, end) {
  if (!spans.starts.length) return EMPTY;
  const from = Math.max(start, spans.from), until = Math.min(end, spans.end);
  if (until <= from) return EMPTY;
  const first = after(spans.starts, from) - 1;
  return { ...spans, first, after: before(spans.starts, until), from, end: until };
}

/* ---- records, in whatever order they come ---- */

const sorted = table => [...table].sort(([one], [other]) => one - other).map(([, item]) => item);

class Reader {
  constructor(name) {
    this.name = name;
    this.line = 0;
    this.records = 0;
    this.header = this.base = this.expected = this.cut = null;
    for (const table of ['causes', 'tracks', 'lanes', 'requests', 'pools', 'memory']) this[table] = new Map();
    this.uses = new Map();
    this.connections = new Map();
    this.refused = new Map();
    this.slowSteps = [];
    this.summed = [];
  }

  read(text) {
    this.line += 1;
    if (this.cut !== null) this.fail('is no record', this.cut);
    if (!text.trim()) return;
    let record = null;
    try {
      record = parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    }
    if (!isObject(record)) {
      if (this.header === null) this.fail('is not the header of a recorded run');
      this.cut = this.line; // fine if nothing follows
      return;
    }
    try {
      this.record(record);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      this.fail(error.message);
    }
  }

  fail(what, line = this.line) {
    throw new RunFileError(`${this.name} is no recorded run: line ${line}: ${what}.`);
  }

  record(record) {
    if (this.header === null) this.readHeader(record);
    else {
      const type = field(record, 'type', 'text');
      const read = READ.get(type);
      if (read) read(this, record);
      if (type === 'end') return;
    }
    this.records += 1;
  }

  readHeader(record) {
    const version = /^asyncdemo\.run\/\d{1,9}$/.exec(record.format);
    if (version === null) throw new FieldError('is not the header of a recorded run');
    if (record.format !== FORMAT) {
      throw new RunFileError(`${this.name} has the format ${record.format}, and this page reads ${FORMAT}. ` +
        'Open it with the page of a newer asyncdemo, or record the run again with this one.');
    }
    this.header = {
      name: field(record, 'name', 'text'),
      script: field(record, 'script', 'text'),
      argv: field(record, 'argv', 'texts'),
      python: field(record, 'python', 'text'),
      clock: field(record, 'clock', 'clock'),
      outcome: field(record, 'outcome', 'ending'),
      exit_code: field(record, 'exit_code', 'integer', null),
      threshold_ns: field(record, 'threshold_ns', 'integer'),
      named: field(record, 'named', 'truth', false),
      knobs: field(record, 'knobs', 'knobs', {}),
      notes: field(record, 'notes', 'texts', []),
      processes: field(record, 'processes', 'integer', 1),
    };
  }

  /* A time of the file as what it differs from the first one. */
  since(value) {
    const at = exact(value);
    this.base ??= at;
    const since = Number(at - this.base);
    if (!Number.isSafeInteger(since)) throw new FieldError('its times are too far apart for a browser');
    return since;
  }

  time(record, name, otherwise) {
    const value = field(record, name, 'integer', otherwise);
    return value === null ? null : this.since(record[name]);
  }

  /* start_ns and end_ns of what has a length. */
  interval(record) {
    const start = this.time(record, 'start_ns'), end = this.time(record, 'end_ns');
    if (end < start) throw new FieldError('"end_ns" should not be before "start_ns"');
    return { start, end };
  }

  /* A column of times from its differences. */
  times(record, name) {
    const column = field(record, name, 'integers');
    const times = new Float64Array(column.length);
    for (let at = 0, i = 0; i < column.length; i += 1) {
      at = i ? at + number(column[i]) : this.since(column[0]);
      times[i] = at;
    }
    if (!times.every(Number.isSafeInteger)) throw new FieldError('its times are too far apart for a browser');
    return times;
  }

  spans(record) {
    const starts = this.times(record, 'starts');
    const states = field(record, 'states', 'text');
    if (/[^0-3]/.test(states)) throw new FieldError('"states" should be digits from 0 to 3');
    const causes = field(record, 'causes', 'integers');
    equallyLong(starts, states, causes);
    field(record, 'closed', 'integer');
    if (!starts.length) return EMPTY;
    const end = this.since(record.closed);
    for (let i = 1; i < starts.length; i += 1) {
      if (starts[i] < starts[i - 1]) throw new FieldError('"starts" should not go back in time');
    }
    if (end < starts[starts.length - 1]) throw new FieldError('"closed" should not be before the last start');
    return { starts, states, causes, first: 0, after: starts.length, from: starts[0], end };
  }

  slots(record) {
    const starts = this.times(record, 'starts');
    const tracks = field(record, 'tracks', 'integers'), lengths = field(record, 'lengths', 'integers').map(number);
    equallyLong(starts, tracks, lengths);
    if (lengths.some(length => length < 0)) throw new FieldError('"lengths" should not be negative');
    return lengths.map((length, i) => ({ track: tracks[i], start: starts[i], end: starts[i] + length }));
  }

  once(table, record, item, key = 'index') {
    const index = field(record, key, 'integer');
    if (table.has(index)) throw new FieldError(`repeats ${record.type} ${index}`);
    table.set(index, item);
  }

  /* ---- what the records are together ---- */

  run() {
    if (this.header === null) throw new RunFileError(`${this.name} is empty: no run was recorded in it.`);
    const missing = this.missing();
    const known = index => index !== null && this.tracks.has(index) ? index : null;
    for (const cause of this.causes.values()) {
      if (!this.pools.has(cause.resource)) cause.resource = null;
      cause.via = known(cause.via);
    }
    for (const track of this.tracks.values()) track.parent = known(track.parent);
    this.checkParents();
    const lanes = sorted(this.lanes).filter(lane => this.tracks.has(lane.track));
    for (const lane of lanes) lane.spans ??= clip(this.tracks.get(lane.track).spans, lane.start, lane.end);
    const requests = sorted(this.requests);
    for (const one of [...requests, ...this.slowSteps]) one.track = known(one.track);
    return {
      ...this.header,
      lanes,
      requests,
      rows: requests.length ? requests : lanes,
      tracks: new Map([...this.tracks].sort(([one], [other]) => one - other)),
      causeOf: (spans, i) => this.causes.get(spans.causes[i]) || NO_CAUSE,
      pools: sorted(this.pools).filter(pool => pool.kind === 'pool').map(pool => ({
        ...pool,
        refused: this.kept(this.refused.get(pool.index)),
        connections: sorted(this.connections.get(pool.index) || []).map(connection => ({
          ...connection,
          track: known(connection.track),
          uses: this.kept(this.uses.get(`${pool.index} ${connection.index}`)),
        })),
      })),
      memory: sorted(this.memory).flat(),
      slow_steps: this.slowSteps,
      summed: this.summed,
      notes: [...this.header.notes, ...missing],
      incomplete: missing.join(' '),
    };
  }

  /* Parts of a column, in order, without what refers to a track that is missing. */
  kept(chunks) {
    return sorted(chunks || []).flat().filter(slot => this.tracks.has(slot.track));
  }

  missing() {
    if (this.expected === null) {
      return [`The file ends early: this is what its first ${this.records} records hold.`];
    }
    const missing = this.expected - this.records;
    if (!missing && this.cut === null) return [];
    return [`The file is damaged: ${Math.max(missing, 1)} of its records are missing.`];
  }

  /* Whoever follows the parents up must arrive. */
  checkParents() {
    const rooted = new Set();
    for (const [of, track] of this.tracks) {
      const path = new Set();
      for (let index = of; index !== null && !rooted.has(index); index = this.tracks.get(index).parent) {
        if (path.has(index)) this.fail(`track ${of} is its own ancestor`, track.line);
        path.add(index);
      }
      path.forEach(index => rooted.add(index));
    }
  }
}

/* The table in a table of tables. */
function within(tables, key) {
  if (!tables.has(key)) tables.set(key, new Map());
  return tables.get(key);
}

const READ = new Map(Object.entries({
  cause: (reader, record) => reader.once(reader.causes, record, {
    reason: field(record, 'reason', 'text', ''),
    resource: field(record, 'resource', 'integer', null),
    via: field(record, 'via', 'integer', null),
  }),
  track: (reader, record) => reader.once(reader.tracks, record, {
    line: reader.line,
    name: field(record, 'name', 'text'),
    ...reader.interval(record),
    outcome: field(record, 'outcome', 'outcome'),
    spans: reader.spans(record),
    site: site(record, 'site'),
    parent: field(record, 'parent', 'integer', null),
    steps: field(record, 'steps', 'integer', 0),
    error: field(record, 'error', 'text', null),
  }),
  lane: (reader, record) => reader.once(reader.lanes, record, {
    name: field(record, 'name', 'text'),
    track: field(record, 'track', 'integer'),
    ...reader.interval(record),
    outcome: field(record, 'outcome', 'outcome'),
    spans: 'starts' in record ? reader.spans(record) : null,
  }),
  request: (reader, record) => reader.once(reader.requests, record, {
    name: field(record, 'name', 'text'),
    track: field(record, 'track', 'integer', null),
    ...reader.interval(record),
    outcome: field(record, 'outcome', 'outcome'),
    sent: reader.time(record, 'sent_ns'),
    handled: reader.time(record, 'handled_ns', null),
    spans: reader.spans(record),
  }),
  resource: (reader, record) => reader.once(reader.pools, record, {
    index: field(record, 'index', 'integer'),
    kind: field(record, 'kind', 'resource'),
    name: field(record, 'name', 'text', ''),
    limit: field(record, 'limit', 'integer', null),
    site: site(record, 'site'),
    process: field(record, 'process', 'integer', 0),
  }),
  refused: (reader, record) =>
    reader.once(within(reader.refused, field(record, 'resource', 'integer')), record, reader.slots(record), 'first'),
  connection: (reader, record) =>
    reader.once(within(reader.connections, field(record, 'resource', 'integer')), record, {
      index: field(record, 'index', 'integer'),
      opened: reader.time(record, 'opened_ns'),
      ready: reader.time(record, 'ready_ns', null),
      closed: reader.time(record, 'closed_ns', null),
      track: field(record, 'track', 'integer', null),
    }),
  uses: (reader, record) => {
    const of = `${field(record, 'resource', 'integer')} ${field(record, 'connection', 'integer')}`;
    reader.once(within(reader.uses, of), record, reader.slots(record), 'first');
  },
  memory: (reader, record) => {
    const times = reader.times(record, 'times');
    const resident = field(record, 'resident', 'integers'), virtual = field(record, 'virtual', 'integers');
    equallyLong(times, resident, virtual);
    const samples = resident.map((bytes, i) => ({ at: times[i], resident: number(bytes), virtual: number(virtual[i]) }));
    reader.once(reader.memory, record, samples, 'first');
  },
  summed: (reader, record) => {
    const starts = field(record, 'starts_ns', 'integers'), ends = field(record, 'ends_ns', 'integers');
    equallyLong(starts, ends);
    if (!starts.length) throw new FieldError('"starts_ns" should not be empty');
    starts.forEach((at, i) => {
      const start = reader.since(at), end = reader.since(ends[i]);
      if (end < start) throw new FieldError('"end_ns" should not be before "start_ns"');
      reader.summed.push({ start, end });
    });
  },
  slow_step: (reader, record) => reader.slowSteps.push({
    track: field(record, 'track', 'integer', null),
    ...reader.interval(record),
    stolen: field(record, 'stolen_ns', 'integer'),
    site: site(record, 'site'),
    called_from: site(record, 'called_from'),
    reason: field(record, 'reason', 'text', ''),
  }),
  end: (reader, record) => {
    if (reader.expected !== null) throw new FieldError('is a second end');
    reader.expected = field(record, 'records', 'integer');
  },
}));
