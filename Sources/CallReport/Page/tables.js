// What stands above and below the timeline.
const gradeWords = { good: "Good", fair: "Fair", poor: "Poor" };
const gradeMark = (grade, isNamed) =>
  make("span", { class: "grade " + grade, role: "img", "aria-label": gradeWords[grade] }, isNamed ? gradeWords[grade] : "");

function buildHead() {
  document.title = data.title;
  byId("title").textContent = data.title;
  if (data.verdict) {
    byId("verdict").hidden = false;
    byId("verdict").append(gradeMark(data.verdict.grade, true), make("p", {}, data.verdict.text));
  }
  const { command, date, codec, network, settings } = data.run;
  byId("command").hidden = !command;
  byId("command").textContent = command ?? "";
  const pairs = [["Date", date?.replace("T", " ").replace("Z", " UTC")], ["Codec", codec], ["Network", network],
    ...settings.map(({ name, value }) => [name, value])].filter(([, value]) => value);
  byId("settings").hidden = pairs.length === 0;
  for (const [name, value] of pairs) byId("settings").append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  byId("warnings").hidden = data.warnings.length === 0;
  for (const warning of data.warnings) byId("warnings").append(make("li", {}, warning));
}

function buildFigures() {
  byId("figures").hidden = data.figures.length === 0;
  for (const figure of data.figures) {
    byId("figures").append(make("div", { class: "figure" },
      make("h2", {}, figure.grade ? gradeMark(figure.grade) : null, figure.name),
      make("p", { class: "value" }, numberText(figure.value, figure.decimals),
        figure.unit ? make("span", { class: "unit" }, figure.unit) : null),
      figure.note ? make("p", { class: "note" }, figure.note) : null));
  }
}

const cell = (value, unit, decimals, more = "") => make("td", { class: "number" + more }, isNumber(value) ? withUnit(value, unit, decimals) : "–");

function buildLatency() {
  const paths = data.latency.filter((path) => path.stages.length > 0);
  byId("latency").hidden = paths.length === 0;
  if (paths.length === 0) return;
  byId("latency").append(make("h2", {}, "Delay by stage"));
  const longest = paths.map(pathTotal).reduce((a, b) => Math.max(a, b), 0) || 1;
  paths.forEach((path, index) => {
    const total = pathTotal(path);
    const bar = make("div", { class: "stack", "aria-hidden": "true", style: { width: (100 * total) / longest + "%" } });
    const hasNotes = path.stages.some((stage) => stage.note);
    const body = make("tbody");
    path.stages.forEach((stage, place) => {
      const share = total > 0 ? Math.max(0, stage.milliseconds ?? 0) / total : 0;
      bar.append(make("i", { class: "tone-" + (place % 8), title: `${stage.name} ${withUnit(stage.milliseconds, "ms", 1)}`,
        style: { "flex-grow": String(share) } }));
      body.append(make("tr", {}, make("th", { scope: "row" }, make("span", { class: "tone tone-" + (place % 8), "aria-hidden": "true" }), stage.name),
        cell(stage.milliseconds, "ms", 1), hasNotes ? make("td", { class: "note" }, stage.note ?? "") : null));
    });
    report.plots[`latency ${index}`] = { points: bar.children.length };
    byId("latency").append(make("figure", {},
      make("figcaption", {}, make("span", {}, path.name), make("b", {}, withUnit(total, "ms", 0))), bar,
      make("table", {}, make("caption", { class: "unseen" }, path.name), body)));
  });
}

const pathTotal = (path) => path.stages.reduce((sum, stage) => sum + Math.max(0, stage.milliseconds ?? 0), 0);

/** Median, p99 and worst of each stage on one logarithmic axis that ends at the deadline. */
function buildCost() {
  const cost = data.cost;
  byId("cost").hidden = !cost || cost.stages.length === 0;
  if (byId("cost").hidden) return;
  const deadline = cost.frameMicroseconds;
  const known = cost.stages.flatMap((stage) => [stage.median, stage.p99, stage.worst]).filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(known.reduce((a, b) => Math.min(a, b), deadline / 10)));
  const high = known.reduce((a, b) => Math.max(a, b), deadline);
  const place = (value) => (100 * Math.log10(clamp(value, low, high) / low)) / Math.log10(high / low);
  const head = make("tr", {}, ...[["Stage"], ["Median", "median"], ["p99", "p99"], ["Worst", "worst"], ["Share of real time"]].map(([text, sign], column) =>
    make("th", { scope: "col", class: column > 0 ? "number" + (sign === "p99" ? " spare" : "") : null }, sign ? make("i", { class: "sign " + sign, "aria-hidden": "true" }) : null, text)),
    make("th", { scope: "col", class: "wide" }, costScale(low, deadline, place)));
  const body = make("tbody");
  let points = 0;
  for (const stage of cost.stages) {
    const track = make("div", { class: "range", "aria-hidden": "true" }, make("em", { style: { left: place(deadline) + "%" } }));
    const values = [["median", stage.median], ["p99", stage.p99], ["worst", stage.worst]].filter(([, value]) => value > 0);
    if (values.length > 1) {
      const ends = values.map(([, value]) => place(value));
      track.append(make("s", { style: { left: ends[0] + "%", width: ends.at(-1) - ends[0] + "%" } }));
    }
    for (const [name, value] of values) track.append(make("i", { class: name, style: { left: place(value) + "%" } }));
    points += values.length;
    const share = stage.sharePercent;
    body.append(make("tr", {}, make("th", { scope: "row" }, stage.name), cell(stage.median, "µs", 1), cell(stage.p99, "µs", 1, " spare"),
      cell(stage.worst, "µs", 1), cell(share, "%", share < 1 ? 2 : 1), make("td", { class: "wide" }, track)));
  }
  report.plots.cost = { points };
  byId("cost").append(make("h2", {}, "Cost by stage"),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cost by stage" },
      make("table", { class: "costs" }, make("thead", {}, head), body)));
}

function costScale(low, deadline, place) {
  const scale = make("div", { class: "range scale", "aria-hidden": "true" });
  for (let mark = low; mark < deadline * 0.5; mark *= 10) {
    scale.append(make("span", { style: { left: place(mark) + "%" } }, mark < 1000 ? `${Number(mark.toPrecision(3))} µs` : `${mark / 1000} ms`));
  }
  scale.append(make("span", { class: "deadline", style: { left: place(deadline) + "%" } }, `${numberText(deadline / 1000)} ms frame`));
  return scale;
}

function buildStatistics() {
  const groups = data.statistics.filter((group) => group.entries.length > 0);
  byId("statistics").hidden = groups.length === 0;
  if (groups.length === 0) return;
  const columns = make("div", { class: "columns" });
  for (const group of groups) {
    const body = make("tbody");
    for (const entry of group.entries) {
      body.append(make("tr", {}, make("th", { scope: "row" }, entry.name),
        make("td", { class: "number" }, entry.text ?? withUnit(entry.value, entry.unit))));
    }
    columns.append(make("table", {}, make("caption", {}, group.name), body));
  }
  byId("statistics").append(make("h2", {}, "Statistics"), columns);
}
