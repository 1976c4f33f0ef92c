// The address of the page: run, task and trial by their names, and the filters of the list. It stays true where runs
// or episodes are added. Addresses of positions, as #0/3/tree, are read too.
const POSITIONS = /^(\d+)(?:\/(\d+)(?:\/(\w+)(?:\/(\d+)\/(\d+))?)?)?$/;
const FILTERS = ["status", "tool", "least", "most", "order", "text"];

export async function readAddress(shelf, views) {
  const text = location.hash.slice(1);
  const position = text.match(POSITIONS);
  if (position) {
    const [run, number, , otherRun, other] = position.map((part, place) => (part === undefined || place === 3 ? null : Number(part))).slice(1);
    return {
      run: Math.min(shelf.runs.length - 1, run), number, view: known(position[3], views), filters: null,
      other: other === null ? null : { run: otherRun, number: other },
    };
  }
  const asked = new URLSearchParams(text);
  const run = indexOf(shelf, asked.get("run"));
  const against = asked.has("with") ? indexOf(shelf, asked.get("with")) : null;
  const other = against === null ? null : await numberOf(shelf.runs[against], asked, "with-");
  return {
    run, number: await numberOf(shelf.runs[run], asked, ""), view: known(asked.get("view"), views),
    other: other === null ? null : { run: against, number: other },
    filters: Object.fromEntries(FILTERS.map((name) => [name, asked.get(name) ?? ""])),
  };
}

export function writeAddress(shelf, { run, number, view, other }, filters) {
  const parts = new URLSearchParams({ run: shelf.runs[run].name });
  if (number !== null) name(parts, shelf.runs[run], number, "");
  if (number !== null && view !== "conversation") parts.set("view", view);
  if (number !== null && other) {
    parts.set("with", shelf.runs[other.run].name);
    name(parts, shelf.runs[other.run], other.number, "with-");
  }
  for (const filter of FILTERS) if (filters[filter]) parts.set(filter, filters[filter]);
  return `#${parts}`;
}

const known = (view, views) => (views.includes(view) ? view : "conversation");
const indexOf = (shelf, name) => Math.max(0, shelf.runs.findIndex((run) => run.name === name));
const isOf = (row, task, trial) => row.task === task && String(row.trial ?? 0) === trial;

// A damaged line has no task, and a task may stand there twice: they go by their line.
function name(parts, run, number, before) {
  const row = run.rows[number];
  const first = row?.task && run.rows.find((each) => isOf(each, row.task, String(row.trial ?? 0)));
  if (first !== row || !row) parts.set(`${before}line`, number + 1);
  else {
    parts.set(`${before}task`, row.task);
    if (row.trial) parts.set(`${before}trial`, row.trial);
  }
}

async function numberOf(run, asked, before) {
  const [task, trial, line] = ["task", "trial", "line"].map((part) => asked.get(before + part));
  if (line !== null) return Number(line) - 1;
  if (task === null) return null;
  const find = () => run.rows.find((row) => isOf(row, task, trial ?? "0"));
  if (!find() && !run.loaded) await run.ready();
  return find()?.n ?? null;
}
