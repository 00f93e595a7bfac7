// Plan: from two of keys, rate and size to the third, for every kind.
const plan = (() => {
  const fields = ["keys", "rate", "size"];
  // The two that were given last, the latest at the end.
  let given = ["keys", "rate"];
  let turn = 0;
  const names = {
    line: ["Bloom, one line", "one memory access a key"],
    double: ["Bloom, two lines", "two memory accesses a key"],
    "split-block": ["Bloom, Parquet’s block", "one access; the bits of Parquet"],
    scattered: ["Bloom, classic", "up to k memory accesses a key"],
    static: ["Static filter", "the smallest, of a complete list"],
    deletable: ["Deletable filter", "keys can be removed"],
    counting: ["Counting filter", "and are counted, to 15 each and beyond"],
    growing: ["Growing filter", "takes more keys for ever"],
    window: ["Filter with a window", "forgets keys by itself"],
    segments: ["Filter of segments", "which segments may have a key"],
    map: ["Map", "a value for each key"],
    guava: ["Guava", "BloomFilter.create"],
    spark: ["Spark", "df.stat.bloomFilter, from 4.1 on"],
    redis: ["Redis", "BF.RESERVE, one filter"],
    parquet: ["Parquet", "split blocks, sizes are powers of two"],
    go: ["Go, bits-and-blooms", "NewWithEstimates"],
    limit: ["Limit", "the least that any filter can take"],
  };

  function values() {
    const found = {};
    for (const field of fields) {
      const text = byId(field).value;
      found[field] = given.includes(field) ? read[field](text) : undefined;
      const { shown, problem } = found[field] ?? {};
      byId(field).parentElement.classList.toggle("computed", !given.includes(field));
      byId(`${field}-read`).textContent = problem ? `Not understood; ${problem}` : (shown ?? "");
      byId(`${field}-read`).classList.toggle("problem", Boolean(problem));
      byId(field).setAttribute("aria-invalid", Boolean(problem));
    }
    return found;
  }

  function whole(id, least, most) {
    const { value } = read.keys(byId(id).value);
    const is = value >= least && value <= most;
    byId(id).setAttribute("aria-invalid", !is);
    byId(`${id}-read`).textContent = is ? "" : `Not understood; ${least} to ${count(most)}`;
    return is ? value : undefined;
  }

  async function show() {
    const found = values();
    const [segments, map] = [whole("segments", 1, 65536), whole("values", 2, 65536)];
    const isMissing = given.some((field) => found[field].problem) || !segments || !map;
    // What is shown is of other figures then.
    byId("part-plan").classList.toggle("stale", isMissing);
    if (isMissing) return;
    const asked = { segments, values: map };
    for (const field of given) asked[field === "size" ? "bytes" : field] = found[field].value;
    state();
    const mine = ++turn;
    const rows = await engine.call("plan", asked);
    if (mine !== turn) return;
    const best = rows.find((row) => row.chosen) ?? rows.find((row) => !row.problem && row.group === "kind");
    const missing = fields.find((field) => !given.includes(field));
    if (!best) {
      byId(missing).value = byId(`${missing}-read`).textContent = "";
      fill("plan-headline", rows[0].problem);
      table(rows);
      for (const id of ["plot-size", "plot-fill", "paste"]) fill(id);
      return;
    }
    byId(missing).value = { keys: keysFor(best.keys), rate: oneIn(best.rate), size: size(best.bytes) }[missing];
    byId(`${missing}-read`).textContent = { keys: count(best.keys), rate: percentOf(best.rate), size: `${count(best.bytes)} bytes` }[missing];
    headline(best, rows);
    table(rows);
    paste(best);
    const curves = await engine.call("curves", { keys: best.keys, rate: best.rate, segments, values: map });
    if (mine === turn) plots(curves, best);
  }

  function headline(best, rows) {
    const smallest = rows.find((row) => row.name === "static");
    fill(
      "plan-headline",
      make("b", {}, make("i", {}, size(best.bytes)), ` for ${many(best.keys, "key", short)}`),
      `${names[best.name][0]}: ${(8 * best.bytes / best.keys).toFixed(2)} bits a key, wrong ${oneIn(best.rate)}.`,
      smallest && !smallest.problem && smallest.bytes < best.bytes &&
        ` A static filter of the same list takes ${size(smallest.bytes)}.`,
    );
  }

  function table(rows) {
    // A figure that was given is the same in every row.
    const head = ["Kind", shows("keys") && "Keys", "Size", "Bits a key", shows("rate") && "Rate", "What it is"].filter(Boolean);
    const isText = (i) => i === 0 || i === head.length - 1;
    fill(
      "plan-table",
      make("thead", {}, make("tr", {}, ...head.map((name, i) => make("th", { scope: "col", class: isText(i) ? "" : "n" }, name)))),
      make("tbody", {}, ...rows.map(line)),
    );
  }

  const shows = (field) => !given.includes(field);

  function line(row) {
    const [name, what] = names[row.name];
    const style = row.chosen ? "chosen" : row.group === "kind" || row.group === "bloom" ? "" : "peer";
    const first = make("th", { scope: "row" }, name);
    if (row.problem) return make("tr", { class: style }, first, make("td", { colspan: 5, class: "what" }, row.problem));
    const cell = (text) => make("td", { class: "n" }, text);
    const delivers = row.delivered && Math.abs(row.delivered / row.rate - 1) > 0.1;
    return make(
      "tr",
      { class: style },
      first,
      shows("keys") && cell(count(row.keys)),
      cell(size(row.bytes)),
      cell((8 * row.bytes / row.keys).toFixed(2)),
      shows("rate") && cell(oneIn(row.rate)),
      make("td", { class: "what" }, what, row.chosen && "; what tepal build takes", delivers && `; delivers ${oneIn(row.delivered)}`),
    );
  }

  function plots({ size: sizes, fill: fills }, best) {
    const curves = (of, map) =>
      Object.entries(of).map(([name, points]) => ({
        name: labels[name],
        style: (name in peers ? "" : "ours") + (name === best.name ? " chosen" : "") + (name === "limit" ? " limit" : ""),
        points: map(points),
      }));
    const labels = {
      line: "Bloom", double: "Bloom in 2 lines", "split-block": "Bloom in blocks", scattered: "Bloom, scattered", static: "static",
      deletable: "deletable", counting: "counting", growing: "growing", window: "window", segments: "segments", map: "map",
      guava: "Guava", spark: "Spark", redis: "Redis", parquet: "Parquet", go: "Go", limit: "limit",
    };
    const peers = { guava: 1, spark: 1, redis: 1, parquet: 1, go: 1, limit: 1 };
    const bits = curves(sizes, (points) => points.map(([x, bytes]) => [x, (8 * bytes) / best.keys]));
    plot("plot-size", {
      curves: bits,
      x: { from: 0.3, to: 1e-6, ticks: [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6], name: (at) => at >= 1e-3 ? percentOf(at) : `1:${short(1 / at)}`, title: "wrong answers, rarer to the right" },
      y: { from: 0, to: 48, even: true, ticks: [0, 8, 16, 24, 32, 40, 48], name: String },
      here: best.rate <= 0.3 && best.rate >= 1e-6 && best.rate,
      summary: `Bits for each key against the rate, for every kind; at ${oneIn(best.rate)} the table below has the figures.`,
    });
    const least = Math.max(1e-12, best.rate / 1000);
    plot("plot-fill", {
      curves: curves(fills, (points) => points),
      x: { from: 0.1, to: 4, ticks: [0.1, 0.2, 0.5, 1, 2, 4], name: (at) => short(at * best.keys), title: "keys in the filter" },
      y: { from: least, to: 1, ticks: powers(least), name: (at) => (at === 1 ? "1" : at >= 1e-3 ? percentOf(at) : `1:${short(1 / at)}`) },
      here: 1,
      summary: `The rate as filters planned for ${count(best.keys)} keys at ${oneIn(best.rate)} fill: Bloom filters pass it beyond that number, tables take no more keys, growing filters keep it.`,
    });
  }

  function powers(least) {
    const all = [];
    for (let at = 1; at >= least * 0.99; at /= 10) all.push(at);
    return all;
  }

  // The lines to paste. Numbers have points here, whatever was typed.
  const kinds = {
    bloom: "Bloom filter", static: "Static filter", deletable: "Deletable filter", counting: "Counting filter",
    growing: "Growing filter", window: "Filter with a window", segments: "Filter of segments", map: "Map",
  };
  const recipes = {
    bloom: (n, p) => [`tepal build keys.txt -n ${n} -p ${p} -o seen.tepal`, `BloomFilter::builder().capacity(${n}).false_positive_rate(${p}).build()?`, `tepal.BloomFilter(capacity=${n}, false_positive_rate=${p})`],
    static: (n, p) => [`tepal build --static keys.txt -p ${p} -o seen.tepal`, `RibbonFilter::builder().false_positive_rate(${p}).build_from(keys)?`, `tepal.RibbonFilter(keys, false_positive_rate=${p})`],
    deletable: (n, p) => [`tepal build --deletable keys.txt -n ${n} -p ${p} -o seen.tepal`, `QuotientFilter::builder().capacity(${n}).false_positive_rate(${p}).build()?`, `tepal.QuotientFilter(capacity=${n}, false_positive_rate=${p})`],
    counting: (n, p) => [`tepal build --count-bits 4 keys.txt -n ${n} -p ${p} -o seen.tepal`, `QuotientFilter::builder().capacity(${n}).false_positive_rate(${p}).count_bits(4).build()?`, `tepal.QuotientFilter(capacity=${n}, false_positive_rate=${p}, count_bits=4)`],
    growing: (n, p) => [`tepal build --growing keys.txt -n ${n} -p ${p} -o seen.tepal`, `GrowingFilter::builder().first(${n}).false_positive_rate(${p}).build()?`, `tepal.GrowingFilter(first=${n}, false_positive_rate=${p})`],
    window: (n, p) => [`tepal build --window 7d keys.txt -n ${n} -p ${p} -o seen.tepal`, `ExpiringFilter::builder().window_of_time(604_800).capacity(${n}).false_positive_rate(${p}).build()?`, `tepal.ExpiringFilter(window=604800, capacity=${n}, false_positive_rate=${p})`],
    segments: (n, p) => [`tepal build rows.csv -f key --by segment -n ${n} -p ${p} -o seen.tepal`, `SegmentFilter::builder().capacity(${n}).false_positive_rate(${p}).build()?`, `tepal.SegmentFilter(capacity=${n}, false_positive_rate=${p})`],
    map: (n, p) => [`tepal build rows.csv -f key --map value -p ${p} -o seen.tepal`, `RibbonMap::builder().names(names).false_positive_rate(${p}).build_from(pairs)?`, `tepal.RibbonMap(pairs, names=names, false_positive_rate=${p})`],
  };
  function paste({ keys, rate }) {
    const kind = byId("paste-kind").value;
    const [shell, rust, python] = recipes[kind](String(keys), rateFor(rate));
    const asks = { segments: "cardinality(bloom_segments_file('seen.tepal', key)) > 0", map: "bloom_value_file('seen.tepal', key) IS NOT NULL" };
    const sql = `SELECT * FROM t WHERE ${asks[kind] ?? "bloom_contains_file('seen.tepal', key)"};`;
    const lines = [["Shell", shell], ["Rust", rust], ["Python", python], ["SQL", sql]];
    fill("paste", ...lines.map(([name, text]) => make("div", { class: "paste" }, make("h3", {}, name), make("pre", {}, text), copyButton(text))), make("p", { class: "aside" }, "The SQL is for DataFusion with the functions of tepal-datafusion."));
  }

  function state() {
    const values = Object.fromEntries(given.map((field) => [field, byId(field).value]));
    const other = (id, usual) => (byId(id).value === usual ? undefined : byId(id).value);
    address.write("plan", { ...values, segments: other("segments", "30"), values: other("values", "100"), kind: other("paste-kind", "bloom") });
  }

  function start(state) {
    const known = fields.filter((field) => state.has(field));
    given = [...new Set([...known, "keys", "rate"])].slice(0, 2);
    const usual = { keys: "20M", rate: "1%", size: "" };
    for (const field of fields) byId(field).value = state.get(field) ?? (given.includes(field) ? usual[field] : "");
    byId("segments").value = state.get("segments") ?? "30";
    byId("values").value = state.get("values") ?? "100";
    byId("paste-kind").value = state.get("kind") ?? "bloom";
    if (byId("paste-kind").selectedIndex < 0) byId("paste-kind").value = "bloom";
    return show();
  }

  byId("paste-kind").append(...Object.entries(kinds).map(([value, name]) => make("option", { value }, name)));
  const soon = later(show);
  for (const field of fields) {
    byId(field).addEventListener("input", () => {
      if (!given.includes(field)) given = [given[1], field];
      else given = [...given.filter((other) => other !== field), field];
      soon();
    });
  }
  for (const id of ["segments", "values", "paste-kind"]) byId(id).addEventListener("input", soon);
  byId("plan-form").addEventListener("submit", (event) => event.preventDefault());
  return { start };
})();
