/* Follow the thread: while a timeline plays, marks at the lines of its programs say who is there, and arrows who just
 * made whom go on. A step or a click brings its program to the front. A line that is pointed at frames its bars, a bar
 * its line. Loaded when the first timeline moves or is pointed at.
 * Not for: the timeline (src/asyncdemo/render/html), or what a page needs to be read.
 */
(() => {
  "use strict";

  const MOST_NAMES = 2;
  const JUST = 1 / 40; // of the time in sight
  const HEAD = 4; // of an arrow, in pixels
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

  /* Where a line is in the layer of its block: [top, height]; of no line, nothing. */
  function placeOf(block, line) {
    const mark = lines(block).find((one) => lineOf(one) === line)?.getBoundingClientRect();
    return mark && [mark.top - layerOf(block).getBoundingClientRect().top, mark.height];
  }

  /* Puts something at a line. */
  function put(block, line, what) {
    const [top, height] = placeOf(block, line) ?? [];
    if (!height) return;
    what.style.top = `${top}px`;
    what.style.height = `${height}px`;
    layerOf(block).append(what);
  }

  function drawn(kind, d) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", kind);
    path.setAttribute("d", d);
    return path;
  }

  /* Those who were made to go on just now, with who did it: [time, row, row]. */
  function justWoken({ run }, { time, end, zoom }) {
    if (time >= end) return [];
    const since = time - (JUST * end) / zoom;
    return run.wakes.filter(([at]) => since < at && at <= time).map(([at, ...rows]) => [at, ...rows.map((row) => run.rows[row])]);
  }

  /* From row to row. Of those that are not shown, none. */
  function wakesInPicture(shown, timeline) {
    const { picture, run, view } = shown;
    const { x, top, row, from, scale } = timeline.place;
    picture.querySelector(".wake")?.remove();
    const middle = (one) => top + (view.rows.indexOf(one) + 0.5) * row;
    const d = justWoken(shown, timeline)
      .filter(([at, ...rows]) => at >= from && at <= from + scale && rows.every((one) => view.rows.includes(one)))
      .map(([at, ...rows]) => {
        const [y, to] = rows.map(middle);
        const back = to > y ? -HEAD : HEAD;
        return `M${x(at)} ${y}V${to}m${-HEAD} ${back}l${HEAD} ${-back}l${HEAD} ${back}`;
      });
    if (d.length) picture.firstChild.append(drawn("wake", d.join("")));
  }

  /* From the line that the one was at to the line at which the other waited. */
  function wakesInCode(block, shown, timeline) {
    const d = new Set();
    for (const [at, ...rows] of justWoken(shown, timeline)) {
      const [by, to] = rows.map(({ bars }) => bars.findLast(([start]) => start < at)?.[4]);
      const places = by !== to && [by, to].map((line) => placeOf(block, line));
      if (!places || places.includes(undefined)) continue;
      const [y, end] = places.map(([top, height]) => top + height / 2);
      d.add(`M12 ${y}C1 ${y} 1 ${end} 11 ${end}m${-HEAD} ${-HEAD}l${HEAD} ${HEAD}l${-HEAD} ${HEAD}`);
    }
    if (!d.size) return;
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.append(drawn("wake", [...d].join("")));
    layerOf(block).append(picture);
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
    for (const each of shown(timeline)) {
      const { run, view } = each;
      wakesInPicture(each, timeline);
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
      wakesInCode(block, each, timeline);
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
    const around = ([start, end], number) => `M${x(start)} ${top + number * row}H${x(end)}v${row}H${x(start)}z`;
    const d = rows.map(({ bars }, number) => bars.filter((bar) => bar[4] === line).map((bar) => around(bar, number)));
    return drawn("lit", d.flat().join(""));
  }

  /* The timeline in which an event happened, and its run there. */
  function pictured(event) {
    const timeline = event.target.closest?.("async-timeline");
    const at = timeline && shown(timeline).find(({ picture }) => event.composedPath().includes(picture));
    return [timeline, at];
  }

  function frameLine(event) {
    document.querySelectorAll(".threads > .thread-line").forEach((old) => old.remove());
    const [timeline, at] = pictured(event);
    if (!at) return;
    const { left, top } = at.picture.getBoundingClientRect();
    const { place } = timeline;
    const row = at.view.rows[Math.floor((event.clientY - top - place.top) / place.row)];
    const [line] = (row && timeline.where(row, timeline.timeAt(event.clientX - left - place.left))) ?? [];
    const block = line && listing(at.run.file);
    if (block?.offsetParent) put(block, line, node("thread-line"));
  }

  /* Brings a program to the front. */
  function bringUp(block) {
    const tab = block?.closest(".tabbed-block");
    if (!tab) return;
    const place = [...tab.parentElement.children].indexOf(tab);
    tab.closest(".tabbed-set").querySelectorAll(":scope > input")[place]?.click();
  }

  function isBeside(block, timeline) {
    const code = block.closest(".tabbed-set")?.getBoundingClientRect();
    return code?.right <= timeline.getBoundingClientRect().left;
  }

  /* A step shows a program in which something has changed. While it plays, they would follow one another too quickly.
   * Only beside the picture: above it, the button that is pressed would move.
   */
  function bringUpChanged(timeline) {
    const step = timeline.frame || !timeline.steps ? 0 : timeline.steps.indexOf(timeline.time);
    if (step < 1) return;
    const isNow = ([start]) => timeline.steps[step - 1] < start && start <= timeline.time;
    const blocks = shown(timeline).filter(({ run }) => run.rows.some(({ bars }) => bars.some(isNow)))
      .map(({ run }) => listing(run.file)).filter(Boolean);
    if (blocks.length && !blocks.some((block) => block.offsetParent) && isBeside(blocks[0], timeline)) bringUp(blocks[0]);
  }

  document.addEventListener("moment", ({ target }) => {
    bringUpChanged(target);
    follow(target);
  });
  document.addEventListener("click", (event) => {
    const [, at] = pictured(event);
    if (at) bringUp(listing(at.run.file));
  });
  document.addEventListener("pointermove", frameBars);
  document.addEventListener("pointermove", frameLine);
  const followAll = () => document.querySelectorAll("async-timeline").forEach(follow);
  document.addEventListener("change", followAll); // of the tab, perhaps
  followAll(); // one of them had moved
})();
