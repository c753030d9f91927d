// Hearing the tracks: one at a time, at one common position, so that changing tracks compares them.
const players = [];
let chosen = -1;
const playButtons = [];
const choiceButtons = [];

const icons = { play: "M6 4.5v11l9-5.5z", pause: "M5.5 4.5h3v11h-3zM11.5 4.5h3v11h-3z" };

function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", icons[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  button.replaceChildren(svg);
}

function playButton(index) {
  const button = make("button", { type: "button", class: "play", onclick: () => (chosen === index ? toggle() : choose(index, true)) });
  playButtons[index] = button;
  return button;
}

/** The browser's player for a track, made when it is first needed. */
function player(index) {
  if (players[index]) return players[index];
  const clip = data.tracks[index].audio;
  const element = new Audio(URL.createObjectURL(new Blob([bytes(byId(`audio-${index}`).textContent)], { type: clip.mimeType })));
  element.preload = "auto";
  element.addEventListener("ended", showPlaying);
  element.addEventListener("pause", showPlaying);
  element.addEventListener("play", () => { showPlaying(); requestAnimationFrame(follow); });
  players[index] = element;
  return element;
}

const isPlaying = () => chosen >= 0 && Boolean(players[chosen]) && !players[chosen].paused;

function choose(index, andPlay = isPlaying()) {
  if (chosen >= 0 && players[chosen]) players[chosen].pause();
  chosen = index;
  if (andPlay) start();
  showPlaying();
}

function start() {
  const element = player(chosen);
  const clip = data.tracks[chosen].audio;
  if (time.at >= time.end - 0.05) time.at = 0;
  element.currentTime = Math.max(0, time.at - clip.startSeconds);
  element.play().catch((error) => {
    if (error.name !== "AbortError") byId("clock").title = `${data.tracks[chosen].name} cannot be played: ${error.message}`;
  });
}

/** Hands the chosen track's file to the browser's downloads. */
function save() {
  const { name, audio } = data.tracks[chosen];
  const ending = audio.mimeType.includes("ogg") ? ".opus" : audio.mimeType.includes("wav") ? ".wav" : "";
  make("a", { href: player(chosen).src, download: name.replace(/[^\p{L}\p{N} ._-]/gu, "_") + ending }).click();
}

function toggle() {
  if (chosen < 0) return;
  if (isPlaying()) players[chosen].pause();
  else start();
  showPlaying();
}

function seek(seconds) {
  time.at = clamp(seconds, 0, time.end);
  if (isPlaying()) players[chosen].currentTime = Math.max(0, time.at - data.tracks[chosen].audio.startSeconds);
  showCursor();
}

function follow() {
  if (!isPlaying()) return;
  time.at = clamp(players[chosen].currentTime + data.tracks[chosen].audio.startSeconds, 0, time.end);
  if (time.at > time.to || time.at < time.from) {
    const span = time.to - time.from;
    time.from = clamp(time.at, 0, time.end - span);
    time.to = time.from + span;
    drawAll();
  }
  showCursor();
  requestAnimationFrame(follow);
}

function showPlaying() {
  const playing = isPlaying();
  setIcon(byId("play"), playing ? "pause" : "play");
  byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  playButtons.forEach((button, index) => {
    const isThis = playing && index === chosen;
    setIcon(button, isThis ? "pause" : "play");
    button.setAttribute("aria-label", (isThis ? "Pause " : "Play ") + data.tracks[index].name);
    button.classList.toggle("chosen", index === chosen);
  });
  choiceButtons.forEach((button, index) => {
    button.setAttribute("aria-checked", String(index === chosen));
    button.tabIndex = index === chosen ? 0 : -1;
  });
}

/** Cursor, clock and the values beside the plots; the pointer's place takes precedence over the play position. */
function showCursor() {
  const head = byId("playhead");
  const isInView = time.at >= time.from && time.at <= time.to;
  head.hidden = !isInView;
  const offset = byId("ruler").offsetLeft;
  head.style.transform = `translateX(${offset + x(time.at)}px)`;
  byId("handle").hidden = !isInView;
  byId("handle").style.transform = `translateX(${x(time.at)}px)`;
  byId("clock").firstChild.textContent = timeText(time.at, 1);
  const ruler = byId("ruler");
  ruler.setAttribute("aria-valuemin", "0");
  ruler.setAttribute("aria-valuemax", time.end.toFixed(1));
  ruler.setAttribute("aria-valuenow", time.at.toFixed(1));
  ruler.setAttribute("aria-valuetext", timeText(time.at, 1));
  for (const read of readers) read(time.hover ?? time.at);
}

function setUpPlayer() {
  const audible = data.tracks.map((track, index) => [track, index]).filter(([track]) => track.audio);
  byId("play").hidden = byId("choices").hidden = byId("save").hidden = audible.length === 0;
  byId("play").addEventListener("click", toggle);
  byId("save").addEventListener("click", save);
  for (const [track, index] of audible) {
    const button = make("button", { type: "button", role: "radio", class: sideOf(track), onclick: () => choose(index) }, track.name);
    choiceButtons[index] = button;
    byId("choices").append(button);
  }
  if (audible.length > 0) chosen = audible[0][1];
  byId("choices").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const place = audible.findIndex(([, index]) => index === chosen);
    const next = audible[(place + step + audible.length) % audible.length][1];
    choose(next);
    choiceButtons[next].focus();
  });
  byId("in").addEventListener("click", () => zoomTo((time.to - time.from) / 2, clamp(time.at, time.from, time.to)));
  byId("out").addEventListener("click", () => zoomTo((time.to - time.from) * 2, clamp(time.at, time.from, time.to)));
  byId("fit").addEventListener("click", () => zoomTo(time.end, 0));
  byId("spectra").addEventListener("click", () => {
    const isShown = byId("spectra").getAttribute("aria-pressed") !== "true";
    byId("spectra").setAttribute("aria-pressed", String(isShown));
    for (const canvas of document.querySelectorAll("canvas.spectrum")) canvas.hidden = !isShown;
    drawAll();
  });
  document.addEventListener("keydown", (event) => pressed(event, audible));
  showPlaying();
}

function pressed(event, audible) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isOnButton = event.target.closest?.("button, a");
  const step = event.shiftKey ? 10 : 1;
  const actions = {
    " ": isOnButton ? null : toggle,
    ArrowLeft: () => seek(time.at - step),
    ArrowRight: () => seek(time.at + step),
    Home: document.activeElement === byId("ruler") ? () => seek(0) : null,
    End: document.activeElement === byId("ruler") ? () => seek(time.end) : null,
    "+": () => byId("in").click(),
    "=": () => byId("in").click(),
    "-": () => byId("out").click(),
    0: () => byId("fit").click(),
    s: () => byId("spectra").click(),
  };
  const track = /^[1-9]$/.test(event.key) ? audible[Number(event.key) - 1] : undefined;
  const action = track ? () => choose(track[1]) : actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
