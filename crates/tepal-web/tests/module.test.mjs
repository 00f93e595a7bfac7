// The key vectors, the kept files and the files of other programs, through the module under Node.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { domains, numbers, root, start } from "./engine.mjs";

const data = join(root, "testdata");
const vectors = (name) => JSON.parse(readFileSync(join(data, "vectors", `${name}.json`)));
const list = (prefix, from, count) => Array.from({ length: count }, (_, i) => `${prefix}${from + i}\n`).join("");

test("kept files give the answers that they gave", () => {
  const engine = start();
  let [files, secrets] = [0, 0];
  const names = readdirSync(join(data, "kept/v1"), { recursive: true }).filter((name) => name.endsWith(".json"));
  for (const name of names) {
    const kept = JSON.parse(readFileSync(join(data, "kept/v1", name)));
    const path = join(data, "kept/v1", name.replace(/json$/, "tepal"));
    if (kept.file) continue; // Megabytes of a fixed size, whose bytes stand in another form.
    let facts = engine.open(readFileSync(path));
    files += 1;
    assert.equal(facts.format, "tepal", name);
    if (kept.secret_key) {
      assert.ok(facts.keyless, name);
      facts = engine.open(readFileSync(path), 0, 0, kept.secret_key);
      assert.equal(facts.keyless, false, name);
      secrets += 1;
    }
    if (facts.keyless) continue;
    const { key_prefix: prefix, members } = kept;
    if (kept.key_domain === "hex") {
      const key = (i) => `${prefix}${String(i).length % 2 ? "0" : ""}${i}\n`;
      const text = Array.from({ length: members }, (_, i) => key(i)).join("");
      assert.equal(engine.ask(text).found, members, name);
      continue;
    }
    if (members) assert.equal(engine.ask(list(prefix, 0, members)).found, members, name);
    if (kept.answers_to_others) {
      const from = members + (kept.known_strangers ?? 0);
      const answers = engine.ask(list(prefix, from, kept.answers_to_others.length), 3).text.trim().split("\n");
      assert.equal(answers.map((answer) => (answer === "no" || answer === "none" ? "0" : "1")).join(""), kept.answers_to_others, name);
    }
  }
  assert.ok(files >= 60 && secrets >= 6, `${files} kept files, ${secrets} with a secret key`);
});

test("files of the vectors give their answers", () => {
  const engine = start();
  let probes = 0;
  for (const name of ["files", "ribbon", "quotient", "map", "growing"]) {
    for (const file of vectors(name).files) {
      if (!file.file || !file.probes || file.seal_key || typeof file.file !== "string") continue;
      const bytes = Buffer.from(file.file, "hex");
      if (engine.open(bytes, 0, 0, file.secret_key ?? "").keyless) continue;
      for (const { key, answer, value } of file.probes) {
        if (typeof key !== "string") continue;
        const found = engine.lookup(key);
        if (answer !== undefined) assert.equal(found.in, Boolean(answer), `${name}: ${file.name}: ${key}`);
        if (name === "map") assert.equal(found.in, value !== undefined, `${name}: ${file.name}: ${key}`);
        probes += 1;
      }
    }
  }
  assert.ok(probes > 300, `${probes} probes`);
});

test("the bits of a key are those of the vectors' rule", () => {
  const engine = start();
  // What play draws is what the filter of the same keys has.
  for (const layout of ["line", "double", "split-block", "scattered"]) {
    const drawn = engine.play(layout, "plum", ["apple", "banana"]);
    const set = new Set(drawn.keys.flatMap(({ bits }) => bits));
    assert.equal(set.size, drawn.set, layout);
    assert.ok(drawn.keys.every((key) => key.in), layout);
    assert.equal(drawn.asked.in, drawn.asked.bits.every((bit) => set.has(bit)), layout);
    const lines = new Set(drawn.asked.bits.map((bit) => bit >> 9));
    assert.ok(lines.size <= { line: 1, double: 2, "split-block": 1, scattered: 6 }[layout], layout);
  }
  for (const kind of ["static", "map"]) {
    const drawn = engine.play(kind, "plum", ["apple", "banana", "cherry"]);
    for (const key of [...drawn.keys, drawn.asked]) {
      const sum = key.slots.reduce((all, [, value]) => all ^ value, 0);
      assert.equal(sum, key.sum);
      assert.equal(key.in, sum >> key.valueBits === key.fingerprint || (kind === "map" && key.in), kind);
    }
  }
  for (const kind of ["deletable", "window", "segments"]) {
    const drawn = engine.play(kind, "plum", ["apple", "banana", "cherry"]);
    for (const key of drawn.keys) {
      assert.ok(key.in);
      assert.equal((key.line * drawn.buckets + key.bucket) * 2 ** drawn.remainderBits + key.remainder, key.number);
    }
  }
  const many = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  const { asked } = engine.play("line", "", many, 1);
  assert.ok(asked.in && !many.includes(asked.key), "a false positive was found");
});

