/* The page "Open your own run" (explore/open.md): takes the files that one chooses or drops, and shows what Python
 * makes of them. They are read on this machine and go nowhere.
 *
 * The page has the form, hidden until this runs. Not for: reading, measuring or drawing; that is Python's (python.js).
 */
(() => {
  "use strict";

  const RUNS = new URL("../lessons/runs/", document.currentScript.src);
  const MOST_FILES = 8;
  const MOST_BYTES = 300e6; // three minutes, and 1.6 GB of memory
  const LARGE_BYTES = 10e6;
  const python = window.asyncdemoPython;
  const form = document.getElementById("open-run");
  const input = form.querySelector("input[type=file]");
  const status = form.querySelector("[role=status]");
  const problems = form.querySelector("[role=alert]");
  const shown = form.querySelector(".open-shown");
  let asked = 0;
  let reading = false;

  function say(words) {
    status.textContent = words;
  }

  function complain(words) {
    const line = document.createElement("p");
    line.textContent = words;
    problems.append(line);
  }

  /* HTML is Python's own, of functions that escape what comes from a file. */
  function add(heading, html) {
    const title = document.createElement("h2");
    title.textContent = heading;
    const part = document.createElement("div");
    part.innerHTML = html;
    shown.append(title, part);
  }

  /* The first few that are small enough. */
  function fit(files) {
    if (files.length > MOST_FILES) {
      complain(`${files.length} files are too many for one picture: these are the first ${MOST_FILES}.`);
    }
    return files.slice(0, MOST_FILES).filter((file) => {
      if (file.size > MOST_BYTES) {
        complain(`${file.name} is too large for a page: more than ${MOST_BYTES / 1e6} MB. In a terminal: asyncdemo show ${file.name}`);
      }
      return file.size <= MOST_BYTES;
    });
  }

  /* A later choice overtakes one that is still being read. */
  async function open(choice) {
    const number = ++asked;
    if (reading) python.end("");
    reading = false;
    shown.replaceChildren();
    problems.replaceChildren();
    try {
      say("");
      const files = fit(await choice);
      if (number !== asked || !files.length) return;
      say("Loading Python: about 7 MB, once ...");
      await python.ready();
      if (number !== asked) return;
      const bytes = files.reduce((sum, file) => sum + file.size, 0);
      const long = bytes > LARGE_BYTES ? `: ${Math.round(bytes / 1e6)} MB, which takes a while` : "";
      say(`Reading ${files.map((file) => file.name).join(", ")}${long} ...`);
      reading = true;
      const answer = await python.ask({ do: "open" }, { files });
      if (number !== asked) return;
      reading = false;
      show(answer);
    } catch (error) {
      if (number !== asked) return;
      reading = false;
      say("");
      complain(error.message);
    }
  }

  function show({ problems, runs, element, report, recording }) {
    problems.forEach(complain);
    if (!runs.length) {
      say('Nothing is shown. Open a file that "asyncdemo trace --save FILE" or "asyncdemo run --save DIR" wrote.');
      return;
    }
    add("Timeline", element);
    add("Figures", report);
    add("How it was recorded", recording);
    say(`Shown below: ${runs.join(", ")}.`);
  }

  async function fetched(name) {
    const answer = await fetch(new URL(name, RUNS));
    if (!answer.ok) throw new Error(`${name} could not be loaded: ${answer.status}.`);
    return new File([await answer.blob()], name);
  }

  /* Anywhere on the page: a file dropped beside a zone would take the reader away from it. */
  function takeDrops() {
    const hasFiles = (event) => [...event.dataTransfer?.types ?? []].includes("Files");
    const mark = (on) => form.classList.toggle("open-over", on);
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(true);
    });
    addEventListener("dragleave", (event) => { if (event.relatedTarget === null) mark(false); });
    addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(false);
      input.value = "";
      open([...event.dataTransfer.files]);
    });
  }

  function takeFiles() {
    input.addEventListener("change", () => { if (input.files.length) open([...input.files]); });
    // The same file again is a change, too: it may be a new recording.
    input.addEventListener("click", () => { input.value = ""; });
    form.querySelectorAll("[data-runs]").forEach((button) => button.addEventListener("click", () => {
      input.value = "";
      open(Promise.all(button.dataset.runs.split(" ").map(fetched)));
    }));
    takeDrops();
  }

  const hindrance = python.hindrance();
  if (hindrance) {
    form.querySelector(".open-choose").hidden = true;
    say(`${hindrance} In a terminal, asyncdemo show FILE shows a recording.`);
  } else {
    takeFiles();
  }
  form.hidden = false;
})();
