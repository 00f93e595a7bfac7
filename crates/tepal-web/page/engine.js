// The module's calls, as promises. It runs in a worker, which is made from this page: nothing is
// fetched.
const engine = (() => {
  const packed = document.getElementById("module");
  const source = document.getElementById("worker").textContent;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const waiting = new Map();
  let count = 0;
  let progress = () => {};
  worker.onmessage = ({ data }) => {
    if (data.progress !== undefined) return progress(data.progress);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.value);
    else reject(new Error(data.error));
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || "its worker did not start"));
    waiting.clear();
  };
  const call = (name, args) =>
    new Promise((resolve, reject) => {
      waiting.set(++count, { resolve, reject });
      worker.postMessage({ id: count, call: name, args });
    });
  return {
    call,
    onprogress: (tell) => {
      progress = tell;
    },
    started: call("unpack", { text: packed.textContent, length: Number(packed.dataset.bytes) }),
  };
})();
