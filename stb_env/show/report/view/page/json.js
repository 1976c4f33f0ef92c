// JSON that folds: what is small stands open, what is long is shown on demand.
import { add, button, h } from "./dom.js";

const OPEN_SIZE = 1500;
const PART = 60;
const LONG = 600;

// A result's text is JSON; anything else is shown as it is.
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function json(value, label = "value") {
  const size = JSON.stringify(value)?.length ?? 0;
  const box = h("div", { class: "json" });
  add(box, [node(value, size < OPEN_SIZE ? 3 : 1)]);
  box.dataset.label = label;
  return box;
}

function node(value, open, key = null) {
  const name = key === null ? null : h("span", { class: "key" }, `${key}: `);
  if (value === null || typeof value !== "object") return h("div", { class: "leaf" }, name, leaf(value));
  const entries = Object.entries(value);
  const list = Array.isArray(value);
  if (!entries.length) return h("div", { class: "leaf" }, name, h("span", { class: "quiet" }, list ? "[]" : "{}"));
  const told = list ? `[${entries.length}]` : `{${entries.length}}`;
  const body = h("div", { class: "members" });
  const details = h(
    "details", { open: open > 0 },
    h("summary", {}, name, h("span", { class: "quiet" }, told, " ", preview(entries, list))), body,
  );
  let filled = 0;
  const more = () => {
    const until = Math.min(entries.length, filled + PART);
    for (; filled < until; filled += 1) body.append(node(entries[filled][1], open - 1, entries[filled][0]));
    if (filled < entries.length) {
      const rest = button(`${entries.length - filled} more`, () => { rest.remove(); more(); }, { class: "link" });
      body.append(rest);
    }
  };
  // Filled when it is opened: a large value costs nothing as long as nobody looks.
  if (open > 0) more();
  else details.addEventListener("toggle", () => { if (!filled) more(); });
  return details;
}

function preview(entries, list) {
  const text = list ? entries.map(([, part]) => brief(part)).join(", ") : entries.map(([name]) => name).join(", ");
  return text.length > 70 ? `${text.slice(0, 69)}…` : text;
}

function brief(value) {
  if (value === null || typeof value !== "object") return typeof value === "string" ? value.slice(0, 40) : String(value);
  return Array.isArray(value) ? `[${value.length}]` : "{…}";
}

function leaf(value) {
  const kind = value === null ? "null" : typeof value;
  if (kind !== "string") return h("span", { class: `value ${kind}` }, String(value));
  return longText(value, "value string");
}

// Text of which a long one shows its beginning; how much is left is told.
export function longText(text, kind = "") {
  if (text.length <= LONG) return h("span", { class: kind }, text);
  const span = h("span", { class: kind }, `${text.slice(0, LONG)}… `);
  const all = () => { span.textContent = text; };
  span.append(button(`all ${text.length.toLocaleString("en")} characters`, all, { class: "link" }));
  return span;
}
