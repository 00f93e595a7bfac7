// All state is in the address: #part?name=value&...
const address = (() => {
  const left = new Map();
  return {
    read() {
      const [, part, query] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
      // The links of this page are bare: a part goes on as it was left.
      return { part: part || "plan", state: new URLSearchParams(query || left.get(part)) };
    },
    write(part, values) {
      const state = new URLSearchParams();
      for (const [name, value] of Object.entries(values)) {
        if (value !== undefined && value !== "") state.set(name, value);
      }
      const query = state.toString();
      left.set(part, query);
      try {
        history.replaceState(null, "", `#${part}${query ? `?${query}` : ""}`);
      } catch {
        // A browser refuses an address of megabytes, and too many in a row.
      }
    },
  };
})();
