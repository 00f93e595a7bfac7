// All state is in the address: #part?name=value&...
const address = {
  read() {
    const [part, query] = location.hash.slice(1).split("?");
    return { part: part || "plan", state: new URLSearchParams(query) };
  },
  write(part, values) {
    const state = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined && value !== "") state.set(name, value);
    }
    const query = state.toString();
    history.replaceState(null, "", `#${part}${query ? `?${query}` : ""}`);
  },
};
