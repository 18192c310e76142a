// The report page's behaviour: moments play the recording, the line that is heard is marked, and the drawings of pace and
// response times become charts that can be explored. Without this script the page is complete, only still.

const audio = document.getElementById("recording");
// The recordings in the order of the talk, offsets in ms; an interview that another worker took up may have several.
const files = audio ? JSON.parse(audio.dataset.files ?? "null") ?? [{ url: audio.getAttribute("src"), offset: Number(audio.dataset.offset) }] : [];
let part = 0;
const offset = () => files[part].offset / 1000;

// load turns to a recording, so many seconds into it.
function load(n, seconds) {
  if (n !== part) {
    part = n;
    audio.src = files[n].url;
  }
  audio.currentTime = Math.max(0, seconds);
}

// play jumps to a moment of the interview, in ms, a breath before it.
function play(at) {
  const n = Math.max(0, files.findLastIndex((file) => file.offset <= at));
  load(n, (at - files[n].offset) / 1000 - 0.3);
  audio.play().catch(() => {}); // the browser may want a click of its own first
}

function show(turn) {
  document.getElementById(`t${turn}`)?.scrollIntoView({ block: "center" });
}

if (audio) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-at]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    play(Number(link.dataset.at));
  });
  follow();
}

// follow marks the transcript's line and moves the head over the timeline while the recording plays.
function follow() {
  const lines = [...document.querySelectorAll("#transcript li")];
  const talk = document.getElementById("talk");
  const head = document.createElementNS("http://www.w3.org/2000/svg", "line");
  head.setAttribute("class", "head");
  head.setAttribute("y1", "0");
  head.setAttribute("y2", "122");
  head.setAttribute("visibility", "hidden");
  talk?.append(head);
  audio.addEventListener("timeupdate", () => {
    const now = (audio.currentTime + offset()) * 1000;
    for (const line of lines) {
      line.classList.toggle("now", !audio.paused && now >= Number(line.dataset.from) && now < Number(line.dataset.to));
    }
    if (!talk) return;
    const x = `${Math.min(100, (now / Number(talk.dataset.duration)) * 100)}%`;
    head.setAttribute("x1", x);
    head.setAttribute("x2", x);
    head.setAttribute("visibility", "visible");
  });
  audio.addEventListener("ended", () => {
    if (part + 1 >= files.length) return;
    load(part + 1, 0);
    audio.play().catch(() => {});
  });
  document.querySelector(".lanes")?.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
    if (step) audio.currentTime = Math.max(0, audio.currentTime + step);
    else if (event.key === " ") audio.paused ? audio.play().catch(() => {}) : audio.pause();
    else return;
    event.preventDefault();
  });
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

// chart puts an explorable chart in the place of a still one, which is kept for paper.
function chart(uPlot, figure) {
  const bars = [...figure.querySelectorAll("a[data-value]")].filter((a) => Number(a.dataset.value) > 0);
  if (bars.length < 2) return null;
  const box = document.createElement("div");
  box.className = "live";
  box.setAttribute("aria-hidden", "true"); // the still drawing tells the values
  figure.append(box);
  figure.classList.add("explored");
  const data = [bars.map((a) => Number(a.dataset.at) / 1000), bars.map((a) => Number(a.dataset.value))];
  const axis = { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false } };
  const plot = new uPlot({
    width: box.clientWidth, height: 170, legend: { show: false }, cursor: { sync: { key: "talk" }, drag: { x: false, y: false } },
    scales: { x: { time: false, range: [0, Number(document.getElementById("talk")?.dataset.duration ?? 0) / 1000 || data[0].at(-1)] },
      y: { range: (_, __, most) => [0, most * 1.15] } },
    axes: [{ ...axis, values: (_, ticks) => ticks.map(clock) }, { ...axis, size: 44, space: 28 }],
    series: [{}, { stroke: () => colour("--person"), width: 2, points: { size: 9, fill: () => colour("--surface"), stroke: () => colour("--person") } }],
    hooks: { setCursor: [(u) => note(u, box, bars)] },
  }, data, box);
  plot.over.addEventListener("click", () => {
    const link = bars[plot.cursor.idx];
    if (!link) return;
    if (audio) play(Number(link.dataset.at));
    else show(link.dataset.turn);
  });
  return { plot, box };
}

// note says what is under the cursor.
function note(plot, box, bars) {
  let tip = box.querySelector(".tip");
  if (!tip) {
    tip = document.createElement("div");
    tip.className = "tip";
    box.append(tip);
  }
  const i = plot.cursor.idx;
  tip.hidden = i == null || plot.cursor.left < 0;
  if (!tip.hidden) tip.textContent = bars[i].querySelector("title")?.textContent ?? "";
}

async function explore() {
  if (!document.querySelector('link[href$="uplot.min.css"]')) return; // the library was not bundled
  const { default: uPlot } = await import("/static/vendor/uplot.esm.mjs");
  const charts = ["pace", "response"].map((id) => document.querySelector(`[data-plot="${id}"]`)).filter(Boolean)
    .map((figure) => chart(uPlot, figure)).filter(Boolean);
  const fit = () => charts.forEach(({ plot, box }) => plot.setSize({ width: box.clientWidth, height: 170 }));
  addEventListener("resize", fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(({ plot }) => plot.redraw(false)));
}

explore().finally(() => { document.body.dataset.loaded = "true"; });
