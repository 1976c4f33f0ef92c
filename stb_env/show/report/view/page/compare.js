// Two episodes side by side: what came of each, and which calls differ.
import { episode as fetchEpisode } from "./data.js";
import { aligned, callsOf, same } from "./align.js";
import { button, h } from "./dom.js";
import { json, longText } from "./json.js";
import { answerOf, outcome, sign } from "./episode.js";
import { CALL_STATUS, count } from "./words.js";

export async function comparison({ run, found, shelf, other, mark, marked, go }) {
  if (!other && !marked) await Promise.all(shelf.runs.map((each) => each.loaded || each.ready()));
  const chosen = other ?? marked ?? counterpart(run, found, shelf);
  const tools = h("div", { class: "choose" }, chooser(run, found, shelf, chosen, go), button("Mark this episode (m)", mark, { class: "plain" }));
  if (!chosen) {
    return [tools, h("p", { class: "empty" }, "No other episode of this task is here. Name one above, or mark one (m), go to another, and come back.")];
  }
  const theirs = await fetchEpisode(chosen.run, chosen.number);
  const pairs = aligned(callsOf(found.episode), callsOf(theirs.episode));
  const alike = pairs.filter(([a, b]) => a && b && same(a.arguments, b.arguments) && sameResult(a, b)).length;
  const names = [shelf.runs[run.index].name, shelf.runs[chosen.run].name];
  return [
    tools,
    found.episode.task_id !== theirs.episode.task_id && h("p", { class: "note" }, "These are episodes of different tasks."),
    h("p", { class: "quiet" }, `${alike} of ${count(pairs.length, "call")} alike`),
    h("div", { class: "pairs", role: "group", "aria-label": "Calls side by side" },
      h("div", { class: "pair heads" }, side(names[0], found), side(names[1], theirs)),
      pairs.map(pair),
      h("div", { class: "pair answers" }, answer(found), answer(theirs))),
  ];
}

// The same task in another run, or another trial of it.
function counterpart(run, found, shelf) {
  const { task_id: task, trial } = found.episode;
  const candidates = shelf.runs.flatMap((each) => each.rows.filter((row) => row.task === task && (each !== run || row.n !== found.n)).map((row) => ({ run: each.index, number: row.n, near: (each === run ? 1 : 0) + (row.trial === trial ? 0 : 2) })));
  candidates.sort((one, two) => one.near - two.near);
  return candidates[0] ?? null;
}

function chooser(run, found, shelf, chosen, go) {
  const runs = h("select", { "aria-label": "Run to compare with" }, shelf.runs.map((each) => h("option", { value: each.index, selected: each.index === (chosen?.run ?? run.index) }, each.name)));
  const task = h("input", { type: "text", "aria-label": "Task or number of the episode to compare with", value: chosen ? shelf.runs[chosen.run].rows[chosen.number]?.task ?? chosen.number : found.episode.task_id });
  const told = h("span", { class: "bad", role: "alert" });
  const choose = async (event) => {
    event.preventDefault();
    const into = shelf.runs[Number(runs.value)];
    const asked = task.value.trim();
    if (!into.loaded) await into.ready();
    const rows = into.rows.filter((row) => (row.task === asked || String(row.n) === asked) && !(into === run && row.n === found.n));
    if (rows.length) go("compare", false, { run: into.index, number: rows[0].n });
    else told.textContent = `${into.name} has no other episode of ${asked}`;
  };
  return h("form", { onsubmit: choose }, h("label", {}, "With ", runs), task, h("button", { type: "submit", class: "plain" }, "Compare"), told);
}

function side(name, found) {
  const { status, verdict } = outcome(found);
  return h("div", { class: "side" }, h("b", {}, name), h("div", {}, sign(status), ` ${status}`, verdict && h("span", { class: "quiet" }, ` by ${verdict.judge}`)), h("div", { class: "quiet" }, `${found.episode.task_id} · trial ${found.episode.trial} · ${count(found.episode.steps.length, "step")}`));
}

function answer({ episode }) {
  return h("div", { class: "side" }, answerOf(episode) ?? [h("div", { class: "label" }, "Answer"), h("span", { class: "quiet" }, "none")]);
}

const sameResult = (one, other) => same([one.error, one.response, one.status], [other.error, other.response, other.status]);

function pair([left, right]) {
  if (!left || !right) return h("div", { class: "pair alone" }, cell(left, "only here"), cell(right, "only here"));
  const [equal, results] = [same(left.arguments, right.arguments), sameResult(left, right)];
  const note = equal ? (results ? "" : "another result") : "other arguments";
  return h("div", { class: `pair ${note ? "other" : "alike"}` }, cell(left, note, right), cell(right, note, left));
}

function cell(call, note, opposite = null) {
  if (!call) return h("div", { class: "side missing" }, h("span", { class: "quiet" }, "no such call"));
  const open = Boolean(note);
  return h("div", { class: "side" }, h("details", { open },
    h("summary", {}, h("span", { class: "quiet" }, `${call.step} `), call.name ? h("code", { class: "tool" }, call.name) : "no call", " ", note && h("span", { class: "differs" }, note), call.status && call.status !== 6 ? h("span", { class: "bad" }, ` ${CALL_STATUS[call.status]}`) : ""),
    opposite && typeof call.arguments === "object" && typeof opposite.arguments === "object" ? fields(call.arguments, opposite.arguments) : typeof call.arguments === "object" ? json(call.arguments) : h("pre", {}, call.arguments),
    call.error && h("p", { class: "error" }, longText(call.error)),
    call.response !== "" && (typeof call.response === "object" ? json(call.response) : longText(String(call.response)))));
}

function fields(own, theirs) {
  const names = Object.keys(own);
  if (!names.length) return h("div", { class: "quiet" }, "no arguments");
  return h("div", { class: "json" }, names.map((name) => h("div", { class: same(own[name], theirs[name]) ? "leaf" : "leaf differs" }, h("span", { class: "key" }, `${name}: `), longText(JSON.stringify(own[name])))));
}
