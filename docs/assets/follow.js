/* Follow the thread: while a timeline plays, marks at the lines of its programs say who is there. A line that is
 * pointed at frames its bars, a bar its line. Loaded when the first timeline moves or is pointed at.
 * Not for: the timeline (src/asyncdemo/render/html), or what a page needs to be read.
 */
(() => {
  "use strict";

  const MOST_NAMES = 2;
  const layers = new WeakMap(); // of a block of code
  const node = (kind, text = "") => Object.assign(document.createElement("span"), { className: kind, textContent: text });

  /* The listing of a file: the one whose title has most of its name. */
  function listing(file) {
    const titled = [...document.querySelectorAll(".highlight > .filename")].filter(
      (title) => `/${file}`.endsWith(`/${title.textContent.trim()}`),
    );
    titled.sort((one, other) => other.textContent.length - one.textContent.length);
    const block = titled[0]?.parentElement;
    return block?.querySelector("[data-linenos]") ? block : null;
  }

  const lineOf = (mark) => Number(mark.dataset.linenos);
  const lines = (block) => [...block.querySelectorAll("[data-linenos]")];

  function layerOf(block) {
    if (!layers.has(block)) {
      const layer = node("threads");
      layer.setAttribute("aria-hidden", "true"); // the timeline says it, too
      block.querySelector("pre").append(layer);
      layers.set(block, layer);
    }
    return layers.get(block);
  }

  /* Puts something at a line. */
  function put(block, line, what) {
    const mark = lines(block).find((one) => lineOf(one) === line);
    if (!mark) return;
    const layer = layerOf(block);
    const { top, height } = mark.getBoundingClientRect();
    what.style.top = `${top - layer.getBoundingClientRect().top}px`;
    what.style.height = `${height}px`;
    layer.append(what);
  }

  /* "upload(3)", or how many: beside the colour of what they do there. */
  function badge(all) {
    const states = new Map();
    for (const { label, state, colour } of all) {
      if (!states.has(state)) states.set(state, { colour, labels: [] });
      states.get(state).labels.push(label);
    }
    const whole = node("thread");
    for (const [state, { colour, labels }] of states) {
      const sample = node("thread-state");
      sample.style.background = colour;
      whole.append(sample, labels.length <= MOST_NAMES ? labels.join(", ") : `${labels.length} ${state}`);
    }
    return whole;
  }

  /* Not of runs of a changed program: the listing is that of the recorded one. */
  const shown = (timeline) => (timeline.covered || timeline.closest(".live") ? [] : timeline.runs ?? []).filter((_, number) => timeline.shown[number]);

  function follow(timeline) {
    for (const { run, view } of shown(timeline)) {
      const block = listing(run.file);
      if (!block?.offsetParent) continue; // in another tab
      layerOf(block).replaceChildren();
      if (timeline.time >= timeline.end) continue;
      const there = new Map();
      for (const row of view.rows) {
        const [line, state, colour] = timeline.where(row, timeline.time) ?? [];
        if (line) there.set(line, [...(there.get(line) ?? []), { label: row.label, state, colour }]);
      }
      there.forEach((all, line) => put(block, line, badge(all)));
    }
  }

  /* The line of a program in which an event happened. */
  function pointedAt({ target, clientY }) {
    const block = target.closest?.(".highlight");
    const under = block && lines(block).findLast((mark) => mark.getBoundingClientRect().top <= clientY);
    return under ? [block, lineOf(under)] : [null, 0];
  }

  let lit = [null, 0];
  function frameBars(event) {
    const [block, line] = pointedAt(event);
    if (block === lit[0] && line === lit[1]) return;
    lit = [block, line];
    for (const timeline of document.querySelectorAll("async-timeline")) {
      for (const { run, view, picture } of shown(timeline)) {
        picture.querySelector(".lit")?.remove();
        if (block && listing(run.file) === block) picture.firstChild.append(frames(view.rows, line, timeline.place));
      }
    }
  }

  function frames(rows, line, { x, top, row }) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const around = ([start, end], number) => `M${x(start)} ${top + number * row}H${x(end)}v${row}H${x(start)}z`;
    const d = rows.map(({ bars }, number) => bars.filter((bar) => bar[4] === line).map((bar) => around(bar, number)));
    path.setAttribute("class", "lit");
    path.setAttribute("d", d.flat().join(""));
    return path;
  }

  function frameLine(event) {
    document.querySelectorAll(".threads > .thread-line").forEach((old) => old.remove());
    const timeline = event.target.closest?.("async-timeline");
    const at = timeline && shown(timeline).find(({ picture }) => event.composedPath().includes(picture));
    if (!at) return;
    const { left, top } = at.picture.getBoundingClientRect();
    const { place } = timeline;
    const row = at.view.rows[Math.floor((event.clientY - top - place.top) / place.row)];
    const [line] = (row && timeline.where(row, timeline.timeAt(event.clientX - left - place.left))) ?? [];
    const block = line && listing(at.run.file);
    if (block?.offsetParent) put(block, line, node("thread-line"));
  }

  /* A picture that is clicked brings its program to the front. */
  function bringUp({ detail: { file } }) {
    const tab = listing(file)?.closest(".tabbed-block");
    if (!tab) return;
    const place = [...tab.parentElement.children].indexOf(tab);
    tab.closest(".tabbed-set").querySelectorAll(":scope > input")[place]?.click();
  }

  document.addEventListener("moment", ({ target }) => follow(target));
  document.addEventListener("chosen", bringUp);
  document.addEventListener("pointermove", frameBars);
  document.addEventListener("pointermove", frameLine);
  document.querySelectorAll("async-timeline").forEach(follow); // one of them had moved
})();
