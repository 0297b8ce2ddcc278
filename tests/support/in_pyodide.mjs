/* Runs a Python file in Pyodide, under Node, as the worker of a page would: with what a page loads, and its clock.
 *
 *   node in_pyodide.mjs FOLDER FILE ARGUMENTS   FOLDER has Pyodide's files and page.zip; prints what `main` returns
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, file, ...arguments_] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/`, stdout: () => {}, stderr: () => {} });
const files = new Uint8Array(readFileSync(`${folder}/page.zip`)).buffer;
python.unpackArchive(files, "zip", { extractDir: "/lib/python3.14/site-packages" });
python.runPython("from asyncdemo.in_page.interpreter import adapt; adapt()");
const signal = python.pyimport("asyncdemo.in_page.page").start();
let next = 0;
python.setInterruptBuffer({
  get 0() {
    const now = performance.now();
    if (now < next) return 0;
    next = now + 10;
    return signal;
  },
  set 0(_) {},
});
python.FS.writeFile("/lib/python3.14/site-packages/page_runs.py", readFileSync(file));
// Beside the packages they would not be the user's own code.
python.runPython("import shutil; shutil.move('/lib/python3.14/site-packages/lessons', '/lessons')");
try {
  const runs = python.pyimport("page_runs");
  process.stdout.write(runs.main("/lessons", ...arguments_));
} catch (error) {
  process.stderr.write(String(error.message).slice(-3000));
  process.exit(1);
}
