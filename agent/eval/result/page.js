"use strict";
{
  const at = (id) => document.getElementById(id);
  const scenarios = [...document.querySelectorAll(".scenario")];
  const interview = at("by-interview"), tag = at("by-tag"), failing = at("failing"), open = at("open");

  const shown = () => scenarios.filter((s) => !s.hidden);

  function name() {
    open.textContent = shown().some((s) => !s.open) ? "Open all" : "Close all";
  }

  function apply() {
    for (const s of scenarios) {
      const { interview: of, tags, failed } = s.dataset;
      s.hidden = (interview.value && of !== interview.value) || (tag.value && !tags.split("\n").includes(tag.value)) ||
        (failing.checked && failed !== "true") || false;
    }
    at("count").textContent = `${shown().length} of ${scenarios.length} scenarios`;
    name();
  }

  // A link into a scenario that is folded, left out or on the other side shows it.
  function reveal() {
    const target = at(decodeURIComponent(location.hash.slice(1)));
    const scenario = target?.closest(".scenario");
    if (!scenario) return;
    scenario.hidden = false;
    scenario.open = true;
    const side = target.closest(".side");
    if (side) show(scenario, side.classList.contains("plain") ? "plain" : "viva");
    target.scrollIntoView({ block: target === scenario ? "start" : "center" });
  }

  function show(scenario, side) {
    const sides = scenario.querySelector(".sides.both");
    if (!sides) return;
    sides.dataset.side = side;
    for (const b of scenario.querySelectorAll("[data-show]")) b.setAttribute("aria-pressed", String(b.dataset.show === side));
  }

  for (const s of scenarios) {
    show(s, "viva");
    s.addEventListener("toggle", name);
    for (const b of s.querySelectorAll("[data-show]")) b.addEventListener("click", () => show(s, b.dataset.show));
  }
  for (const control of [interview, tag, failing]) control.addEventListener("change", apply);
  open.addEventListener("click", () => {
    const all = shown().some((s) => !s.open);
    for (const s of shown()) s.open = all;
  });
  window.addEventListener("hashchange", reveal);
  at("filter").hidden = false;
  document.body.dataset.loaded = "true";
  apply();
  reveal();
}
