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
function groupOf(name) {
  // Mangled names: `5tepal5kinds6ribbon`, or `tepal..kinds..ribbon` of a type with a trait.
  const plain = name.replace(/\d+(?=[a-z_])/g, "::").replace(/\.\./g, "::");
  const room = /tepal::(kinds|format|bits|key|params|error|facts|ids|fields)(?:::([a-z_]+))?/.exec(plain);
  if (room) return ["kinds", "format", "bits"].includes(room[1]) && folders.has(`${room[1]}/${room[2]}`) ? `tepal: ${room[1]}/${room[2]}` : `tepal: ${room[1]}`;
  if (!name.startsWith("_")) return "tepal_web";
  const known = /(tepal_web|csv_core|dlmalloc|libm|sha2|md5|base64|crc32fast|xxhash_rust|siphasher|hmac|alloc|core|compiler_builtins)/.exec(plain);
  return known?.[1] ?? "other";
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
