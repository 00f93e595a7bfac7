// Open: what a file is, and its answers.
const opener = (() => {
  let file;
  let facts;
  let list;
  let place;

  const chosenIn = (id) => Number(byId(id).value);

  // Never the secret key.
  function state() {
    const other = (id) => (chosenIn(id) ? byId(id).value : "");
    address.write("open", { ask: byId("ask-key").value, format: other("open-format"), keys: other("open-domain") });
  }

  const kinds = {
    bloom: "Bloom filter", scalable: "Chain of Bloom filters", quotient: "Deletable filter", growing: "Growing filter",
    expiring: "Filter with a window", segment: "Filter of segments", ribbon: "Static filter", map: "Map",
  };

  async function open(chosen) {
    // A secret key is for one file.
    if (chosen) byId("secret").value = "";
    file = chosen ?? file;
    state();
    if (!file) return;
    tell("open-problem");
    tell("secret-read");
    try {
      facts = await engine.call("open", { file, format: chosenIn("open-format"), domain: chosenIn("open-domain"), secret: byId("secret").value });
    } catch (error) {
      // A wrong secret key leaves what the file told without it.
      if (facts && byId("secret").value) {
        facts.keyless = true;
        byId("asking").hidden = true;
        tell("secret-read", error.message);
        return;
      }
      facts = undefined;
      byId("opened").hidden = true;
      tell("open-problem", `${file.name}: ${error.message}`);
      return;
    }
    byId("opened").hidden = false;
    byId("asking").hidden = facts.keyless;
    byId("secret-field").hidden = facts.scheme !== "siphash13";
    byId("open-drop").classList.add("small");
    list = undefined;
    fill("list-columns");
    fill("list-answer");
    describe("open", facts, file.name);
    await Promise.all([askOne(), askPasted()]);
  }

  function describe(prefix, of, name) {
    const promised = of.promised ? `, ${oneIn(of.promised)} promised` : "";
    fill(`${prefix}-headline`, make("b", {}, kinds[of.kind], " of ", make("i", {}, many(of.length, "key", short))), `${name}: ${of.rate ? `wrong ${oneIn(of.rate)}` : "never wrong"} now${promised}.`);
    const warnings = [...of.warnings];
    if (of.keyless) warnings.push(of.scheme === "siphash13" ? "It answers only with its secret key." : "Only its maker’s own hash can ask it. It is described here, and not asked.");
    if (of.overCapacity && of.promised) warnings.push("It holds more keys than it was planned for, and is past its promise.");
    if (of.sealed) warnings.push("It has a seal. Without the seal’s key nobody can tell whether it was exchanged.");
    if (!of.checksum) warnings.push("Its format has no checksum: changed bits would not be noticed.");
    fill(`${prefix}-warnings`, ...warnings.map((text) => make("p", { class: "note" }, text)));
    byId(`${prefix}-facts`)?.replaceChildren(...details(of));
  }

  function details(of) {
    const list = [
      ["File", `${size(of.fileLen)}, ${of.format}${of.checksum ? ", checked" : ""}`],
      ["Hash", of.scheme + (of.domain === "bytes" ? "" : ` of ${of.domain}`) + (of.trim ? ", trimmed" : "") + (of.nocase ? ", any case" : "")],
      of.layout && ["Layout", `${of.layout}, ${of.k} bits a key`],
      of.links > 1 && ["Links", String(of.links)],
      of.fill !== undefined && ["Full", percentOf(of.fill)],
      of.capacity && ["Planned for", `${count(of.capacity)} keys`],
      of.inserted !== undefined && ["Keys given to it", count(of.inserted)],
      of.exceptions > 0 && ["Exceptions", count(of.exceptions)],
      of.window && ["Window", `${count(of.window.length)} ${of.window.unit}`],
      of.name && ["Name", of.name], of.source && ["Source", of.source], of.date && ["Date", of.date],
      of.field && ["Key", `${of.field}${of.rows ? ` of ${of.rows.split(" ")[0]}` : ""}`],
      ["It can", of.can.join(", ").replace("segmented", "tell segments").replace("valued", "tell values") || "answer"],
    ];
    const bars = of.slices.map((share, i) => make(":rect", { x: (i * 480) / of.slices.length, y: 56 - 56 * share, width: 480 / of.slices.length - 1, height: 56 * share }));
    const picture = make(":svg", { class: "fillbar", viewBox: "0 0 480 56", preserveAspectRatio: "none", role: "img", "aria-label": "How full equal parts of it are" }, make(":path", { d: "M0 28H480" }), ...bars);
    const segments = of.segmentCount > 0 && make("p", {}, make("strong", {}, `${count(of.segmentCount)} ${of.can.includes("valued") ? "named values" : "segments"}: `), of.segments.map(({ name, keys }) => `${name} (${count(keys)})`).join(", "), of.segmentCount > of.segments.length && " and more");
    return [picture, make("dl", {}, ...list.filter(Boolean).map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text)))), segments].filter(Boolean);
  }

  async function askOne() {
    const key = byId("ask-key").value;
    state();
    if (!facts || facts.keyless || key === "") return fill("ask-answer");
    const answer = await engine.call("lookup", { key });
    const more = [
      answer.problem,
      answer.segments?.length && `in ${answer.segments.join(", ")}`,
      answer.value !== undefined && `value ${answer.value}`,
      answer.count && `counted ${count(answer.count)} times`,
      answer.age !== undefined && `put in about ${count(answer.age)} ${facts.window.unit} ago`,
    ].filter(Boolean);
    fill("ask-answer", make("span", { class: answer.in ? "yes" : "no" }, answer.in ? "Perhaps in" : "Surely not in"), make("small", {}, more.join("; ")));
  }

  async function askPasted() {
    const text = byId("ask-paste").value;
    if (!facts || facts.keyless || text === "") return fill("ask-answers");
    const { asked, found, blob } = await engine.call("ask", { list: text, output: 4 });
    const lines = text.split("\n");
    // Each answer is behind its mark; the last line end begins no answer.
    const answers = (await blob.text()).split("\n").slice(0, -1).slice(0, 200);
    const answer = ([mark, ...letters]) => (mark === "-" ? "surely not" : letters.join("").replace(/^yes$/, isNamed ? "yes" : "perhaps"));
    const isNamed = facts.can.includes("segmented") || facts.can.includes("valued");
    const rows = answers.map((told, i) => make("tr", {}, make("td", { class: "what" }, lines[i]), make("td", {}, answer(told))));
    const cut = asked > answers.length ? `; the first ${answers.length} are below` : "";
    fill("ask-answers", make("table", {}, make("caption", {}, `${count(found)} of ${count(asked)} are perhaps in${cut}`), make("tbody", {}, ...rows)));
  }

  async function takeList(chosen) {
    if (!facts || facts.keyless) return;
    list = chosen;
    await cut();
  }

  // Takes the list apart, at a delimiter that was chosen or at the one that it seems to have.
  async function cut(delimiter) {
    const cutting = list;
    let preview = { delimiter: 0, rows: [] };
    try {
      if (delimiter !== 0) preview = await engine.call("preview", { file: cutting, delimiter: delimiter ?? 0 });
      if (list !== cutting) return;
    } catch (error) {
      list = undefined;
      fill("list-columns");
      fill("list-answer", make("p", { class: "note" }, `${cutting.name}: ${error.message}`));
      return;
    }
    place = columns("list-columns", preview, { named: facts.field, second: () => "", changed: run, cut });
    if (delimiter !== undefined) byId("list-columns-by").focus();
    await run();
  }

  async function run() {
    if (!list) return;
    const asking = list;
    const bar = byId("list-progress");
    bar.hidden = false;
    engine.onprogress((share) => (bar.value = share));
    const output = Number(byId("list-output").value);
    const started = performance.now();
    try {
      const { asked, found, blob } = await engine.call("ask", { list: asking, output, place });
      if (list !== asking) return;
      const seconds = (performance.now() - started) / 1000;
      const name = `${stem(asking.name)}-${["", "in", "not-in", "answers"][output]}.txt`;
      fill("list-answer", make("p", {}, make("strong", {}, count(found)), ` of ${count(asked)} are perhaps in (${seconds.toFixed(2)} s).`), download("open", blob, name, `Download ${name}`));
    } catch (error) {
      fill("list-answer", make("p", { class: "note" }, error.message));
    }
    bar.hidden = true;
  }

  function start(given) {
    byId("ask-key").value = given.get("ask") ?? "";
    const before = [chosenIn("open-format"), chosenIn("open-domain")].join();
    for (const [id, name] of [["open-format", "format"], ["open-domain", "keys"]]) {
      byId(id).value = given.get(name) ?? "0";
      if (byId(id).selectedIndex < 0) byId(id).value = "0";
    }
    return before === [chosenIn("open-format"), chosenIn("open-domain")].join() ? askOne() : open();
  }

  drop("open-drop", "open-file", open);
  drop("list-drop", "list-file", takeList);
  byId("list-output").addEventListener("input", run);
  for (const id of ["open-format", "open-domain"]) byId(id).addEventListener("input", () => open());
  byId("secret").addEventListener("input", later(() => open()));
  byId("ask-key").addEventListener("input", later(askOne, 60));
  byId("ask-paste").addEventListener("input", later(askPasted));
  for (const id of ["ask-form", "secret-field"]) byId(id).addEventListener("submit", (event) => event.preventDefault());
  return { start, describe };
})();
