// One episode: what came of it, and its views.
import { button, h, put } from "./dom.js";
import { json, longText } from "./json.js";
import { conversation } from "./conversation.js";
import { comparison } from "./compare.js";
import { treeView } from "./tree.js";
import { worldView } from "./world.js";
import { count, figure, seconds, SIGNS, STATUSES } from "./words.js";

export const VIEWS = ["conversation", "tree", "world", "compare", "record"];

const NAMES = { conversation: "Conversation", tree: "Search tree", world: "World", compare: "Compare", record: "Record" };

// shelf: all runs; go(view): changes the view; other: what to compare with, or null.
export async function showEpisode(place, found, { run, shelf, view, go, other, mark, marked }) {
  const { episode, judgements } = found;
  const panel = h("div", { class: `panel ${view}`, role: "tabpanel", id: "panel", "aria-labelledby": `tab-${view}`, tabindex: -1 });
  put(place, head(found), tabs(view, go, episode), panel);
  const contents = {
    conversation: () => conversation(episode, found.step_seconds ?? []),
    tree: () => [treeView(episode.tree)],
    world: () => worldView(run, found.n, episode),
    compare: () => comparison({ run, found, shelf, other, mark, marked, go }),
    record: () => [json(episode, "record"), judgements.length ? [h("h3", {}, "Verdicts that were given later"), json(judgements)] : []],
  };
  put(panel, h("p", { class: "quiet" }, "Reading…"));
  try {
    put(panel, await contents[view]());
  } catch (error) {
    put(panel, h("p", { class: "error", role: "alert" }, error.message));
  }
}

function tabs(view, go, episode) {
  const key = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    go(VIEWS[(VIEWS.indexOf(view) + by + VIEWS.length) % VIEWS.length], true);
  };
  return h(
    "div", { class: "tabs", role: "tablist", "aria-label": "Views of the episode", onkeydown: key },
    VIEWS.map((name) => button([NAMES[name], name === "tree" && episode.tree ? h("span", { class: "quiet" }, ` ${episode.tree.nodes.length}`) : ""], () => go(name), {
      role: "tab", id: `tab-${name}`, "aria-selected": String(name === view), "aria-controls": "panel", tabindex: name === view ? 0 : -1,
      class: name === "tree" && !episode.tree ? "without" : null,
    })));
}

// The verdict that counts: the newest of the run's own judge.
export function outcome({ episode, judgements }) {
  const own = judgements.find((one) => episode.verdict === null || one.judge === episode.verdict.judge) ?? null;
  const verdict = own ? own.verdict : episode.verdict;
  const failure = own ? own.failure : episode.failure;
  const valid = own ? own.verdict !== null && own.verdict.status !== "na" : episode.valid;
  return { verdict, failure, status: valid && STATUSES.includes(verdict?.status) ? verdict.status : "invalid" };
}

// What an episode answered: a typed answer, or why there is none, and prose beside it. Before version 3 it is text.
export function answerOf(episode) {
  const typed = episode.version < 3 ? null : episode.cannot ?? episode.answer;
  const prose = episode.version < 3 ? String(episode.answer) : episode.final_answer;
  if (typed === null && prose === "") return null;
  const label = typed !== null && episode.cannot ? "Cannot be met" : "Answer";
  return [h("div", { class: "label" }, label), typed !== null && json(typed, "answer"), prose !== "" && longText(prose)];
}

function head(found) {
  const { episode } = found;
  const { verdict, failure, status } = outcome(found);
  const { usage } = episode;
  const facts = {
    task: episode.task_id, group: episode.group, trial: episode.trial, seed: episode.seed,
    reward: figure(episode.reward), "reward mode": episode.reward_mode ?? "", steps: episode.steps.length, tools: Math.max(0, episode.tools.length - 1),
    time: seconds(found.seconds),
    tokens: usage.total_tokens ? `${figure(usage.prompt_tokens)} + ${figure(usage.completion_tokens)}` : "",
    cost: usage.cost ? `$${figure(usage.cost)}` : "",
  };
  for (const [role, spent] of Object.entries(episode.usage_by_role ?? {})) facts[`${role}, tokens`] = figure(spent.total_tokens ?? 0);
  return h(
    "header", { class: "head" },
    h("h2", { tabindex: -1 }, longText(episode.query)),
    h("div", { class: "verdict" },
      h("span", { class: `badge ${status}` }, h("span", { "aria-hidden": "true" }, SIGNS[status]), ` ${status}`),
      verdict && h("span", { class: "quiet" }, `score ${figure(verdict.score)} · judged by ${verdict.judge}`)),
    answerOf(episode) && h("div", { class: "answer" }, answerOf(episode)),
    failure && h("p", { class: "error" }, `${failure.kind} failure${failure.stage ? ` at ${failure.stage}` : ""}: ${failure.message ?? ""}`),
    verdict && votes(verdict),
    laterJudges(found, verdict),
    h("dl", { class: "facts" }, Object.entries(facts).filter(([, value]) => value !== "" && value !== null).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value))))));
}

function votes(verdict) {
  const parts = Object.entries(verdict.parts ?? {});
  const metrics = Object.entries(verdict.metrics ?? {});
  if (!verdict.votes?.length && !parts.length && !metrics.length) return null;
  return h(
    "details", { class: "votes", open: verdict.status !== "solved" },
    h("summary", {}, "Why: ", [verdict.votes?.length && count(verdict.votes.length, "vote"), parts.length && `${parts.filter(([, passed]) => passed).length} of ${count(parts.length, "part")}`].filter(Boolean).join(", ")),
    h("ul", {},
      (verdict.votes ?? []).map((vote) => h("li", {}, sign(vote.status), ` ${vote.status ?? "missing"}`, vote.reason && [": ", longText(vote.reason)])),
      parts.map(([name, passed]) => h("li", {}, sign(passed ? "solved" : "unsolved"), ` ${name}: ${passed ? "passed" : "not passed"}`)),
      metrics.map(([name, value]) => h("li", {}, `${name} ${figure(value)}`))));
}

function laterJudges({ judgements }, verdict) {
  const others = judgements.filter((one) => one.judge !== verdict?.judge);
  return others.length ? h("ul", { class: "later" }, others.map((one) => h("li", {}, sign(one.verdict?.status ?? "invalid"), ` ${one.verdict?.status ?? "no verdict"} by ${one.judge}`, one.verdict && votes(one.verdict)))) : null;
}

export function sign(status) {
  const known = STATUSES.includes(status) ? status : "invalid";
  return h("span", { class: `sign ${known}`, "aria-hidden": "true" }, SIGNS[known]);
}
