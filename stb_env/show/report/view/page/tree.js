// A search tree, drawn from left to right: the order of visits, values, branches that were given up or never
// visited, and the branch that was played. Arrow keys walk along branches, "," and "." along visits.
import { button, h, put, svg } from "./dom.js";
import { longText } from "./json.js";
import { stepContent } from "./conversation.js";
import { count, figure } from "./words.js";

const [WIDE, HIGH, RADIUS] = [160, 34, 11];

const OUTCOMES = {
  open: "the branch goes on", answer: "an answer", give_up: "given up", depth: "cut off at the depth limit", failed: "a failure of the infrastructure",
};

export function treeView(tree) {
  if (!tree) return h("p", { class: "empty" }, "No search made this episode: it is one chain of steps.");
  return new Tree(tree).element;
}

class Tree {
  constructor(tree) {
    this.tree = tree;
    this.children = tree.nodes.map(() => []);
    tree.nodes.forEach((node, index) => { if (node.parent !== null) this.children[node.parent]?.push(index); });
    this.best = new Set(this.pathTo(tree.best));
    this.visits = tree.nodes.map((node, index) => [node.order, index]).filter(([order]) => order > 0).sort(([a], [b]) => a - b).map(([, index]) => index);
    this.at = tree.best ?? 0;
    this.until = this.visits.length;
    this.place();
    this.build();
  }

  pathTo(index) {
    const path = [];
    for (let at = index; at !== null && at !== undefined && path.length <= this.tree.nodes.length; at = this.tree.nodes[at].parent) path.push(at);
    return path;
  }

  // Leaves get rows of their own; a node stands halfway between its first and its last child.
  place() {
    this.places = [];
    let row = 0;
    const stack = [[0, 0, false]];
    while (stack.length) {
      const [index, depth, entered] = stack.pop();
      const below = this.children[index];
      if (!below.length) this.places[index] = [depth, row++];
      else if (entered) this.places[index] = [depth, (this.places[below[0]][1] + this.places[below.at(-1)][1]) / 2];
      else {
        stack.push([index, depth, true]);
        for (const child of [...below].reverse()) stack.push([child, depth + 1, false]);
      }
    }
    this.rows = row;
    this.depth = Math.max(...this.places.filter(Boolean).map(([depth]) => depth));
  }

  spot(index) {
    const [depth, row] = this.places[index];
    return [20 + depth * WIDE, 22 + row * HIGH];
  }

