/* Lessons that run in their page: the editors, the knobs, Run, Stop and Check. Loaded when somebody asks for it.
 *
 * Texts are kept in the browser's storage, where there is one.
 * Not for: what is recorded, judged or drawn; all of that is Python's (python.js).
 */
(() => {
  "use strict";

  const LIMIT_MS = 20000; // of one program; Python keeps it itself
  const LATE_MS = 5000; // beyond that; whoever loops inside of one C call never comes back
  const EDITOR = new URL("editor.mjs", document.currentScript.src);
  const python = window.asyncdemoPython;

  async function ask(request, runs = 1) {
    const answer = await python.ask(request, { limit_ms: runs * LIMIT_MS + LATE_MS });
    python.prepare(); // so that Stop costs nothing
    return answer;
  }

  /* -- what is kept -------------------------------------------------------------------------- */

  const key = (lesson, file) => `asyncdemo.live.${lesson}.${file}`;

  function kept(lesson, file) {
    try {
      return localStorage.getItem(key(lesson, file));
    } catch {
      return null;
    }
  }

  /* Whether it could be kept. */
  function keep(lesson, file, text) {
    try {
      if (text === null) localStorage.removeItem(key(lesson, file));
      else localStorage.setItem(key(lesson, file), text);
      return true;
    } catch {
      return false;
    }
  }

  /* -- parts of the page --------------------------------------------------------------------- */

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  const button = (words, onclick) => make("button", { type: "button", class: "md-button", onclick }, words);

  let fields; // editor.mjs

  /* A file that can be changed. */
  function editor(place, lesson, file, written) {
    const label = make("p", { class: "live-name" });
    const name = () => { label.textContent = field.text === written ? file : `${file}, changed`; };
    const field = fields.makeField({
      text: kept(lesson, file) ?? written,
      label: file,
      onChange() {
        name();
        const stays = keep(lesson, file, field.text === written ? null : field.text);
        if (!stays) say(place, "This browser keeps nothing: download the file before you leave the page.");
      },
    });
    addEventListener("storage", (event) => {
      if (event.key !== key(lesson, file) || (event.newValue ?? written) === field.text) return;
      say(place, `${file} was changed in another tab. What you type here replaces it; reload the page to go on with that text.`);
    });
    name();
    const node = make("div", { class: "live-file" }, label, make("div", { class: "live-editor" }, field.node));
    return { node, field, get text() { return field.text; }, reset() { field.set(written); } };
  }

  function download(file, text) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/x-python" })), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function say(place, words) {
    place.querySelector(".live-status").textContent = words;
  }

  /* HTML is Python's own: of `element_html` and `report_html`, which escape what comes from the learner. */
  function picture(answer) {
    const shown = make("div", { class: "live-picture" });
    if (answer.element) shown.innerHTML = answer.element;
    if (!answer.report) return [shown];
    const report = make("div");
    report.innerHTML = answer.report;
    return [shown, report];
  }

  const output = (words, text) =>
    text ? [make("details", { open: text.length < 2000 }, make("summary", {}, words), make("pre", { tabindex: 0 }, text))] : [];

  /* Asks while Stop can be pressed; what came is given to `show`. */
  async function during(place, buttons, shown, request, words, show) {
    buttons.run.disabled = true;
    buttons.stop.disabled = false;
    say(place, "Loading Python ...");
    try {
      await python.ready();
      say(place, words);
      const answer = await ask(request, request.do === "run" ? Object.keys(request.sources).length : 5);
      if (answer.refused) {
        shown.replaceChildren();
        say(place, answer.refused);
      } else {
        show(answer);
      }
    } catch (error) {
      say(place, error.message);
    } finally {
      buttons.run.disabled = false;
      buttons.stop.disabled = true;
    }
  }

  function stopButton() {
    const stop = button("Stop", () => python.end("Stopped."));
    stop.disabled = true;
    return stop;
  }

  /* -- the programs -------------------------------------------------------------------------- */

  function programs(place, lesson, described) {
    const files = described.variants.filter((variant) => !variant.needs)
      .map((variant) => ({ name: variant.name, ...{ edit: editor(place, lesson, variant.file, variant.text) } }));
    const others = described.variants.filter((variant) => variant.needs).map((variant) =>
      make("p", {}, make("code", {}, variant.name), ` needs ${variant.needs}, which a page does not have. Its recording plays above.`));
    const knobs = described.knobs.map((knob) => {
      const field = make("input", {
        type: "number", id: `live-knob-${knob.name}`, value: knob.value, min: knob.low, max: knob.high, step: "any",
      });
      const label = make("label", { for: field.id }, make("code", {}, knob.name), ` (${knob.unit}): ${knob.meaning} `);
      return { knob, field, node: make("p", {}, label, field) };
    });
    const shown = make("div", { class: "live-result" });
    const run = button("Run", () => {
      const settings = Object.fromEntries(
        knobs.filter(({ knob, field }) => field.value !== String(knob.value)).map(({ knob, field }) => [knob.name, field.value]));
      const sources = Object.fromEntries(files.map(({ name, edit }) => [name, edit.text]));
      during(place, { run, stop }, shown, { do: "run", lesson, sources, knobs: settings }, "Running ...", (answer) => {
        const wrote = answer.outputs.flatMap(({ name, text }) => output(`What ${name} wrote`, text));
        shown.replaceChildren(...picture(answer), ...wrote);
        const odd = answer.outputs.filter(({ ended }) => ended).map(({ name, ended }) => `${name}: ${ended}. `);
        say(place, `${odd.join("")}Ran in this page, in virtual time: waits take no time, and last as long as they say.`);
      });
    });
    const stop = stopButton();
    const reset = button("Reset", () => {
      files.forEach(({ edit }) => edit.reset());
      knobs.forEach(({ knob, field }) => { field.value = knob.value; });
      shown.replaceChildren();
      say(place, "As it was.");
    });
    return [...files.map(({ edit }) => edit.node), ...others, ...knobs.map(({ node }) => node),
      make("p", { class: "live-buttons" }, run, stop, reset), shown];
  }

  /* -- the exercise -------------------------------------------------------------------------- */

  function exercise(place, lesson, { exercise: { task, text, hints } }) {
    const edit = editor(place, lesson, "exercise.py", text);
    const shown = make("div", { class: "live-result" });
    const run = button("Check", () => {
      during(place, { run, stop }, shown, { do: "check", lesson, text: edit.text }, "Checking ...", (answer) => {
        const list = make("ul", { class: "live-verdict" },
          ...answer.held.map((words) => make("li", { class: "live-held" }, make("b", {}, "held: "), words)),
          ...(answer.message ? [make("li", { class: "live-failed" }, make("b", {}, "failed: "), answer.message)] : []));
        const details = answer.evidence.length
          ? [make("details", {}, make("summary", {}, "What was seen"), make("pre", { tabindex: 0 }, answer.evidence.join("\n")))] : [];
        const solution = answer.solution
          ? [make("details", {}, make("summary", {}, "The solution of the lesson"), make("pre", { tabindex: 0 }, answer.solution))] : [];
        shown.replaceChildren(list, ...(answer.knobs ? [make("p", {}, `In this run: ${answer.knobs}.`)] : []),
          ...details, ...picture(answer), ...output("What the program wrote", answer.passed ? "" : answer.output), ...solution);
        say(place, answer.passed ? "Passed." : `Not yet: ${answer.message}`);
        if (answer.passed) document.dispatchEvent(new CustomEvent("solved"));
      });
    });
    const stop = stopButton();
    const reset = button("Reset", () => { edit.reset(); shown.replaceChildren(); say(place, "As it was."); });
    const save = button("Download", () => download(`${lesson}.py`, edit.text));
    let next = 0;
    const told = make("div");
    const hint = button("Hint", () => {
      told.append(make("p", { class: "live-hint" }, hints[next++]));
      hint.disabled = next >= hints.length;
    });
    return [make("p", {}, task), edit.node, make("p", { class: "live-buttons" }, run, stop, hint, reset, save), told, shown];
  }

  /* -- begin --------------------------------------------------------------------------------- */

  /* place: a `.live` of the page, of which somebody has pressed the button. */
  window.asyncdemoLive = async (place) => {
    const { lesson, part } = place.dataset;
    const open = place.querySelector(".live-open");
    const hindrance = python.hindrance();
    if (hindrance) {
      say(place, hindrance);
      return;
    }
    open.disabled = true;
    say(place, "Loading Python: about 7 MB, once ...");
    try {
      fields ??= await import(EDITOR);
      const described = await ask({ do: "describe", lesson });
      open.remove();
      place.prepend(...(part === "exercise" ? exercise : programs)(place, lesson, described));
      place.querySelector(".live-buttons").after(place.querySelector(".live-status")); // one sees it from the buttons
      say(place, "Ready.");
      place.querySelector(".cm-content").focus({ preventScroll: true });
    } catch (error) {
      open.disabled = false;
      say(place, error.message);
    }
  };
})();
