// How figures and words of the record are put for a reader.

export const STATUSES = ["solved", "unsure", "unsolved", "invalid", "damaged"];
export const SIGNS = { solved: "✓", unsure: "?", unsolved: "✗", invalid: "!", damaged: "!" };

export const CALL_STATUS = [
  "", "tool error", "invalid arguments", "unknown tool", "no call", "gave up", "finished", "failure",
];

export const SOURCES = {
  cache: "a recorded answer",
  real: "the real API",
  simulator: "a simulator",
  world: "computed by the world",
  fault: "an injected fault",
  env: "the environment itself",
};

export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 1) return `${Math.max(1, Math.round(value * 1000))} ms`;
  return value < 120 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`;
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function figure(value) {
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
}

// Text of a value for a table's cell or one line.
export function short(value, most = 120) {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
