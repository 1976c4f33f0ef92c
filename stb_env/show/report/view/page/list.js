// The list of a run's episodes: filters, and of the rows those that are in sight.
import { button, h, put } from "./dom.js";
import { count, figure, seconds, SIGNS, STATUSES } from "./words.js";

const HEIGHT = 66; // Of a row in pixels; the stylesheet says the same.
const AROUND = 8;

const ORDERS = {
  "in the run's order": null,
  "most steps first": (row) => -row.steps,
  "fewest steps first": (row) => row.steps,
  "most tokens first": (row) => -(row.tokens ?? 0),
  "slowest first": (row) => -(row.seconds ?? 0),
  "lowest reward first": (row) => row.reward,
};

export class List {
  // chosen(row) is told of the row that is opened, filtered() of other filters; search(text) finds numbers of episodes
  // by all that they say.
  constructor({ chosen, filtered, search }) {
    this.chosen = chosen;
    this.filtered = filtered;
    this.search = search;
    this.statuses = new Set();
    this.rows = [];
    this.at = null;
    this.found = { text: "", numbers: new Set() };
    this.build();
  }

  build() {
    const changed = () => { this.filter(); this.filtered(); };
    this.text = h("input", { type: "search", id: "search", placeholder: "Search all that was said", "aria-label": "Search episodes", oninput: () => { this.searched(); this.filtered(); } });
    this.chips = h("div", { class: "chips", role: "group", "aria-label": "Outcome" });
    this.tool = h("select", { "aria-label": "Tool that was called", onchange: changed }, h("option", { value: "" }, "any tool"));
    this.least = h("input", { type: "number", min: 0, placeholder: "0", "aria-label": "At least so many steps", oninput: changed });
    this.most = h("input", { type: "number", min: 0, placeholder: "any", "aria-label": "At most so many steps", oninput: changed });
    this.order = h("select", { "aria-label": "Order", onchange: changed }, Object.keys(ORDERS).map((name) => h("option", {}, name)));
    this.told = h("p", { class: "told", role: "status" });
    this.space = h("div", { class: "space", role: "presentation" });
    this.box = h("div", { class: "rows", id: "rows", role: "listbox", tabindex: 0, "aria-label": "Episodes", onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.space);
    this.element = h(
      "section", { class: "list", "aria-label": "Episodes of the run" },
      h("div", { class: "filters" }, this.text, this.chips,
        h("div", { class: "more" }, this.tool, h("span", { class: "range" }, this.least, "–", this.most, " steps"), this.order)),
      this.told, this.box,
    );
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  show(run) {
    if (this.run === run) return;
    this.run?.listeners.delete(this.update);
    this.run = run;
    this.at = null;
    this.found = { text: "", numbers: new Set() };
    this.update = () => this.refresh();
    run.listeners.add(this.update);
    this.box.scrollTop = 0;
    this.refresh();
  }

  // The filters as the address has them; empty where there is none.
  filters() {
    const order = this.order.selectedIndex ? this.order.value : "";
    return { status: [...this.statuses].join(","), tool: this.wanted ?? this.tool.value, least: this.least.value, most: this.most.value, order, text: this.text.value.trim() };
  }

  take(filters) {
    if (JSON.stringify(filters) === JSON.stringify(this.filters())) return;
    this.statuses = new Set(filters.status.split(",").filter((status) => STATUSES.includes(status)));
    [this.least.value, this.most.value] = [filters.least, filters.most];
    this.order.value = filters.order in ORDERS ? filters.order : Object.keys(ORDERS)[0];
    // A tool can be chosen once a row that called it is here.
    this.wanted = filters.tool;
    this.text.value = filters.text;
    this.refresh();
    this.searched();
  }

  refresh() {
    const counts = {};
    const tools = new Map();
    for (const row of this.run.rows) {
      counts[row.status] = (counts[row.status] ?? 0) + 1;
      for (const tool of row.tools ?? []) tools.set(tool, (tools.get(tool) ?? 0) + 1);
    }
    this.drawChips(counts);
    this.drawTools(tools);
    this.filter();
  }

  drawChips(counts) {
    const kept = document.activeElement?.dataset?.status;
    put(this.chips, STATUSES.filter((status) => counts[status] || (status !== "damaged" && status !== "unsure")).map((status) =>
      button([h("span", { class: `sign ${status}`, "aria-hidden": "true" }, SIGNS[status]), ` ${status} `, h("b", {}, (counts[status] ?? 0).toLocaleString("en"))], () => {
        if (!this.statuses.delete(status)) this.statuses.add(status);
        this.refresh();
        this.filtered();
      }, { class: "chip", "aria-pressed": String(this.statuses.has(status)), "data-status": status })));
    if (kept) this.chips.querySelector(`[data-status="${kept}"]`)?.focus();
  }

  drawTools(tools) {
    if (tools.size === this.tool.length - 1 && !this.wanted) return;
    const chosen = this.wanted || this.tool.value;
    if (tools.has(chosen)) this.wanted = null;
    const names = [...tools.keys()].sort();
    put(this.tool, h("option", { value: "" }, "any tool"), names.map((name) => h("option", { value: name }, name)));
    this.tool.value = tools.has(chosen) ? chosen : "";
  }

  searched() {
    clearTimeout(this.waiting);
    this.filter();
    const text = this.text.value.trim();
    if (!text || !this.run.live) return;
    this.waiting = setTimeout(async () => {
      const found = await this.search(this.run, text).catch(() => ({ found: [] }));
      if (this.text.value.trim() !== text) return;
      this.found = { text, numbers: new Set(found.found) };
      this.filter();
    }, 150);
  }

  filter() {
    const text = this.text.value.trim().toLowerCase();
    const numbers = this.found.text === this.text.value.trim() ? this.found.numbers : new Set();
    const [least, most] = [Number(this.least.value || 0), Number(this.most.value || Infinity)];
    this.rows = this.run.rows.filter((row) =>
      (!this.statuses.size || this.statuses.has(row.status)) &&
      (!this.tool.value || row.tools?.includes(this.tool.value)) &&
      (row.steps ?? 0) >= least && (row.steps ?? 0) <= most &&
      (!text || numbers.has(row.n) || says(row, text)));
    const by = ORDERS[this.order.value];
    if (by) this.rows.sort((one, other) => by(one) - by(other) || one.n - other.n);
    this.tell();
    this.draw(true);
  }

  tell() {
    const { rows, total, problem, finished, live } = this.run;
    const parts = [this.rows.length === rows.length ? count(rows.length, "episode") : `${figure(this.rows.length)} of ${count(rows.length, "episode")}`];
    if (rows.length < total) parts.push(`reading ${figure(total)}`);
    if (live && !finished) parts.push(this.run.planned ? `playing, ${figure(this.run.planned)} planned` : "may go on");
    if (problem) parts.push(problem);
    put(this.told, live && !finished && h("span", { class: "pulse", "aria-hidden": "true" }), parts.join(" · "));
  }

  draw(anew = false) {
    // The address is read first, and may wait for rows.
    if (!this.run) return;
    const { scrollTop, clientHeight } = this.box;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - AROUND);
    const stop = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + AROUND);
    const seen = `${first}-${stop}-${this.at}`;
    if (!anew && seen === this.seen) return;
    this.seen = seen;
    this.space.style.height = `${this.rows.length * HEIGHT}px`;
    if (!this.rows.length) {
      put(this.space, h("div", { class: "option none", role: "option", "aria-selected": "false" }, this.run.rows.length ? "No episode is so. Take a filter away." : this.run.loaded ? "No episode is saved yet." : "Reading…"));
      this.space.style.height = "auto";
      this.box.removeAttribute("aria-activedescendant");
      return;
    }
    put(this.space, this.rows.slice(first, stop).map((row, place) => this.option(row, first + place)));
    const active = this.rows.some((row, place) => row.n === this.at && place >= first && place < stop);
    if (active) this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  option(row, place) {
    const facts = [row.calls !== undefined && count(row.calls, "tool call"), seconds(row.seconds), row.tokens && `${figure(row.tokens)} tokens`, row.tree && "tree", row.failure].filter(Boolean);
    const option = h(
      "div", { class: "option", role: "option", id: `row-${row.n}`, "aria-selected": String(row.n === this.at), "aria-posinset": place + 1, "aria-setsize": this.rows.length, onclick: () => this.open(place) },
      h("span", { class: `sign ${row.status}`, role: "img", "aria-label": row.status }, SIGNS[row.status]),
      h("span", { class: "title" }, row.query || "no query"),
      h("span", { class: "facts" }, h("span", { class: "id" }, row.task || `line ${row.n + 1}`, row.trial ? ` · trial ${row.trial}` : ""), " · ", facts.join(" · ")));
    option.style.top = `${place * HEIGHT}px`;
    return option;
  }

  open(place) {
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, place))];
    if (!row) return;
    this.mark(row.n);
    this.chosen(row);
  }

  // Shows which episode is open, and brings it into sight.
  mark(number) {
    this.at = number;
    const place = this.rows.findIndex((row) => row.n === number);
    if (place >= 0) {
      const top = place * HEIGHT;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top + HEIGHT > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + HEIGHT - this.box.clientHeight;
    }
    this.draw(true);
  }

  move(by) {
    const place = this.rows.findIndex((row) => row.n === this.at);
    this.open(place < 0 ? (by > 0 ? 0 : this.rows.length - 1) : place + by);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (Number.isFinite(steps[event.key])) this.move(steps[event.key]);
    else this.open(event.key === "Home" ? 0 : this.rows.length - 1);
  }
}

function says(row, text) {
  return [row.query, row.answer, row.task, row.group, row.failure, ...(row.tools ?? [])].some((part) => part?.toLowerCase().includes(text));
}
