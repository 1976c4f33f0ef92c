// Searches the tasks; without it the page shows all of them.
"use strict";
const filters = document.getElementById("filters");
if (filters) {
  const search = document.getElementById("search");
  const outcome = document.getElementById("outcome");
  const differ = document.getElementById("differ");
  const told = document.getElementById("told");
  const rows = [...document.querySelectorAll("#task-table tbody tr")].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    outcomes: row.dataset.outcomes.split(" "),
  }));
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text, outcomes } of rows) {
      const fits =
        words.every((word) => text.includes(word)) &&
        (!outcome.value || outcomes.includes(outcome.value)) &&
        (!differ?.checked || "differ" in row.dataset);
      row.hidden = !fits;
      shown += fits;
    }
    const all = rows.length.toLocaleString("en");
    told.textContent = shown === rows.length ? `${all} tasks` : `${shown.toLocaleString("en")} of ${all} tasks`;
  };
  filters.hidden = false;
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", narrow);
  narrow();
  // What is folded is opened for paper.
  const folded = [...document.querySelectorAll("details")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folded.filter((each) => !each.open);
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
}
