// The module of target/web/module.wasm, called as the page's worker calls it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");
// What .ci/web has installed.
export const tools = createRequire(join(root, "target/web/node/package.json"));
const compiled = new WebAssembly.Module(readFileSync(process.env.TEPAL_MODULE ?? join(root, "target/web/module.wasm")));
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function start() {
  const module = new WebAssembly.Instance(compiled).exports;
  const put = (input) => {
    const bytes = typeof input === "string" ? encoder.encode(input) : input;
    const at = module.room(bytes.length) >>> 0;
    if (at === 0 && bytes.length > 0) throw new Error("no memory");
    new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
  };
  const taken = (length) => {
    const size = length < 0 ? module.reason_len() : length;
    const bytes = new Uint8Array(module.memory.buffer, module.result() >>> 0, size).slice();
    if (length < 0) throw new Error(decoder.decode(bytes));
    return bytes;
  };
  const json = (length) => JSON.parse(decoder.decode(taken(length)));
  const feed = (text, call) => {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    const piece = 1 << 20;
    for (let at = 0, last = false; !last; at += piece) {
      last = at + piece >= bytes.length;
      put(bytes.subarray(at, at + piece));
      call(last ? 1 : 0);
    }
  };
  return {
    module,
    plan: (keys, rate, bytes, segments = 30, values = 100) => json(module.plan(keys ?? NaN, rate ?? NaN, bytes ?? NaN, segments, values)),
    curves: (keys, rate) => json(module.curves(keys, rate, 30, 100)),
    play: (kind, asked, keys, find = 0) => (put([kind, asked, ...keys].join("\n")), json(module.play(find))),
    open(bytes, format = 0, domain = 0, secret = "") {
      put(secret);
      if (module.secret() < 0) taken(-1);
      put(bytes);
      return json(module.open(format, domain));
    },
    lookup: (key) => (put(key), json(module.lookup())),
    preview: (text, delimiter = 0) => (put(text), json(module.preview(delimiter))),
    ask(text, output = 0, [delimiter, column, header] = [0, 0, 0]) {
      module.list(delimiter, column, -1, header);
      const out = [];
      feed(text, (last) => out.push(decoder.decode(taken(module.ask(output, last)))));
      return { asked: module.asked(), found: module.found(), text: out.join("") };
    },
    make(kind, rate, text, [delimiter, column, second, header] = [0, 0, -1, 0], labels = []) {
      put([kind, ...labels].join("\n"));
      if (module.make(rate) < 0) taken(-1);
      module.list(delimiter, column, second, header);
      let records = 0;
      feed(text, (last) => {
        records = module.add(last);
        if (records < 0) taken(-1);
      });
      const facts = json(module.finish());
      return { records, facts, bytes: taken(module.bytes()) };
    },
  };
}

export const numbers = { tepal: 1, guava: 2, spark: 3, "parquet-sbbf": 4, "bits-and-blooms": 5, dcso: 6, redisbloom: 7, "valkey-bloom": 8 };
export const domains = { bytes: 1, int64: 2, int32: 3, utf16: 4, float32: 5, float64: 6, hex: 7 };
