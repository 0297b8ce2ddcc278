/* The words of Python's words.py, for what is told of a run: the same in a terminal and on a page.
 *
 * Not for: what there is to tell (run_chart.js, open_run.js).
 */

/* With so many decimals, as Python rounds: of two that are as near, the even one. */
function fixed(value, decimals) {
  const halves = value * 2 ** (decimals + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return value.toFixed(decimals);
  const below = Math.floor(value * 10 ** decimals);
  return ((below % 2 ? below + 1 : below) / 10 ** decimals).toFixed(decimals);
}
const grouped = count => count.toLocaleString('en-US');
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

function duration(ns) {
  if (ns < 0) return `-${duration(-ns)}`;
  if (ns === 0) return '0 s';
  if (ns < 10000) return '<0.01 ms';
  const ms = ns / 1e6, seconds = ms / 1e3;
  if (ms < 999.5) return `${fixed(ms, ms < .995 ? 2 : ms < 9.95 ? 1 : 0)} ms`;
  if (seconds < 600) return `${fixed(seconds, seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${grouped(minutes)} min ${String(Math.floor(seconds - 60 * minutes)).padStart(2, '0')} s`;
}

const UNITS = [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]];

/* An amount of memory. As rounding would show it: 999.6 MB is 1.00 GB. */
function size(bytes) {
  if (bytes < 0) return `-${size(-bytes)}`;
  const found = UNITS.find(([, unit]) => bytes >= .9995 * unit);
  if (!found) return `${bytes} B`;
  const [name, unit] = found, value = bytes / unit;
  const decimals = value >= 99.5 || name === 'kB' ? 0 : value >= 9.95 || name === 'MB' ? 1 : 2;
  const [whole, part] = fixed(value, decimals).split('.');
  return `${grouped(Number(whole))}${part ? `.${part}` : ''} ${name}`;
}

/* What could hide or turn the text around is written as an escape. */
const clean = text => text.replace(/[\p{C}\p{Z}]/gu, char => {
  if (char === ' ') return char;
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char], code = char.codePointAt(0);
  const [letter, digits] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8];
  return short || `\\${letter}${code.toString(16).padStart(digits, '0')}`;
});

const fileName = site => clean(site.file).replaceAll('\\', '/').split('/').pop();

/* "app.py:12 in pour, called from main.py:3". */
function place(site, caller = null) {
  if (site === null) return caller === null ? '' : place(caller);
  let words = `${fileName(site)}:${site.line}`;
  if (site.function && site.function !== '<module>') words += ` in ${clean(site.function)}`;
  if (caller !== null && (caller.file !== site.file || caller.line !== site.line)) {
    words += `, called from ${fileName(caller)}:${caller.line}`;
  }
  return words;
}

function title(run) {
  const parts = run.script.split('/').filter(part => part && part !== '.');
  return clean(run.name) || clean(parts.pop() || '') || 'run';
}

function status(run) {
  let words = TABLES.outcomes[run.outcome];
  if (run.outcome === 'failed' && run.exit_code !== null) words += ` with exit code ${run.exit_code}`;
  return run.clock === 'virtual' ? `${words} (virtual time)` : words;
}

/* "sleep at app.py:12 in pour": what held the loop. */
function blockingWords(step) {
  const what = Object.hasOwn(TABLES.reasons, step.reason) ? TABLES.reasons[step.reason] : clean(step.reason);
  const where = place(step.site, step.called_from);
  return where ? `${what} at ${where}` : what;
}
