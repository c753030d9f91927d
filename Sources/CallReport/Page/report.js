// Builds the page, keeps it in step with window and theme, and tells how it went.
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  readPalette();
  for (const repaint of repaints) repaint();
  drawAll();
}

function tellSelfCheck() {
  document.documentElement.dataset.selfCheck = JSON.stringify({
    ...report,
    innerWidth: window.innerWidth,
    scrollWidth: document.scrollingElement.scrollWidth,
    theme: palette.isDark ? "dark" : "light",
  });
}

/** `#t=12.5` opens the page with the cursor there. */
function readAddress() {
  const match = /t=([\d.]+)/.exec(location.hash);
  if (match) seek(Number(match[1]));
}

function openPage() {
  readPalette();
  buildHead();
  buildFigures();
  buildLatency();
  buildCost();
  buildStatistics();
  buildTimeline();
  setTheme(document.documentElement.dataset.theme);
  readAddress();
  byId("theme").addEventListener("click", () => setTheme(palette.isDark ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (query) => setTheme(query.matches ? "dark" : "light"));
  window.addEventListener("resize", drawAll);
  window.addEventListener("hashchange", readAddress);
  let before;
  window.addEventListener("beforeprint", () => { before = palette.isDark; setTheme("light"); });
  window.addEventListener("afterprint", () => setTheme(before ? "dark" : "light"));
  requestAnimationFrame(() => { drawAll(); tellSelfCheck(); });
}

openPage();
