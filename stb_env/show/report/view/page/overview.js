// What came of a run so far: what stands beside the list while no episode is open.
import { button, h } from "./dom.js";
import { json } from "./json.js";
import { count, figure, seconds, SIGNS, STATUSES } from "./words.js";

export function overview(run, help) {
  const { rows } = run;
  if (!rows.length) {
    return h("div", { class: "panel" }, h("p", { class: "empty" }, run.problem || (run.loaded ? "No episode is saved yet. Those that come appear here by themselves." : "Reading…")));
  }
  const counts = STATUSES.map((status) => [status, rows.filter((row) => row.status === status).length]).filter(([, number]) => number);
  const judged = rows.filter((row) => !["invalid", "damaged"].includes(row.status)).length;
  const solved = rows.filter((row) => row.status === "solved").length;
  const mean = (field) => rows.reduce((sum, row) => sum + (row[field] ?? 0), 0) / rows.length;
  const facts = {
    "solved of valid": judged ? `${figure((100 * solved) / judged)} % (${solved} of ${judged})` : "none is valid",
    "steps, mean": figure(mean("steps")), "calls, mean": figure(mean("calls")),
    "time, mean": mean("seconds") ? seconds(mean("seconds")) : "", "tokens, mean": mean("tokens") ? figure(Math.round(mean("tokens"))) : "",
  };
  return h(
    "div", { class: "panel overview" },
    h("h2", { tabindex: -1 }, run.name),
    run.problem && h("p", { class: "error", role: "alert" }, run.problem),
    bar(counts, rows.length),
    h("ul", { class: "legend" }, counts.map(([status, number]) => h("li", {}, h("span", { class: `sign ${status}`, "aria-hidden": "true" }, SIGNS[status]), `${count(number, "episode")} ${status}`))),
    h("dl", { class: "facts" }, Object.entries(facts).filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    failures(rows), called(rows),
    h("h3", {}, "What was played"), Object.keys(run.manifest).length ? json(run.manifest) : h("p", { class: "quiet" }, "The run has no manifest."),
    h("p", { class: "quiet" }, "Choose an episode, or press j. ", button("All keys", help, { class: "link" })),
  );
}

function bar(counts, total) {
  return h("div", { class: "outcomes", role: "img", "aria-label": counts.map(([status, number]) => `${number} ${status}`).join(", ") }, counts.map(([status, number]) => {
    const part = h("span", { class: status });
    part.style.flexGrow = number / total;
    return part;
  }));
}

function failures(rows) {
  const kinds = tally(rows.flatMap((row) => (row.failure ? [row.failure] : [])));
  return kinds.length ? [h("h3", {}, "Failures"), counted(kinds)] : null;
}

function called(rows) {
  const tools = tally(rows.flatMap((row) => row.tools ?? [])).slice(0, 12);
  return tools.length ? [h("h3", {}, "Tools, by episodes that called them"), counted(tools)] : null;
}

function tally(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([one, a], [other, b]) => b - a || one.localeCompare(other));
}

const counted = (pairs) => h("ul", { class: "still" }, pairs.map(([name, number]) => h("li", {}, h("code", {}, name), " ", h("span", { class: "quiet" }, figure(number)))));
