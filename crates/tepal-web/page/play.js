// Play: a small filter drawn by what its keys set, and why a key is found.
const play = (() => {
  const usual = ["apple", "banana", "cherry", "date", "elderberry", "fig", "grape", "hazelnut", "kiwi", "lemon", "mango", "nectarine", "olive", "papaya", "pear", "quince", "raspberry", "tangerine", "walnut", "yuzu"];
  const tables = ["deletable", "window", "segments"];
  const ribbons = ["static", "map"];
  let turn = 0;

  const MOST = 2000;
  const typed = () => [...new Set(byId("play-keys").value.split("\n").filter(Boolean))];
  const keys = () => typed().slice(0, MOST);

  async function show(find = false) {
    const [kind, asked, mine] = [byId("play-kind").value, byId("play-asked").value, ++turn];
    state();
    let drawn;
    try {
      drawn = await engine.call("play", { kind, asked, keys: keys(), find });
    } catch (error) {
      if (mine !== turn) return;
      fill("play-verdict", error.message);
      for (const id of ["play-drawing", "play-why"]) fill(id);
      return;
    }
    if (mine !== turn) return;
    if (find) {
      if (drawn.asked.key === asked && !(drawn.asked.in && !keys().includes(asked))) {
        fill("play-why", make("p", {}, "No false positive among two million guesses: the filter is too empty. Add keys."));
        return;
      }
      byId("play-asked").value = drawn.asked.key;
      state();
    }
    verdict(drawn);
    if (tables.includes(kind)) table(drawn);
    else if (ribbons.includes(kind)) ribbon(drawn);
    else lines(drawn);
  }

  function verdict({ asked, keys: held, rate }) {
    const is = held.some((other) => other.key === asked.key);
    const names = asked.names?.length ? ` (${asked.names.join(", ")})` : "";
    fill(
      "play-verdict",
      make("span", { class: asked.in ? "yes" : "no" }, `“${asked.key}” is ${asked.in ? "perhaps" : "surely not"} in${names}.`),
      make("small", {}, asked.in === is ? "" : is ? "It was put in, and the window has moved past it. " : "It was never put in: a false positive. ", rate ? `Of other keys, ${oneIn(rate)} is wrongly found now.` : "No other key is found now.", typed().length > MOST && ` Of the keys above, the first ${count(MOST)} are in.`),
    );
  }

  // Lines of 512 bits, 64 in a row.
  function lines({ asked, keys: held, bits, k, set }) {
    const size = 512;
    const asks = new Set(asked.bits);
    const owners = new Map();
    for (const { key, bits: its } of held) for (const bit of its) owners.set(bit, [...(owners.get(bit) ?? []), key]);
    const cells = (list) => list.map((bit) => `M${((bit % size) % 64) * 6} ${Math.floor((bit % size) / 64) * 6}h5v5h-5z`).join("");
    const figures = [];
    for (let line = 0; line < bits / size; line += 1) {
      const here = (list) => list.filter((bit) => Math.floor(bit / size) === line);
      const [touched, all] = [here([...asks]), here([...owners.keys()])];
      const note = touched.length ? `: ${touched.length} of the key’s ${asks.size} bits` : "";
      figures.push(
        make(
          "figure",
          { class: touched.length ? "touched" : "" },
          make("figcaption", {}, `Line ${line + 1}${note}`),
          make(
            ":svg",
            { viewBox: "-1 -1 385 49", role: "img", "aria-label": `Line ${line + 1}, ${all.length} of 512 bits set${note}` },
            make(":path", { class: "cells", d: cells(Array.from({ length: size }, (_, bit) => bit)) }),
            make(":path", { class: "set", d: cells(all) }),
            make(":path", { class: "hit", d: cells(touched.filter((bit) => owners.has(bit))) }),
            make(":path", { class: "miss", d: cells(touched.filter((bit) => !owners.has(bit))) }),
          ),
        ),
      );
    }
    fill("play-drawing", make("div", { class: "lines" }, ...figures));
    const missing = asked.bits.filter((bit) => !owners.has(bit));
    const rows = asked.bits.map((bit) =>
      make("tr", {}, make("th", { scope: "row", class: "n" }, String(bit)), make("td", {}, String(Math.floor(bit / size) + 1)), make("td", { class: "what" }, owners.has(bit) ? owners.get(bit).join(", ") : "nobody: the bit is 0")),
    );
    fill(
      "play-why",
      make("p", {}, `${set} of ${count(bits)} bits are set, ${k} for each key. `, missing.length
        ? `${missing.length} of the ${asked.bits.length} bits of “${asked.key}” ${missing.length === 1 ? "is" : "are"} 0. Each key that is in has set all of its bits, so this one is not in.`
        : `All ${asked.bits.length} bits of “${asked.key}” are 1, set by these keys. So the filter says perhaps.`),
      make("table", {}, make("thead", {}, make("tr", {}, make("th", { class: "n", scope: "col" }, "Bit"), make("th", { scope: "col" }, "Line"), make("th", { scope: "col" }, "Set by"))), make("tbody", {}, ...rows)),
    );
  }

  // A table of numbers: each number is a bucket of a line, and a remainder in a slot.
  function table({ asked, keys: held, lines: many, buckets, numbers, remainderBits }) {
    const inBucket = new Map();
    for (const one of held) {
      if (one.number === undefined) continue;
      const at = one.line * buckets + one.bucket;
      inBucket.set(at, [...(inBucket.get(at) ?? []), one]);
    }
    const figures = [];
    const used = Math.min(many, Math.ceil(numbers / 2 ** remainderBits / buckets));
    for (let line = 0; line < used; line += 1) {
      const cells = Array.from({ length: buckets }, (_, bucket) => {
        const all = inBucket.get(line * buckets + bucket) ?? [];
        const here = asked.line === line && asked.bucket === bucket;
        return make("span", { class: `${all.length ? "full" : ""}${here ? " hit" : ""}`, title: all.map(({ key }) => key).join(", ") }, all.length ? all.map(({ remainder }) => remainder).join(" ") : "·");
      });
      figures.push(make("figure", { class: asked.line === line ? "touched" : "" }, make("figcaption", {}, `Line ${line + 1}`), make("div", { class: "buckets", role: "img", "aria-label": `Line ${line + 1}: ${cells.filter((cell) => cell.className.includes("full")).length} of ${buckets} buckets have remainders` }, ...cells)));
    }
    fill("play-drawing", make("div", { class: "stack" }, ...figures));
    const mine = inBucket.get(asked.line * buckets + asked.bucket) ?? [];
    const same = mine.filter(({ remainder }) => remainder === asked.remainder);
    fill(
      "play-why",
      make("p", {}, `Each key has one of ${count(numbers)} numbers; “${asked.key}” has number ${count(asked.number)}. Its upper part is bucket ${asked.bucket + 1} of line ${asked.line + 1}; a slot keeps the lower part, the remainder ${asked.remainder}.`),
      make("p", {}, same.length ? `That remainder is in its bucket, put there by ${same.map(({ key }) => key).join(", ")}. So the filter says perhaps.` : mine.length ? `Its bucket has ${mine.map(({ remainder }) => remainder).join(", ")}, and not ${asked.remainder}. So the key is not in.` : "Its bucket is empty. So the key is not in."),
    );
  }

  // A ribbon: the values of some slots add up, bit by bit, to what a member finds.
  function ribbon({ asked, keys: held, slotCount }) {
    if (!asked.slots) {
      fill("play-drawing");
      fill("play-why", make("p", {}, held.length ? "This key has no slots." : "The ribbon has no keys."));
      return;
    }
    const bits = (value) => value.toString(2).padStart(asked.columns, "0");
    const chosen = new Map(asked.slots);
    const known = new Map(held.flatMap(({ slots }) => slots ?? []));
    const length = Math.max(slotCount, ...[...known.keys(), ...chosen.keys()].map((slot) => slot + 1));
    const cells = Array.from({ length }, (_, slot) => {
      const value = chosen.get(slot) ?? known.get(slot);
      return make("span", { class: `bits ${chosen.has(slot) ? "full hit" : ""}`, title: `slot ${slot + 1}` }, value === undefined ? "·" : bits(value));
    });
    fill("play-drawing", make("figure", { class: "touched" }, make("figcaption", {}, `${length} slots of ${asked.columns} bits; those of “${asked.key}” are outlined`), make("div", { class: "buckets", role: "img", "aria-label": `${asked.slots.length} of ${length} slots are added` }, ...cells)));
    const [print, sum] = [asked.fingerprint, Math.floor(asked.sum / 2 ** asked.valueBits)];
    const width = asked.columns - asked.valueBits;
    const word = (value) => value.toString(2).padStart(width, "0");
    fill(
      "play-why",
      make("p", { class: "bits" }, `${asked.slots.map(([, value]) => bits(value)).join(" ⊕ ")} = ${bits(asked.sum)}`),
      make("p", {}, `The slots were solved so that each key that is in finds its own fingerprint as this sum${asked.valueBits ? ", above the bits of its value" : ""}. “${asked.key}” has the fingerprint ${word(print)}, and its slots add up to ${word(sum)}: ${print === sum ? "the same, so the filter says perhaps." : "another one, so the key is not in."} With ${width} bits, one other key in ${2 ** width} finds the same by chance.`),
    );
  }

  function state() {
    const list = keys().join("\n");
    address.write("play", {
      kind: byId("play-kind").value === "line" ? undefined : byId("play-kind").value,
      keys: list === usual.join("\n") ? undefined : list,
      ask: byId("play-asked").value,
    });
  }

  function start(state) {
    byId("play-keys").value = state.get("keys") ?? usual.join("\n");
    byId("play-asked").value = state.get("ask") ?? "plum";
    byId("play-kind").value = state.get("kind") ?? "line";
    if (byId("play-kind").selectedIndex < 0) byId("play-kind").value = "line";
    return show();
  }

  const soon = later(() => show());
  for (const id of ["play-kind", "play-keys", "play-asked"]) byId(id).addEventListener("input", soon);
  byId("play-find").addEventListener("click", () => show(true));
  byId("play-more").addEventListener("click", () => {
    const held = keys();
    const more = Array.from({ length: 40 }, (_, i) => `key ${held.length + i}`);
    byId("play-keys").value = [...held, ...more].join("\n");
    show();
  });
  byId("play-form").addEventListener("submit", (event) => event.preventDefault());
  return { start };
})();
