// The operator's list of interviews. What is searched for travels in the body of a request, so that no name stands in an
// address, a history or a log.

const $ = (id) => document.getElementById(id);
const size = 50;
let offset = 0;

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

function tell(id, text) {
  $(id).textContent = text ?? "";
  $(id).hidden = !text;
}

function open(list) {
  $("list").hidden = !list;
  $("logout").hidden = !list;
  $("door").hidden = list;
  if (!list) $("key").focus();
}

const length = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor((ms % 60000) / 1000)).padStart(2, "0")}`;

function cell(kind, ...content) {
  const element = document.createElement(kind);
  element.append(...content);
  return element;
}

function row(interview) {
  const state = cell("span", interview.state);
  state.className = `state ${interview.state}`;
  const name = cell("th", interview.candidate || "—");
  name.scope = "row";
  const report = document.createElement("td");
  if (interview.report) {
    const link = cell("a", "Report");
    link.href = `/reports/${encodeURIComponent(interview.session)}`;
    link.setAttribute("aria-label", `Report of ${interview.candidate || interview.session}`);
    report.append(link);
  }
  const began = interview.began ? new Date(interview.began).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "—";
  return cell("tr", name, cell("td", interview.kind), cell("td", state), cell("td", began), cell("td", length(interview.duration_ms)), report);
}

function filter() {
  const since = $("from").value;
  return {
    text: $("text").value.trim(), kind: $("kind").value.trim(), state: $("state").value, offset, limit: size,
    ...(since && { from: new Date(`${since}T00:00`).toISOString() }),
  };
}

async function search() {
  try {
    const page = await post("/api/reports/search", filter());
    open(true);
    tell("problem");
    $("rows").replaceChildren(...page.interviews.map(row));
    $("empty").hidden = page.interviews.length > 0;
    const last = offset + page.interviews.length;
    $("count").textContent = page.total ? `${offset + 1}–${last} of ${page.total}` : "";
    $("previous").disabled = offset === 0;
    $("next").disabled = last >= page.total;
  } catch (error) {
    if (error.status === 401) open(false);
    else tell("problem", error.message);
  }
}

$("door").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await post("/api/reports/login", { key: $("key").value });
    $("key").value = "";
    tell("door-problem");
    await search();
  } catch (error) {
    tell("door-problem", error.message);
    $("key").select();
  }
});
$("filters").addEventListener("submit", (event) => { event.preventDefault(); offset = 0; search(); });
$("previous").addEventListener("click", () => { offset = Math.max(0, offset - size); search(); });
$("next").addEventListener("click", () => { offset += size; search(); });
$("logout").addEventListener("click", async () => { await post("/api/reports/logout").catch(() => {}); open(false); });

search().finally(() => { document.body.dataset.loaded = "true"; });