test("files of other programs give the answers that those programs gave", () => {
  const engine = start();
  const domainOf = (format, params) => {
    if (format === "guava") return { int: "int32", long: "int64", unencoded: "utf16", utf16le: "utf16" }[params.funnel] ?? "bytes";
    if (format === "spark") return params.keys === "long" ? "int64" : "bytes";
    if (format === "parquet-sbbf") return { int: "int32", long: "int64", double: "float64", float: "float32" }[params.keys] ?? "bytes";
    return "bytes";
  };
  const key = (text, domain) => {
    const [, kind, value] = /^(\w+):(.*)$/s.exec(text);
    if (kind === "hex") return Buffer.from(value, "hex");
    if (kind === "f64bits") return String(Buffer.from(value, "hex").readDoubleBE());
    if (kind === "f32bits") return String(Buffer.from(value, "hex").readFloatBE());
    if (/^i/.test(kind) && domain === "bytes") {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(value));
      return bytes;
    }
    return value;
  };
  let asked = 0;
  for (const [format, number] of Object.entries(numbers)) {
    if (format === "tepal") continue;
    const folder = join(data, "golden", format);
    const { cases } = JSON.parse(readFileSync(join(folder, "index.json")));
    for (const one of cases) {
      const domain = domainOf(format, one.params);
      for (const { file } of Object.entries(one.files).filter(([form]) => form !== "parquet").map(([, file]) => file)) {
        const facts = engine.open(readFileSync(join(folder, file)), number, domain === "bytes" ? 0 : domains[domain]);
        assert.equal(facts.format, format, file);
        const results = one.insert_result ?? "";
        for (const [i, text] of one.inserted.entries()) {
          if (results[i] === "e") continue;
          assert.ok(engine.lookup(key(text, domain)).in, `${file}: ${text}`);
        }
        for (const [i, text] of (one.absent_probes ?? []).entries()) {
          assert.equal(engine.lookup(key(text, domain)).in, one.absent_answers[i] === "1", `${file}: ${text}`);
          asked += 1;
        }
      }
    }
  }
  assert.ok(asked > 1000, `${asked} keys`);
});

