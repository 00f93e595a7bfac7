// The columns of a list. One is the key; some filters take another as the segment or value. `cut`
// is told a delimiter that was chosen in place of the one that was found.
function columns(id, preview, { named, second, changed, kept, cut }) {
  const place = { delimiter: preview.delimiter, column: 0, second: -1, header: false };
  const rows = preview.rows;
  const width = Math.max(0, ...rows.map((row) => row.length));
  const by = make("select", { id: `${id}-by`, onchange: ({ target }) => cut(Number(target.value)) }, ...[[0, "none: each line is a key"], [44, "comma"], [59, "semicolon"], [9, "tab"], [124, "vertical bar"]].map(([value, name]) => make("option", { value }, name)));
  by.value = place.delimiter;
  const choice = make("div", { class: "fields small" }, make("div", { class: "field" }, make("label", { for: `${id}-by` }, "Between columns"), by));
  if (place.delimiter === 0) {
    byId(id).replaceChildren(choice);
    return { delimiter: 0 };
  }
  // A first row without digits above rows with some looks like names.
  const hasDigit = (row) => row.some((field) => /\d/.test(field));
  place.header = rows.length > 1 && !hasDigit(rows[0]) && rows.slice(1).some(hasDigit);
  if (named && rows[0]?.includes(named)) [place.column, place.header] = [rows[0].indexOf(named), true];
  // A change of the filter's kind keeps what was clicked.
  if (kept) [place.column, place.header] = [kept.column, kept.header];
  draw();
  return place;

  function draw() {
    const radio = (of, column) => {
      const input = make("input", { type: "radio", name: `${id}-${of}`, onchange: () => set(of, column) });
      input.checked = place[of] === column;
      return input;
    };
    const heads = (of, label) =>
      make("tr", {}, ...Array.from({ length: width }, (_, column) => make("th", { scope: "col", class: place[of] === column ? "picked" : "" }, make("label", {}, radio(of, column), label))));
    if (second()) {
      if (place.second < 0) place.second = place.column === 0 ? 1 : 0;
    } else {
      place.second = -1;
    }
    const check = make("input", { type: "checkbox", onchange: ({ target }) => { place.header = target.checked; draw(); byId(id).querySelector("[type=checkbox]").focus(); changed?.(); } });
    check.checked = place.header;
    const body = rows.slice(0, 5).map((row, i) => make("tr", {}, ...row.map((field, column) => make(i === 0 && place.header ? "th" : "td", { scope: i === 0 && place.header ? "col" : undefined, class: column === place.column ? "picked" : "" }, field))));
    byId(id).replaceChildren(
      choice,
      make("div", { class: "scroll columns", tabindex: 0, role: "region", "aria-label": "Columns of the list" }, make("table", {}, make("caption", {}, "Which column is the key?"), make("thead", {}, heads("column", "key"), second() && heads("second", second())), make("tbody", {}, ...body))),
      make("label", { class: "check" }, check, "The first row has names"),
    );
  }

  function set(of, column) {
    place[of] = column;
    draw();
    byId(id).querySelector(`[name="${id}-${of}"]:checked`)?.focus();
    changed?.();
  }
}
