// Colours live in the style sheet; the canvases ask for them by name and again after a change of theme.
let palette = {};

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["page", "panel", "ink", "muted", "faint", "line", "near", "near-soft", "far", "far-soft", "mark",
    "series-0", "series-1", "series-2", "series-3", "loss", "late", "concealment", "timeStretch", "interruption",
    "voice", "doubleTalk", "other"];
  palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
  palette.isDark = document.documentElement.dataset.theme === "dark";
  palette.ramp = levelRamp(palette.isDark);
}

/**
 * 256 colours with even steps in lightness, from the panel's own colour (silence) to the loudest.
 * Dark: night blue through violet and coral to pale yellow. Light: paper through sea green and blue to indigo ink.
 * Source: Oklab, Björn Ottosson, 2020; the stops are a choice.
 */
function levelRamp(isDark) {
  const stops = isDark
    ? [[0.2, 0.012, 255], [0.3, 0.075, 275], [0.43, 0.14, 300], [0.58, 0.17, 350], [0.71, 0.16, 35], [0.84, 0.14, 75], [0.96, 0.08, 105]]
    : [[0.985, 0.004, 95], [0.92, 0.035, 165], [0.81, 0.085, 195], [0.66, 0.115, 230], [0.5, 0.15, 262], [0.35, 0.15, 280], [0.2, 0.085, 290]];
  const ramp = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i += 1) {
    const place = (i / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    const [a, b] = [stops[below], stops[below + 1]].map(([l, c, h]) =>
      [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)]);
    ramp.set(oklabToSRGB(a.map((value, axis) => value + (b[axis] - value) * (place - below))), i * 3);
  }
  return ramp;
}

function oklabToSRGB([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((value) => {
    const light = clamp(value, 0, 1);
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}

/** One colour of the ramp for style sheets; position 0...1. */
function rampColour(position) {
  const at = Math.round(clamp(position, 0, 1) * 255) * 3;
  return `rgb(${palette.ramp[at]}, ${palette.ramp[at + 1]}, ${palette.ramp[at + 2]})`;
}
