// Headless Chromium on the page: as a file, and served from this machine.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, tools } from "./engine.mjs";

const { chromium } = tools("playwright-core");

export const data = join(root, "testdata");
export const folder = join(root, "target/web");
export const asFile = pathToFileURL(join(folder, "tepal.html")).href;

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
export const browser = await chromium.launch({ executablePath, args });

// A page that is ready, and everything that it asked for or complained about.
export async function visit(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { requests: [], problems: [] };
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("pageerror", (error) => seen.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.problems.push(message.text());
  });
  await page.goto(address);
  await ready(page);
  return { page, context, seen };
}

export async function ready(page) {
  await page.waitForFunction(() => document.body?.dataset.ready, undefined, { timeout: 30_000 });
}

export async function part(page, name) {
  await page.click(`nav a[href="#${name}"]`);
  await page.waitForFunction((wanted) => document.body.dataset.ready === wanted, name);
}

export const list = (prefix, from, count) => Array.from({ length: count }, (_, i) => `${prefix}${from + i}\n`).join("");
export const text = (page, id) => page.textContent(`#${id}`);
export const choose = (page, input, file) => page.setInputFiles(input, file);
export const named = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });

export function serve() {
  const types = { html: "text/html; charset=utf-8", js: "text/javascript", webmanifest: "application/manifest+json", svg: "image/svg+xml" };
  let changed = (body) => body;
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.slice(1) || "tepal.html";
    const type = types[name.split(".").at(-1)];
    if (!["tepal.html", "sw.js", "manifest.webmanifest", "icon.svg"].includes(name)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": type, "cache-control": "max-age=3600" }).end(changed(readFileSync(join(folder, name), "utf8")));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const stop = () => new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      });
      resolve({ address: `http://127.0.0.1:${server.address().port}/tepal.html`, stop, change: (by) => (changed = by) });
    });
  });
}
