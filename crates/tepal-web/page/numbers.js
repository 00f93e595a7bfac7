// Numbers as people type them, and as the page shows them. What it understood is always shown.

const UNITS = { k: 1e3, m: 1e6, g: 1e9, t: 1e12, ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30, ti: 2 ** 40 };

// The digits with a decimal point and without separators of thousands. `always` is a field in which
// a single separator is a decimal mark, whatever follows it.
function plain(text, always) {
  const digits = text.replace(/[\s_'’\u00a0\u202f]/g, "");
  const marks = digits.match(/[.,]/g) ?? [];
  const lastMark = marks.at(-1);
  const grouped = /^[1-9]\d{0,2}([.,]\d{3})+$/.test(digits);
  if (marks.length === 0) return digits;
  // Marks of one kind, in groups of three: thousands, unless it is one in a field of decimals.
  if (new Set(marks).size === 1 && grouped && !(always && marks.length === 1)) return digits.replace(/[.,]/g, "");
  if (marks.filter((mark) => mark === lastMark).length > 1) return "";
  const at = digits.lastIndexOf(lastMark);
  return `${digits.slice(0, at).replace(/[.,]/g, "")}.${digits.slice(at + 1)}`;
}

function number(text, always) {
  const digits = plain(text, always);
  return /^\d*\.?\d+(e[+-]?\d+)?$|^\d+\.$/i.test(digits) ? Number(digits) : NaN;
}

function amount(text, isSize) {
  const parts = /^([\d.,_'’\s\u00a0\u202f]+(?:e\+?\d+)?)\s*([a-z]*)$/i.exec(text.trim().replace(isSize ? /\.$/ : /\.?(\s*keys?)?$/i, ""));
  if (!parts) return NaN;
  let unit = parts[2].toLowerCase();
  if (isSize) unit = unit.replace(/bytes?$|b$/, "");
  const words = { thousand: "k", million: "m", mio: "m", billion: "g", mrd: "g" };
  unit = words[unit] ?? unit;
  const scale = unit === "" ? 1 : UNITS[unit];
  return scale ? number(parts[1], unit !== "" && !/[.,]\d{3}\s*$/.test(parts[1])) * scale : NaN;
}

const read = {
  keys(text) {
    const keys = Math.round(amount(text, false));
    if (keys >= 1 && keys <= 1e15) return { value: keys, shown: many(keys, "key") };
    return { problem: "a number of keys, such as 20M, 1.5k or 20,000,000" };
  },
  rate(text) {
    const parts = /^(.+?)(?:\s+in\s+|\/|:)(.+)$/i.exec(text.trim());
    const percent = /^(.*?)\s*(%|‰|percent)$/i.exec(text.trim());
    let rate = NaN;
    if (parts) rate = number(parts[1], true) / amount(parts[2], false);
    else if (percent) rate = number(percent[1], true) / (percent[2] === "‰" ? 1000 : 100);
    else rate = number(text, true);
    if (rate > 0 && rate < 1) return { value: rate, shown: rate > 0.5 ? percentOf(rate) : `${oneIn(rate)}, or ${percentOf(rate)}` };
    return { problem: "a share between 0 and 1, such as 1%, 0.001 or 1 in 1000" };
  },
  size(text) {
    const bytes = Math.round(amount(text, true));
    if (bytes >= 1 && bytes <= 2 ** 43) return { value: bytes, shown: bytes < 1024 ? size(bytes) : `${size(bytes)}, or ${count(bytes)} bytes` };
    return { problem: "a size, such as 24 MiB, 24MB or 4096" };
  },
};

const count = (n) => Math.round(n).toLocaleString("en-US");
const many = (n, word, how = count) => `${how(n)} ${word}${Math.round(n) === 1 ? "" : "s"}`;

// Large numbers to three digits: 20 M, 1.44 M.
function short(n) {
  if (n < 1e5) return count(n);
  const rounded = Number(n.toPrecision(3));
  const [unit, scale] = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]].find(([, scale]) => rounded >= scale);
  return `${rounded / scale}\u00a0${unit}`;
}

function size(bytes) {
  let unit = 0;
  let value = bytes;
  const units = ["", "KiB", "MiB", "GiB", "TiB"];
  while (value >= 1023.95 && unit < 4) {
    value /= 1024;
    unit += 1;
  }
  return unit ? `${value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}` : many(bytes, "byte");
}

function oneIn(rate) {
  if (rate <= 0) return "never";
  if (rate > 0.5) return percentOf(rate);
  const keys = 1 / rate;
  if (keys < 99.5) return `1 in ${Number(keys.toFixed(1))}`;
  // Four digits, except for a number that was typed; beyond thousands of millions of millions a power.
  if (keys > 1e15) return `1 in ${power(keys)}`;
  return `1 in ${count(Number.isInteger(keys) ? keys : Number(keys.toPrecision(4)))}`;
}

const power = (n) => String(Number(n.toPrecision(3)).toExponential()).replace(/e\+?(-?)(\d+)/, (_, minus, digits) => ` · 10${minus && "⁻"}${[...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`).replace(/^1 · /, "");

function percentOf(rate) {
  const percent = 100 * rate;
  return `${percent < 1e-6 ? power(percent) : Number(percent > 99 ? percent.toFixed(6) : percent.toPrecision(3))} %`;
}

// As a command line and a program take them: always with a point.
const keysFor = (n) => (n % 1e6 === 0 ? `${n / 1e6}M` : n % 1e3 === 0 ? `${n / 1e3}k` : String(n));
const rateFor = (rate) => String(Number(rate.toPrecision(6)));
