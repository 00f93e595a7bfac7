// Every part of the page in headless Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { asFile, browser, choose, data, list, named, part, ready, serve, text, visit } from "./browser.mjs";
import { domains, numbers, root, start, tools } from "./engine.mjs";

after(() => browser.close());

const axe = tools.resolve("axe-core/axe.min.js");
const parts = ["plan", "play", "open", "make"];
const tepal = process.env.TEPAL ?? join(root, "target/debug/tepal");

test("plan understands what people type, and keeps it in the address", async () => {
  const { page, context, seen } = await visit(asFile);
  assert.match(await text(page, "plan-headline"), /23\.7 MiB for 20\sM keys/);
  assert.equal(await page.locator("#plan-table tbody tr").count(), 17);
  assert.equal(await page.locator(".plot svg").count(), 2);
  for (const [field, typed, understood] of [
    ["keys", "1,5M", "1,500,000 keys"],
    ["keys", "20.000.000", "20,000,000 keys"],
    ["keys", "20 000", "20,000 keys"],
    ["keys", "3 million", "3,000,000 keys"],
    ["rate", "0,1%", "1 in 1,000, or 0.1 %"],
    ["rate", "0,001", "1 in 1,000, or 0.1 %"],
    ["rate", "1 in 10.000", "1 in 10,000, or 0.01 %"],
    ["rate", "1/50", "1 in 50, or 2 %"],
    ["rate", "1/65536", "1 in 65,536, or 0.00153 %"],
    ["rate", "1e-12", "1 in 1,000,000,000,000, or 10⁻¹⁰ %"],
    ["rate", "1e-30", "1 in 10³⁰, or 10⁻²⁸ %"],
    ["rate", "0,999999", "99.9999 %"],
    ...["2", "0", "1", "-5", "NaN", "1e30", "1e-400", "1 in 0", "100 %", "1:2:3"].map((typed) => ["rate", typed, "Not understood"]),
    ["rate", "2 %", "1 in 50, or 2 %"],
    ["keys", "1", "1 key"],
    ["keys", "1,500M", "1,500,000,000 keys"],
    ["keys", "1,500 M", "1,500,000,000 keys"],
    ["keys", "20 Mio.", "20,000,000 keys"],
    ["keys", "20 M keys", "20,000,000 keys"],
    ...["many", "0", "-5", "NaN", "1e30", "1e-5", "", "1..5", "1.5.2"].map((typed) => ["keys", typed, "Not understood"]),
  ]) {
    await page.fill(`#${field}`, typed);
    await page.waitForFunction(([id, shown]) => document.getElementById(`${id}-read`).textContent.startsWith(shown), [field, understood]);
  }
  // What is shown is of other figures then, and looks so.
  const isStale = () => document.getElementById("part-plan").classList.contains("stale");
  assert.ok(await page.evaluate(isStale));
  // Rate and size give keys.
  await page.fill("#rate", "0,5 %");
  for (const [typed, understood] of [["0", "Not understood"], ["1e30", "Not understood"], ["1", "1 byte"], ["1023", "1,023 bytes"], ["1,024 KiB", "1.00 MiB, or 1,048,576 bytes"], ["0,5 GiB", "512.0 MiB, or 536,870,912 bytes"]]) {
    await page.fill("#size", typed);
    await page.waitForFunction((shown) => document.getElementById("size-read").textContent.startsWith(shown), understood);
  }
  await page.fill("#size", "1,5 MB");
  await page.waitForFunction(() => document.getElementById("size-read").textContent.startsWith("1.43 MiB, or 1,500,000 bytes"));
  await page.waitForFunction(() => /for 1\.\d+\sM keys/.test(document.getElementById("plan-headline").textContent));
  assert.equal(await page.evaluate(isStale), false);
  for (const [field, typed] of [["segments", "0"], ["segments", "65537"], ["values", "1"], ["values", "x"]]) {
    await page.fill(`#${field}`, typed);
    await page.waitForFunction((id) => /^Not understood; \d to 65,536$/.test(document.getElementById(`${id}-read`).textContent), field);
    await page.fill(`#${field}`, "30");
    await page.waitForFunction((id) => document.getElementById(`${id}-read`).textContent === "", field);
  }
  await page.fill("#values", "100");
  await page.waitForFunction(() => !location.hash.includes("values"));
  const address = page.url();
  assert.match(address, /#plan\?rate=0%2C5\+%25&size=1%2C5\+MB$/);
  // A link carries it, and the lines have points.
  const paste = await text(page, "paste");
  assert.match(paste, /tepal build keys\.txt -n \d+ -p 0\.005 -o seen\.tepal/);
  await page.selectOption("#paste-kind", "map");
  await page.waitForFunction(() => document.getElementById("paste").textContent.includes("bloom_value_file('seen.tepal', key)"));
  const other = await visit(page.url());
  assert.equal(await other.page.inputValue("#size"), "1,5 MB");
  assert.equal(await text(other.page, "plan-headline"), await text(page, "plan-headline"));
  assert.match(await text(other.page, "paste"), /RibbonMap/);
  assert.deepEqual([seen.problems, other.seen.problems], [[], []]);
  await Promise.all([context.close(), other.context.close()]);
});

test("play names the keys that cause a false positive", async () => {
  const { page, context, seen } = await visit(`${asFile}#play`);
  assert.match(await text(page, "play-verdict"), /“plum” is surely not in/);
  await page.click("#play-more");
  await page.waitForFunction(() => document.getElementById("play-keys").value.includes("key 59"));
  await page.click("#play-find");
  await page.waitForFunction(() => /never put in: a false positive/.test(document.getElementById("play-verdict").textContent), undefined, { timeout: 20_000 });
  const asked = await page.inputValue("#play-asked");
  assert.match(asked, /^guess \d+$/);
  const held = (await page.inputValue("#play-keys")).split("\n");
  const causes = await page.locator("#play-why tbody td.what").allTextContents();
  assert.ok(causes.length >= 2 && causes.every((names) => names.split(", ").every((name) => held.includes(name))), String(causes));
  for (const kind of ["double", "split-block", "scattered", "static", "deletable", "window", "segments", "map"]) {
    await page.selectOption("#play-kind", kind);
    await page.fill("#play-asked", "apple");
    await page.waitForFunction((wanted) => location.hash.includes(`kind=${wanted}`) && /“apple” is perhaps in/.test(document.getElementById("play-verdict").textContent), kind);
    assert.ok((await page.locator("#play-drawing figure").count()) > 0, kind);
  }
  // A window forgets, and a page draws so much.
  await page.selectOption("#play-kind", "window");
  await page.evaluate((keys) => (document.getElementById("play-keys").value = keys), list("k", 0, 3000));
  await page.fill("#play-asked", "k3");
  await page.waitForFunction(() => /^“k3” is surely not in\.It was put in, and the window has moved past it.*the first 2,000 are in\.$/.test(document.getElementById("play-verdict").textContent));
  await page.evaluate(() => (document.getElementById("play-keys").value = ""));
  await page.fill("#play-asked", "apple");
  await page.waitForFunction(() => document.getElementById("play-verdict").textContent === "“apple” is surely not in.No other key is found now.");
  await page.evaluate((keys) => (document.getElementById("play-keys").value = keys), held.join("\n"));
  await page.selectOption("#play-kind", "static");
  await page.waitForFunction(() => location.hash.includes("kind=static") && /finds its own fingerprint as this sum\. /.test(document.getElementById("play-why").textContent));
  const same = await visit(page.url());
  assert.equal(await text(same.page, "play-why"), await text(page, "play-why"));
  assert.deepEqual([...seen.problems, ...same.seen.problems], []);
  await Promise.all([context.close(), same.context.close()]);
});

test("open describes and asks the files of every program", async () => {
  const { page, context, seen } = await visit(`${asFile}#open`);
  for (const [format, number] of Object.entries(numbers).filter(([format]) => format !== "tepal")) {
    const folder = join(data, "golden", format);
    const { cases } = JSON.parse(readFileSync(join(folder, "index.json")));
    // A case whose keys can be typed.
    const typed = cases.filter((one) => one.inserted.some((key) => /^(str|i32|i64):\S/.test(key)) && !one.insert_result?.includes("e")).slice(0, 3);
    assert.ok(typed.length > 0, format);
    for (const one of typed) {
      const key = one.inserted.find((each) => /^(str|i32|i64):\S/.test(each));
      const domain = key.startsWith("str") ? ((one.params.funnel ?? "").startsWith("un") || one.params.funnel === "utf16le" ? domains.utf16 : 0) : key.startsWith("i32") ? domains.int32 : domains.int64;
      if (key.startsWith("i") && !["guava", "spark", "parquet-sbbf"].includes(format)) continue;
      await page.selectOption("#open-format", String(number));
      await page.selectOption("#open-domain", String(domain));
      await choose(page, "#open-file", join(folder, one.files.bin.file));
      await page.waitForFunction((name) => document.getElementById("open-headline").textContent.includes(name), one.files.bin.file);
      assert.equal(await page.isHidden("#open-problem"), true, one.name);
      await page.fill("#ask-key", key.slice(4));
      await page.waitForFunction(() => document.getElementById("ask-answer").textContent.startsWith("Perhaps in"));
      await page.fill("#ask-key", "");
    }
  }
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("open answers keys, a pasted list and a dropped list", async () => {
  const engine = start();
  const { bytes } = engine.make("segments", 0.001, "a,red\nb,red\na,blue\n", [44, 0, 1, 0]);
  const { page, context, seen } = await visit(`${asFile}#open`);
  for (const [kind, text, says] of [["window", list("k", 0, 100), /^Perhaps input in about \d+ keys ago$/], ["counting", "k5\nk5\nk6\n", /^Perhaps incounted 2 times$/]]) {
    await choose(page, "#open-file", named(`${kind}.tepal`, engine.make(kind, 0.001, text).bytes));
    await page.waitForFunction((name) => document.getElementById("open-headline").textContent.includes(name), `${kind}.tepal`);
    await page.fill("#ask-key", "k5");
    await page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById("ask-answer").textContent), says.source);
    await page.fill("#ask-key", "");
  }
  await choose(page, "#open-file", named("colours.tepal", bytes));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("Filter of segments of 2 keys"));
  await page.fill("#ask-key", "a");
  await page.waitForFunction(() => document.getElementById("ask-answer").textContent.includes("in red, blue"));
  // A name tells nothing by being one of the page's words.
  await page.fill("#ask-paste", Array.from({ length: 300 }, (_, i) => `nobody ${i}`).join("\n"));
  await page.waitForFunction(() => document.getElementById("ask-answers").textContent.includes("of 300 are perhaps in; the first 200 are below"));
  assert.equal(await page.locator("#ask-answers tbody tr").count(), 200);
  await page.fill("#ask-paste", "b\nnobody");
  await page.waitForFunction(() => document.getElementById("ask-answers").textContent.includes("1 of 2 are perhaps in"));
  assert.match(await text(page, "ask-answers"), /bred.*nobodysurely not/s);
  await page.locator("#list-drop").evaluate((area) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["x;a\ny;zebra\nz;b\n"], "rows.csv"));
    area.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector("#list-columns input[name=list-columns-column]");
  await page.locator("#list-columns input[name=list-columns-column]").nth(1).check();
  await page.waitForFunction(() => document.getElementById("list-answer").textContent.startsWith("2 of 3"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#list-answer a")]);
  assert.equal(readFileSync(await download.path(), "utf8"), "x;a\nz;b\n");
  await page.selectOption("#list-output", "2");
  await page.waitForSelector("#list-answer a[download='rows-not-in.txt']");
  assert.deepEqual(seen.problems, []);
  assert.ok(seen.requests.every((url) => /^(file|blob|data):/.test(url)), String(seen.requests));
  await context.close();
});

test("make takes a column of CSV, and the command opens the file", async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => `${i},user-${i},${["red", "green", "blue"][i % 3]}\n`).join("");
  const csv = `id,user,colour\n${rows}`;
  const { page, context, seen } = await visit(`${asFile}#make`);
  const folder = mkdtempSync(join(tmpdir(), "tepal-web-"));
  await choose(page, "#make-file", named("users.csv", csv));
  await page.fill("#make-rate", "0,1 %");
  await page.waitForFunction(() => document.getElementById("make-rate-read").textContent.startsWith("1 in 1,000"));
  await page.waitForSelector("#make-columns table");
  await page.locator("#make-columns input[name=make-columns-column]").nth(1).check();
  const command = (args) => execFileSync(tepal, args, { encoding: "utf8" });
  try {
    for (const kind of ["tepal", "static", "deletable", "growing", "window", "segments", "map", "guava", "redisbloom"]) {
      await page.selectOption("#make-kind", kind);
      if (kind === "segments" || kind === "map") await page.locator("#make-columns input[name=make-columns-second]").nth(2).check();
      await page.click("#make-go");
      await page.waitForFunction((wanted) => document.querySelector("#made .paste pre")?.textContent.includes(wanted), { segments: " which ", map: " get ", guava: " guava ", redisbloom: " redisbloom " }[kind] ?? " has ");
      await page.waitForFunction(() => document.getElementById("make-progress").hidden);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("#made a[download]")]);
      const path = join(folder, download.suggestedFilename());
      await download.saveAs(path);
      const format = numbers[kind] > 1 ? ["--from", kind] : [];
      const info = [JSON.parse(command(["info", "--json", ...format, path]))].flat()[0];
      assert.ok(info.false_positive_rate < 0.00105, `${kind}: ${info.false_positive_rate}`);
      const ask = { segments: "which", map: "get" }[kind] ?? "has";
      const answer = command([ask, ...format, path, "-e", "user-7"]).trim();
      assert.match(answer, { segments: /green/, map: /green/ }[kind] ?? /user-7/, kind);
      await page.evaluate(() => document.getElementById("made").replaceChildren());
    }
    assert.match(page.url(), /#make\?kind=redisbloom&rate=0%2C1\+%25/);
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("the shell's lines to paste build what they name", async () => {
  const { page, context } = await visit(`${asFile}#plan?keys=5000&rate=0,1%25`);
  const folder = mkdtempSync(join(tmpdir(), "tepal-web-"));
  writeFileSync(join(folder, "keys.txt"), list("k", 0, 1000));
  writeFileSync(join(folder, "rows.csv"), `key,segment,value\n${Array.from({ length: 1000 }, (_, i) => `k${i},s${i % 3},v${i % 5}\n`).join("")}`);
  const run = (line) => execFileSync(tepal, line.split(" ").slice(1), { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    for (const [kind, named] of Object.entries({ bloom: "bloom", static: "ribbon", deletable: "quotient", counting: "quotient", growing: "growing", window: "expiring", segments: "segment", map: "map" })) {
      await page.selectOption("#paste-kind", kind);
      await page.waitForFunction((wanted) => wanted === "bloom" ? !location.hash.includes("kind=") : location.hash.includes(`kind=${wanted}`), kind);
      const line = await page.locator("#paste pre").first().textContent();
      assert.match(line, /^tepal build .* -p 0\.001 -o seen\.tepal$/, kind);
      rmSync(join(folder, "seen.tepal"), { force: true });
      run(line);
      const info = [JSON.parse(run("tepal info --json seen.tepal"))].flat()[0];
      assert.equal(info.kind, named, kind);
      assert.ok(info.false_positive_rate < 0.0011, `${kind}: ${info.false_positive_rate}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  await context.close();
});

test("25 MB open in a second, and a million lines are answered in two", async () => {
  const engine = start();
  // As large as a filter of 20 million keys at 1 %.
  const { bytes } = engine.make("tepal", 1e-9, list("", 0, 4_000_000));
  assert.ok(bytes.length > 24e6, `${bytes.length} bytes`);
  const { page, context } = await visit(`${asFile}#open`);
  await page.evaluate(() => {
    // When the headline names the file.
    new MutationObserver(() => {
      window.shownAt = performance.now();
    }).observe(document.getElementById("open-headline"), { childList: true });
    document.getElementById("open-file").addEventListener("change", () => (window.chosenAt = performance.now()), { capture: true });
  });
  const { path, remove } = inFolder("large.tepal", bytes);
  try {
    await choose(page, "#open-file", path);
    await page.waitForFunction(() => window.shownAt, undefined, { timeout: 20_000 });
    const opened = await page.evaluate(() => (window.shownAt - window.chosenAt) / 1000);
    const lines = inFolder("million.txt", list("", 3_500_000, 1_000_000));
    await choose(page, "#list-file", lines.path);
    await page.waitForFunction(() => document.getElementById("list-answer").textContent.includes(" of 1,000,000 "), undefined, { timeout: 20_000 });
    lines.remove();
    const answer = await text(page, "list-answer");
    const seconds = Number(/\(([\d.]+) s\)/.exec(answer)[1]);
    assert.match(answer, /^500,000 of/);
    console.log(`# ${(bytes.length / 1e6).toFixed(1)} MB opened in ${opened.toFixed(2)} s; a million lines answered in ${seconds.toFixed(2)} s`);
    assert.ok(opened < 1, `opened in ${opened} s`);
    assert.ok(seconds < 2, `answered in ${seconds} s`);
  } finally {
    remove();
  }
  await context.close();
});

test("served, it works without a network, and a new page takes the place of the old one", async () => {
  const { address, stop, change } = await serve();
  const { page, context, seen } = await visit(address);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const origin = new URL(address).origin;
  assert.ok(seen.requests.every((url) => url.startsWith(origin) || /^(blob|data):/.test(url)), String(seen.requests));
  // The browser may keep any answer for an hour, and still gets all of the new page.
  change((body) => body.replace("<title>tepal", "<title>new tepal").replace(/tepal-[0-9a-f]{16}/, "tepal-new"));
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.ready).update();
    while ((await caches.keys()).join() !== "tepal-new") await new Promise((done) => setTimeout(done, 50));
  });
  assert.match(await page.evaluate(async () => (await (await caches.match("tepal.html")).text()).slice(0, 2000)), /<title>new tepal/);
  await stop();
  await page.reload();
  await ready(page);
  assert.match(await text(page, "plan-headline"), /23\.7 MiB/);
  assert.deepEqual(seen.problems.filter((problem) => !/ERR_CONNECTION_REFUSED/.test(problem)), []);
  await context.close();
});

test("every part passes axe, in both themes, and fits a telephone", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 360]) {
      const { page, context } = await visit(asFile, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.addScriptTag({ path: axe });
      for (const name of parts) {
        await part(page, name);
        if (name === "open") {
          await choose(page, "#open-file", join(data, "kept/v1/segment/segment-xxh3.tepal"));
          await page.waitForFunction(() => !document.getElementById("opened").hidden);
        }
        const accessible = async (what) => {
          const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).slice(0, 3)}`);
          assert.deepEqual(found, [], `${what}, ${colorScheme}, ${width}`);
        };
        if (name === "open") {
          await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("segment"));
          await choose(page, "#open-file", join(data, "kept/v1/line-siphash13.tepal"));
          await page.fill("#secret", "12");
          await page.waitForFunction(() => document.getElementById("secret-read").textContent);
          await accessible("a wrong secret key");
          await choose(page, "#open-file", join(data, "kept/v1/segment/segment-xxh3.tepal"));
          await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("segment"));
        }
        if (name === "make") {
          await choose(page, "#make-file", named("users.csv", "user,colour\nu1,red\nu2,blue\n"));
          await page.waitForSelector("#make-columns table");
        }
        await accessible(name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} pixels wide on ${width}`);
      }
      await context.close();
    }
  }
});