  build() {
    const [width, height] = [this.depth * WIDE + 160, this.rows * HIGH + 20];
    this.marks = this.tree.nodes.map((node, index) => this.mark(node, index));
    const lines = this.tree.nodes.map((node, index) => (node.parent === null ? null : this.line(node.parent, index)));
    this.drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Search tree of ${count(this.tree.nodes.length, "node")}` }, lines, this.marks);
    this.panel = h("aside", { class: "node", "aria-live": "polite" });
    this.told = h("span", { class: "quiet" });
    const slider = h("input", { type: "range", min: 0, max: this.visits.length, value: this.visits.length, "aria-label": "Visits shown", oninput: () => { this.until = Number(slider.value); this.fade(); if (this.until) this.go(this.visits[this.until - 1], false); } });
    const whole = button("Whole tree", () => {
      const fits = this.drawing.classList.toggle("fit");
      whole.setAttribute("aria-pressed", String(fits));
      this.reveal();
    }, { class: "plain", "aria-pressed": "false" });
    const { method, queries, tokens, notes } = this.tree;
    this.element = h(
      "div", { class: "search", onkeydown: (event) => this.key(event) },
      h("p", { class: "quiet" }, [method, count(queries, "query", "queries"), tokens && `${figure(tokens)} tokens`, count(this.visits.length, "visit")].filter(Boolean).join(" · ")),
      (notes ?? []).map((note) => h("p", { class: "note" }, note)),
      h("div", { class: "walk" },
        button("Previous visit (,)", () => this.visit(-1), { class: "plain" }), button("Next visit (.)", () => this.visit(1), { class: "plain" }),
        whole,
        h("label", {}, "First ", slider, this.told)),
      h("div", { class: "canvas" }, h("div", { class: "scroll" }, this.drawing), this.panel),
      legend(),
    );
    this.fade();
    this.go(this.at, false);
    requestAnimationFrame(() => this.reveal());
  }

  mark(node, index) {
    const [x, y] = this.spot(index);
    const names = node.step?.calls.map((call) => call.name).join(", ") || (node.step ? node.step.text || "no call" : "start");
    const told = node.value !== null && node.value !== undefined ? ` · ${Number(node.value.toFixed(2))}` : "";
    return svg(
      "g", { class: this.kind(node, index), transform: `translate(${x} ${y})`, role: "button", tabindex: -1, "aria-label": `${index ? `visit ${node.order || "none"}` : "start"}: ${names}; ${OUTCOMES[node.outcome] ?? node.outcome}${told}`, onclick: () => this.go(index), "data-node": index },
      svg("title", {}, names),
      svg("circle", { r: RADIUS }),
      svg("text", { class: "order", y: 4 }, index === 0 ? "" : String(node.order || "–")),
      svg("text", { class: "name", x: RADIUS + 3, y: -6 }, clipped(names, told)));
  }

  kind(node, index) {
    const kinds = ["mark", `is-${Object.hasOwn(OUTCOMES, node.outcome) ? node.outcome : "open"}`];
    if (index && !node.order) kinds.push("unvisited");
    if (this.best.has(index)) kinds.push("best");
    return kinds.join(" ");
  }

  line(from, to) {
    const [[x, y], [right, below]] = [this.spot(from), this.spot(to)];
    const node = this.tree.nodes[to];
    return svg("path", { d: `M${x + RADIUS} ${y}C${x + WIDE / 2} ${y} ${x + WIDE / 2} ${below} ${right - RADIUS} ${below}`, class: `line${this.best.has(to) ? " best" : ""}${node.order ? "" : " unvisited"}` });
  }

  fade() {
    this.tree.nodes.forEach((node, index) => this.marks[index].classList.toggle("later", index > 0 && (node.order > this.until || (!node.order && this.until < this.visits.length))));
    this.told.textContent = ` ${this.until} of ${this.visits.length} visits`;
  }

  go(index, focus = true) {
    this.marks[this.at].setAttribute("tabindex", -1);
    this.marks[this.at].classList.remove("here");
    this.at = index;
    const mark = this.marks[index];
    mark.setAttribute("tabindex", 0);
    mark.classList.add("here");
    if (focus) {
      mark.focus({ preventScroll: true });
      this.reveal();
    }
    this.describe(index);
  }

  reveal() {
    const box = this.drawing.parentElement;
    if (!box.clientWidth) return;
    const [x, y] = this.spot(this.at);
    box.scrollTo({ left: Math.max(0, x - 0.65 * box.clientWidth), top: Math.max(0, y - box.clientHeight / 2) });
  }

  describe(index) {
    const node = this.tree.nodes[index];
    const facts = [
      index === 0 ? "start" : node.order ? `visit ${node.order}` : "made, never visited",
      OUTCOMES[node.outcome] ?? node.outcome,
      node.value !== null && node.value !== undefined && `value ${figure(node.value)}`,
      node.visits ? `backed up ${count(node.visits, "time")}` : "",
      node.prompted && "earlier candidates were shown",
      this.best.has(index) && "on the branch that was played",
    ].filter(Boolean);
    put(this.panel, h("h3", {}, index === 0 ? "Start" : `Node ${index}`), h("p", { class: "quiet" }, facts.join(" · ")), node.answer && h("div", { class: "answer" }, h("div", { class: "label" }, "Answer"), longText(node.answer)), node.step && stepContent(node.step));
  }

  visit(by) {
    const place = this.visits.indexOf(this.at);
    const next = this.visits[place < 0 ? (by > 0 ? 0 : this.visits.length - 1) : place + by];
    if (next !== undefined) this.go(next);
  }

  key(event) {
    if (event.target.closest("input, select, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
    const node = this.tree.nodes[this.at];
    const siblings = node.parent === null ? [this.at] : this.children[node.parent];
    const beside = (by) => siblings[siblings.indexOf(this.at) + by];
    const next = { ArrowLeft: node.parent, ArrowRight: this.children[this.at][0], ArrowUp: beside(-1), ArrowDown: beside(1) };
    if (event.key === "," || event.key === ".") this.visit(event.key === "." ? 1 : -1);
    else if (event.key in next) { if (next[event.key] !== null && next[event.key] !== undefined) this.go(next[event.key]); } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function clipped(names, told) {
  const most = 20 - told.length;
  return (names.length > most ? `${names.slice(0, most - 1)}…` : names) + told;
}

function legend() {
  const kinds = [["best", "played"], ["is-answer", "answer"], ["is-give_up", "given up"], ["is-depth", "depth limit"], ["is-failed", "failure"], ["unvisited", "never visited"]];
  return h("ul", { class: "legend" }, kinds.map(([kind, label]) => h("li", {}, svg("svg", { width: 18, height: 18, "aria-hidden": "true" }, svg("g", { class: `mark ${kind}`, transform: "translate(9 9)" }, svg("circle", { r: 7 }))), label)));
}
