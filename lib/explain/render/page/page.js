/* The page: what is chosen, and what is drawn of it. */

const page = document.getElementById("page");
let state = stateOf(location.hash);
let redrawLines = () => {};

const status = el("p", { class: "status", role: "status" });
const tablePlace = el("div", { class: "wide" });
const mapPlace = el("div", { class: "wide" });
const controls = new Map();

const values = (keyOf) => [...new Set(results.map(keyOf))].sort();

function select(key, title, options) {
  const control = el(
    "select",
    { id: `by-${key}`, onchange: () => change({ [key]: control.value, node: "" }) },
    el("option", { value: "" }, "all"),
    ...options.map((each) => el("option", { value: each }, each)),
  );
  controls.set(key, control);
  return el("label", {}, `${title} `, control);
}

function filters() {
  const search = el("input", {
    type: "search",
    id: "by-q",
    oninput: () => change({ q: search.value, node: "" }),
  });
  controls.set("q", search);
  return el(
    "form",
    { class: "filters", "aria-label": "Filter", onsubmit: (event) => event.preventDefault() },
    el("label", {}, "Search ", search),
    select(
      "ns",
      "Namespace",
      values(({ namespace }) => namespace),
    ),
    select(
      "cloud",
      "Cloud",
      values(({ cloud }) => cloud),
    ),
    select("verdict", "Verdict", Object.keys(RANK)),
    select(
      "cause",
      "Does not hold at",
      values(({ cause }) => cause),
    ),
    el("button", { type: "button", onclick: () => change({ ...NOTHING }) }, "Clear"),
    el("button", { type: "button", onclick: copy }, "Copy as Markdown"),
  );
}

async function copy() {
  const text = markdownOf(chosenOf(state));
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = "Copied.";
  } catch {
    // Where the clipboard is refused, the text is there to be taken.
    const area = el("textarea", { rows: "8", readonly: true, "aria-label": "Markdown" });
    area.value = text;
    status.replaceChildren("The clipboard is not available; copy from here: ", area);
    area.select();
  }
}

/** Takes what was chosen over, and keeps the focus where it was. */
function change(chosen, focus) {
  state = { ...state, ...chosen };
  const fragment = fragmentOf(state);
  if (fragment !== location.hash) history.replaceState(null, "", fragment);
  draw();
  if (focus) document.getElementById(focus)?.focus();
}

function draw() {
  for (const [key, control] of controls) if (control.value !== state[key]) control.value = state[key];
  const chosen = chosenOf(state);
  const key = document.activeElement?.dataset?.key;
  redrawLines = drawMap(mapPlace, chosen, state, change);
  const shown = state.node ? chosen.filter((each) => hasBox(each, state.node)) : chosen;
  drawTable(tablePlace, shown, state, change);
  status.textContent = `${shown.length} of ${results.length} results`;
  if (key) [...mapPlace.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus();
}

function auditOf(findings) {
  const rows = findings.map(({ severity, id, stack, subject, target, reason, remedy, evidence, accepted }) =>
    el(
      "tr",
      {},
      el("td", { "data-label": "Severity" }, severity),
      el("td", { "data-label": "Finding" }, id),
      el("td", { "data-label": "Of" }, code([stack, subject, target].filter(Boolean).join(" "))),
      el(
        "td",
        { "data-label": "Why" },
        reason,
        accepted ? ` (accepted: ${accepted})` : "",
        factsOf({ remedy, evidence: evidence.map((each) => [each, ""]) }),
      ),
    ),
  );
  const heads = ["Severity", "Finding", "Of", "Why"].map((title) => el("th", { scope: "col" }, title));
  return section(
    "Audit",
    el(
      "table",
      {},
      el("caption", {}, `${findings.length} found`),
      el("thead", {}, el("tr", {}, heads)),
      el("tbody", {}, rows),
    ),
  );
}

function changesOf(changes) {
  const items = changes.map(({ kind, text, removed, added }) =>
    el(
      "li",
      {},
      el("strong", {}, kind),
      ` ${text}`,
      el(
        "details",
        {},
        el("summary", {}, "Where it is written"),
        el(
          "ul",
          {},
          ...removed.map((each) => el("li", {}, `before: ${each}`)),
          ...added.map((each) => el("li", {}, `now: ${each}`)),
        ),
      ),
    ),
  );
  return section("What changed", el("ol", {}, items));
}

function section(title, ...content) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), ...content);
}

page.append(
  ...(data.changes ? [changesOf(data.changes)] : []),
  filters(),
  status,
  section("Map", mapPlace),
  section("Results", tablePlace),
  ...(data.audit ? [auditOf(data.audit)] : []),
);
addEventListener("hashchange", () => {
  state = stateOf(location.hash);
  draw();
});
addEventListener("resize", () => redrawLines());
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (state.node || state.chain)) change({ node: "", chain: "" });
});
draw();
