// The page: which run and episode are open, as the address says it; keys; light and dark.
import { readAddress, writeAddress } from "./address.js";
import { episode as fetchEpisode, more, open, search } from "./data.js";
import { button, h, put } from "./dom.js";
import { showEpisode, VIEWS } from "./episode.js";
import { List } from "./list.js";
import { overview } from "./overview.js";

const app = document.getElementById("app");

const KEYS = [
  ["j, k", "next, previous episode"], ["Enter", "from the list into the episode"], ["Esc", "back to the list"],
  ["/", "search"], ["1 … 5", "conversation, tree, world, compare, record"], ["m", "mark the episode"],
  ["c", "compare with the marked one, or with another run"], ["← → ↑ ↓", "walk in a search tree"],
  [", .", "previous, next visit of a search"], ["t", "light or dark"], ["?", "these keys"],
];

let shelf;
let list;
let marked = null;
let watched = null;
let shown = 0;
const parts = {};

// What the address says, as positions among the runs and rows that are here.
let at = { run: 0, number: null, view: "conversation", other: null };

function go(run, number, view = "conversation", other = null) {
  location.hash = writeAddress(shelf, { run, number, view, other }, list.filters());
}

async function show() {
  const asked = (shown += 1);
  const found = await readAddress(shelf, VIEWS);
  // Who goes on before the rows came goes to the later one alone.
  if (asked !== shown) return;
  at = found;
  const { run: index, number, view, other } = at;
  const run = shelf.runs[index];
  if (watched !== run) {
    watched?.rest();
    watched = run;
    run.watch(() => { if (at.number === null) showOverview(run); });
  }
  list.show(run);
  if (at.filters) list.take(at.filters);
  parts.runs.value = index;
  describeRun(run);
  document.body.classList.toggle("reading", number !== null);
  document.title = number === null ? run.name : `${number} · ${run.name}`;
  if (number === null) {
    list.mark(null);
    showOverview(run);
    return;
  }
  list.mark(number);
  await read(run, number, view, other);
}

// The filters stand in the address, and no step back is needed for each of them.
function keepFilters() {
  history.replaceState(null, "", writeAddress(shelf, at, list.filters()));
}

async function takeNewRuns() {
  if (await more(shelf)) drawRuns();
}

function drawRuns() {
  put(parts.runs, shelf.runs.map((run) => h("option", { value: run.index }, run.name)));
  parts.runs.value = at.run;
}

function showOverview(run) {
  put(parts.episode, overview(run, help));
}

async function read(run, number, view, other) {
  const ticket = shown;
  try {
    const found = await fetchEpisode(run.index, number);
    // Who goes on before the answer came gets the later one alone.
    if (ticket !== shown) return;
    const drawn = showEpisode(parts.episode, found, {
      run, shelf, view, other,
      marked: marked && (marked.run !== run.index || marked.number !== number) ? marked : null,
      go: (name, focus = false, to = null) => {
        parts.focus = focus ? name : null;
        go(run.index, number, name, to);
      },
      mark: () => mark(run.index, number),
    });
    // The tabs are there at once, what they show may come later; an older view leaves the focus to the one it is for.
    if (parts.focus === view) {
      parts.focus = null;
      parts.episode.querySelector('[role="tab"][aria-selected="true"]')?.focus();
    }
    await drawn;
  } catch (error) {
    if (ticket === shown) put(parts.episode, h("p", { class: "error", role: "alert" }, error.message));
  }
}

function mark(run, number) {
  marked = { run, number };
  parts.told.textContent = `Marked episode ${number} of ${shelf.runs[run].name}`;
}

function describeRun(run) {
  const { manifest } = run;
  const said = [manifest.env, manifest.agent, manifest.protocol?.name, manifest.judge && `judge ${manifest.judge}`, manifest.backend?.mode].filter((part) => typeof part === "string");
  put(parts.about, said.join(" · "));
}

function help() {
  const close = button("Close", () => dialog.close(), { class: "plain" });
  const dialog = h("dialog", { "aria-labelledby": "keys", onclose: () => dialog.remove() }, h("h2", { id: "keys" }, "Keys"), h("dl", {}, KEYS.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))), close);
  document.body.append(dialog);
  dialog.showModal();
}

function theme(toggle) {
  let now = null;
  try {
    now = localStorage.getItem("stb-env-theme");
  } catch { /* No storage: the system's choice holds. */ }
  const dark = now ? now === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const next = toggle ? !dark : dark;
  document.documentElement.dataset.theme = next ? "dark" : "light";
  if (!toggle) return;
  try {
    localStorage.setItem("stb-env-theme", next ? "dark" : "light");
  } catch { /* As above. */ }
}

function onkey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest?.("input, select, textarea");
  const { run, number } = at;
  if (event.key === "Escape") {
    if (typing) list.box.focus();
    else if (number !== null) { go(run, null); list.box.focus(); }
    return;
  }
  if (typing) return;
  const views = number === null ? {} : Object.fromEntries(VIEWS.map((view, place) => [String(place + 1), () => go(run, number, view)]));
  const does = {
    j: () => list.move(1), k: () => list.move(-1), "/": () => list.text.focus(), t: () => theme(true), "?": help,
    ...views,
    ...(number === null ? {} : { m: () => mark(run, number), c: () => go(run, number, "compare", null) }),
    ...(event.target === list.box ? { Enter: () => parts.episode.querySelector("h2")?.focus() } : {}),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

async function start() {
  theme(false);
  shelf = await open(Number(location.hash.match(/^#(\d+)/)?.[1] ?? 0));
  list = new List({ chosen: (row) => go(at.run, row.n, at.number === null ? "conversation" : at.view), filtered: keepFilters, search: (run, text) => search(run.index, text) });
  parts.runs = h("select", { "aria-label": "Run", onchange: () => go(Number(parts.runs.value), null) });
  drawRuns();
  parts.about = h("span", { class: "about quiet" });
  parts.told = h("span", { class: "quiet", role: "status" });
  parts.episode = h("section", { class: "episode", id: "episode", "aria-label": "Episode" });
  put(app,
    h("header", { class: "bar" },
      h("h1", { class: "hidden" }, "Runs"),
      button("← Episodes", () => go(at.run, null), { class: "plain back" }), parts.runs, parts.about, parts.told,
      h("span", { class: "right" }, button("◐", () => theme(true), { class: "plain icon", title: "Light or dark (t)", "aria-label": "Light or dark" }), button("?", help, { class: "plain icon", title: "Keys (?)", "aria-label": "Keys" }))),
    h("main", { class: "split" }, list.element, parts.episode));
  addEventListener("hashchange", show);
  if (shelf.live) setInterval(takeNewRuns, 3000);
  addEventListener("keydown", onkey);
  await show();
}

start().catch((error) => put(app, h("main", { class: "empty" }, h("h1", {}, "Runs"), h("p", { class: "error", role: "alert" }, error.message))));
