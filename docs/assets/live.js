/* Lessons that run in their page: the editors, the knobs, Run, Stop and Check. Loaded when somebody asks for it.
 *
 * Texts are kept in the browser's storage, where there is one.
 * Not for: what is recorded, judged or drawn; all of that is Python's (python.js).
 */
(() => {
  "use strict";

  const LIMIT_MS = 20000; // of one program; Python keeps it itself, and that of a run of the exercise
  const LATE_MS = 5000; // beyond that; a loop inside of one C call never comes back
  const LONG_MS = 3000; // after which the page says how to end it
  const QUIET_MS = 4000; // after which nobody is about to press Run
  const MOST_BYTES = 500e3; // of a program
  const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
  const EDITOR = new URL("editor.mjs", document.currentScript.src);
  const python = window.asyncdemoPython;

  let busy = ""; // what runs at the moment, in a sentence: one thing at a time
  let quiet;

  async function ask(request, limit_ms = LIMIT_MS) {
    clearTimeout(quiet);
    try {
      return await python.ask(request, { limit_ms: limit_ms + LATE_MS });
    } finally {
      // So that Stop costs nothing; later, if a first run may be about to need the processor.
      quiet = setTimeout(python.prepare, request.do === "describe" ? QUIET_MS : 0);
    }
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

  /* One that cannot be pressed keeps the keyboard's focus. */
  const isOff = (node) => node.getAttribute("aria-disabled") === "true";
  const turn = (node, on) => node.setAttribute("aria-disabled", !on);

  function button(words, act, attributes = {}) {
    const press = ({ currentTarget }) => { if (!isOff(currentTarget)) act(); };
    return make("button", { type: "button", class: "md-button", onclick: press, ...attributes }, words);
  }

  const runButton = (words, act) => button(words, act, {
    "aria-keyshortcuts": `${MAC ? "Meta" : "Control"}+Enter`,
    title: `In an editor: ${MAC ? "⌘" : "Ctrl+"}Enter`,
  });

  let fields; // editor.mjs

  /* A file that can be changed. label: the node that names it. */
  function editor(place, label, lesson, file, written, onRun) {
    const name = () => { label.textContent = field.text === written ? file : `${file}, changed`; };
    const field = fields.makeField({
      text: kept(lesson, file) ?? written,
      label: file,
      onRun,
      onChange() {
        name();
        const stays = keep(lesson, file, field.text === written ? null : field.text);
        if (!stays) say(place, "This browser keeps nothing: download the file before you leave the page.");
      },
    });
    addEventListener("storage", (event) => {
      if (event.key !== key(lesson, file) || (event.newValue ?? written) === field.text) return;
      say(place, `${file} was changed in another tab. What you type here replaces it; reload the page to continue with that text.`);
    });
    name();
    const saved = file === "exercise.py" ? `${lesson}.py` : file; // as a workspace names it
    const node = make("div", { class: "live-file" }, make("div", { class: "live-editor" }, field.node),
      make("p", { class: "live-tools" },
        button("Download", () => download(saved, field.text), { class: "live-tool", "aria-label": `Download ${file}` }),
        opener(place, file, (text) => field.set(text))));
    return { label, node, get text() { return field.text; }, reset() { field.set(written); } };
  }

  function download(file, text) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/x-python" })), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* take: is given the text of a file that somebody chooses. */
  function opener(place, file, take) {
    const input = make("input", {
      type: "file", accept: ".py", hidden: true,
      async onchange() {
        const [chosen] = input.files;
        if (!chosen) return;
        if (chosen.size > MOST_BYTES) {
          say(place, `${chosen.name} is too large for a program: more than ${MOST_BYTES / 1000} kB.`);
        } else {
          take(await chosen.text());
          say(place, `${file} is now what ${chosen.name} contains. Undo in the editor brings the old text back.`);
        }
        input.value = ""; // the same file again is a change, too
      },
    });
    const open = button("Open a file", () => input.click(), { class: "live-tool", "aria-label": `Open a file as ${file}` });
    return make("span", {}, open, input);
  }

  const tab = () => make("button", { type: "button", role: "tab", class: "live-name" });

  /* Editors, one in sight at a time. Their labels are tabs. */
  function tabbed(edits) {
    const choose = (chosen) => edits.forEach(({ label, node }, number) => {
      label.setAttribute("aria-selected", number === chosen);
      label.tabIndex = number === chosen ? 0 : -1;
      node.hidden = number !== chosen;
    });
    edits.forEach(({ label, node }, number) => {
      node.setAttribute("role", "tabpanel");
      node.setAttribute("aria-labelledby", label.id = `live-tab-${number}`);
      label.addEventListener("click", () => choose(number));
      label.addEventListener("keydown", ({ key: pressed }) => {
        const next = { ArrowRight: number + 1, ArrowLeft: number - 1 }[pressed];
        if (next === undefined) return;
        const to = (next + edits.length) % edits.length;
        choose(to);
        edits[to].label.focus();
      });
    });
    choose(0);
    const list = make("div", { class: "live-tabs", role: "tablist", "aria-label": "Programs" }, ...edits.map(({ label }) => label));
    return [list, ...edits.map(({ node }) => node)];
  }

  /* Side by side, where there is room: what one changes, and what comes of it. */
  function bench(place, changed, buttons, ...seen) {
    return make("div", { class: "live-bench" }, make("div", { class: "live-changed" }, ...changed),
      make("div", { class: "live-seen" }, make("p", { class: "live-buttons" }, ...buttons), place.querySelector(".live-status"), ...seen));
  }

  /* verdict: "passed", "failed" or nothing. */
  function say(place, words, verdict = "") {
    const status = place.querySelector(".live-status");
    status.textContent = words;
    status.dataset.verdict = verdict;
  }

  /* HTML is Python's own: of `element_html` and `report_html`, which escape what comes from the learner.
   * whose: tells its regions from those that the page had before.
   */
  function picture(answer, whose) {
    const parts = ["element", "report"].filter((part) => answer[part]).map((part) => {
      const shown = make("div", { class: `live-${part}` });
      shown.innerHTML = answer[part];
      return shown;
    });
    for (const part of parts) {
      part.querySelectorAll("[role=region]").forEach((region) => { region.ariaLabel += ` of ${whose}`; });
    }
    return parts;
  }

  const output = (words, text) =>
    text ? [make("details", { open: text.length < 2000 }, make("summary", {}, words), make("pre", { tabindex: 0 }, text))] : [];

  /* Asks while Stop can be pressed; what came is given to `show`. */
  async function during(place, { run, stop }, shown, request, limit_ms, show) {
    if (busy) return say(place, busy);
    const runs = request.do === "run";
    let long;
    busy = runs ? "The programs above are still running. Stop them, or wait."
      : "The exercise is still being checked. Stop that, or wait.";
    turn(run, false);
    turn(stop, true);
    shown.ariaBusy = "true";
    say(place, "Loading Python ...");
    try {
      await python.ready();
      say(place, runs ? "Running ..." : "Checking ...");
      long = setTimeout(() => say(place, `Still ${runs ? "running" : "checking"}. Press Stop to end it.`), LONG_MS);
      const answer = await ask(request, limit_ms);
      if (answer.refused) throw new Error(answer.refused);
      show(answer);
      showResult(place.querySelector(".live-seen"), shown);
    } catch (error) {
      shown.replaceChildren(); // it was of another run
      say(place, error.message);
    } finally {
      clearTimeout(long);
      busy = "";
      shown.ariaBusy = null;
      turn(run, true);
      turn(stop, false);
    }
  }

  /* Scrolls if the buttons are above the window, or the result begins in its lower half. */
  function showResult(seen, shown) {
    const top = (node) => node.getBoundingClientRect().top;
    if (top(seen) < 0 || top(shown) > .5 * innerHeight) seen.scrollIntoView();
  }

  function stopButton() {
    const stop = button("Stop", () => python.end("Stopped."));
    turn(stop, false);
    return stop;
  }

  /* -- the programs -------------------------------------------------------------------------- */

  function programs(place, lesson, described) {
    const those = described.variants.filter((variant) => !variant.needs);
    const files = those.map((variant) => ({
      name: variant.name,
      edit: editor(place, those.length > 1 ? tab() : make("p", { class: "live-name" }), lesson, variant.file, variant.text, () => run.click()),
    }));
    const others = described.variants.filter((variant) => variant.needs).map((variant) =>
      make("p", {}, make("code", {}, variant.name), ` needs ${variant.needs}, which a page does not have. Its recording plays above.`));
    const knobs = described.knobs.map((knob) => {
      const field = make("input", {
        type: "number", id: `live-knob-${knob.name}`, value: knob.value, min: knob.low, max: knob.high, step: "any",
        onkeydown(event) { if (event.key === "Enter") run.click(); },
      });
      const unit = knob.unit ? ` (${knob.unit})` : "";
      const label = make("label", { for: field.id }, make("code", {}, knob.name), `${unit}: ${knob.meaning} `);
      return { knob, field, node: make("p", { class: "live-knob" }, label, field) };
    });
    const shown = make("div", { class: "live-result" });
    const run = runButton("Run", () => {
      const settings = Object.fromEntries(
        knobs.filter(({ knob, field }) => field.value !== String(knob.value)).map(({ knob, field }) => [knob.name, field.value]));
      const sources = Object.fromEntries(files.map(({ name, edit }) => [name, edit.text]));
      during(place, { run, stop }, shown, { do: "run", lesson, sources, knobs: settings }, files.length * LIMIT_MS, (answer) => {
        const wrote = answer.outputs.flatMap(({ name, text }) => output(`What ${name} wrote`, text));
        shown.replaceChildren(...picture(answer, "your run"), ...wrote);
        const odd = answer.outputs.filter(({ ended }) => ended).map(({ name, ended }) => `${name}: ${ended}`);
        const virtual = "Done, in virtual time: the clock jumps over every wait.";
        say(place, odd.join(" ") || (answer.virtual ? virtual : "Done."), odd.length ? "failed" : "");
      });
    });
    const stop = stopButton();
    const reset = button("Reset", () => {
      files.forEach(({ edit }) => edit.reset());
      knobs.forEach(({ knob, field }) => { field.value = knob.value; });
      shown.replaceChildren();
      say(place, "Restored.");
    });
    const edits = files.map(({ edit }) => edit);
    const shownFiles = edits.length > 1 ? tabbed(edits) : [edits[0].label, edits[0].node];
    return [...others, bench(place, [...knobs.map(({ node }) => node), ...shownFiles], [run, stop, reset], shown)];
  }

  /* -- the exercise -------------------------------------------------------------------------- */

  /* The lesson's own hints: folds that come after this part of the page, before the next heading. */
  function hintsAfter(place) {
    const found = [];
    for (let node = place.nextElementSibling; node && !/^h\d$/.test(node.localName); node = node.nextElementSibling) {
      if (/^\w+ hint: /.test(node.querySelector("summary")?.textContent)) found.push(node);
    }
    return found;
  }

  function nextLesson() {
    const link = document.querySelector(".md-footer__link--next");
    return /: \d/.test(link?.ariaLabel) ? [make("p", {}, make("a", { class: "md-button", href: link.href }, link.ariaLabel))] : [];
  }

  function exercise(place, lesson, { exercise: { task, text, limit_s } }) {
    const limit_ms = 2000 * limit_s; // of several runs, but only one that hangs
    const edit = editor(place, make("p", { class: "live-name" }), lesson, "exercise.py", text, () => run.click());
    const shown = make("div", { class: "live-result" });
    const run = runButton("Check", () => {
      during(place, { run, stop }, shown, { do: "check", lesson, text: edit.text }, limit_ms, (answer) => {
        const list = make("ul", { class: "live-verdict" },
          ...answer.held.map((words) => make("li", { class: "live-held" }, make("b", {}, "held: "), words)));
        const details = answer.evidence.length
          ? [make("details", {}, make("summary", {}, "What was seen"), make("pre", { tabindex: 0 }, answer.evidence.join("\n")))] : [];
        const solution = answer.solution
          ? [make("details", {}, make("summary", {}, "The solution of the lesson"), make("pre", { tabindex: 0 }, answer.solution))] : [];
        shown.replaceChildren(...(answer.passed ? nextLesson() : []), list, ...(answer.knobs ? [make("p", {}, `In this run: ${answer.knobs}.`)] : []), ...details,
          ...picture(answer, "your exercise"), ...output("What the program wrote", answer.passed ? "" : answer.output), ...solution);
        say(place, answer.passed ? "Passed." : `Not yet: ${answer.message}`, answer.passed ? "passed" : "failed");
        if (!answer.passed) return;
        putBack();
        document.dispatchEvent(new CustomEvent("solved"));
      });
    });
    const stop = stopButton();
    const reset = button("Reset", () => { edit.reset(); shown.replaceChildren(); say(place, "Restored."); });
    const hints = hintsAfter(place);
    const before = hints[0]?.previousElementSibling;
    let next = 0;
    const putBack = () => {
      hints.forEach((fold) => { fold.open = false; });
      before?.after(...hints);
      next = 0;
      turn(hint, hints.length > 0);
    };
    const opened = make("div", { "aria-live": "polite" });
    const hint = button("Hint", () => {
      const fold = hints[next++];
      fold.open = true;
      opened.append(fold);
      turn(hint, next < hints.length);
    });
    turn(hint, hints.length > 0);
    return [make("p", {}, task), bench(place, [edit.label, edit.node], [run, stop, hint, reset], opened, shown)];
  }

  /* -- begin --------------------------------------------------------------------------------- */

  /* place: a `.live` of the page, whose button was pressed. */
  window.asyncdemoLive = async (place) => {
    const { lesson, part } = place.dataset;
    const open = place.querySelector(".live-open");
    const hindrance = python.hindrance();
    if (hindrance) {
      say(place, hindrance);
      return;
    }
    if (isOff(open)) return;
    if (busy) return say(place, busy);
    turn(open, false);
    say(place, "Loading Python: about 7 MB, once ...");
    try {
      fields ??= await import(EDITOR);
      const described = await ask({ do: "describe", lesson });
      const isThere = [open, document.body].includes(document.activeElement);
      open.remove();
      place.prepend(...(part === "exercise" ? exercise : programs)(place, lesson, described));
      say(place, "Ready.");
      if (isThere) place.querySelector(".cm-content").focus({ preventScroll: true });
    } catch (error) {
      turn(open, true);
      say(place, error.message);
    }
  };
})();
