/* What the theme leaves to the mouse, for the keyboard too; and the names of tabs, for paper.
   Not for: anything that a page needs to be read. Works without this file, too. */
(() => {
  "use strict";

  const all = (selector, within = document) => within.querySelectorAll(selector);

  // What scrolls must be reachable by keyboard: code and tables that are wider (or higher) than their place.
  function followScrolling() {
    const regions = all(".md-typeset pre > code, .md-typeset__scrollwrap, .md-typeset .wide");
    function mark(region) {
      const scrolls = region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
      if (scrolls) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
    // A region in a hidden tab has no size yet: it is looked at again when it gets one.
    const watch = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));
    regions.forEach((region) => { mark(region); watch.observe(region); });
  }

  // The theme opens its drawer and its search by labels, which take no focus. It does act on Enter in one that has it.
  function nameLabels() {
    for (const [toggle, name] of [["__drawer", "Open the menu"], ["__search", "Search"]]) {
      const label = document.querySelector(`.md-header__button[for=${toggle}]`);
      if (!label) continue;
      label.tabIndex = 0;
      label.role = "button";
      label.ariaLabel = name;
      label.addEventListener("keydown", (event) => {
        if (event.key === " ") { event.preventDefault(); label.click(); }
      });
    }
  }

  // An open search is for typing into.
  function focusSearch() {
    const field = document.querySelector(".md-search__input");
    document.getElementById("__search")?.addEventListener("change", ({ target }) => { if (target.checked) field?.focus(); });
  }

  // Places that the theme leaves without a name, for who does not see where they stand.
  function nameLandmarks() {
    all(".md-search").forEach((search) => { search.ariaLabel = "Search"; });
    all(".md-nav__container > label").forEach((label) => { label.ariaLabel = label.parentElement.textContent.trim(); });
    all(".md-code__nav").forEach((nav, number) => { nav.ariaLabel = `Code ${number + 1}`; });
  }

  // A pilcrow beside each heading is for the mouse; the contents lead to headings, too.
  const skipPilcrows = () => all(".headerlink").forEach((link) => { link.tabIndex = -1; });

  function nameTabsOnPaper() {
    for (const set of all(".tabbed-set")) {
      const labels = all(":scope > .tabbed-labels > label", set);
      all(":scope > .tabbed-content > .tabbed-block", set).forEach((block, number) => {
        if (labels[number]) block.dataset.label = labels[number].textContent.trim();
      });
    }
  }

  // Lessons that run here: what that takes is loaded when somebody asks for it.
  const assets = new URL("./", document.currentScript.src);
  let live;
  function offerToRun() {
    for (const place of all(".live")) {
      const open = place.querySelector(".live-open");
      if (changedBefore(place.dataset)) {
        open.textContent = `Go on with your ${place.dataset.part === "exercise" ? "exercise" : "changed programs"}`;
      }
      open.hidden = false;
      open.addEventListener("click", () => openLive(place));
    }
  }
  // Texts are kept by live.js.
  function changedBefore({ lesson, part }) {
    try {
      return Object.keys(localStorage).some(
        (key) => key.startsWith(`asyncdemo.live.${lesson}.`) && (part === "exercise") === key.endsWith(".exercise.py"));
    } catch {
      return false;
    }
  }
  function openLive(place) {
    live ??= loadLive();
    live.then(() => window.asyncdemoLive(place), () => {
      live = null;
      place.querySelector(".live-status").textContent = "This part of the page could not be loaded. Try again.";
    });
  }
  async function loadLive() {
    loadStyle("live.css");
    await loadScript("python.js");
    await loadScript("live.js");
  }
  function loadStyle(name) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL(name, assets) }));
  }
  function loadScript(name) {
    return new Promise((onload, onerror) => {
      document.head.append(Object.assign(document.createElement("script"), { src: new URL(name, assets), onload, onerror }));
    });
  }

  // Timelines and the programs that they are of: nothing of it is needed before one moves, or the mouse is over it.
  function followThreads() {
    if (!document.querySelector("async-timeline")) return;
    const events = ["moment", "pointerover"];
    function load(event) {
      if (event.type === "pointerover" && !event.target.closest("async-timeline, .highlight")) return;
      events.forEach((name) => document.removeEventListener(name, load));
      loadStyle("follow.css");
      loadScript("follow.js");
    }
    events.forEach((name) => document.addEventListener(name, load));
  }

  offerToRun();
  followThreads();
  nameLabels();
  focusSearch();
  nameTabsOnPaper();
  skipPilcrows();
  // The theme wraps tables, and gives code its button, when it starts: after this script.
  window.addEventListener("load", () => {
    followScrolling();
    nameLandmarks();
  });
})();
