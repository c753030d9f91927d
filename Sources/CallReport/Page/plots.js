// How each kind of data is drawn. Every function returns how much of the data it drew, for the page's self-check.

/** Lowest and highest sample of each column in a soft tone, RMS in a full one; the lane's edges are the signal's peak. */
function drawWaveform(context, height, waveform, side, marks) {
  const values = new Int16Array(bytes(waveform.peaks).buffer);
  const middle = height / 2;
  const half = middle - 2;
  drawGrid(context, 0, height);
  let peak = 0;
  for (let i = 0; i < waveform.columnCount; i += 1) peak = Math.max(peak, -values[3 * i], values[3 * i + 1]);
  peak = Math.max(peak, 33) / 32767; // -60 dBFS: silence stays a line
  const step = waveform.durationSeconds / waveform.columnCount;
  inside(context, 0, height, () => {
    for (const { kind, intervals } of marks) {
      context.fillStyle = palette[kind];
      context.globalAlpha = 0.22;
      for (const { start, end } of intervals) context.fillRect(x(start), 0, Math.max(1.5, x(end) - x(start)), height);
      context.globalAlpha = 1;
    }
    for (const [low, high, tone] of [[0, 1, side + "-soft"], [2, 2, side]]) {
      context.fillStyle = palette[tone];
      context.beginPath();
      for (let i = 0; i < waveform.columnCount; i += 1) {
        const left = x(waveform.startSeconds + i * step);
        const right = x(waveform.startSeconds + (i + 1) * step);
        const top = values[3 * i + high] / 32767 / peak;
        const bottom = low === high ? -top : values[3 * i + low] / 32767 / peak;
        context.rect(left, middle - top * half, right - left + 0.3, Math.max(low === high ? 0 : 0.75, (top - bottom) * half));
      }
      context.fill();
    }
  });
  drawVerticalLabels(context, [[2 + 6, numberText(20 * Math.log10(peak), 0) + " dB"], [middle, "−∞"]]);
  return { points: waveform.columnCount };
}

function drawVerticalLabels(context, labels) {
  context.fillStyle = palette.muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const [at, text] of labels) context.fillText(text, margins.left - 7, at);
  context.textAlign = "left";
}

/** The cells as an image of their own size, made again only when the theme changes. */
function gridImage(columnCount, rowCount, levels, isGapAtZero) {
  let made = null;
  let theme = null;
  return () => {
    if (made && theme === palette.isDark) return made;
    theme = palette.isDark;
    made = make("canvas", { width: columnCount, height: rowCount });
    const context = made.getContext("2d");
    const image = context.createImageData(columnCount, rowCount);
    for (let column = 0; column < columnCount; column += 1) {
      for (let row = 0; row < rowCount; row += 1) {
        const level = levels[column * rowCount + row];
        const at = 4 * ((rowCount - 1 - row) * columnCount + column);
        for (let part = 0; part < 3; part += 1) image.data[at + part] = palette.ramp[3 * level + part];
        image.data[at + 3] = isGapAtZero && level === 0 ? 0 : 255;
      }
    }
    context.putImageData(image, 0, 0);
    return made;
  };
}

function drawImage(context, height, grid, image, isSmooth) {
  inside(context, 0, height, () => {
    context.imageSmoothingEnabled = isSmooth;
    context.imageSmoothingQuality = "high";
    const left = x(grid.startSeconds);
    if (grid.columnCount > 0) {
      context.drawImage(image(), left, 0, x(grid.startSeconds + grid.durationSeconds) - left, height);
    }
  });
}

/** Where a frequency stands on an axis, 0 lowest and 1 highest. */
function axisPosition(axis, hertz) {
  const laws = { linear: (f) => f, mel: (f) => Math.log10(1 + f / 700), logarithmic: (f) => Math.log(f) };
  const law = laws[axis.scale];
  return (law(hertz) - law(axis.lowestHertz)) / (law(axis.highestHertz) - law(axis.lowestHertz));
}

const hertzText = (hertz) => (hertz >= 1000 ? numberText(hertz / 1000) + " k" : String(hertz));

