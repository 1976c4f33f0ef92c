// What the server, or the folder of an export, knows: runs, their rows as they come, episodes, worlds.

const EVERY_MS = 1000;

async function read(path) {
  const reply = await fetch(`data/${path}`);
  const body = await reply.json().catch(() => ({ error: `the server answered ${reply.status}` }));
  if (!reply.ok || body.error) throw new Error(body.error ?? `the server answered ${reply.status}`);
  return body;
}

export const episode = (run, number) => read(`${run}/episodes/${number}.json`);
export const search = (run, text) => read(`${run}/search.json?q=${encodeURIComponent(text)}`);

export async function states(run, number, live) {
  try {
    return await read(`${run}/states/${number}.json`);
  } catch (error) {
    if (live) throw error;
    return { reason: "This export has no world for this episode; view the run itself to see it." };
  }
}

// A run whose rows are fetched bit by bit, and then for as long as more may come.
export class Run {
  constructor(index, about, live) {
    Object.assign(this, { index, live, ...about });
    this.rows = [];
    this.total = 0;
    this.generation = null;
    this.finished = false;
    this.problem ??= "";
    this.listeners = new Set();
  }

  get loaded() {
    return this.generation !== null && this.rows.length >= this.total;
  }

  // Fetches all rows there are by now; whoever asks meanwhile waits for the same.
  ready() {
    this.reading ??= this.readAll().finally(() => { this.reading = null; });
    return this.reading;
  }

  async readAll() {
    do {
      if (await this.fetchMore()) this.listeners.forEach((listener) => listener());
    } while (this.rows.length < this.total);
  }

  // Goes on asking for more, where more may come, until `rest`.
  async watch(told) {
    this.told = told;
    this.listeners.add(told);
    const ticket = (this.ticket = {});
    for (;;) {
      await this.ready();
      if (!this.live || this.ticket !== ticket) return;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      if (this.ticket !== ticket) return;
    }
  }

  rest() {
    this.listeners.delete(this.told);
    this.ticket = null;
  }

  async fetchMore() {
    let more;
    try {
      const early = await this.early;
      this.early = null;
      more = early ?? (await read(`${this.index}/rows/${this.rows.length}.json`));
    } catch (error) {
      const changed = this.problem !== error.message;
      this.problem = error.message;
      this.total = this.rows.length;
      return changed;
    }
    const anew = this.generation !== null && more.generation !== this.generation;
    // Rows were replaced: what is here holds no longer, and the reply began in the middle.
    if (anew) this.rows = [];
    else this.rows.push(...more.rows);
    const changed =
      anew || more.rows.length || more.total !== this.total || more.finished !== this.finished ||
      this.generation === null || this.problem;
    this.problem = "";
    this.generation = more.generation;
    this.total = more.total;
    this.finished = more.finished;
    return Boolean(changed);
  }
}

// Asked for together with the runs, so that the first rows do not wait for them: those of the run in the address.
export async function open(first) {
  const rows = read(`${first}/rows/0.json`).catch(() => null);
  const found = await read("runs.json");
  const runs = found.runs.map((about, index) => new Run(index, about, found.live));
  if (runs[first]) runs[first].early = rows;
  return { ...found, runs };
}

// Takes up runs that have begun since, and tells whether there are any.
export async function more(shelf) {
  const found = await read("runs.json").catch(() => shelf);
  const begun = found.runs.slice(shelf.runs.length);
  begun.forEach((about) => shelf.runs.push(new Run(shelf.runs.length, about, found.live)));
  return begun.length > 0;
}
