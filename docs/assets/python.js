/* Python for a page, in a worker (src/asyncdemo/in_page/): it is loaded with the first question.
 *
 * A worker that does not come back is ended, and the next question goes to another one.
 * Not for: what is asked, or what a page shows of the answers (live.js, open.js).
 */
window.asyncdemoPython = (() => {
  "use strict";

  const WORKER = new URL("../lessons/assets/python/worker.mjs", document.currentScript.src);

  class Python {
    constructor() {
      this.waiting = new Map();
      this.number = 0;
      this.works = false;
      this.worker = new Worker(WORKER, { type: "module" });
      this.ready = new Promise((resolve, reject) => {
        this.fail = (why) => reject(new Error(why));
        const notLoaded = (why) =>
          this.fail(`Python could not be loaded: ${why}. Try again, or use asyncdemo in a terminal.`);
        this.worker.onerror = (event) => notLoaded(event.message || "the worker is not there");
        this.worker.onmessage = ({ data }) => {
          if (data.ready) {
            this.works = true;
            resolve();
          }
          else if (!data.number) notLoaded(data.failed);
          else this.settle(data);
        };
      });
      this.ready.catch(() => {});
    }

    settle({ number, answer, failed }) {
      const { resolve, reject } = this.waiting.get(number);
      this.waiting.delete(number);
      if (failed) reject(new Error(failed));
      else resolve(JSON.parse(answer));
    }

    ask(request, files) {
      const number = ++this.number;
      return new Promise((resolve, reject) => {
        this.waiting.set(number, { resolve, reject });
        this.worker.postMessage({ number, request, files });
      });
    }

    end(why) {
      this.worker.terminate();
      this.fail(why);
      this.waiting.forEach(({ reject }) => reject(new Error(why)));
    }
  }

  let current = null;
  let spare = null;

  /* Ends the worker, and with it whatever is under way. If it worked, so will another: that one starts right away. */
  function end(why) {
    const works = current?.works;
    current?.end(why);
    current = spare;
    spare = null;
    if (!works) return;
    if (current) prepare();
    else current = new Python();
  }

  /* Has another worker at hand for when this one is ended. */
  function prepare() {
    spare ??= new Python();
  }

  async function ready() {
    const one = (current ??= new Python());
    try {
      await one.ready;
    } catch (error) {
      if (one === current) end(error.message);
      throw error;
    }
    return one;
  }

  /* limit_ms: after which the worker is ended. files: for Python to read, which stay on this machine. */
  async function ask(request, { limit_ms, files } = {}) {
    const one = await ready();
    const late = limit_ms && setTimeout(() => {
      if (one === current) end(`Stopped: it did not finish within ${limit_ms / 1000} s.`);
    }, limit_ms);
    try {
      return await one.ask(request, files);
    } catch (error) {
      if (one === current) end(error.message); // it may be in any state
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  return {
    ask,
    end,
    ready,
    prepare,

    /* Why there can be no Python here; "" if there can. */
    hindrance() {
      if (location.protocol === "file:") {
        return "A page opened from a file cannot start Python. The command asyncdemo docs serves this page on your machine.";
      }
      if (typeof WebAssembly !== "object") {
        return "This browser has no WebAssembly, which Python in a page needs.";
      }
      return "";
    },
  };
})();
