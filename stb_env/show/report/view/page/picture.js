// Pictures of worlds that have a shape: a table with blocks and bowls, and a spreadsheet.
import { h, svg } from "./dom.js";
import { same } from "./align.js";

export function picture(state, opposite, when) {
  const draw = { scene, sheets }[state.kind];
  return h("figure", { class: `picture ${state.kind}` }, h("figcaption", {}, when), draw ? draw(state, opposite, when) : "");
}

const SCALE = 600;

function scene(state, opposite, when) {
  const [left, right, bottom, top] = state.bounds;
  const [x, y] = [(at) => (at[0] - left) * SCALE, (at) => (top - at[1]) * SCALE];
  const others = new Map(opposite.objects.map((each) => [each.name, each]));
  const size = state.block * SCALE;
  const shapes = [...state.objects].sort((one, other) => one.at[2] - other.at[2]).map((each) => {
    const fill = `rgb(${each.color.map(Number).join()})`;
    const moved = !same(each.at, others.get(each.name)?.at);
    const lift = each.storey * 7;
    const shape = each.shape === "bowl"
      ? svg("circle", { cx: x(each.at), cy: y(each.at), r: state.bowl * SCALE - 3, fill, "fill-opacity": 0.35, stroke: fill, "stroke-width": 6 })
      : svg("rect", { x: x(each.at) - size / 2, y: y(each.at) - size / 2 - lift, width: size, height: size, rx: 2, fill, class: moved ? "moved" : "block" });
    return svg("g", {}, svg("title", {}, `${each.name}${moved ? ", moved" : ""}`), shape,
      each.storey ? svg("text", { x: x(each.at), y: y(each.at) - lift + 4, class: "storey" }, String(each.storey + 1)) : null);
  });
  const [width, height] = [(right - left) * SCALE, (top - bottom) * SCALE];
  return [
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The table ${when}: ${state.objects.map((each) => `${each.name} at ${each.at.map((part) => part.toFixed(2)).join(", ")}`).join("; ")}` },
      svg("rect", { x: 0, y: 0, width, height, class: "board" }), shapes),
    state.said.length ? h("p", { class: "quiet" }, `Said aloud: ${state.said.join(" ")}`) : null,
  ];
}

function sheets(state, opposite, when) {
  return state.sheets.map((sheet) => {
    const other = opposite.sheets.find((each) => each.title === sheet.title);
    return grid(sheet, other, when);
  });
}

function grid({ title, cells, formulas, left_out: leftOut }, other, when) {
  const width = Math.max(0, ...cells.map((row) => row.length));
  const differs = (row, column) => !same(cells[row]?.[column] ?? "", other?.cells[row]?.[column] ?? "");
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title} ${when}` },
    h("table", { class: "grid" },
      h("caption", {}, title),
      h("thead", {}, h("tr", {}, h("td", {}), Array.from({ length: width }, (_, column) => h("th", { scope: "col" }, letter(column))))),
      h("tbody", {}, cells.map((row, number) => h("tr", {}, h("th", { scope: "row" }, number + 1), Array.from({ length: width }, (_, column) => {
        const formula = formulas[`${number + 1},${column + 1}`];
        return h("td", { class: [differs(number, column) && "differs", isNumber(row[column]) && "number"].filter(Boolean).join(" ") || null, title: formula ?? null }, row[column] ?? "", formula && h("span", { class: "formula" }, formula));
      })))),
      leftOut.rows || leftOut.columns ? h("tfoot", {}, h("tr", {}, h("td", { colspan: width + 1 }, `${leftOut.rows} more rows and ${leftOut.columns} more columns`))) : null));
}

const letter = (column) => (column < 26 ? String.fromCharCode(65 + column) : `${letter(Math.floor(column / 26) - 1)}${letter(column % 26)}`);
const isNumber = (text) => text !== "" && !Number.isNaN(Number(text));
