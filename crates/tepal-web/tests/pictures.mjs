// Draws the screenshots of docs/web.md: node pictures.mjs FOLDER.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { asFile, browser, choose, named, visit } from "./browser.mjs";
import { root } from "./engine.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const csv = `account,owner,country\n${Array.from({ length: 5000 }, (_, i) => `5701084${10000 + i},owner ${i},${["GR", "CY", "MT"][i % 3]}\n`).join("")}`;
const states = {
  plan: async () => {},
  play: async (page) => {
    await page.click("#play-more");
    await page.waitForFunction(() => document.getElementById("play-keys").value.includes("key 59"));
    await page.click("#play-find");
    await page.waitForFunction(() => document.getElementById("play-verdict").textContent.includes("false positive"), undefined, { timeout: 20_000 });
    await page.evaluate(() => scrollTo(0, document.getElementById("play-verdict").getBoundingClientRect().top + scrollY - 16));
  },
  open: async (page) => {
    await choose(page, "#open-file", join(root, "testdata/kept/v1/segment/segment-recipe-labels.tepal"));
    await page.waitForFunction(() => !document.getElementById("opened").hidden);
    const kept = JSON.parse(readFileSync(join(root, "testdata/kept/v1/segment/segment-recipe-labels.json")));
    await page.fill("#ask-key", `${kept.key_prefix}7`);
    await page.waitForFunction(() => document.getElementById("ask-answer").textContent !== "");
  },
  make: async (page) => {
    await choose(page, "#make-file", named("accounts.csv", csv));
    await page.waitForSelector("#make-columns table");
    await page.click("#make-go");
    await page.waitForSelector("#made a[download]");
  },
};
let total = 0;
for (const [name, prepare] of Object.entries(states)) {
  // Each part in one theme and both widths, so that together all four are shown.
  const colorScheme = name === "plan" || name === "open" ? "light" : "dark";
  for (const width of [1120, 360]) {
    const other = width === 360 ? { light: "dark", dark: "light" }[colorScheme] : colorScheme;
    const { page, context } = await visit(`${asFile}#${name}`, { colorScheme: other, viewport: { width, height: width === 360 ? 700 : 680 }, reducedMotion: "reduce" });
    await prepare(page);
    await page.evaluate(() => document.activeElement.blur());
    await page.waitForTimeout(200);
    const path = join(folder, `${name}-${width === 360 ? "narrow" : "wide"}.png`);
    await page.screenshot({ path, fullPage: false });
    total += statSync(path).size;
    await context.close();
  }
}
await browser.close();
console.log(`${total.toLocaleString("en-US")} bytes of pictures`);
if (total > 500_000) throw new Error("more than 500,000 bytes");
