"use strict";
// The module, off the main thread. Each message is { id, call, args }; the answer is { id, value }
// or { id, error }. A module that stopped is replaced at the next call.
const PIECE = 1 << 20;
const TOO_LARGE = "this browser has no memory for so large a file";
let compiled;
let module;

// 13 bits in two letters from # to ~, without <.
function bytesOf(text, length) {
  const bytes = new Uint8Array(length);
  const value = (at) => text.charCodeAt(at) - 35 - (text.charCodeAt(at) > 60);
  let [bits, count, to] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 2) {
    bits |= (91 * value(at) + value(at + 1)) << count;
    for (count += 13; count >= 8; count -= 8, bits >>= 8) if (to < length) bytes[to++] = bits & 255;
  }
  return bytes;
}

async function unpack({ text, length }) {
  const packed = bytesOf(text, length);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  compiled = await WebAssembly.compile(await new Response(stream).arrayBuffer());
}

function ready() {
  module ??= new WebAssembly.Instance(compiled).exports;
  return module;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function put(bytes) {
  // An address of the upper half of the memory comes as a negative number.
  const at = ready().room(bytes.length) >>> 0;
  if (at === 0 && bytes.length > 0) throw new Error(TOO_LARGE);
  new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
}

// The result of a call, whose length it returned.
function taken(length) {
  const failed = length < 0;
  const bytes = new Uint8Array(module.memory.buffer, module.result() >>> 0, failed ? module.reason_len() : length);
  if (failed) throw new Error(decoder.decode(bytes));
  return bytes;
}

const json = (length) => JSON.parse(decoder.decode(taken(length)));

// A list in pieces, as the command reads it: gzip is unpacked, and UTF-16 becomes UTF-8.
async function* read(list, progress) {
  const blob = typeof list === "string" ? new Blob([list]) : list;
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const mark = first * 256 + second;
  const utf16 = (name) => [new TextDecoderStream(name, { fatal: true }), new TextEncoderStream()];
  const through = {
    0x1f8b: () => [new DecompressionStream("gzip")],
    0xfffe: () => utf16("utf-16le"),
    0xfeff: () => utf16("utf-16be"),
  }[mark];
  if (!through) {
    for (let at = 0; at < blob.size; at += PIECE) {
      yield new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer());
      progress(Math.min(1, (at + PIECE) / blob.size));
    }
    return;
  }
  let taken = 0;
  const count = new TransformStream({
    transform(chunk, next) {
      taken += chunk.length;
      next.enqueue(chunk);
    },
  });
  const reader = [count, ...through()].reduce((stream, step) => stream.pipeThrough(step), blob.stream()).getReader();
  try {
    for (let ended = false; !ended; ) {
      const parts = [];
      for (let size = 0; size < PIECE && !ended; ) {
        const { done, value } = await reader.read();
        ended = done;
        if (value) size += parts[parts.push(value) - 1].length;
      }
      yield new Uint8Array(await new Blob(parts).arrayBuffer());
      progress(taken / blob.size);
    }
  } catch (error) {
    const [as, instead] = mark === 0x1f8b ? ["gzip", "unpack it first"] : ["UTF-16", "save it as UTF-8"];
    throw new Error(`the list cannot be read as ${as} (${error.message}); ${instead}`);
  } finally {
    reader.cancel().catch(() => {});
  }
}

// One piece waits for the next, so that the last one is known.
async function pieces(list, each) {
  let waiting = new Uint8Array();
  for await (const piece of read(list, (progress) => postMessage({ progress }))) {
    put(waiting);
    each(false);
    waiting = piece;
  }
  put(waiting);
  each(true);
}

const calls = {
  unpack,
  plan: ({ keys = NaN, rate = NaN, bytes = NaN, segments, values }) =>
    json(ready().plan(keys, rate, bytes, segments, values)),
  curves: ({ keys, rate, segments, values }) => json(ready().curves(keys, rate, segments, values)),
  play: ({ kind, asked, keys, find }) => {
    put(encoder.encode([kind, asked, ...keys].join("\n")));
    return json(module.play(find ? 1 : 0));
  },
  open: async ({ file, format, domain, secret }) => {
    put(encoder.encode(secret));
    if (module.secret() < 0) taken(-1);
    if (file.size > 2 ** 31) throw new Error(TOO_LARGE);
    put(new Uint8Array(await file.arrayBuffer()));
    return json(module.open(format, domain));
  },
  lookup: ({ key }) => {
    put(encoder.encode(key));
    return json(module.lookup());
  },
  preview: async ({ file, delimiter }) => {
    put(new Uint8Array());
    for await (const piece of read(file, () => {})) {
      put(piece.subarray(0, 1 << 16));
      break;
    }
    return json(module.preview(delimiter));
  },
  ask: async ({ list, output, place }) => {
    begin(place);
    const parts = [];
    await pieces(list, (last) => {
      const bytes = taken(module.ask(output, last ? 1 : 0));
      if (bytes.length) parts.push(bytes.slice());
    });
    return { asked: module.asked(), found: module.found(), blob: new Blob(parts, { type: "text/plain" }) };
  },
  make: async ({ list, kind, rate, labels, place }) => {
    put(encoder.encode([kind, ...labels].join("\n")));
    if (module.make(rate) < 0) taken(-1);
    begin(place);
    let records = 0;
    await pieces(list, (last) => {
      records = module.add(last ? 1 : 0);
      if (records < 0) taken(-1);
    });
    const facts = json(module.finish());
    const blob = new Blob([taken(module.bytes()).slice()], { type: "application/octet-stream" });
    return { records, facts, blob };
  },
};

function begin({ delimiter = 0, column = 0, second = -1, header = false } = {}) {
  ready().list(delimiter, column, second, header ? 1 : 0);
}

// One call after the other: all of them share the buffers.
let last = Promise.resolve();
onmessage = ({ data: { id, call, args } }) => {
  last = last.then(async () => {
    try {
      postMessage({ id, value: await calls[call](args) });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) module = undefined;
      const stopped = error instanceof WebAssembly.RuntimeError;
      postMessage({ id, error: stopped ? "the module stopped. A page has 4 GiB of memory; please report a smaller file that stops it" : error.message });
    }
  });
};
