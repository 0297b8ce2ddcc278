/* Predict, then reveal: judges the answers on this page, and uncovers the timeline below.
 *
 * What counts as right stands in the data- attributes of each question, computed when the site was built
 * (src/asyncdemo/site/predict.py). Nothing is stored, and nothing leaves the page.
 */
(() => {
  "use strict";

  /* Each kind of question: what was entered, or null if nothing was; whether that is right; how it reads. */
  const KINDS = {
    number: {
      entered: (question) => {
        const text = question.querySelector("input").value;
        return text === "" ? null : Number(text);
      },
      isRight: (answer, data) => Math.abs(answer - Number(data.value)) <= Number(data.within),
      inWords: (answer, question) => `${answer} ${answer === 1 ? question.dataset.one : question.dataset.unit}`,
    },
    choice: {
      entered: (question) => question.querySelector("input:checked")?.value ?? null,
      isRight: (answer, data) => answer === data.place,
      inWords: (answer, question) =>
        question.querySelector("input:checked").parentElement.textContent.trim().replace(/\.$/, ""),
    },
    order: {
      entered: (question) => (question.querySelector("input").checked ? namesIn(question).join(" ") : null),
      isRight: (answer, data) => data.orders.split(",").includes(answer),
      inWords: (answer) => answer.replaceAll(" ", ", "),
    },
  };

  const namesIn = (question) => Array.from(question.querySelectorAll("li[data-name]"), (row) => row.dataset.name);

  function enliven(form) {
    const questions = Array.from(form.querySelectorAll(".predict-question"));
    form.classList.add("predict-live");
    for (const question of questions) {
      // The button shows all answers immediately, so none needs to be opened on its own.
      const happened = question.querySelector(".predict-happened");
      happened.hidden = true;
      question.querySelector(".predict-answer").replaceWith(happened);
    }
    form.addEventListener("click", (event) => {
      const button = event.target.closest(".predict-move");
      if (button) move(button, form);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show(form, questions);
    });
  }

  function move(button, form) {
    const row = button.closest("li");
    const beside = button.dataset.by === "-1" ? row.previousElementSibling : row.nextElementSibling;
    if (beside) {
      if (button.dataset.by === "-1") beside.before(row);
      else beside.after(row);
      button.focus(); // a row that is moved loses it
    }
    const question = button.closest(".predict-question");
    question.querySelector("input").checked = true;
    const names = namesIn(question);
    say(form, `${row.dataset.name} is number ${names.indexOf(row.dataset.name) + 1} of ${names.length}.`);
  }

  /* The recording first, and the answers when it has been seen. Pressed once more, the answers at once. */
  function show(form, questions) {
    form.classList.add("predict-shown");
    const timeline = timelineAfter(form);
    if (!timeline?.reveal) return tell(form, questions);
    say(form, "The recording plays below. The answers follow when it has ended.");
    const line = Object.assign(document.createElement("p"), { className: "predict-score" });
    line.textContent = "The answers follow when the recording has ended.";
    timeline.before(line); // where readers look while it plays
    const seen = () => {
      tell(form, questions);
      line.scrollIntoView({ block: "nearest" });
    };
    timeline.addEventListener("seen", seen, { once: true });
    timeline.reveal({ play: true });
    line.scrollIntoView();
  }

  function tell(form, questions) {
    const verdicts = questions.map(judge);
    const answered = verdicts.filter((verdict) => verdict !== null);
    const right = answered.filter(Boolean).length;
    const leftOut = verdicts.length - answered.length;
    const score = answered.length ? `${right} of ${answered.length} right. ` : "";
    say(form, `${score}${leftOut ? `${leftOut} left out. ` : ""}What happened is now below each question.`);
    const link = Object.assign(document.createElement("a"), { href: `#${form.id}`, textContent: "See each answer" });
    document.querySelector(".predict-score")?.replaceChildren(score && `Your answers: ${score}`, link);
  }

  /* Shows what happened, above it what was said. Returns whether that was right; null if nothing was said. */
  function judge(question) {
    const kind = KINDS[question.dataset.kind];
    const answer = kind.entered(question);
    const happened = question.querySelector(".predict-happened");
    happened.querySelector(".predict-verdict")?.remove();
    happened.hidden = false;
    if (answer === null) {
      delete question.dataset.verdict;
      return null;
    }
    const isRight = kind.isRight(answer, question.dataset);
    question.dataset.verdict = isRight ? "right" : "not-so";
    const verdict = document.createElement("p");
    verdict.className = "predict-verdict";
    const word = document.createElement("strong");
    word.textContent = isRight ? "Right." : "No.";
    verdict.append(word, ` You said: ${kind.inWords(answer, question)}.`);
    happened.prepend(verdict);
    return isRight;
  }

  function say(form, words) {
    form.querySelector(".predict-status").textContent = words;
  }

  function timelineAfter(form) {
    return Array.from(document.querySelectorAll("async-timeline[covered]")).find(
      (timeline) => form.compareDocumentPosition(timeline) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
  }

  document.querySelectorAll("form.predict").forEach(enliven);

  /* The report was closed so as not to give the answers away. */
  document.addEventListener("seen", () => {
    for (const report of document.querySelectorAll("details.figures")) report.open = true;
  });
})();
