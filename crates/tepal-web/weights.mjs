// What costs what in a module that was built with the names of its functions:
// CARGO_PROFILE_RELEASE_STRIP=none cargo build ..., then node weights.mjs MODULE.wasm [LINES]
//
// A function counts for the first room of the library, or the crate, that its name has.
import { readFileSync } from "node:fs";

const bytes = readFileSync(process.argv[2]);
const longest = Number(process.argv[3] ?? 0);
let at = 8;
const number = () => {
  for (let value = 0, shift = 1; ; shift *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * shift;
    if (byte < 128) return value;
  }
};
const text = () => {
  const length = number();
  at += length;
  return bytes.toString("utf8", at - length, at);
};
const sections = [];
while (at < bytes.length) {
  const id = bytes[at++];
  const size = number();
  sections.push({ id, from: at, size });
  at += size;
}
const names = new Map();
let imported = 0;
for (const { from, size } of sections.filter(({ id }) => id === 0)) {
  at = from;
  if (text() !== "name") continue;
  while (at < from + size) {
    const kind = bytes[at++];
    const end = number() + at;
    if (kind === 1) for (let left = number(); left > 0; left -= 1) names.set(number(), text());
    at = end;
  }
}
const folders = new Set(["kinds/bloom", "kinds/chain", "kinds/table", "kinds/ribbon", "format/foreign", "bits/ribbon", "bits/table"]);
const groups = new Map();
const all = [];
const put = (group, weight) => groups.set(group, (groups.get(group) ?? 0) + weight);
// The segments of a mangled name: each has its length before it. A type with a trait is one segment,
// `_$LT$tepal..kinds..ribbon...`; newer names have the crate behind `Cs...._`.
function segments(name) {
  const crate = /^_R.*?Cs\w*?_(\d+)/.exec(name);
  if (crate) {
    const start = crate.index + crate[0].length;
    return [name.slice(start, start + Number(crate[1]))];
  }
  const found = [];
  for (let i = 3; /\d/.test(name[i] ?? ""); ) {
    const digits = /^\d+/.exec(name.slice(i))[0];
    i += digits.length + Number(digits);
    found.push(name.slice(i - Number(digits), i));
  }
  const [first = "", ...rest] = found;
  return first.includes("..") ? first.replace(/^_?\$LT\$(\$RF\$|mut )*/, "").split("..") : [first, ...rest];
}
function groupOf(name) {
  if (!name.startsWith("_")) return "tepal_web";
  const [crate, room, inner] = segments(name);
  if (crate !== "tepal") return /^\w+$/.test(crate ?? "") ? crate : "other";
  return folders.has(`${room}/${inner}`) ? `tepal: ${room}/${inner}` : `tepal: ${room}`;
}
for (const { id, from, size } of sections) {
  at = from;
  if (id === 10) {
    const functions = number();
    for (let i = 0; i < functions; i += 1) {
      const weight = number();
      const name = names.get(imported + i) ?? "without a name";
      put(groupOf(name), weight);
      all.push([weight, name]);
      at += weight;
    }
  } else if (id === 11) put("data: texts and tables", size);
  else if (id !== 0) put("types, exports and tables of functions", size);
}
console.log("| part | bytes |\n| --- | ---: |");
for (const [group, weight] of [...groups].sort((a, b) => b[1] - a[1])) console.log(`| ${group} | ${weight.toLocaleString("en-US")} |`);
for (const [weight, name] of all.sort((a, b) => b[0] - a[0]).slice(0, longest)) console.log(weight, name);