function drawSpectrogram(context, height, grid, image) {
  drawImage(context, height, grid, image, true);
  const labels = [];
  let last = Infinity;
  for (const hertz of [50, 100, 200, 500, 1000, 2000, 4000, 8000, 16000]) {
    const at = (1 - axisPosition(grid.axis, hertz)) * height;
    if (at < 6 || at > height - 5 || last - at < 15) continue;
    last = at;
    labels.push([at, hertzText(hertz)]);
  }
  drawVerticalLabels(context, labels);
  return { points: grid.columnCount * grid.binCount };
}

function drawBands(context, height, bands, image) {
  drawImage(context, height, bands, image, false);
  drawVerticalLabels(context, [[height - 7, "low"], [7, "high"]]);
  return { points: bands.columnCount * bands.bandCount };
}

/** Stretches as bars; an instant gets a width one can see. */
function drawStrip(context, height, strip) {
  drawGrid(context, 0, height);
  const inset = strip.kind === "voice" || strip.kind === "doubleTalk" ? 8 : 5;
  inside(context, 0, height, () => {
    context.fillStyle = palette[strip.kind];
    for (const { start, end } of strip.intervals) {
      context.beginPath();
      context.roundRect(x(start), inset, Math.max(2, x(end) - x(start)), height - 2 * inset, 1.5);
      context.fill();
    }
  });
  return { points: strip.intervals.length };
}

const dashes = [[], [6, 3], [2, 3], [9, 3, 2, 3]];

function plotRange(plot) {
  let low = Infinity;
  let high = -Infinity;
  for (const series of plot.series) {
    for (const value of series.values) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) [low, high] = [0, 1];
  if (low > 0 && low < 0.6 * high) low = 0;
  if (high === low) high = low + 1;
  high += (high - low) * 0.08;
  return [plot.minimum ?? low, plot.maximum ?? high];
}

function drawSeries(context, height, plot, range) {
  const [low, high] = range;
  const y = (value) => height - 4 - ((value - low) / (high - low)) * (height - 8);
  drawGrid(context, 0, height);
  const marks = ticks(low, high, Math.max(2, Math.floor(height / 30)));
  context.strokeStyle = palette.line;
  context.beginPath();
  for (const mark of marks) {
    const at = Math.round(y(mark)) + 0.5;
    context.moveTo(margins.left, at);
    context.lineTo(width - margins.right, at);
  }
  context.stroke();
  drawVerticalLabels(context, marks.map((mark) => [clamp(y(mark), 6, height - 6), numberText(Number(mark.toPrecision(6)))]));
  let points = 0;
  let gaps = 0;
  inside(context, 0, height, () => {
    plot.series.forEach((series, index) => {
      const drawn = drawLine(context, series, palette["series-" + (index % 4)], dashes[index % 4], y, height);
      points += drawn.points;
      gaps += drawn.gaps;
    });
  });
  return { points, gaps };
}

function drawLine(context, series, colour, dash, y, height) {
  let points = 0;
  let gaps = 0;
  let run = [];
  const paint = () => {
    if (run.length === 0) return;
    const first = run[0];
    context.strokeStyle = context.fillStyle = colour;
    if (series.style === "points" || run.length === 1) {
      for (const [px, py] of run) context.fillRect(px - 1.25, py - 1.25, 2.5, 2.5);
    } else {
      context.beginPath();
      context.moveTo(...first);
      for (let i = 1; i < run.length; i += 1) {
        if (series.style === "step") context.lineTo(run[i][0], run[i - 1][1]);
        context.lineTo(...run[i]);
      }
      context.lineWidth = 1.5;
      context.lineJoin = "round";
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
      if (series.style === "area") {
        context.lineTo(run.at(-1)[0], height);
        context.lineTo(first[0], height);
        context.globalAlpha = 0.14;
        context.fill();
        context.globalAlpha = 1;
      }
    }
    run = [];
  };
  series.values.forEach((value, index) => {
    if (value === null) {
      gaps += 1;
      paint();
    } else {
      points += 1;
      run.push([x(series.times[index]), y(value)]);
    }
  });
  paint();
  return { points, gaps };
}

/** The value that stands at `seconds`: the last one measured until then. */
function valueAt(series, seconds) {
  let low = 0;
  let high = series.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.times[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? series.values[low - 1] : null;
}
