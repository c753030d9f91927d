// The timeline's rows: a label on the left (above on narrow screens), its plots on the right.
const readers = [];

function addLane(label, ...canvases) {
  byId("lanes").append(make("div", { class: "lane" }, label, make("div", { class: "plots" }, ...canvases)));
}

const sideOf = (track) => (track.side === "nearEnd" ? "near" : "far");

function addTrack(track, index) {
  const side = sideOf(track);
  const button = track.audio ? playButton(index) : make("span", { class: "dot " + side, "aria-hidden": "true" });
  const label = make("div", { class: "label track " + side }, button,
    make("div", {}, make("h3", {}, track.name), track.detail ? make("p", {}, track.detail) : null));
  const canvases = [];
  if (track.waveform) {
    const marks = data.strips.filter((strip) => strip.track === track.name);
    canvases.push(makeCanvas(`waveform ${index}`, 64, `Waveform of ${track.name}`,
      (context, height) => drawWaveform(context, height, track.waveform, side, marks)));
  }
  if (track.spectrogram) {
    const grid = track.spectrogram;
    const image = gridImage(grid.columnCount, grid.binCount, bytes(grid.levels), true);
    const canvas = makeCanvas(`spectrogram ${index}`, 92,
      `Spectrogram of ${track.name}, ${hertzText(grid.axis.lowestHertz)} to ${hertzText(grid.axis.highestHertz)} Hz`,
      (context, height) => drawSpectrogram(context, height, grid, image));
    canvas.classList.add("spectrum");
    canvases.push(canvas);
  }
  if (canvases.length > 0 || track.audio) addLane(label, ...canvases);
  if (track.bands) addBands(track, index);
}

/** Levels over time as a heat map, and beside it the bars a visualizer would show at the cursor. */
function addBands(track, index) {
  const bands = track.bands;
  const levels = bytes(bands.levels);
  const live = make("div", { class: "bars " + sideOf(track), role: "img", "aria-label": "Band levels at the cursor" });
  for (let band = 0; band < bands.bandCount; band += 1) live.append(make("i"));
  readers.push((seconds) => {
    const column = Math.floor(((seconds - bands.startSeconds) / bands.durationSeconds) * bands.columnCount);
    const isInside = column >= 0 && column < bands.columnCount;
    for (let band = 0; band < bands.bandCount; band += 1) {
      const level = isInside ? levels[column * bands.bandCount + band] / 255 : 0;
      live.children[band].style.transform = `scaleY(${level})`;
    }
  });
  const image = gridImage(bands.columnCount, bands.bandCount, levels, false);
  addLane(make("div", { class: "label" }, make("h3", {}, "Band levels"), make("p", {}, track.name), live),
    makeCanvas(`bands ${index}`, 58, `Band levels of ${track.name}`,
      (context, height) => drawBands(context, height, bands, image)));
}

function addStrip(strip, index) {
  const count = strip.eventCount;
  const total = strip.totalSeconds;
  const instants = total === 0;
  const summary = instants ? `${numberText(count)} ×` : `${numberText(count)} × · ${withUnit(total, "s", total < 10 ? 2 : 1)}`;
  addLane(make("div", { class: "label strip" }, make("span", { class: "swatch " + strip.kind, "aria-hidden": "true" }),
    make("h3", {}, strip.name), make("p", {}, summary)),
    makeCanvas(`strip ${index}`, 24, `${strip.name}: ${summary}`, (context, height) => drawStrip(context, height, strip)));
}

function addPlot(plot, index) {
  const range = plotRange(plot);
  const legend = make("ul", { class: "legend" });
  plot.series.forEach((series, line) => {
    const value = make("b");
    legend.append(make("li", { class: `line-${line % 4} ${series.style}` }, make("i", { "aria-hidden": "true" }), series.name, value));
    readers.push((seconds) => { value.textContent = numberText(valueAt(series, seconds), 1); });
  });
  const summary = plot.series.map((series) => {
    const known = series.values.filter(isNumber);
    if (known.length === 0) return `${series.name} has no values`;
    const low = known.reduce((a, b) => Math.min(a, b));
    const high = known.reduce((a, b) => Math.max(a, b));
    return `${series.name} from ${withUnit(low, plot.unit, 1)} to ${withUnit(high, plot.unit, 1)}`;
  });
  addLane(make("div", { class: "label" }, make("h3", {}, plot.title, make("span", { class: "unit" }, plot.unit)),
    plot.note ? make("p", {}, plot.note) : null, legend),
    makeCanvas(`plot ${index}`, 112, `${plot.title}: ${summary.join(", ")}`,
      (context, height) => drawSeries(context, height, plot, range)));
}

function addSpectrumLegend() {
  if (data.tracks.some((track) => track.waveform)) {
    byId("keys").prepend(make("span", {}, "Each waveform fills its lane; what stands at its upper edge is its peak in dBFS."));
  }
  const grid = data.tracks.find((track) => track.spectrogram)?.spectrogram;
  if (!grid) return;
  const bar = make("span", { class: "ramp", "aria-hidden": "true" });
  bar.repaint = () => {
    const stops = Array.from({ length: 13 }, (_, i) => rampColour(i / 12));
    bar.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  };
  byId("keys").prepend(make("span", { class: "scale" }, "Level ", numberText(grid.floorDecibels), bar,
    withUnit(grid.ceilingDecibels, "dBFS")));
  repaints.push(bar.repaint);
}

const repaints = [];

function buildTimeline() {
  const has = data.tracks.length + data.strips.length + data.plots.length > 0;
  byId("timeline").hidden = !has;
  if (!has) return;
  byId("ruler").append(makeCanvas("", 26, "Time axis", drawRuler));
  data.tracks.forEach(addTrack);
  data.strips.forEach(addStrip);
  data.plots.forEach(addPlot);
  addSpectrumLegend();
  byId("spectra").hidden = !data.tracks.some((track) => track.spectrogram);
  byId("clock").lastChild.textContent = " / " + timeText(time.end, 1);
  setUpPlayer();
}
