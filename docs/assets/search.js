/* Search that costs nothing until it is used, that works from file:// too, and that forgives a wrong letter or two.
 *
 * Loaded before the theme's script (`extra.polyfills` in mkdocs.yml). Left alone, that fetches index and worker
 * of the search on every page, and starts a Worker, which browsers forbid to pages from file://.
 */
(() => {
  "use strict";

  /* The theme searches for every word as the beginning of one, so "a" would find all that begins with it. */
  const SMALL = new Set(
    (
      "a an and are as at be before but by can do does each for from has have how if in into is it its no not of " +
      "on or so some that the their them then these they this to was were what when where which who why will with you"
    ).split(" "),
  );
  const SETUP = 0; // types of messages to the worker, and of its answer
  const QUERY = 2;
  const RESULT = 3;

  const MEANING = new URL("search_meaning.js", document.currentScript.src);
  const WORKER = /\/workers\/search\./;
  const INDEX = /\/search\/search_index\.js(on)?$/;

  /* It is used once its box is open. Some addresses use it immediately: ?q= searches, ?h= marks what was found. */
  const used = new Promise((resolve) => {
    const address = new URLSearchParams(location.search);
    if (address.has("q") || address.has("h")) resolve();
    document.addEventListener("change", (event) => {
      if (event.target.id === "__search" && event.target.checked) resolve();
    });
  });

  /* Over http the theme asks for the index in this way ... */
  const { open, send } = XMLHttpRequest.prototype;
  const held = new WeakSet();
  XMLHttpRequest.prototype.open = function (method, url, ...others) {
    if (INDEX.test(String(url))) held.add(this);
    return open.call(this, method, url, ...others);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (held.has(this)) used.then(() => send.apply(this, body));
    else send.apply(this, body);
  };

  /* ... and from file:// in this. */
  const append = document.head.appendChild;
  document.head.appendChild = function (node) {
    if (INDEX.test(node.src ?? "")) used.then(() => append.call(document.head, node));
    else append.call(document.head, node);
    return node;
  };

  /* The theme's worker, started by the first message to it: that is the index, when it is there. */
  class LateWorker extends EventTarget {
    constructor(url) {
      super();
      this.url = String(url);
      this.asked = []; // queries without an answer yet, in order
    }

    postMessage(message) {
      if (message.type === SETUP) this.docs = message.data.docs;
      if (message.type === QUERY) {
        message = { ...message, data: withoutSmallWords(withoutDashes(message.data)) };
        this.asked.push(message.data);
        document.querySelector(".search-meant")?.remove();
      }
      this.started ??= location.protocol === "file:" ? this.inFrame() : this.inWorker();
      this.started.then((post) => post(message));
    }

    async inWorker() {
      const worker = new RealWorker(this.url);
      worker.addEventListener("message", (event) => this.answer(event.data));
      return (message) => worker.postMessage(message);
    }

    /* A hidden frame is another global scope for the worker's script; it inherits our origin. */
    inFrame() {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (answer) => this.answer(answer);
      const script = inside.document.createElement("script");
      script.src = this.url;
      inside.document.head.append(script);
      return new Promise((resolve) => {
        script.addEventListener("load", () => {
          resolve((message) => inside.dispatchEvent(new MessageEvent("message", { data: message })));
        });
      });
    }

    answer(data) {
      const query = data.type === RESULT && this.asked.shift();
      if (query && !data.data.items.length) this.askAgain(query, data);
      else this.tell(data);
    }

    /* For the words that were probably meant. */
    async askAgain(query, nothing) {
      window.asyncdemoMeaning ?? (await load(MEANING));
      // Not if something else was asked meanwhile.
      const meant = (!this.asked.length && window.asyncdemoMeaning?.(query, this.docs)) || query;
      if (meant === query) return this.tell(nothing);
      this.asked.push(""); // which is not asked again
      (await this.started)({ type: QUERY, data: meant });
    }

    tell(data) {
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
  }

  /* To the theme, "--csv" would be a word that no page may have: pages must have it. The index splits words at "-". */
  function withoutDashes(query) {
    return query.replace(/(?<!\S)--(no-)?([a-z]+)/gi, "+$2*").replace(/[-^]+/g, " ").trim();
  }

  function withoutSmallWords(query) {
    if (query.includes('"')) return query; // a phrase is meant as it is
    const words = query.split(/\s+/).filter((word) => !SMALL.has(word.toLowerCase().replace(/\W+$/, "")));
    return words.join(" ") || query;
  }

  function load(src) {
    return new Promise((done) => {
      document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: done }));
    });
  }

  const RealWorker = window.Worker;
  window.Worker = function (url, options) {
    return WORKER.test(String(url)) ? new LateWorker(url) : new RealWorker(url, options);
  };
})();
