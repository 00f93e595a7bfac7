// Shows the part that the address names.
const parts = { plan, play, open: opener, make: maker };

function petals() {
  for (let i = 0; i < 6; i += 1) {
    const petal = make(":path", { d: "M0 -4C-17 -18 -13 -40 0 -48C13 -40 17 -18 0 -4Z", transform: `rotate(${60 * i})`, fill: i % 2 ? "var(--set)" : "var(--tepal)" });
    byId("petals").append(petal);
  }
}

async function go() {
  const { part, state } = address.read();
  const shown = Object.hasOwn(parts, part) ? part : "plan";
  for (const name of Object.keys(parts)) byId(`part-${name}`).hidden = name !== shown;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${shown[0].toUpperCase()}${shown.slice(1)} · tepal`;
  try {
    await engine.started;
    await parts[shown].start(state);
    document.body.dataset.ready = shown;
  } catch (error) {
    tell("failure", `The page could not start: ${error.message}. It needs a browser of 2023 or later.`);
  }
}

petals();
// The address is for the parts.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("content").focus();
});
// What no part has expected, such as a module that stopped.
addEventListener("unhandledrejection", ({ reason }) => tell("failure", reason.message));
addEventListener("hashchange", go);
// Dropped beside the area for it, a file would replace the page.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
go();
// Served, it is an app that works without a network; a file is one already.
if (location.protocol.startsWith("http")) {
  document.head.append(make("link", { rel: "manifest", href: "manifest.webmanifest" }));
  navigator.serviceWorker?.register("sw.js");
}
