// Errors first, so that a test of this page sees each of them.
const report = { plots: {}, errors: [] };
window.antiphonReport = report;
window.addEventListener("error", (event) => report.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => report.errors.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => report.errors.push("blocked: " + event.blockedURI));
const consoleError = console.error.bind(console);
console.error = (...words) => {
  report.errors.push(words.join(" "));
  consoleError(...words);
};

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** An element with properties and children; text only ever arrives as text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, part);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Bytes of a base64 text. */
function bytes(base64) {
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) result[i] = text.charCodeAt(i);
  return result;
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const isNumber = (value) => typeof value === "number";

/** A number as people read it: thin spaces between thousands, a true minus, a dash for nothing. */
function numberText(value, decimals) {
  if (!isNumber(value)) return "–";
  const places = decimals ?? (Number.isInteger(value) ? 0 : clamp(3 - Math.floor(Math.log10(Math.abs(value) || 1)), 0, 4));
  const [whole, part] = Math.abs(value).toFixed(places).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") : whole;
  const sign = value < 0 && Number((whole + "." + (part ?? 0))) !== 0 ? "−" : "";
  return sign + grouped + (part ? "." + part : "");
}

/** A number with its unit, kept on one line. */
const withUnit = (value, unit, decimals) => numberText(value, decimals) + (unit ? "\u202f" + unit : "");

/** Seconds as 1:02.5, with hours where needed. */
function timeText(seconds, decimals = 1) {
  const scale = 10 ** decimals;
  const ticks = Math.max(0, Math.round(seconds * scale));
  const rest = (ticks / scale) % 60;
  const minutes = Math.floor(ticks / scale / 60);
  const tail = rest.toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return minutes < 60 ? minutes + ":" + tail
    : Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0") + ":" + tail;
}

/** Round steps (1, 2, 5 × 10ⁿ) for about `count` ticks over low...high. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i += 1) result.push(i * step);
  return result;
}
