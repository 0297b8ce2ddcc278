/* <async-timeline>: plays the recorded runs that are drawn in it.
 *
 * It finds an SVG and a JSON script among its children and adds what makes them play: a cursor, a
 * veil over what has not happened yet, buttons, a sentence about now. Without JavaScript the SVG is
 * all there, and so it is on paper. A classic script without dependencies: works from file://.
 *
 * Attribute "covered": nothing is shown before it is played (predict first, then reveal).
 * JSON: {states: [words], scale_ns, left, width, plots: [[top, bottom]], runs: [{name, length_ns, rows: [row],
 * pools: [{title, rows: [row], queued: [[since_ns, how many]]}], memory: [{label, points: [[since_ns, bytes]]}]}]},
 * a row {label, size, bars: [[start_ns, end_ns, state, why]], bands: [[start_ns, end_ns, [how many by state]]]},
 * the state an index into states.
 */
(() => {
  'use strict';
  const RUNNING = 0, BLOCKING = 4;
  const AN_EYEFUL_S = 8;
  const STYLE = `
    :host { display: block; }
    .bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem 0;
      position: sticky; bottom: 0; background: var(--md-default-bg-color, var(--bg, Canvas)); }
    button, select { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor;
      border-radius: .3rem; min-width: 2.2rem; min-height: 2.2rem; padding: 0 .7rem; cursor: pointer; }
    select option { color: CanvasText; background: Canvas; }
    input { flex: 1; min-width: 8rem; min-height: 1.6rem; accent-color: #0072b2; }
    output { min-width: 5.5em; text-align: right; font-variant-numeric: tabular-nums; }
    p { margin: 0 0 .5rem; min-height: 2.8em; }
    :focus-visible { outline: 3px solid #0072b2; outline-offset: 2px; }
    @media print { .bar, p { display: none; } }`;
  const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

  const html = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const svg = (name, attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const seconds = (ns, scale) => scale < 1e9 ? `${(ns / 1e6).toFixed(scale < 1e8 ? 2 : 0)} ms` : `${(ns / 1e9).toFixed(2)} s`;

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

  /* How many are in each state, bars and bands together. */
  function count(rows, states, time) {
    const counts = states.map(() => 0);
    for (const row of rows) {
      const bar = at(row.bars, time), band = at(row.bands, time);
      if (bar) counts[bar[2]] += 1;
      if (band) band[2].forEach((amount, state) => { counts[state] += amount; });
    }
    return counts;
  }

  const whole = amount => amount > 0 && amount < 1 ? '<1' : Math.round(amount).toLocaleString('en');
  const size = bytes => bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;

  /* What its pools and its memory are at a time. */
  function below(run, states, time) {
    const parts = run.pools.map(pool => {
      const counts = count(pool.rows, states, time), queued = value(pool.queued, time);
      const told = counts.map((amount, state) => amount > 0 ? `${whole(amount)} ${states[state]}` : '').filter(Boolean);
      if (queued) told.push(`${whole(queued)} queued`);
      return `${pool.title}: ${told.join(', ') || 'no connection'}`;
    });
    if (run.memory.length) {
      parts.push(run.memory.map(({ label, points }) => `${label} ${size(value(points, time))}`).join(', '));
    }
    return parts.map(part => `; ${part}`).join('');
  }

  /* What a run does at a time, in a sentence. */
  function sentence(run, states, time) {
    if (time >= run.length_ns) return `${run.name}: over.`;
    const counts = count(run.rows, states, time), atIt = [];
    let blocker = null;
    for (const row of run.rows) {
      const bar = at(row.bars, time);
      if (bar) {
        if (bar[2] === BLOCKING) blocker = `${row.label} blocks the loop${bar[3] ? ` (${bar[3]})` : ''}`;
        if (bar[2] === RUNNING && atIt.length < 3) atIt.push(row.label);
      }
    }
    const parts = blocker ? [blocker] : [];
    if (atIt.length) parts.push(`${atIt.join(', ')} running`);
    counts.forEach((amount, state) => {
      const told = state === BLOCKING ? blocker : state === RUNNING && atIt.length;
      if (amount > 0 && !told) parts.push(`${whole(amount)} ${states[state]}`);
    });
    return `${run.name}: ${parts.join('; ') || 'nothing is open'}${below(run, states, time)}.`;
  }

  class AsyncTimeline extends HTMLElement {
    connectedCallback() {
      if (document.readyState === 'loading') {
        document.addEventListener('DOMContentLoaded', () => this.begin(), { once: true });
      } else this.begin();
    }

    disconnectedCallback() { cancelAnimationFrame(this.frame); }

    begin() {
      const data = this.querySelector('script[type="application/json"]');
      this.picture = this.querySelector('svg');
      if (this.shadowRoot || !data || !this.picture) return;
      this.data = JSON.parse(data.textContent);
      this.end = this.data.scale_ns;
      const times = new Set([0]);
      for (const run of this.data.runs) {
        for (const row of run.rows) {
          for (const [from, to] of [...row.bars, ...row.bands]) { times.add(from); times.add(to); }
        }
      }
      this.events = [...times].sort((a, b) => a - b);
      this.addOverlay();
      this.addControls();
      this.seek(this.hasAttribute('covered') ? 0 : this.end);
    }

    addOverlay() {
      this.secret = this.hasAttribute('covered');
      this.veil = svg('path', { class: 'overlay', fill: 'var(--bg)', 'fill-opacity': this.secret ? 1 : .82 });
      this.cursor = svg('path', { class: 'overlay', stroke: 'var(--fg)', 'stroke-width': 1.5 });
      const style = svg('style', {});
      style.textContent = '.overlay { pointer-events: none } @media print { .overlay { display: none } }';
      this.picture.append(style, this.veil, this.cursor);
      this.picture.addEventListener('click', event => {
        const box = this.picture.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width * this.picture.viewBox.baseVal.width;
        this.stop();
        this.seek((x - this.data.left) / this.data.width * this.end);
      });
    }

    addControls() {
      const button = (text, label, act) => {
        const node = html('button', { type: 'button', 'aria-label': label, title: label }, text);
        node.addEventListener('click', act);
        return node;
      };
      this.play = button('', 'Play', () => this.toggle());
      this.scrub = html('input', { type: 'range', min: 0, max: 1000, step: 'any', 'aria-label': 'Time' });
      this.scrub.addEventListener('input', () => { this.stop(); this.seek(this.scrub.value / 1000 * this.end); });
      this.clock = html('output');
      const fitting = Math.min(1, this.end / 1e9 / AN_EYEFUL_S);
      this.speed = html('select', { 'aria-label': 'Speed' },
        html('option', { value: 1 }, 'real time'), html('option', { value: .25 }, '1/4 speed'),
        html('option', { value: .1 }, '1/10 speed'), html('option', { value: fitting }, `in ${AN_EYEFUL_S} s`));
      this.speed.selectedIndex = this.end < 1.5e9 ? 3 : 0;
      this.said = html('p');
      const bar = html('div', { class: 'bar', role: 'group', 'aria-label': 'Timeline controls. Space plays, arrow keys step.' },
        this.play, button('|◀', 'Start', () => { this.stop(); this.seek(0); }),
        button('◀', 'Previous event', () => this.step(-1)), button('▶', 'Next event', () => this.step(1)),
        this.scrub, this.clock, this.speed);
      bar.addEventListener('keydown', event => this.key(event));
      this.attachShadow({ mode: 'open' }).append(html('style', {}, STYLE), html('slot'), bar, this.said);
      this.label();
    }

    key(event) {
      const inField = event.target === this.speed;
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (inField || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key in steps) this.step(steps[event.key]);
      else if (event.key === ' ' && event.target.localName !== 'button') this.toggle();
      else if (event.key === 'Home') { this.stop(); this.seek(0); }
      else if (event.key === 'End') { this.stop(); this.seek(this.end); }
      else return;
      event.preventDefault();
    }

    /* In nanoseconds. */
    seek(time) {
      this.time = Math.min(Math.max(time, 0), this.end);
      const { left, width, plots } = this.data;
      const x = left + this.time / this.end * width;
      const rest = this.time < this.end ? left + width - x + 2 : 0;
      this.veil.setAttribute('d', plots.map(([top, bottom]) => `M${x} ${top - 5}h${rest}V${bottom + 5}h${-rest}z`).join(''));
      this.cursor.setAttribute('d', plots.map(([top, bottom]) => `M${x} ${top - 5}V${bottom + 5}`).join(''));
      this.veil.style.display = rest ? '' : 'none';
      // The figures would give the prediction away.
      if (!rest) this.secret = false;
      for (const told of this.picture.querySelectorAll('.told')) told.style.visibility = this.secret ? 'hidden' : '';
      this.scrub.value = this.time / this.end * 1000;
      const words = seconds(this.time, this.end);
      this.clock.textContent = words;
      this.scrub.setAttribute('aria-valuetext', words);
      this.said.textContent = this.data.runs.map(run => sentence(run, this.data.states, this.time)).join(' ');
    }

    step(by) {
      this.stop();
      const next = by > 0 ? this.events.find(time => time > this.time) : this.events.findLast(time => time < this.time);
      if (next !== undefined) this.seek(next);
    }

    toggle() {
      if (this.frame) return this.stop();
      if (this.time >= this.end) this.seek(0);
      if (calm()) return this.step(1);
      // A screen reader must not be told every frame.
      this.said.removeAttribute('aria-live');
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
      this.label();
    }

    label() {
      const words = this.frame ? 'Pause' : calm() ? 'Next step' : 'Play';
      this.play.textContent = words;
      this.play.setAttribute('aria-label', words);
      this.play.title = words;
      if (!this.frame) this.said.setAttribute('aria-live', 'polite');
    }
  }
  if (!customElements.get('async-timeline')) customElements.define('async-timeline', AsyncTimeline);
})();