// An error in words: no trap, and no call of the library.
function isTold(error) {
  assert.ok(!(error instanceof WebAssembly.RuntimeError), error.message);
  assert.doesNotMatch(error.message, /`|::|\b\w+_\w+\(/);
  return true;
}

test("refused and hostile files are errors, and the module goes on", () => {
  const engine = start();
  let refused = 0;
  for (const { file, name, seal_key: seal, secret_key: secret } of vectors("refused").refused) {
    if (typeof file !== "string" || seal) continue;
    const bytes = Buffer.from(file, "hex");
    // The page opens a file whose key is missing, to describe it.
    if (name.endsWith("secret key not given")) assert.ok(engine.open(bytes).keyless, name);
    else if (name.endsWith("seal key given")) assert.ok(engine.open(bytes).sealed, name);
    else assert.throws(() => engine.open(bytes, 0, 0, secret), isTold, name);
    refused += 1;
  }
  assert.ok(refused > 100, `${refused} files`);
  // Every byte of some headers forged, in four ways: an error or a filter, and no trap.
  const paths = ["line-xxh3.tepal", "ribbon/ribbon-xxh3.tepal", "map/map-names.tepal", "segment/segment-xxh3.tepal", "growing/growing-tables-caller-hash.tepal"];
  for (const path of paths) {
    const good = readFileSync(join(data, "kept/v1", path));
    for (let at = 0; at < Math.min(good.length, 400); at += 1) {
      for (const value of [0, 0x7f, 0xff, good[at] ^ 1]) {
        const bad = Buffer.from(good);
        bad[at] = value;
        try {
          engine.open(bad);
        } catch (error) {
          assert.ok(!(error instanceof WebAssembly.RuntimeError), `${path}: byte ${at}: ${error}`);
        }
      }
    }
    assert.ok(engine.open(good).rate < 1);
  }
  // A size that says 2^60 bytes takes no memory.
  const before = engine.module.memory.buffer.byteLength;
  const forged = Buffer.from(readFileSync(join(data, "kept/v1/line-xxh3.tepal")));
  for (let at = 8; at < 96; at += 8) {
    const copy = Buffer.from(forged);
    copy.writeBigUInt64LE(1n << 60n, at);
    assert.throws(() => engine.open(copy));
  }
  assert.ok(engine.module.memory.buffer.byteLength - before < 4 << 20);
});

test("what is made opens again, with every key", () => {
  const engine = start();
  const keys = list("user ", 0, 20_000);
  for (const kind of ["static", "deletable", "counting", "growing", "window", ...Object.keys(numbers)]) {
    const { records, facts, bytes } = engine.make(kind, 0.01, keys);
    assert.throws(() => engine.ask("x\n"), /no file is open/, "what was made is not what is open");
    assert.equal(records, 20_000, kind);
    assert.ok(facts.rate < 0.0105, `${kind}: ${facts.rate}`);
    const opened = start();
    opened.open(bytes, numbers[kind] ?? 0);
    assert.equal(opened.ask(keys).found, 20_000, kind);
    const others = opened.ask(list("other ", 0, 20_000)).found;
    assert.ok(others < 300, `${kind}: ${others} wrong of 20,000`);
  }
});

test("what cannot be made is told in the page's words, and what is little is made", () => {
  const engine = start();
  for (const kind of ["static", "deletable", "counting", "growing", "window", ...Object.keys(numbers)]) {
    for (const rate of [0, 1, -5, NaN, 1e30, 1e-30]) {
      try {
        const { facts } = engine.make(kind, rate, list("k", 0, 10));
        assert.ok(rate === 1e-30 && facts.rate < 1e-12, `${kind} at ${rate}`);
      } catch (error) {
        isTold(error);
      }
    }
    for (const keys of [0, 1, 2]) {
      const { facts, bytes } = engine.make(kind, 0.01, list("k", 0, keys));
      assert.ok(facts.rate < 0.02, `${kind} of ${keys}: ${facts.rate}`);
      engine.open(bytes, numbers[kind] ?? 0);
      assert.equal(engine.ask(list("k", 0, keys)).found, keys, `${kind} of ${keys}`);
    }
  }
  const twice = "a,x\na,y\n";
  assert.throws(() => engine.make("map", 0.01, twice, [44, 0, 1, 0]), (error) => isTold(error) && /one value for each key/.test(error.message));
  const many = Array.from({ length: 70_000 }, (_, i) => `k${i},v${i}\n`).join("");
  for (const kind of ["segments", "map"]) assert.throws(() => engine.make(kind, 0.01, many, [44, 0, 1, 0]), isTold);
  // What is drawn has room for its keys, but for a window, which forgets.
  for (const kind of ["line", "static", "deletable", "segments", "map", "window"]) {
    const { keys, asked } = engine.play(kind, "k1", list("k", 0, 300).split("\n"));
    assert.equal(keys.every((key) => key.in), kind !== "window", kind);
    assert.equal(asked.in, kind !== "window", kind);
  }
});

test("the memory's upper half is used as the lower one", () => {
  const engine = start();
  // Everything is beyond 2 GiB then.
  engine.module.memory.grow(1 << 15);
  const { bytes } = engine.make("static", 0.001, list("k", 0, 50_000));
  assert.ok(engine.module.room(1 << 20) < 0);
  engine.open(bytes);
  assert.equal(engine.ask(list("k", 0, 50_000)).found, 50_000);
  assert.ok(engine.ask(list("x", 0, 10_000), 2).text.length > 10_000);
});

test("a secret key is 32 hex digits, for one file", () => {
  const engine = start();
  const file = readFileSync(join(data, "kept/v1/line-siphash13.tepal"));
  const { secret_key: secret } = JSON.parse(readFileSync(join(data, "kept/v1/line-siphash13.json")));
  for (const wrong of ["6", "g".repeat(32), secret.slice(1), `${secret}00`, "é".repeat(16)]) assert.throws(() => engine.open(file, 0, 0, wrong), /must be 32 hexadecimal digits/);
  assert.throws(() => engine.open(file, 0, 0, "0".repeat(32)), (error) => isTold(error) && /the field Secret key/.test(error.message));
  assert.equal(engine.open(file, 0, 0, secret.toUpperCase().replace(/../g, "$& ")).keyless, false);
  assert.equal(engine.lookup("key 7").in, true);
  assert.equal(engine.lookup("nobody").in, false);
  // The next file is opened without it.
  assert.equal(engine.open(file).keyless, true);
  assert.equal(engine.open(readFileSync(join(data, "kept/v1/line-xxh3.tepal"))).keyless, false);
});

test("an answer that is a name is told from no answer", () => {
  const engine = start();
  for (const [kind, separator] of [["segments", ","], ["map", ""]]) {
    engine.open(engine.make(kind, 0.001, "a,no\nb,none\nc,yes\n", [44, 0, 1, 0]).bytes);
    assert.equal(engine.ask("a\nb\nc\nzz\n", 3).text, "no\nnone\nyes\nnone\n", kind);
    assert.equal(engine.ask("a\nb\nc\nzz\n", 4).text, "+no\n+none\n+yes\n-none\n", kind);
    if (separator) {
      engine.open(engine.make(kind, 0.001, "a,x y\na,z\n", [44, 0, 1, 0]).bytes);
      assert.equal(engine.ask("a\n", 3).text, "x y,z\n");
    }
  }
  engine.open(engine.make("tepal", 0.001, "a\n").bytes);
  assert.equal(engine.ask("a\nzz\n", 3).text, "yes\nno\n");
  assert.equal(engine.ask("a\nzz\n", 4).text, "+yes\n-no\n");
});

test("columns of CSV are keys, segments and values", () => {
  const engine = start();
  const rows = Array.from({ length: 3000 }, (_, i) => `${i},"user, ${i}",${["red", "green", "blue"][i % 3]}\r\n`);
  const csv = `id,user,colour\r\n${rows.join("")}`;
  const { delimiter, rows: first } = engine.preview(csv.slice(0, 500));
  assert.equal(String.fromCharCode(delimiter), ",");
  assert.deepEqual(first.slice(0, 2), [["id", "user", "colour"], ["0", "user, 0", "red"]]);
  assert.equal(engine.preview("a;1\nb;2\n").delimiter, 59);
  assert.equal(engine.preview("apple\nbanana\n").delimiter, 0);
  const labels = ["users.csv", "2026-11-26", "user", "csv 2c"];
  const map = engine.make("map", 0.001, csv, [44, 1, 2, 1], labels);
  assert.deepEqual([map.records, map.facts.field, map.facts.rows], [3000, "user", "csv 2c"]);
  engine.open(map.bytes);
  assert.equal(engine.lookup("user, 7").value, "green");
  assert.equal(engine.lookup("nobody").in, false);
  const found = engine.ask(csv, 1, [44, 1, 1]);
  assert.deepEqual([found.asked, found.found, found.text], [3000, 3000, rows.join("")]);
  engine.open(engine.make("segments", 0.001, csv, [44, 1, 2, 1]).bytes);
  assert.deepEqual(engine.lookup("user, 8").segments, ["blue"]);
  assert.equal(engine.ask("user, 0\nuser, 1\n", 3).text, "red\ngreen\n");
  assert.throws(() => engine.make("static", 0.01, "a,b\nc\n", [44, 1, -1, 0]), /fewer columns/);
  // A quote that is never closed is an error, however long the file is.
  const endless = `a,b\n"${"x".repeat(20 << 20)}`;
  assert.throws(() => engine.make("static", 0.01, endless, [44, 1, -1, 0]), /16 MiB/);
});

