// Which calls of two episodes belong together.

export function callsOf(episode) {
  return episode.steps.flatMap((step, number) =>
    step.calls.length
      ? step.calls.map((call) => ({ ...call, step: number + 1 }))
      : [{ name: "", arguments: step.text ?? "", step: number + 1, status: 4, source: "env", error: "", response: "" }]);
}

export const same = (one, other) => canonical(one) === canonical(other);

function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

// The longest common sequence of equal calls; between them, calls of the same tool in order.
export function aligned(left, right) {
  const key = (call) => `${call.name}\n${canonical(call.arguments)}`;
  const [a, b] = [left.map(key), right.map(key)];
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const pairs = [];
  let gap = [[], []];
  const close = () => { pairs.push(...paired(...gap)); gap = [[], []]; };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close();
      pairs.push([left[i++], right[j++]]);
    } else if (j >= b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) gap[0].push(left[i++]);
    else gap[1].push(right[j++]);
  }
  close();
  return pairs;
}

function paired(left, right) {
  const rows = [];
  let from = 0;
  for (const call of left) {
    const at = right.findIndex((other, index) => index >= from && other.name === call.name);
    if (at < 0) rows.push([call, null]);
    else {
      for (; from < at; from += 1) rows.push([null, right[from]]);
      rows.push([call, right[at]]);
      from = at + 1;
    }
  }
  return [...rows, ...right.slice(from).map((call) => [null, call])];
}
