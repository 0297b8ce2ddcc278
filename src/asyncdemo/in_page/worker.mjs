/* Python in a worker of a page: loads Pyodide and asyncdemo, then answers one request after another.
 *
 * Ends a script at its time limit by itself: Python looks at the "interrupt buffer" every few instructions, and
 * here that is no memory that somebody else would have to write to, but a clock. Not for: what is asked
 * (in_page/page.py), nor for code that never comes back to Python: the page ends the worker then.
 */
import { loadPyodide } from "./pyodide.mjs";

const TICK_MS = 10;
const PACKAGES = "/lib/python3.14/site-packages";
const OPENED = "/opened"; // where the files of a visitor are

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
  python.runPython("from asyncdemo.in_page.interpreter import adapt; adapt()");
  const page = python.pyimport("asyncdemo.in_page.page");
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
  python.FS.mkdir(OPENED);
  return { FS: python.FS, page };
}

/* Their paths. Each is in its own folder, as several may have one name; they are read from the disk, not copied. */
function mounted(FS, files) {
  const blobs = files.map((data, number) => ({ name: `${number}/${data.name}`, data }));
  FS.mount(FS.filesystems.WORKERFS, { blobs }, OPENED);
  return blobs.map(({ name }) => `${OPENED}/${name}`);
}

const started = start();
started.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: String(error.message || error) }),
);

self.onmessage = async ({ data: { number, request, files } }) => {
  try {
    const { FS, page } = await started;
    const asked = files ? { ...request, files: mounted(FS, files) } : request;
    const answer = page.answer(JSON.stringify(asked), `${PACKAGES}/lessons`);
    if (files) FS.unmount(OPENED);
    self.postMessage({ number, answer });
  } catch (error) {
    self.postMessage({ number, failed: String(error.message || error).trim().split("\n").pop() });
  }
};
