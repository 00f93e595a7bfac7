// Small helpers for elements.
const byId = (id) => document.getElementById(id);

// An element with attributes and children; a name with a colon before it is SVG's.
function make(name, attributes = {}, ...children) {
  const isSvg = name.startsWith(":");
  const element = isSvg
    ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(1))
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

const fill = (id, ...children) => byId(id).replaceChildren(...children.filter(Boolean));

function tell(id, text) {
  byId(id).hidden = !text;
  byId(id).textContent = text ?? "";
}

// Runs `run` when typing pauses.
function later(run, wait = 120) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
}

// A label on which a file can be dropped, around an input that opens the chooser.
function drop(label, input, take) {
  const area = byId(label);
  const over = (is) => (event) => {
    event.preventDefault();
    area.classList.toggle("over", is);
  };
  area.addEventListener("dragover", over(true));
  area.addEventListener("dragleave", over(false));
  area.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  byId(input).addEventListener("change", ({ target }) => {
    if (target.files[0]) take(target.files[0]);
    // The same file can be chosen again.
    target.value = "";
  });
}

function copyButton(text) {
  const button = make("button", { type: "button", class: "quiet", onclick: copy }, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // A browser may refuse; then the text is selected, to be copied by hand.
      getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
    }
  }
  return button;
}

// One file for each place; the last one of a place is given up.
const saved = {};
function download(place, blob, name, text) {
  if (saved[place]) URL.revokeObjectURL(saved[place]);
  saved[place] = URL.createObjectURL(blob);
  return make("a", { href: saved[place], download: name, class: "button" }, text);
}

const stem = (name) => name.replace(/\.gz$/i, "").replace(/\.\w+$/, "");
