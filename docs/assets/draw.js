/* Draw, then run: the recorded bars grow below the drawn ones, in the time that the programs took.
 *
 * Not for: where the times come from (src/asyncdemo/site/predict.py). Nothing is stored, and nothing leaves the page.
 */
(() => {
  "use strict";

  const still = matchMedia("(prefers-reduced-motion: reduce)");

  function enliven(form) {
    const rows = Array.from(form.querySelectorAll(".draw-row"));
    const status = form.querySelector(".draw-status");
    const after = document.querySelector(".draw-after"); // which gives the lengths away
    form.classList.add("draw-live");
    if (after) after.hidden = true;
    form.addEventListener("input", ({ target }) => draw(target.closest(".draw-row")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      form.querySelector("button").disabled = true;
      status.textContent = "Playing, in the time that it took ...";
      await Promise.all(rows.map((row) => grow(row, Number(form.dataset.scale))));
      status.textContent = rows.map(verdict).join(" ");
      form.querySelector("button").disabled = false;
      if (after) after.hidden = false;
    });
    rows.forEach(draw);
  }

  function draw(row) {
    const field = row.querySelector("input");
    field.style.setProperty("--part", field.value / field.max);
    row.querySelector("output").textContent = Number(field.value) ? `${Number(field.value).toFixed(1)} s` : "";
  }

  async function grow(row, scale) {
    const took = Number(row.dataset.took);
    const bar = row.querySelector(".draw-bar");
    row.classList.remove("draw-done");
    const part = took / scale;
    const width = `calc(${part} * (100% - 0.9rem) + 0.45rem)`; // as the middle of the handle above it
    const duration = still.matches ? 0 : 1000 * took;
    await bar.animate([{ width: "0.45rem" }, { width }], { duration, fill: "forwards" }).finished;
    row.classList.add("draw-done");
  }

  function verdict(row) {
    const said = Number(row.querySelector("input").value);
    const took = `${row.dataset.name} took ${Number(row.dataset.took).toFixed(2)} s`;
    return said ? `${took}; you drew ${said.toFixed(1)} s.` : `${took}.`;
  }

  document.querySelectorAll("form.draw").forEach(enliven);
})();
