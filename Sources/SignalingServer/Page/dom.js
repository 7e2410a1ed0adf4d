// Helpers with which the views change the document.

/** The element with an id of index.html. */
export function byId(id) {
  return document.getElementById(id);
}

/** A new element: properties, `data` for its data attributes, and children. */
export function make(tag, { data = {}, attributes = {}, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A new SVG element. */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** One of the icons of index.html. */
export function icon(name) {
  return makeSvg("svg", { "aria-hidden": "true" }, makeSvg("use", { href: `#icon-${name}` }));
}

/** Shows the first letters of a name, in a colour of its own. */
export function paintFace(element, name) {
  element.textContent = Array.from(name).slice(0, 2).join("");
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
  element.style.setProperty("--hue", hue);
  return element;
}

/** Shows a text for a few seconds. */
export function notice(text) {
  const line = make("p", { textContent: text });
  byId("notices").append(line);
  setTimeout(() => line.remove(), 6_000);
}
