/* The lines of a run file as objects, and their fields, checked: what a record is, whatever it is about.
 *
 * Not for: what the records are together (run_file.js).
 */

class RunFileError extends Error {}

/* Completes the sentence "Line 7: ...". */
class FieldError extends Error {}

/* ---- JSON with numbers that JavaScript would round, or does not know ---- */

const MARK = '\u0000';
const SPECIAL = /\d{16}|Infinity|NaN/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[,:[\s]-?\d{16,}(?![\d.eE])|-?Infinity|NaN/g;

/* A long whole number becomes a text of its digits behind a mark; infinite knobs are what Python writes so. */
function parse(line) {
  if (!SPECIAL.test(line)) return JSON.parse(line);
  return JSON.parse(line.replace(TOKENS, token => {
    if (/\d$/.test(token)) return `${token[0]}"\\u0000${token.slice(1)}"`;
    if (token === 'NaN') return 'null';
    return token.endsWith('Infinity') ? token.replace('Infinity', '1e999') : token;
  }));
}

const isLong = value => typeof value === 'string' && value[0] === MARK;
const exact = value => BigInt(isLong(value) ? value.slice(1) : value);
const number = value => isLong(value) ? Number(value.slice(1)) : value;

/* ---- fields ---- */

const isInteger = value => Number.isInteger(value) || isLong(value);
const isText = value => typeof value === 'string';
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = is => value => Array.isArray(value) && value.every(is);
const oneOf = (...words) => [value => words.includes(value), `one of ${words.join(', ')}`];
const isPlain = value => isText(value) || typeof value === 'number' || typeof value === 'boolean';

const KINDS = {
  integer: [isInteger, 'an integer'],
  text: [isText, 'text'],
  truth: [value => typeof value === 'boolean', 'true or false'],
  integers: [listOf(isInteger), 'a list of integers'],
  texts: [listOf(isText), 'a list of texts'],
  object: [isObject, 'an object'],
  knobs: [value => isObject(value) && Object.values(value).every(one => one === null || isPlain(one)),
    'an object of numbers, texts and truth values'],
  clock: oneOf('real', 'virtual'),
  ending: oneOf('ok', 'failed', 'timeout', 'interrupted'),
  outcome: oneOf('returned', 'raised', 'cancelled', 'open'),
  resource: oneOf('semaphore', 'lock', 'queue', 'executor', 'pool'),
};

/* A field that must be there, unless there is a value that it otherwise has; null only where that is null. */
function field(record, name, kind, otherwise) {
  const value = record[name];
  if (value === undefined && otherwise !== undefined) return otherwise;
  if (value === undefined) throw new FieldError(`"${name}" is missing`);
  if (value === null && otherwise === null) return null;
  const [is, words] = KINDS[kind];
  if (!is(value)) throw new FieldError(`"${name}" should be ${words}`);
  return kind === 'integer' ? number(value) : value;
}

function site(record, name) {
  const place = field(record, name, 'object', null);
  if (place === null) return null;
  return {
    file: field(place, 'file', 'text'),
    line: field(place, 'line', 'integer'),
    function: field(place, 'function', 'text', ''),
  };
}

function equallyLong(...columns) {
  if (new Set(columns.map(column => column.length)).size > 1) throw new FieldError('its columns differ in length');
}
