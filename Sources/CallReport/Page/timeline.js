// One time axis for all lanes: what part of the call is in view, where the cursor stands, how both change.
const time = { end: callEnd(), from: 0, to: 0, at: 0, hover: null };
time.to = time.end;

const margins = { left: 46, right: 10 };
const lanes = [];
let width = 0;

function callEnd() {
  const ends = [data.durationSeconds];
  for (const track of data.tracks) {
    for (const part of [track.waveform, track.spectrogram, track.bands]) {
      if (part) ends.push(part.startSeconds + part.durationSeconds);
    }
  }
  for (const strip of data.strips) for (const interval of strip.intervals) ends.push(interval.end);
  for (const plot of data.plots) for (const series of plot.series) ends.push(series.times.at(-1) ?? 0);
  const end = ends.reduce((a, b) => Math.max(a, b), 0);
  return end > 0 ? end : 1;
}

const x = (seconds) => margins.left + ((seconds - time.from) / (time.to - time.from)) * (width - margins.left - margins.right);
const secondsAt = (pixel) =>
  clamp(time.from + ((pixel - margins.left) / (width - margins.left - margins.right)) * (time.to - time.from), 0, time.end);
const isWhole = () => time.from === 0 && time.to === time.end;

/** A canvas that keeps to the device's pixels; `draw` gets a context in CSS pixels, clipped by nobody. */
function makeCanvas(name, height, label, draw) {
  const element = make("canvas", { role: "img", "aria-label": label, style: { height: height + "px" } });
  const lane = {
    name, height, element,
    draw() {
      const scale = window.devicePixelRatio || 1;
      element.width = Math.max(1, Math.round(width * scale));
      element.height = Math.round(height * scale);
      const context = element.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      const style = getComputedStyle(element);
      context.font = `${style.fontSize} ${style.fontFamily}`;
      const drawn = draw(context, height);
      if (isWhole() && name) report.plots[name] = drawn;
    },
  };
  lanes.push(lane);
  element.addEventListener("pointerdown", startDrag);
  element.addEventListener("pointermove", (event) => { time.hover = secondsAt(event.offsetX); showCursor(); });
  element.addEventListener("pointerleave", () => { time.hover = null; showCursor(); });
  element.addEventListener("wheel", wheel, { passive: false });
  return element;
}

function drawAll() {
  const probe = byId("ruler").clientWidth;
  if (probe > 0) width = probe;
  margins.left = width < 520 ? 36 : 46;
  for (const lane of lanes) if (!lane.element.hidden) lane.draw();
  showCursor();
}

/** Clips to the plot's area and calls `paint`. */
function inside(context, top, height, paint) {
  context.save();
  context.beginPath();
  context.rect(margins.left, top, width - margins.left - margins.right, height);
  context.clip();
  paint();
  context.restore();
}

/** Vertical hairlines at the ruler's ticks, behind everything. */
function drawGrid(context, top, height) {
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const second of timeTicks()) {
    const at = Math.round(x(second)) + 0.5;
    context.moveTo(at, top);
    context.lineTo(at, top + height);
  }
  context.stroke();
}

function timeTicks() {
  const span = time.to - time.from;
  const room = Math.max(2, Math.floor((width - margins.left) / 90));
  const nice = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
  const step = nice.find((value) => span / value <= room) ?? 14400;
  const result = [];
  for (let i = Math.ceil(time.from / step - 1e-9); i * step <= time.to + 1e-9; i += 1) result.push(i * step);
  return result;
}

function drawRuler(context, height) {
  const marks = timeTicks();
  const decimals = marks.length > 1 && marks[1] - marks[0] < 1 ? (marks[1] - marks[0] < 0.1 ? 2 : 1) : 0;
  context.fillStyle = palette.muted;
  context.strokeStyle = palette.faint;
  context.textBaseline = "middle";
  context.beginPath();
  for (const second of marks) {
    const at = Math.round(x(second)) + 0.5;
    context.moveTo(at, height - 5);
    context.lineTo(at, height);
    const text = timeText(second, decimals);
    const half = context.measureText(text).width / 2;
    context.fillText(text, clamp(at - half, 2, width - 2 * half - 2), height / 2 - 2);
  }
  context.stroke();
  return { points: marks.length };
}

function zoomTo(span, centre) {
  const wanted = clamp(span, Math.min(time.end, 0.25), time.end);
  const share = (centre - time.from) / (time.to - time.from);
  time.from = clamp(centre - wanted * share, 0, time.end - wanted);
  time.to = wanted === time.end ? time.end : time.from + wanted;
  drawAll();
}

function wheel(event) {
  const span = time.to - time.from;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoomTo(span * Math.exp(event.deltaY / 300), secondsAt(event.offsetX));
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !isWhole()) {
    event.preventDefault();
    time.from = clamp(time.from + (event.deltaX / width) * span, 0, time.end - span);
    time.to = time.from + span;
    drawAll();
  }
}

/** Pressing sets the cursor; moving on drags it. */
function startDrag(event) {
  if (event.button !== 0) return;
  const element = event.currentTarget;
  const left = element.getBoundingClientRect().left;
  const move = (moved) => seek(secondsAt(moved.clientX - left));
  element.addEventListener("pointermove", move);
  const stop = () => element.removeEventListener("pointermove", move);
  element.addEventListener("pointerup", stop, { once: true });
  element.addEventListener("pointercancel", stop, { once: true });
  element.setPointerCapture(event.pointerId);
  move(event);
}
