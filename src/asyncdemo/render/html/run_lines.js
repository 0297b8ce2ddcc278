/* The lines of a file, packed or not, a piece at a time: a large file must not stop the page.
 *
 * readRun(blob, name, tell) promises the run that it holds; tell(characters) is called now and then while it reads.
 * What is no run file rejects with a RunFileError. Not for: what the lines mean (run_file.js).
 */

const MOST_CHARACTERS = 300e6;
const LONG_TURN_MS = 40;

/* A turn for the rest of the page, at most every few hundredths of a second. */
function breaths() {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONG_TURN_MS) return;
    await new Promise(resolve => setTimeout(resolve));
    since = performance.now();
  };
}

async function isGzip(blob) {
  const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  return head[0] === 0x1f && head[1] === 0x8b;
}

function unpacked(blob, name) {
  if (!('DecompressionStream' in window)) {
    throw new RunFileError(`This browser cannot unpack ${name}. Unpack it first: gunzip ${name}`);
  }
  return blob.stream().pipeThrough(new DecompressionStream('gzip'));
}

async function readRun(blob, name, tell = () => {}) {
  const reader = new Reader(name), decoder = new TextDecoder(), breath = breaths();
  let parts = [], characters = 0, zipped = false, chunks;
  try {
    zipped = await isGzip(blob);
    chunks = (zipped ? unpacked(blob, name) : blob.stream()).getReader();
  } catch (error) {
    throw error instanceof RunFileError ? error : new RunFileError(`${name} cannot be read: ${error.message}`);
  }
  for (;;) {
    let chunk;
    try {
      chunk = await chunks.read();
    } catch (error) {
      if (zipped && characters) break; // packed, and cut off
      throw new RunFileError(`${name} cannot be read: ${error.message}`);
    }
    if (chunk.done) break;
    const text = decoder.decode(chunk.value, { stream: true });
    if (!characters && /^\s*[^\s{]/.test(text)) reader.read(text.slice(0, 100)); // no need to read it all
    characters += text.length;
    if (characters > MOST_CHARACTERS) {
      chunks.cancel();
      throw new RunFileError(`${name} is too large for a browser: more than ${MOST_CHARACTERS / 1e6} MB of text.`);
    }
    const lines = text.split('\n');
    parts.push(lines.shift());
    while (lines.length) {
      reader.read(parts.join(''));
      parts = [lines.shift()];
      await breath();
    }
    tell(characters);
    await breath();
  }
  const last = parts.join('') + decoder.decode();
  if (last) reader.read(last);
  return reader.run();
}
