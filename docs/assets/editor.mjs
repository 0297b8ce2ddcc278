/* A field for Python: CodeMirror, set up. Its modules come with the files of the page's Python (asyncdemo.site.page_python).
 *
 * Tab leaves it, as any field. Not for: what is kept of a text, or run (live.js).
 */
import { defaultKeymap, history, historyKeymap } from "../lessons/assets/python/codemirror-commands.mjs";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "../lessons/assets/python/codemirror-language.mjs";
import { python } from "../lessons/assets/python/codemirror-lang-python.mjs";
import { EditorState } from "../lessons/assets/python/codemirror-state.mjs";
import { EditorView, drawSelection, keymap, lineNumbers } from "../lessons/assets/python/codemirror-view.mjs";
import { classHighlighter } from "../lessons/assets/python/lezer-highlight.mjs";

/* label: what the field is called. onChange: of each change by the reader, or by `set`. onRun: of Ctrl+Enter. */
export function makeField({ text, label, onChange, onRun }) {
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of("    "),
        python(),
        syntaxHighlighting(classHighlighter),
        keymap.of([{ key: "Mod-Enter", run() { onRun(); return true; } }, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(); }),
      ],
    }),
  });
  return {
    node: view.dom,
    get text() { return view.state.doc.toString(); },
    set(now) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }); },
  };
}
