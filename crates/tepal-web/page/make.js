// Make: a filter of a list, as a file to download.
const maker = (() => {
  let list;
  let preview;
  let place;
  const extensions = { guava: "guava", spark: "spark", "parquet-sbbf": "sbbf", redisbloom: "redis", "valkey-bloom": "valkey", "bits-and-blooms": "bloom", dcso: "dcso" };
  const second = () => ({ segments: "segment", map: "value" })[byId("make-kind").value] ?? "";

  async function take(chosen) {
    list = chosen;
    place = undefined;
    fill("made");
    tell("make-problem");
    try {
      preview = await engine.call("preview", { file: list, delimiter: 0 });
    } catch (error) {
      preview = undefined;
      byId("make-form").hidden = true;
      tell("make-problem", `${list.name}: ${error.message}`);
      return;
    }
    byId("make-form").hidden = false;
    byId("make-drop").classList.add("small");
    draw();
  }

  function draw() {
    state();
    if (!preview) return;
    place = columns("make-columns", preview, { second, kept: place?.delimiter ? place : undefined, cut });
    const needs = second() && !place.delimiter;
    tell("make-problem", needs ? `A ${byId("make-kind").value === "map" ? "map" : "filter of segments"} needs a second column: a list such as key,${second()}.` : undefined);
    byId("make-go").disabled = Boolean(needs);
  }

  async function cut(delimiter) {
    const found = delimiter ? await engine.call("preview", { file: list, delimiter }) : { delimiter, rows: [] };
    [preview, place] = [found, undefined];
    draw();
    byId("make-columns-by").focus();
  }

  function rate() {
    const found = read.rate(byId("make-rate").value);
    byId("make-rate-read").textContent = found.problem ? `Not understood; ${found.problem}` : found.shown;
    byId("make-rate").setAttribute("aria-invalid", Boolean(found.problem));
    state();
    return found.value;
  }

  async function go(event) {
    event.preventDefault();
    const wanted = rate();
    if (!wanted) byId("make-rate").focus();
    if (!list || !wanted) return;
    const kind = byId("make-kind").value;
    const making = list;
    const bar = byId("make-progress");
    bar.hidden = false;
    engine.onprogress((share) => (bar.value = share));
    const name = place.delimiter && place.header ? (preview.rows[0][place.column] ?? "") : "";
    // Labels have no line ends, nor letters that nobody sees.
    const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
    const field = name.search(unseen) < 0 ? name : "";
    const rows = field ? `csv ${place.delimiter.toString(16).padStart(2, "0")}` : "";
    const labels = [list.name.replace(unseen, " "), new Date().toISOString().slice(0, 10), field, rows];
    try {
      const { records, facts, blob } = await engine.call("make", { list, kind, rate: wanted, labels, place });
      if (list === making) done(kind, records, facts, blob);
    } catch (error) {
      tell("make-problem", error.message);
    }
    bar.hidden = true;
  }

  function done(kind, records, facts, blob) {
    const name = `${stem(list.name).replace(/[^\w.-]/g, "_").replace(/^-/, "_") || "keys"}.${extensions[kind] ?? "tepal"}`;
    const verb = { segments: "which", map: "get" }[kind] ?? "has";
    const command = `tepal ${verb} ${extensions[kind] ? `--from ${kind} ` : ""}${name} -e KEY`;
    fill("made", make("div", { class: "headline", id: "made-headline" }), make("div", { id: "made-warnings" }), download("make", blob, name, `Download ${name}, ${size(blob.size)}`), make("div", { class: "paste" }, make("h3", {}, "Shell"), make("pre", {}, command), copyButton(command)));
    opener.describe("made", facts, `${many(records, "record")} of ${list.name}`);
    tell("make-problem");
  }

  function state() {
    address.write("make", { kind: byId("make-kind").value === "tepal" ? undefined : byId("make-kind").value, rate: byId("make-rate").value });
  }

  function start(state) {
    byId("make-rate").value = state.get("rate") ?? "1%";
    byId("make-kind").value = state.get("kind") ?? "tepal";
    if (byId("make-kind").selectedIndex < 0) byId("make-kind").value = "tepal";
    rate();
    draw();
  }

  drop("make-drop", "make-file", take);
  byId("make-kind").addEventListener("input", draw);
  byId("make-rate").addEventListener("input", rate);
  byId("make-form").addEventListener("submit", go);
  return { start };
})();