test("a list is cut at its line ends, wherever a piece ends", () => {
  const engine = start();
  engine.open(engine.make("tepal", 1e-6, "\nb\r\nc").bytes);
  assert.deepEqual(engine.ask("c\n\nb\nd\n"), { asked: 4, found: 3, text: "" });
  assert.equal(engine.ask("c\r\nd\nb", 1).text, "c\r\nb\n");
  // A mark of UTF-8 is none of the first key; what is no text is refused.
  assert.deepEqual(engine.ask("\ufeffc\n").found, 1);
  for (const [bytes, says] of [["fffe6100", /UTF-16/], ["1f8b0800", /compressed/], ["28b52ffd", /compressed/], ["504b0304", /spreadsheet/], ["50415231", /Parquet/], ["610d620d63", /CR alone/]]) {
    assert.throws(() => engine.ask(Buffer.from(bytes, "hex")), says);
    assert.throws(() => engine.preview(Buffer.from(bytes, "hex")), says);
  }
  const long = "x".repeat(700_000);
  engine.open(engine.make("tepal", 1e-6, `${long}1\n${long}2\n${long}3\n`).bytes);
  assert.equal(engine.ask(`${long}3\n${long}2\n${long}4\n`).found, 2);
});

test("plans agree with each other, whichever two figures are given", () => {
  const engine = start();
  const by = (rows, name) => rows.find((row) => row.name === name);
  const rows = engine.plan(20e6, 0.01);
  assert.deepEqual(rows.filter((row) => row.chosen).map((row) => row.name), ["line"]);
  assert.equal(by(rows, "line").bytes, 24_883_200);
  for (const { name, bytes, keys, rate } of rows.filter((row) => !row.problem)) {
    assert.equal(keys, 20e6, name);
    const most = by(engine.plan(null, rate, bytes), name);
    const least = by(engine.plan(keys, null, bytes), name);
    if (!["parquet", "redis"].includes(name)) assert.ok(Math.abs(most.keys / keys - 1) < 0.02, `${name}: ${most.keys}`);
    if (!["parquet", "redis"].includes(name)) assert.ok(Math.abs(least.rate / rate - 1) < 0.25, `${name}: ${least.rate}`);
  }
  const { size, fill } = engine.curves(20e6, 0.01);
  assert.equal(Object.keys(size).length, 17);
  for (const points of Object.values(size)) assert.ok(points.every(([, bytes], i) => i === 0 || bytes >= points[i - 1][1] * 0.95));
  const last = fill.line.at(-1);
  assert.ok(last[1] > 0.3 && Math.abs(fill.growing.at(-1)[1] - 0.01) < 1e-9);
  assert.ok(engine.plan(0, 0.01).filter((row) => row.group === "bloom").every((row) => row.problem));
  assert.ok(by(engine.plan(1e6, 1e-30), "line").problem);
  // Parquet's writers have powers of two alone.
  assert.equal(by(engine.plan(20e6, null, 25 << 20), "parquet").bytes, 16 << 20);
  // No row has less than a key or a rate that is no number, and no text names a call.
  for (const keys of [1, 2, 1000, 1e15, 2 ** 64, null]) {
    for (const rate of [0.999999, 0.5, 1e-12, 1e-30, 5e-324, null]) {
      for (const bytes of [1, 1000, 2 ** 43, null]) {
        if ([keys, rate, bytes].filter((given) => given === null).length !== 1) continue;
        for (const row of engine.plan(keys, rate, bytes)) {
          const what = `${keys}, ${rate}, ${bytes}: ${JSON.stringify(row)}`;
          if (row.problem) assert.doesNotMatch(row.problem, /`/, what);
          else assert.ok(row.keys >= 1 && row.rate > 0 && row.rate < 1 && row.bytes >= 1, what);
        }
      }
    }
  }
});