test("a keyboard reaches everything, and nothing moves for who wants no motion", async () => {
  const { page, context } = await visit(asFile, { reducedMotion: "reduce" });
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  const reached = [];
  for (let i = 0; i < 9; i += 1) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.hash || document.activeElement.className));
  }
  assert.deepEqual(reached, ["#plan", "#plan", "#play", "#open", "#make", "keys", "rate", "size", "segments"]);
  await part(page, "open");
  await page.focus("#open-file");
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById("open-drop")).outlineStyle), "solid");
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((each) => parseFloat(getComputedStyle(each).transitionDuration) > 0 || getComputedStyle(each).animationName !== "none").length);
  assert.equal(moving, 0);
  await context.close();
});

test("no two labels of a plot are on each other", async () => {
  for (const query of ["", "#plan?keys=1000&rate=30%", "#plan?keys=1G&rate=1e-6", "#plan?keys=5M&size=10MiB"]) {
    for (const width of [1280, 360]) {
      const { page, context } = await visit(`${asFile}${query}`, { viewport: { width, height: 800 } });
      const clashes = await page.evaluate(() => {
        const found = [];
        for (const svg of document.querySelectorAll(".plot svg")) {
          const boxes = [...svg.querySelectorAll("text")].filter((text) => text.textContent).map((text) => [text.textContent, text.getBBox()]);
          for (const [i, [a, one]] of boxes.entries()) {
            for (const [b, other] of boxes.slice(i + 1)) {
              const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
              const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
              if (across > 1 && down > 4) found.push(`${a} and ${b}`);
            }
          }
        }
        return found;
      });
      assert.deepEqual(clashes, [], `${query} at ${width}`);
      await context.close();
    }
  }
});

function inFolder(name, bytes) {
  const folder = mkdtempSync(join(tmpdir(), "tepal-web-"));
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}
