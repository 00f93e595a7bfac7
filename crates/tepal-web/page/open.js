// Open: what a file is, and its answers.
const opener = (() => {
  let file;
  let facts;
  let list;
  let place;

  const kinds = {
    bloom: "Bloom filter", scalable: "Chain of Bloom filters", quotient: "Deletable filter", growing: "Growing filter",
    expiring: "Filter with a window", segment: "Filter of segments", ribbon: "Static filter", map: "Map",
  };

  async function open(chosen) {
    file = chosen ?? file;
    if (!file) return;
    tell("open-problem");
    try {
      facts = await engine.call("open", { file, format: Number(byId("open-format").value), domain: Number(byId("open-domain").value) });
    } catch (error) {
      byId("opened").hidden = true;
      tell("open-problem", `${file.name}: ${error.message}`);
      return;
    }
    byId("opened").hidden = false;
    byId("open-drop").classList.add("small");
    list = undefined;
    fill("list-columns");
    fill("list-answer");
    describe("open", facts, file.name);
    await Promise.all([askOne(), askPasted()]);
  }

  function describe(prefix, of, name) {
    const promised = of.promised ? `, ${oneIn(of.promised)} promised` : "";
    fill(`${prefix}-headline`, make("b", {}, kinds[of.kind], " of ", make("i", {}, `${short(of.length)} keys`)), `${name}: wrong ${oneIn(of.rate)} now${promised}.`);
    const warnings = [...of.warnings];
    if (of.keyless) warnings.push("Only who has its secret, or its hash, can ask it. It is described here, and not asked.");
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
    address.write("open", { ask: key });
    if (!facts || facts.keyless || key === "") return fill("ask-answer");
    const answer = await engine.call("lookup", { key });
    const more = [
      answer.problem,
      answer.segments?.length && `in ${answer.segments.join(", ")}`,
      answer.value !== undefined && `value ${answer.value}`,
      answer.count && `counted ${count(answer.count)} times`,
    ].filter(Boolean);
    fill("ask-answer", make("span", { class: answer.in ? "yes" : "no" }, answer.in ? "Perhaps in" : "Surely not in"), make("small", {}, more.join("; ")));
  }

  async function askPasted() {
    const text = byId("ask-paste").value;
    if (!facts || facts.keyless || text === "") return fill("ask-answers");
    const { asked, found, blob } = await engine.call("ask", { list: text, output: 3 });
    const answers = (await blob.text()).split("\n");
    const lines = text.split(/\r?\n/).slice(0, 200);
    const rows = lines.flatMap((line, i) => (answers[i] ? [make("tr", {}, make("td", { class: "what" }, line), make("td", {}, answers[i] === "yes" ? "perhaps" : answers[i] === "no" ? "surely not" : answers[i]))] : []));
    fill("ask-answers", make("table", {}, make("caption", {}, `${count(found)} of ${count(asked)} are perhaps in`), make("tbody", {}, ...rows)));
  }

  async function takeList(chosen) {
    if (!facts || facts.keyless) return;
    list = chosen;
    let preview;
    try {
      preview = await engine.call("preview", { file: list, delimiter: 0 });
    } catch (error) {
      list = undefined;
      fill("list-columns");
      fill("list-answer", make("p", { class: "note" }, `${chosen.name}: ${error.message}`));
      return;
    }
    const rowed = facts.field || preview.delimiter !== 0;
    place = rowed ? columns("list-columns", preview, { named: facts.field, second: () => "", changed: run }) : { delimiter: 0 };
    if (!rowed) fill("list-columns");
    await run();
  }

  async function run() {
    if (!list) return;
    const bar = byId("list-progress");
    bar.hidden = false;
    engine.onprogress((share) => (bar.value = share));
    const output = Number(byId("list-output").value);
    const started = performance.now();
    try {
      const { asked, found, blob } = await engine.call("ask", { list, output, place });
      const seconds = (performance.now() - started) / 1000;
      const name = `${list.name.replace(/\.\w+$/, "")}-${["", "in", "not-in", "answers"][output]}.txt`;
      fill("list-answer", make("p", {}, make("strong", {}, count(found)), ` of ${count(asked)} are perhaps in (${seconds.toFixed(2)} s).`), download(blob, name, `Download ${name}`));
    } catch (error) {
      fill("list-answer", make("p", { class: "note" }, error.message));
    }
    bar.hidden = true;
  }

  function start(state) {
    byId("ask-key").value = state.get("ask") ?? "";
    if (state.has("format")) byId("open-format").value = state.get("format");
  }

  drop("open-drop", "open-file", open);
  drop("list-drop", "list-file", takeList);
  byId("list-output").addEventListener("input", run);
  for (const id of ["open-format", "open-domain"]) byId(id).addEventListener("input", () => open());
  byId("ask-key").addEventListener("input", later(askOne, 60));
  byId("ask-paste").addEventListener("input", later(askPasted));
  byId("ask-form").addEventListener("submit", (event) => event.preventDefault());
  return { start, describe };
})();
