// What people and files do to the page that it was not made for, in headless Chromium.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { asFile, browser, choose, data, list, named, part, text, visit } from "./browser.mjs";
import { start } from "./engine.mjs";

after(() => browser.close());

test("a damaged, a forged and a foreign file are refused in words, and the page goes on", async () => {
  const good = readFileSync(join(data, "kept/v1/line-xxh3.tepal"));
  const damaged = Buffer.from(good);
  damaged[good.length - 9] ^= 1;
  const forged = Buffer.from(good);
  forged.writeBigUInt64LE(1n << 60n, 24);
  const { page, context, seen } = await visit(`${asFile}#open`);
  for (const [name, bytes, says] of [
    ["damaged.tepal", damaged, /damaged/],
    ["forged.tepal", forged, /forged\.tepal: /],
    ["cut.tepal", good.subarray(0, 100), /cut\.tepal: /],
    ["empty.tepal", Buffer.alloc(0), /empty\.tepal: /],
    ["picture.png", Buffer.from("89504e470d0a1a0a", "hex"), /not a .*filter/],
  ]) {
    await choose(page, "#open-file", named(name, bytes));
    await page.waitForFunction((begin) => document.getElementById("open-problem").textContent.startsWith(begin), name);
    assert.match(await text(page, "open-problem"), says);
    assert.equal(await page.isHidden("#opened"), true);
  }
  await choose(page, "#open-file", named("good.tepal", good));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("good.tepal"));
  assert.equal(await page.isHidden("#open-problem"), true);
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("a part goes on as it was left, and the address takes anything", async () => {
  const { page, context, seen } = await visit(`${asFile}#plan?size=10MB`);
  const dialogs = [];
  page.on("dialog", (dialog) => dialogs.push(dialog.message()) && dialog.dismiss());
  assert.match(await text(page, "plan-headline"), /^9\.54 MiB for 20\sM keys/);
  await page.fill("#rate", "2%");
  await page.fill("#size", "3MB");
  await page.waitForFunction(() => location.hash === "#plan?rate=2%25&size=3MB");
  await part(page, "play");
  await page.fill("#play-asked", "who?");
  await page.waitForFunction(() => location.hash === "#play?ask=who%3F");
  await part(page, "plan");
  assert.equal(await page.inputValue("#size"), "3MB");
  assert.match(await text(page, "size-read"), /^2\.86 MiB/);
  await page.goBack();
  await page.waitForFunction(() => !document.getElementById("part-play").hidden && document.getElementById("play-asked").value === "who?");
  await page.goBack();
  await page.waitForFunction(() => !document.getElementById("part-plan").hidden && document.getElementById("size").value === "3MB");
  // The link over the parts is no part.
  await part(page, "make");
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  assert.equal(await page.isVisible("#part-make"), true);
  const evil = encodeURIComponent(`"><img src=x onerror=alert(1)><script>alert(2)</script>`);
  for (const [address, shown] of [
    ["toString", "plan"], ["__proto__", "plan"], ["content", "plan"], ["plan?kind=toString", "plan"], ["plan?keys=%E0%A4%A", "plan"],
    [`plan?keys=${evil}&rate=${evil}&segments=${evil}`, "plan"], ["plan?rate=1e-30&size=1", "plan"], ["plan?keys=1000T&rate=1e-9", "plan"],
    ["play?kind=constructor", "play"], [`play?keys=${evil}%0Aa&ask=${evil}`, "play"],
    [`open?ask=${evil}&format=99&keys=x`, "open"], [`make?kind=valueOf&rate=${evil}`, "make"],
  ]) {
    await page.evaluate((hash) => {
      document.body.dataset.ready = "";
      location.hash = hash;
    }, address);
    await page.waitForFunction((wanted) => document.body.dataset.ready === wanted, shown);
    assert.equal(await page.isVisible(`#part-${shown}`), true, address);
  }
  assert.equal(await page.inputValue("#paste-kind"), "bloom");
  assert.equal(await page.inputValue("#play-kind"), "line");
  assert.equal(await page.inputValue("#open-format"), "0");
  assert.equal(await page.inputValue("#make-kind"), "tepal");
  assert.equal(await page.locator("main img, main script, main b b").count(), 0);
  assert.deepEqual([seen.problems, dialogs], [[], []]);
  await context.close();
});

test("names with markup are text", async () => {
  const markup = `<img src=x onerror=alert(1)>"'&amp;`;
  const { page, context, seen } = await visit(`${asFile}#make`);
  const dialogs = [];
  page.on("dialog", (dialog) => dialogs.push(dialog.message()) && dialog.dismiss());
  const quoted = `"${markup.replaceAll('"', '""')}"`;
  await choose(page, "#make-file", named(`${markup.replace("/", "")}.csv`, `key,${quoted}\r\n1,${quoted}\r\n2,"two\r\nlines, one value"\r\n3,${quoted}\r\n`));
  await page.waitForSelector("#make-columns table");
  await page.locator("#make-columns input[type=checkbox]").check();
  assert.equal(await page.locator("#make-columns tbody th").nth(1).textContent(), markup);
  await page.locator("#make-columns input[name=make-columns-column]").nth(1).check();
  await page.selectOption("#make-kind", "tepal");
  await page.click("#make-go");
  await page.waitForSelector("#made a[download]");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#made a[download]")]);
  const bytes = readFileSync(await download.path());
  await part(page, "open");
  await choose(page, "#open-file", named(`${markup}.tepal`, bytes));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.startsWith("Bloom filter of 2 keys"));
  assert.ok((await text(page, "open-facts")).includes(`${markup} of csv`));
  for (const key of [markup, "a"]) {
    await page.fill("#ask-key", key);
    await page.waitForFunction((said) => document.getElementById("ask-answer").textContent.startsWith(said), key === markup ? "Perhaps in" : "Surely not in");
  }
  await page.fill("#ask-paste", `${markup}\n${markup}!`);
  await page.waitForFunction(() => document.getElementById("ask-answers").textContent.startsWith("1 of 2"));
  // Records of a list keep their quotes and line ends.
  await choose(page, "#list-file", named("rows.csv", `a;b\r\n1;${quoted}\r\n2;"two\r\nlines, one value"\r\n3;x\r\n`));
  await page.locator("#list-columns input[name=list-columns-column]").nth(1).check();
  await page.waitForFunction(() => document.getElementById("list-answer").textContent.startsWith("2 of "));
  const [lines] = await Promise.all([page.waitForEvent("download"), page.click("#list-answer a")]);
  assert.equal(readFileSync(await lines.path(), "utf8"), `1;${quoted}\r\n2;"two\r\nlines, one value"\r\n`);
  assert.equal(await page.locator("main img").count(), 0);
  assert.deepEqual([seen.problems, dialogs], [[], []]);
  await context.close();
});

