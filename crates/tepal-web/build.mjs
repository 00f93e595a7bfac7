// Puts the page together: node build.mjs MODULE.wasm FOLDER. FOLDER gets tepal.html, sw.js, and the
// manifest with its icon. Prints the table of sizes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, folder] = process.argv.slice(2);
const here = import.meta.dirname;
const page = (name) => readFileSync(join(here, "page", name), "utf8");
const version = /^version = "(.*)"/m.exec(readFileSync(join(here, "Cargo.toml"), "utf8"))[1];
mkdirSync(folder, { recursive: true });

// The same instructions in fewer bytes, and the best deflate.
const small = join(folder, "module.wasm");
const features = ["bulk-memory", "bulk-memory-opt", "sign-ext", "nontrapping-float-to-int", "mutable-globals", "multivalue", "reference-types"];
execFileSync(join(here, "../../target/web/node/node_modules/.bin/wasm-opt"), ["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features", ...features.map((name) => `--enable-${name}`), source, "-o", small]);
execFileSync("zopfli", ["--deflate", "--i25", small]);
const packed = readFileSync(`${small}.deflate`);

// 13 bits in two letters from # to ~, without <: a thirteenth less than base64.
function letters(bytes) {
  const text = [];
  const letter = (value) => String.fromCharCode(35 + value + (value >= 25));
  const put = (value) => text.push(letter(Math.floor(value / 91)), letter(value % 91));
  let [bits, count] = [0, 0];
  for (const byte of bytes) {
    bits |= byte << count;
    for (count += 8; count >= 13; count -= 13, bits >>= 13) put(bits & 8191);
  }
  if (count > 0) put(bits);
  return text.join("");
}

// The same script or style in fewer bytes.
const tools = createRequire(join(here, "../../target/web/node/package.json"));
const { transformSync } = tools("esbuild");
const lean = (text, loader) => transformSync(text, { loader, minify: true, charset: "utf8", target: "es2022" }).code.trim();
const scripts = ["dom", "address", "engine", "numbers", "plot", "plan", "play", "columns", "open", "make", "app"];
const script = lean(`"use strict";(() => {\n${scripts.map((name) => page(`${name}.js`)).join("\n")}\n})();`, "js");
const worker = lean(page("worker.js"), "js");
const style = lean(page("style.css"), "css");
const icon = page("icon.svg").trim();
const parts = {
  HEAD: `<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(icon).toString("base64")}">`,
  STYLE: style,
  VERSION: `tepal ${version}`,
  BYTES: String(packed.length),
  MODULE: letters(packed),
  WORKER: worker,
  SCRIPT: script,
};
const shell = page("page.html").split("\n").map((line) => line.trim()).join("\n");
const html = shell.replace(/<!--([A-Z]+)-->/g, (_, name) => parts[name]);
for (const [name, text] of Object.entries({ worker, script })) {
  if (/<\/script|<!--/i.test(text)) throw new Error(`${name} has a text that would end its element`);
}
writeFileSync(join(folder, "tepal.html"), html);
const name = createHash("sha256").update(html).digest("hex").slice(0, 16);
writeFileSync(join(folder, "sw.js"), page("sw.js").replace("CACHE", name));
writeFileSync(join(folder, "manifest.webmanifest"), page("manifest.webmanifest"));
writeFileSync(join(folder, "icon.svg"), icon);

const most = 450_000;
const bytes = (text) => Buffer.byteLength(text);
const rows = [
  ["module, as the compiler leaves it, with the names of functions", statSync(source).size],
  ["module, after wasm-opt", statSync(small).size],
  ["module, deflated", packed.length],
  ["module, deflated, as letters", parts.MODULE.length],
  ["script", bytes(script)],
  ["worker", bytes(worker)],
  ["style", bytes(style)],
  ["the rest of the HTML", bytes(shell)],
  ["tepal.html", bytes(html)],
];
console.log("| part | bytes |\n| --- | ---: |");
for (const [part, size] of rows) console.log(`| ${part} | ${size.toLocaleString("en-US")} |`);
if (bytes(html) > most) throw new Error(`tepal.html has ${bytes(html)} bytes, expected at most ${most}`);
