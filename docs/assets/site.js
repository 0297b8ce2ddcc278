/* What the theme leaves to the mouse, for the keyboard too; and the names of tabs, for paper.
   Not for: anything that a page needs to be read. Works without this file, too. */
(function () {
  "use strict";

  // What scrolls must be reachable by keyboard: code and tables that are wider (or higher) than their place.
  function followScrolling() {
    var regions = document.querySelectorAll(
      ".md-typeset pre > code, .md-typeset__scrollwrap, .md-typeset .wide"
    );
    function mark(region) {
      var scrolls = region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
      if (scrolls) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
    // A region in a hidden tab has no size yet: it is looked at again when it gets one.
    var watch = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) { mark(entry.target); });
    });
    regions.forEach(function (region) { mark(region); watch.observe(region); });
  }

  // The theme opens its drawer and its search by labels, which take no focus. It does act on Enter in one that has it.
  function nameLabels() {
    [["__drawer", "Open the menu"], ["__search", "Search"]].forEach(function (pair) {
      var label = document.querySelector(".md-header__button[for=" + pair[0] + "]");
      if (!label) return;
      label.tabIndex = 0;
      label.setAttribute("role", "button");
      label.setAttribute("aria-label", pair[1]);
      label.addEventListener("keydown", function (event) {
        if (event.key === " ") { event.preventDefault(); label.click(); }
      });
    });
  }

  // An open search is for typing into.
  function focusSearch() {
    var toggle = document.getElementById("__search");
    var field = document.querySelector(".md-search__input");
    if (toggle && field) toggle.addEventListener("change", function () { if (toggle.checked) field.focus(); });
  }

  // Places that the theme leaves without a name, for who does not see where they stand.
  function nameLandmarks() {
    var search = document.querySelector(".md-search");
    if (search) search.setAttribute("aria-label", "Search");
    document.querySelectorAll(".md-nav__container > label").forEach(function (label) {
      label.setAttribute("aria-label", label.parentElement.textContent.trim());
    });
    document.querySelectorAll(".md-code__nav").forEach(function (nav, n) {
      nav.setAttribute("aria-label", "Code " + (n + 1));
    });
  }

  // A pilcrow beside each heading is for the mouse; the contents lead to headings, too.
  function skipPilcrows() {
    document.querySelectorAll(".headerlink").forEach(function (link) { link.tabIndex = -1; });
  }

  function nameTabsOnPaper() {
    document.querySelectorAll(".tabbed-set").forEach(function (set) {
      var labels = set.querySelectorAll(":scope > .tabbed-labels > label");
      set.querySelectorAll(":scope > .tabbed-content > .tabbed-block").forEach(function (block, n) {
        if (labels[n]) block.dataset.label = labels[n].textContent.trim();
      });
    });
  }

  // Lessons that run here: what that takes is loaded when somebody asks for it.
  var assets = new URL("./", document.currentScript.src);
  function offerToRun() {
    document.querySelectorAll(".live").forEach(function (place) {
      var open = place.querySelector(".live-open");
      if (changedBefore(place.dataset)) {
        open.textContent = "Go on with your " + (place.dataset.part === "exercise" ? "exercise" : "changed programs");
      }
      open.hidden = false;
      open.addEventListener("click", function () { openLive(place); });
    });
  }
  // Texts are kept by live.js.
  function changedBefore(of) {
    try {
      return Object.keys(localStorage).some(function (key) {
        return key.startsWith("asyncdemo.live." + of.lesson + ".") && (of.part === "exercise") === key.endsWith(".exercise.py");
      });
    } catch (denied) {
      return false;
    }
  }
  var live;
  function openLive(place) {
    live = live || loadLive();
    live.then(function () { window.asyncdemoLive(place); }, function () {
      live = null;
      place.querySelector(".live-status").textContent = "This part of the page could not be loaded. Try again.";
    });
  }
  function loadLive() {
    loadStyle("live.css");
    return loadScript("python.js").then(function () { return loadScript("live.js"); });
  }
  function loadStyle(name) {
    var style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL(name, assets);
    document.head.append(style);
  }
  function loadScript(name) {
    return new Promise(function (resolve, reject) {
      var script = document.createElement("script");
      script.src = new URL(name, assets);
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  }

  // Timelines and the programs that they are of: nothing of it is needed before one moves, or the mouse is over it.
  function followThreads() {
    if (!document.querySelector("async-timeline")) return;
    function load(event) {
      if (event.type === "pointerover" && !event.target.closest("async-timeline, .highlight")) return;
      ["moment", "pointerover"].forEach(function (name) { document.removeEventListener(name, load); });
      loadStyle("follow.css");
      loadScript("follow.js");
    }
    ["moment", "pointerover"].forEach(function (name) { document.addEventListener(name, load); });
  }

  offerToRun();
  followThreads();
  nameLabels();
  focusSearch();
  nameTabsOnPaper();
  skipPilcrows();
  // The theme wraps tables, and gives code its button, when it starts: after this script.
  window.addEventListener("load", function () {
    followScrolling();
    nameLandmarks();
  });
})();