test("long names and keys fit a telephone", async () => {
  const long = "x".repeat(180);
  const rows = `key,${long}\nk1,${long}1\nk2,${long}2\nk1,${long}2\n`;
  const { page, context, seen } = await visit(`${asFile}#make?kind=segments`, { viewport: { width: 320, height: 700 } });
  const fits = async (what) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320, what);
  await choose(page, "#make-file", named(`${long}.csv`, rows));
  await page.waitForSelector("#make-columns table");
  // The focus stays on what was pressed.
  await page.focus("#make-columns input[type=checkbox]");
  const before = await page.isChecked("#make-columns input[type=checkbox]");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => document.activeElement.type), "checkbox");
  assert.equal(await page.isChecked("#make-columns input[type=checkbox]"), !before);
  await page.click("#make-go");
  await page.waitForSelector("#made a[download]");
  await fits("make");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#made a[download]")]);
  const bytes = readFileSync(await download.path());
  await part(page, "open");
  await choose(page, "#open-file", named(`${long}.tepal`, bytes));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("Filter of segments"));
  await page.fill("#ask-key", "k1");
  await page.fill("#ask-paste", `k1\n${long}\n`);
  await page.waitForFunction(() => document.getElementById("ask-answers").textContent.includes("1 of 2") && document.getElementById("ask-answer").textContent.includes("xxx"));
  await choose(page, "#list-file", named(`${long}.txt`, `k1\n${long}\n`));
  await page.waitForSelector("#list-answer a");
  await fits("open");
  await part(page, "play");
  for (const kind of ["line", "static", "deletable", "map"]) {
    await page.selectOption("#play-kind", kind);
    await page.fill("#play-keys", `${long}\napple`);
    await page.fill("#play-asked", long);
    await page.waitForFunction((wanted) => document.getElementById("play-verdict").textContent.includes("xxx” is perhaps in") && (wanted === "line" || location.hash.includes(wanted)), kind);
    await fits(`play, ${kind}`);
  }
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("a filter that is made does not take the place of the one that is open", async () => {
  const { page, context, seen } = await visit(`${asFile}#open`);
  await choose(page, "#open-file", join(data, "kept/v1/line-xxh3.tepal"));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("line-xxh3"));
  await choose(page, "#list-file", named("list.txt", "key 1\nnobody 1\n"));
  await page.waitForSelector("#list-answer a");
  await part(page, "make");
  await choose(page, "#make-file", named("other.txt", "b\nc\n"));
  await page.click("#make-go");
  await page.waitForSelector("#made a[download]");
  await part(page, "open");
  await page.fill("#ask-key", "key 7");
  await page.waitForFunction(() => document.getElementById("ask-answer").textContent.startsWith("Perhaps in"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#list-answer a")]);
  assert.equal(readFileSync(await download.path(), "utf8"), "key 1\n");
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("a secret key opens its filter, and stands nowhere else", async () => {
  const { secret_key: secret } = JSON.parse(readFileSync(join(data, "kept/v1/line-siphash13.json")));
  const { page, context, seen } = await visit(`${asFile}#open?ask=key+7`);
  await choose(page, "#open-file", join(data, "kept/v1/line-siphash13.tepal"));
  await page.waitForSelector("#secret");
  assert.equal(await page.isVisible("#asking"), false);
  for (const [typed, says] of [["12", /must be 32 hexadecimal digits/], ["0".repeat(32), /not the one .*\(the field Secret key\)/]]) {
    await page.fill("#secret", typed);
    await page.waitForFunction(([pattern]) => new RegExp(pattern).test(document.getElementById("secret-read").textContent), [says.source]);
    assert.equal(await page.isVisible("#asking"), false);
    assert.equal(await page.isVisible("#open-facts"), true);
  }
  await page.fill("#secret", secret);
  await page.waitForFunction(() => document.getElementById("ask-answer").textContent.startsWith("Perhaps in"));
  await page.fill("#ask-key", "nobody");
  await page.waitForFunction(() => document.getElementById("ask-answer").textContent.startsWith("Surely not in"));
  assert.equal(await text(page, "open-warnings"), "");
  assert.ok(!page.url().includes(secret.slice(0, 6)));
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
  // The next file is opened without it; its own hash only its maker has.
  await choose(page, "#open-file", join(data, "kept/v1/line-caller-hash.tepal"));
  await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("caller-hash"));
  assert.equal(await page.inputValue("#secret"), "");
  assert.equal(await page.isVisible("#secret"), false);
  assert.equal(await page.isVisible("#asking"), false);
  assert.match(await text(page, "open-warnings"), /maker’s own hash/);
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("lists in gzip and in UTF-16 are read, and what is not whole is refused", async () => {
  const csv = "id,user\r\n1,Ärger\r\n2,u2\r\n";
  const utf16 = (big) => {
    const bytes = Buffer.from(`\ufeff${csv}`, "utf16le");
    return big ? bytes.swap16() : bytes;
  };
  const many = list("user ", 0, 300_000);
  const { page, context, seen } = await visit(`${asFile}#make`);
  const folder = mkdtempSync(join(tmpdir(), "tepal-web-"));
  try {
    for (const [name, bytes, says] of [
      ["users.csv.gz", gzipSync(csv), "2 records"], ["little.csv", utf16(false), "2 records"], ["big.csv", utf16(true), "2 records"],
      ["many.txt.gz", gzipSync(many), "300,000 records"],
      ["cut.csv.gz", gzipSync(csv).subarray(0, 25), "cannot be read as gzip"], ["many-cut.txt.gz", gzipSync(many).subarray(0, -9), "cannot be read as gzip"],
      ["odd.csv", utf16(false).subarray(0, -1), "cannot be read as UTF-16"], ["half.csv", Buffer.from("fffe00d84100", "hex"), "cannot be read as UTF-16"],
      ["list.zst", Buffer.from("28b52ffd00000000", "hex"), "compressed; unpack it first"], ["book.xlsx", Buffer.from("504b030400000000", "hex"), "save it as CSV"],
    ]) {
      await page.evaluate(() => {
        for (const id of ["made", "make-problem"]) document.getElementById(id).replaceChildren();
        document.getElementById("make-form").hidden = true;
      });
      await choose(page, "#make-file", named(name, bytes));
      await page.waitForFunction((wanted) => document.getElementById("make-problem").textContent.startsWith(wanted) || !document.getElementById("make-form").hidden, name);
      if (await page.isHidden("#make-problem")) {
        if (name.includes(".csv")) await page.locator("#make-columns input[name=make-columns-column]").nth(1).check();
        await page.click("#make-go");
      }
      await page.waitForFunction((said) => (document.getElementById("made").textContent + document.getElementById("make-problem").textContent).includes(said), says);
      if (!says.endsWith("records")) continue;
      const path = join(folder, `${name}.tepal`);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("#made a[download]")]);
      assert.match(download.suggestedFilename(), /^(users|little|big|many)\.tepal$/);
      await download.saveAs(path);
      const engine = start();
      engine.open(readFileSync(path));
      if (name.includes(".csv")) assert.equal(engine.ask("Ärger\nu2\n").found, 2, name);
      else assert.equal(engine.ask(many).found, 300_000, name);
    }
    // The same lists are asked, and matching lines are text in UTF-8.
    await part(page, "open");
    await choose(page, "#open-file", join(folder, "little.csv.tepal"));
    await page.waitForFunction(() => document.getElementById("open-headline").textContent.includes("little"));
    await choose(page, "#list-file", named("big.csv", utf16(true)));
    await page.waitForFunction(() => document.getElementById("list-answer").textContent.startsWith("2 of 2"));
    const [lines] = await Promise.all([page.waitForEvent("download"), page.click("#list-answer a")]);
    assert.equal(readFileSync(await lines.path(), "utf8"), csv.slice(csv.indexOf("1")));
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("a delimiter that is not found can be chosen", async () => {
  const { page, context, seen } = await visit(`${asFile}#make?kind=segments`);
  await choose(page, "#make-file", named("ragged.csv", "a title\nk1|red\nk2|blue\n"));
  await page.waitForSelector("#make-columns-by");
  assert.equal(await page.inputValue("#make-columns-by"), "0");
  assert.equal(await page.isDisabled("#make-go"), true);
  await page.selectOption("#make-columns-by", "124");
  await page.waitForSelector("#make-columns input[name=make-columns-second]");
  assert.equal(await page.evaluate(() => document.activeElement.id), "make-columns-by");
  await page.locator("#make-columns input[type=checkbox]").check();
  await page.click("#make-go");
  await page.waitForFunction(() => document.getElementById("made").textContent.includes("Filter of segments of 2 keys"));
  await page.selectOption("#make-columns-by", "0");
  await page.waitForFunction(() => document.getElementById("make-go").disabled);
  assert.deepEqual(seen.problems, []);
  await context.close();
});

test("a browser that stops the worker is told what the page needs", async () => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    window.Worker = class {
      postMessage() {
        setTimeout(() => this.onerror({ message: "blocked" }));
      }
    };
  });
  const page = await context.newPage();
  await page.goto(asFile);
  await page.waitForFunction(() => document.getElementById("failure").textContent.includes("could not start: blocked. It needs a browser of 2023 or later"));
  await context.close();
});
