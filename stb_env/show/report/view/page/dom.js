// Builds elements. Whatever comes from a run reaches the page as text or as the value of a harmless attribute,
// never as markup: nothing here or elsewhere sets innerHTML.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

export function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function put(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, label);
}
