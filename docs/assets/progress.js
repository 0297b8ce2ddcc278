/* Which lessons were seen and which exercises passed, on this machine; and what would give a prediction away, folded
   until then.
   Not for: the predictions (predict.js). Where nothing can be stored, pages only forget. */
(() => {
  "use strict";

  const DONE = "asyncdemo.done."; // and the lesson: "seen" or "solved"
  const LAST = "asyncdemo.last"; // the lesson that was opened last
  const WORDS = { seen: "seen", solved: "exercise solved" };

  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function store(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Full or denied: the next visit starts over, which is all that is lost.
    }
  }

  const lessonOf = (address) => address.match(/\/lessons\/([a-z0-9-]+)\.html(?:[#?]|$)/)?.[1];
  const links = Array.from(document.querySelectorAll(".md-nav--primary a[href], .lesson-title[href]"));
  const lessons = links.filter((link) => !["index", "instructors", "questions", undefined].includes(lessonOf(link.href)));

  function fold(form) {
    const folded = Array.from(document.querySelectorAll(".spoiler"));
    const skip = document.createElement("button");
    skip.type = "button";
    skip.className = "md-button";
    skip.textContent = "Skip: show everything";
    const unfold = () => {
      for (const part of folded) part.hidden = false;
      skip.remove();
    };
    const timeline = document.querySelector(".stage async-timeline");
    skip.addEventListener("click", () => timeline.reveal());
    document.addEventListener("revealed", () => {
      unfold();
      if (stored(DONE + form.dataset.lesson) === null) store(DONE + form.dataset.lesson, "seen");
    });
    // Searching in the page and links still find what is folded, where a browser can do that.
    for (const part of folded) {
      part.hidden = "until-found";
      part.addEventListener("beforematch", unfold);
    }
    form.querySelector(".predict-ask").append(" ", skip);
    if (stored(DONE + form.dataset.lesson) !== null) unfold();
  }

  function mark(link) {
    const words = WORDS[stored(DONE + lessonOf(link.href))];
    if (!words) return;
    const sign = document.createElement("span");
    sign.className = "lesson-done";
    sign.textContent = ` ✓ ${words}`;
    const short = link.closest(".md-nav") && link.querySelector(".md-ellipsis"); // where words have no room
    if (short) {
      sign.textContent = " ✓";
      sign.role = "img";
      sign.ariaLabel = sign.title = words;
    }
    (short || link).append(sign);
  }

  /* The first button of the start page leads on from where one was. */
  function resume(button) {
    const done = (link) => stored(DONE + lessonOf(link.href)) !== null;
    const last = lessons.findIndex((link) => lessonOf(link.href) === stored(LAST));
    const next = last < 0 ? undefined : lessons.slice(last).find((link) => !done(link));
    if (!next) return;
    button.href = next.href;
    button.textContent = `Go on: ${next.textContent.trim()}`;
  }

  const form = document.querySelector("form.predict[data-lesson]");
  const button = document.querySelector(".resume");
  const here = lessonOf(location.href);
  if (form) fold(form);
  if (button) resume(button);
  lessons.forEach(mark);
  if (lessons.some((link) => lessonOf(link.href) === here)) store(LAST, here);
  document.addEventListener("solved", () => store(DONE + here, "solved"));
})();
