// A small plot of one or two series over the last minute, drawn as SVG.

import { make, makeSvg } from "./dom.js";

const width = 120;
const height = 40;
const points = 60;

export class Plot {
  #series;
  #paths;
  #area;
  #values;
  #ceiling;

  /** `series` is a list of { label, name ("in" or "out"), pick, format }; `floor` the least value of the plot's top. */
  constructor(title, series, floor) {
    this.floor = floor;
    this.#series = series.map((one) => ({ ...one, values: [] }));
    this.#values = series.map((one) => make("b", { className: one.name, textContent: "–" }));
    this.#paths = series.map((one) => makeSvg("path", { class: one.name }));
    this.#area = makeSvg("path", { class: "area" });
    this.#ceiling = make("small");
    const grid = [0, height / 2, height].map((y) => makeSvg("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y }));
    const frame = makeSvg(
      "svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      ...grid, this.#area, ...this.#paths);
    const header = make("header", {}, make("span", { textContent: title }), make("span", {}, ...this.#words()));
    this.element = make("div", { className: "plot", data: { plot: title } }, header, frame, this.#ceiling);
  }

  #words() {
    return this.#series.flatMap((one, index) => [index > 0 ? " " : "", one.label, this.#values[index]]);
  }

  add(rates) {
    for (const [index, one] of this.#series.entries()) {
      const value = one.pick(rates);
      one.values.push(value);
      if (one.values.length > points) one.values.shift();
      this.#values[index].textContent = Number.isFinite(value) ? one.format(value) : "–";
    }
    this.#draw();
  }

  #draw() {
    const all = this.#series.flatMap((one) => one.values.filter(Number.isFinite));
    const top = niceCeiling(Math.max(this.floor, ...all));
    this.#ceiling.textContent = `0 to ${this.#series[0].format(top)}, last minute`;
    for (const [index, one] of this.#series.entries()) {
      this.#paths[index].setAttribute("d", line(one.values, top));
    }
    const { values } = this.#series[0];
    const shape = line(values, top);
    const first = x(points - values.length);
    this.#area.setAttribute("d", shape && `${shape}L${width},${height}L${first},${height}Z`);
  }
}

function x(index) {
  return Math.round((index * width * 10) / (points - 1)) / 10;
}

/** The newest value is at the right. */
function line(values, top) {
  const begin = points - values.length;
  let path = "";
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const y = Math.round((1 - Math.min(value / top, 1)) * height * 10) / 10;
    path += `${path ? "L" : "M"}${x(begin + index)},${y}`;
  });
  return path;
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function niceCeiling(value) {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * magnitude).find((step) => step >= value * 0.999);
}
