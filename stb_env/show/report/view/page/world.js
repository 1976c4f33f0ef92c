// What an episode changed in its world: pictures before and after, and tables with the cells that differ.
import { states } from "./data.js";
import { h, put } from "./dom.js";
import { same } from "./align.js";
import { picture } from "./picture.js";
import { count, short } from "./words.js";

export async function worldView(run, number, episode) {
  const world = await states(run.index, number, run.live);
  if (world.reason) return [h("p", { class: "empty" }, world.reason)];
  const body = h("div", { "aria-live": "polite" });
  const select = h("select", { "aria-label": "Which change to show", onchange: () => show(Number(select.value)) },
    h("option", { value: -1 }, "the whole episode"),
    world.steps.map((tables, step) => h("option", { value: step }, `step ${step + 1}: ${stepName(world, step)}${tables.length ? "" : " (no change)"}`)));
  const show = (step) => put(body, change(world, step));
  show(-1);
  return [episode.tree && h("p", { class: "note" }, "A search tried several branches; this is the one that was played."), h("label", { class: "choose" }, "Before and after ", select), deviations(world), body];
}

function stepName(world, step) {
  return world.calls[step].join(", ") || "no call";
}

function deviations(world) {
  const told = world.deviations.flatMap((calls, step) => calls.map((call) => `step ${step + 1}, ${call.name}`));
  return told.length ? h("p", { class: "note" }, `Made again, ${count(told.length, "call")} came out otherwise than in the record (${told.slice(0, 5).join("; ")}): what is shown may not be what the agent met.`) : null;
}

function change(world, step) {
  const tables = step < 0 ? world.whole : world.steps[step];
  const pictures = step < 0 ? [world.pictures[0], world.pictures.at(-1)] : [world.pictures[step], world.pictures[step + 1]];
  const still = step < 0 ? world.unchanged : [];
  const drawn = pictures[0] && pictures[1];
  const list = tables.map(table);
  return [
    drawn && h("div", { class: "pictures" }, picture(pictures[0], pictures[1], "before"), picture(pictures[1], pictures[0], "after")),
    !tables.length && h("p", { class: "empty" }, step < 0 ? "The episode changed nothing in its world." : "This step changed nothing."),
    drawn && tables.length ? h("details", {}, h("summary", {}, "Every value that changed"), list) : list,
    still.length ? h("details", {}, h("summary", {}, `${count(still.length, "table")} unchanged`), h("ul", { class: "still" }, still.map((each) => h("li", {}, `${each.name} `, h("span", { class: "quiet" }, count(each.rows, "row")))))) : null,
  ];
}

const SIGNS = { added: "+", removed: "−", changed: "~", same: "" };

function table({ name, columns, rows, same: unchanged, left_out: leftOut }) {
  const changed = rows.filter((row) => row.change !== "same").length + leftOut;
  return h("section", { class: "table" },
    h("h3", {}, name, " ", h("span", { class: "quiet" }, `${changed} changed, ${unchanged} not`)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `table ${name}` },
      h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "change")), h("th", { scope: "col" }, "key"), columns.map((column) => h("th", { scope: "col" }, column)))),
        h("tbody", {}, rows.map((row) => h("tr", { class: row.change }, h("td", { class: "mark" }, h("span", { class: "hidden" }, row.change), h("span", { "aria-hidden": "true" }, SIGNS[row.change])), h("th", { scope: "row" }, row.key), columns.map((column) => cell(row, column))))))),
    leftOut ? h("p", { class: "quiet" }, `${leftOut} more changed rows are not shown`) : null);
}

function cell({ change: kind, before, after }, column) {
  const [old, now] = [before?.[column], after?.[column]];
  if (kind !== "changed" || same(old, now)) return h("td", {}, short(kind === "removed" ? old : now));
  return h("td", { class: "differs" }, old !== undefined && h("del", {}, short(old)), " ", now !== undefined && h("ins", {}, short(now)));
}
