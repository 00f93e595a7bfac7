// Keeps the page for use without a network. A new page has another name for its cache, and is not
// taken from what the browser has kept of an older one.
const cache = "tepal-CACHE";
const files = ["./tepal.html", "./manifest.webmanifest", "./icon.svg"];
addEventListener("install", (event) => {
  event.waitUntil(caches.open(cache).then((kept) => kept.addAll(files.map((name) => new Request(name, { cache: "reload" })))).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("tepal-") && name !== cache);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
