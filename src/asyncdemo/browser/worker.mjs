/* Python in a worker of a page: loads Pyodide and asyncdemo, then answers one request after another.
 *
 * Ends a script at its time limit by itself: Python looks at the "interrupt buffer" every few instructions, and
 * here that is no memory that somebody else would have to write to, but a clock. Not for: what is asked
 * (browser/page.py), nor for code that never comes back to Python: the page ends the worker then.
 */
import { loadPyodide } from "./pyodide.mjs";

const TICK_MS = 10;
const PACKAGES = "/lib/python3.14/site-packages";

async function start() {
  const here = new URL("./", import.meta.url).href;
  const [python, files] = await Promise.all([
    loadPyodide({ indexURL: here, stdout: () => {}, stderr: () => {} }),
    fetch(new URL("page.zip", here)).then((answer) => {
      if (!answer.ok) throw new Error(`page.zip: ${answer.status}`);
      return answer.arrayBuffer();
    }),
  ]);
  python.unpackArchive(files, "zip", { extractDir: PACKAGES });
  python.runPython("from asyncdemo.browser.interpreter import adapt; adapt()");
  const page = python.pyimport("asyncdemo.browser.page");
  const signal = page.start();
  let next = 0;
  python.setInterruptBuffer({
    get 0() {
      const now = performance.now();
      if (now < next) return 0;
      next = now + TICK_MS;
      return signal;
    },
    set 0(_) {},
  });
  return page;
}

const started = start();
started.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: String(error.message || error) }),
);

self.onmessage = async ({ data }) => {
  try {
    const page = await started;
    self.postMessage({ number: data.number, answer: page.answer(JSON.stringify(data.request), `${PACKAGES}/lessons`) });
  } catch (error) {
    self.postMessage({ number: data.number, failed: String(error.message || error).trim().split("\n").pop() });
  }
};
