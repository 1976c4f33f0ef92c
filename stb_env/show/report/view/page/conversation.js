// An episode as a conversation: what was asked, thought, called and answered, with where each answer is from.
import { h } from "./dom.js";
import { json, longText, parsed } from "./json.js";
import { CALL_STATUS, count, figure, seconds, SOURCES } from "./words.js";

export function conversation(episode, times = []) {
  const opening = episode.messages.findIndex((message) => message.role === "user");
  const system = episode.messages.slice(0, Math.max(0, opening)).filter((message) => message.role === "system");
  const replies = repliesOf(episode.messages.slice(opening + 1));
  const searched = forks(episode.tree) ? "A search made these steps, on several branches: the search tree shows which follow which." : "";
  return [searched && h("p", { class: "note" }, searched), h(
    "ol", { class: "talk" },
    system.map((message) => turn("System", folded("The system message", message.content))),
    turn("User", h("p", { class: "said" }, longText(episode.query))),
    episode.steps.map((step, number) => stepTurn(step, number, replies[number] ?? [], times[number])),
    !episode.steps.length && turn("", h("p", { class: "quiet" }, "No step was taken.")),
  )];
}

function forks(tree) {
  const parents = (tree?.nodes ?? []).map((node) => node.parent);
  return new Set(parents).size < parents.length;
}

// What followed each of the agent's messages and answers no call: a complaint, or what the user said back.
function repliesOf(messages) {
  const replies = [];
  for (const message of messages) {
    if (message.role === "assistant") replies.push([]);
    else if (message.role === "user") replies.at(-1)?.push(message.content);
  }
  return replies;
}

function turn(who, ...content) {
  return h("li", {}, h("div", { class: "who" }, who), h("div", { class: "what" }, content));
}

function folded(label, text) {
  return h("details", {}, h("summary", {}, label, " ", h("span", { class: "quiet" }, count(text.length, "character"))), h("pre", {}, text));
}

function stepTurn(step, number, replies, time) {
  const content = stepContent(step);
  const answers = step.calls.length ? [] : replies.map((reply) =>
    h("div", { class: "reply" }, h("div", { class: "label" }, "Reply"), typeof parsed(reply) === "object" ? json(parsed(reply)) : h("p", { class: "said" }, longText(String(reply)))));
  return turn(h("h3", { id: `step-${number + 1}` }, `Step ${number + 1}`), content, answers, h("p", { class: "foot" }, footOf(step, time)));
}

// The parts of a step, in a conversation as at a node of a search tree.
export function stepContent(step) {
  return [
    step.thought && h("div", { class: "thought" }, h("div", { class: "label" }, "Thought"), longText(step.thought)),
    step.text && h("div", { class: "thought" }, h("div", { class: "label" }, step.calls.length || step.program ? "Thought" : "Said"), longText(step.text)),
    step.program && h("section", { class: step.program.error ? "call failed" : "call", "aria-label": "program" },
      h("header", {}, h("code", { class: "tool" }, "python")),
      h("pre", {}, step.program.code),
      step.program.error && h("p", { class: "error" }, longText(step.program.error)),
      step.program.response && h("div", { class: "result" }, h("div", { class: "label" }, "Printed"), h("pre", {}, longText(step.program.response)))),
    step.calls.map(call),
    (step.not_called ?? []).map((left) => h("p", { class: "note" }, `Not called, as the episode was over: ${left.name}`)),
    !step.calls.length && !step.program && !step.text && !step.thought && h("p", { class: "quiet" }, "Nothing was said or called."),
  ];
}

function footOf(step, time) {
  const said = [];
  if (time !== undefined) said.push(seconds(time));
  if (step.reward) said.push(`reward ${figure(step.reward)}`);
  if (step.truncated) said.push("cut off here");
  const engine = step.engine ?? {};
  const [read, written] = [engine.prompt_token_ids?.length, engine.token_ids?.length ?? engine.logprobs?.content?.length];
  if (read) said.push(`${count(read, "token")} read`);
  if (written) said.push(`${count(written, "token")} written`);
  if (engine.finish_reason && !["stop", "tool_calls"].includes(engine.finish_reason)) said.push(`the model stopped: ${engine.finish_reason}`);
  return said.join(" · ");
}

export function provenance(call) {
  const from = [call.origin && `recorded for ${call.origin}`, call.class && `observed: ${call.class}`].filter(Boolean);
  return h("span", { class: "from" },
    h("span", { class: `source ${Object.hasOwn(SOURCES, call.source) ? call.source : "env"}`, title: SOURCES[call.source] ?? call.source }, call.source),
    from.length > 0 && h("span", { class: "quiet" }, ` ${from.join(", ")}`));
}

function call(made) {
  const failed = made.status && made.status !== 6;
  return h(
    "section", { class: failed ? "call failed" : "call", "aria-label": `call of ${made.name}` },
    h("header", {}, h("code", { class: "tool" }, made.name), provenance(made), CALL_STATUS[made.status] && h("span", { class: failed ? "bad" : "quiet" }, CALL_STATUS[made.status])),
    typeof made.arguments === "object" ? json(made.arguments, "arguments") : h("pre", {}, made.arguments),
    made.violations.map((note) => h("p", { class: "note" }, noteOf(note))),
    made.error && h("p", { class: "error" }, longText(made.error)),
    made.response !== "" && h("div", { class: "result" }, h("div", { class: "label" }, "Result"), typeof made.response === "object" ? json(made.response, "result") : h("p", { class: "said" }, longText(String(made.response)))),
  );
}

function noteOf(note) {
  return [note.kind === "coerced" ? "Read otherwise than written: " : "", String(note.message ?? JSON.stringify(note))];
}
