// A plot with logarithmic axes, as inline SVG: tepal in colour, others in grey, names at line ends.
const PLOT = { left: 60, right: 400, top: 8, bottom: 404 };
const HEIGHT = 444;
const LABELS = 132;
const redraw = new Map();

function plot(id, given) {
  redraw.set(id, given);
  const { curves, x, y, here, summary } = given;
  // As wide as its place, so that letters keep their size.
  const width = Math.max(300, byId(id).clientWidth);
  PLOT.right = width - LABELS;
  const across = (value) => scale(value, x, PLOT.left, PLOT.right);
  const down = (value) => scale(value, y, PLOT.bottom, PLOT.top);
  const svg = make(":svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary });
  // On a narrow screen every second name has room.
  const skip = PLOT.right - PLOT.left < 260 ? 2 : 1;
  for (const [i, at] of x.ticks.entries()) {
    svg.append(
      make(":path", { class: "axis", d: `M${across(at)} ${PLOT.top}V${PLOT.bottom}` }),
      make(":text", { x: across(at), y: PLOT.bottom + 18, "text-anchor": "middle" }, i % skip ? "" : x.name(at)),
    );
  }
  for (const at of y.ticks) {
    svg.append(
      make(":path", { class: "axis", d: `M${PLOT.left} ${down(at)}H${PLOT.right}` }),
      make(":text", { x: PLOT.left - 8, y: down(at) + 4, "text-anchor": "end" }, y.name(at)),
    );
  }
  svg.append(make(":text", { x: PLOT.right, y: PLOT.bottom + 35, "text-anchor": "end" }, x.title));
  if (here) svg.append(make(":path", { class: "here", d: `M${across(here)} ${PLOT.top}V${PLOT.bottom}` }));
  const drawn = merged(curves.filter((curve) => curve.points.length > 0)).map((curve) => {
    const inside = curve.points.filter(([, value]) => value >= y.from && value <= y.to);
    if (inside.length === 0) return undefined;
    const d = inside.map(([a, b], i) => `${i ? "L" : "M"}${across(a).toFixed(1)} ${down(b).toFixed(1)}`).join("");
    svg.append(make(":path", { class: `curve ${curve.style}`, d }));
    const [endX, endY] = inside.at(-1);
    return { curve, x: across(endX), y: down(endY) };
  });
  const labels = drawn.filter(Boolean).sort((a, b) => a.y - b.y);
  spread(labels);
  for (const { curve, x: from, y: end, at } of labels) {
    svg.append(
      make(":path", { class: "lead-line", d: `M${from + 2} ${end}L${PLOT.right + 10} ${at}H${PLOT.right + 14}` }),
      make(":text", { class: curve.style, x: PLOT.right + 18, y: at + 4 }, ...wrapped(curve.name)),
    );
  }
  byId(id).replaceChildren(svg);
}

addEventListener("resize", later(() => redraw.forEach((given, id) => byId(id).clientWidth && plot(id, given))));

function scale(value, { from, to, even }, first, last) {
  const share = even ? (value - from) / (to - from) : Math.log(value / from) / Math.log(to / from);
  return first + (last - first) * share;
}

// The names of a label, in lines that fit beside the plot.
const inLines = (name) => name.split(", ").reduce((lines, word) => {
  const longer = lines.length ? `${lines.at(-1)}, ${word}` : word;
  return longer.length <= 19 && lines.length ? [...lines.slice(0, -1), longer] : [...lines, word];
}, []);
const wrapped = (name) => inLines(name).map((line, i) => make(":tspan", { x: PLOT.right + 18, dy: i ? 14 : 0 }, line));

// Curves of one colour that lie on each other get one name.
function merged(curves) {
  const all = [];
  for (const curve of curves) {
    const same = all.find((other) => other.style === curve.style && isSame(other.points, curve.points));
    if (same) same.name += `, ${curve.name}`;
    else all.push({ ...curve });
  }
  return all;
}

function isSame(a, b) {
  return a.length === b.length && a.every(([, value], i) => Math.abs(value / b[i][1] - 1) < 0.02);
}

// Moves labels apart, so that no label is on another.
function spread(labels) {
  const height = (label) => 1 + 14 * inLines(label.curve.name).length;
  let next = PLOT.top + 4;
  for (const label of labels) {
    label.at = Math.max(label.y, next);
    next = label.at + height(label);
  }
  let most = PLOT.bottom + 14;
  for (const label of labels.toReversed()) {
    label.at = Math.min(label.at, most - height(label));
    most = label.at;
  }
}
