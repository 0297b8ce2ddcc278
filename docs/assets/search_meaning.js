/* What a query without results was probably meant to be: forgives a wrong letter or two.
 *
 * Loaded by search.js when it is first needed. Not for: finding pages, which the theme does.
 */
(() => {
  "use strict";

  let words;

  /* The words of the index, and how often each occurs. */
  function wordsOf(docs) {
    const words = new Map();
    for (const { title, text } of docs) {
      for (const [word] of `${title} ${text}`.toLowerCase().replace(/<[^>]*>/g, " ").matchAll(/[a-z][a-z_]{2,}/g)) {
        words.set(word, (words.get(word) ?? 0) + 1);
      }
    }
    return words;
  }

  /* The better query, which is said above its results; else the same. */
  function meaning(query, docs) {
    words ??= wordsOf(docs);
    const meant = corrected(query);
    if (meant !== query) {
      const line = Object.assign(document.createElement("p"), { className: "search-meant", role: "status" });
      line.textContent = `No match. These are the results for: ${meant.replace(/[*+]/g, "").trim()}`;
      line.style.cssText = "margin: 0; padding: 0.4rem 0.8rem; font-size: 0.64rem";
      document.querySelector(".md-search-result").prepend(line);
    }
    return meant;
  }

  /* The query with each unknown word replaced by the most frequent of the words nearest to it, if one is near. */
  function corrected(query) {
    return query.replace(/[a-z]{4,}/gi, (typed) => {
      const word = typed.toLowerCase();
      let best = typed;
      let least = word.length < 6 ? 1 : 2;
      let most = 0;
      for (const [other, often] of words) {
        if (other.startsWith(word)) return typed;
        if (Math.abs(other.length - word.length) > least) continue;
        const far = distance(word, other);
        if (far > least || (far === least && often <= most)) continue;
        [best, least, most] = [other, far, often];
      }
      return best;
    });
  }

  /* How many letters must be replaced, added, left out, or swapped with their neighbour. */
  function distance(one, other) {
    let before = [];
    let row = Array.from({ length: other.length + 1 }, (_, place) => place);
    for (let i = 1; i <= one.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= other.length; j += 1) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1]));
        const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
        if (swapped) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
    }
    return row[other.length];
  }

  window.asyncdemoMeaning = meaning;
})();
