/* The page: what is chosen, and what is drawn of it. */

const page = document.getElementById("page");
let state = stateOf(location.hash);
let redrawLines = () => {};

const status = el("p", { class: "status", role: "status" });
const tablePlace = el("div", { class: "wide" });
const mapPlace = el("div", { class: "wide" });
const problemsPlace = el("div");
const auditPlace = el("div", { class: "wide" });
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
  const form = el(
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
  return el(
    "details",
    { class: "folding", open: !matchMedia("(max-width: 48rem)").matches },
    el("summary", {}, "Filter"),
    form,
  );
}

/** What was judged, as it was given, and how many of each verdict; a number filters. */
function header() {
  const stacks = values(({ stack }) => stack || "no stack");
  const where =
    stacks.length > 4 ? `${stacks.slice(0, 4).join(", ")} and ${stacks.length - 4} more` : stacks.join(", ");
  const counter = (verdict) => {
    const count = results.filter((each) => each.verdict === verdict).length;
    const press = () => change({ ...NOTHING, verdict: state.verdict === verdict ? "" : verdict });
    const button = el(
      "button",
      { type: "button", class: `counter ${verdict}`, onclick: press },
      el("b", {}, count),
      ` ${verdict}`,
    );
    counters.set(verdict, button);
    return button;
  };
  const audit =
    data.audit &&
    el("a", { class: "counter", href: "#audit" }, el("b", {}, data.audit.length), " findings of the audit");
  const links = [...page.querySelectorAll("h2")].map(({ id, textContent }) =>
    el("a", { href: `#${id}`, onclick: jump }, textContent),
  );
  return el(
    "header",
    {},
    el(
      "p",
      { class: "where" },
      [
        data.about,
        `${results.length} ${unitOf(results)} in ${stacks.length === 1 ? "stack" : "stacks"} ${where}`,
      ]
        .filter(Boolean)
        .join("; "),
    ),
    el("div", { class: "counters" }, ...["denied", "unknown", "allowed"].map(counter), audit ?? ""),
    el("nav", { "aria-label": "Sections" }, ...links),
  );
}

const counters = new Map();

/** The address holds what was chosen, so that links within the page leave it alone. */
function jump(event) {
  event.preventDefault();
  const target = document.getElementById(event.currentTarget.getAttribute("href").slice(1));
  target.tabIndex = -1;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

/** `pulls`, `component`; `results` of several jobs. */
function unitOf(group) {
  const [job, other] = new Set(group.map((each) => each.job));
  const { one, several } = other || !job ? { one: "result", several: "results" } : data.jobs[job];
  return group.length === 1 ? one : several;
}

/** What does not hold, one line for each reason, the most frequent first. */
function drawProblems(chosen) {
  const groups = new Map();
  for (const each of chosen)
    if (each.verdict !== "allowed") groups.set(whyOf(each), [...(groups.get(whyOf(each)) ?? []), each]);
  const sorted = [...groups].sort(
    ([, one], [, other]) => RANK[one[0].verdict] - RANK[other[0].verdict] || other.length - one.length,
  );
  const items = sorted.slice(0, PAGE).map(([why, group]) => {
    const [first] = group;
    const check = checksOf(first).find(({ id, status }) => id === first.cause && status !== "pass");
    const names = group
      .slice(0, 4)
      .map(({ subject }) => subject)
      .join(", ");
    const more = group.length > 4 ? ` and ${group.length - 4} more` : "";
    return el(
      "li",
      { class: first.verdict },
      word(first.verdict),
      el("strong", {}, ` ${group.length} ${unitOf(group)} `),
      el("button", { type: "button", onclick: () => change({ ...NOTHING, why }, "results") }, "Show"),
      el(
        "p",
        {},
        code(names + more),
        ` ${check?.id ?? first.cause}: ${check?.reason ?? ""}${group.length > 1 ? " (the first)" : ""}`,
      ),
      check?.remedy ? el("p", { class: "asks" }, `Remedy: ${check.remedy}`) : "",
    );
  });
  const rest =
    sorted.length > PAGE
      ? [el("p", { class: "asks" }, `and ${sorted.length - PAGE} other reasons: filter to see them`)]
      : [];
  problemsPlace.replaceChildren(
    items.length === 0
      ? el("p", {}, "Nothing is denied or unknown.")
      : el("ol", { class: "problems" }, items),
    ...rest,
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
  for (const [verdict, button] of counters)
    button.setAttribute("aria-pressed", String(state.verdict === verdict));
  drawProblems(chosen);
  redrawLines = drawMap(mapPlace, chosen, state, change);
  if (data.audit) drawAudit(data.audit);
  const shown = state.node ? chosen.filter((each) => hasBox(each, state.node)) : chosen;
  drawTable(tablePlace, shown, state, change);
  status.textContent = `${shown.length} of ${results.length} results`;
  if (key) [...mapPlace.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus();
}

/** The findings that fit what is searched, one row for those that differ only in whom they are about. */
function drawAudit(findings) {
  const wanted = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map();
  for (const each of findings) {
    const text = [each.id, each.severity, each.stack, each.subject, each.target, each.reason]
      .join(" ")
      .toLowerCase();
    if (
      !wanted.every((part) => text.includes(part)) ||
      (state.ns && !each.subject.startsWith(`${state.ns}/`))
    )
      continue;
    const key = [
      each.id,
      each.accepted,
      each.reason.replaceAll(each.subject, "").replaceAll(each.target || "\n", ""),
    ].join("\n");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const rows = [...groups.values()].slice(0, state.audit ? Infinity : PAGE).map(auditRow);
  const heads = ["Severity", "Finding", "Of", "Why"].map((title) => el("th", { scope: "col" }, title));
  const left = groups.size - rows.length;
  const count = [...groups.values()].reduce((sum, group) => sum + group.length, 0);
  auditPlace.replaceChildren(
    el(
      "table",
      {},
      el(
        "caption",
        {},
        findings.length === 0 ? `nothing found${data.lookedAt}` : `${count} of ${findings.length} findings`,
      ),
      el("thead", {}, el("tr", {}, heads)),
      el("tbody", {}, rows),
    ),
    left > 0
      ? el("button", { type: "button", onclick: () => change({ audit: "1" }) }, `Show ${left} more rows`)
      : "",
  );
}

const LISTED = 20;

function auditRow(group) {
  const [{ severity, id, reason, remedy, evidence, accepted }] = group;
  const names = group.map(({ stack, subject, target }) =>
    code([stack, subject, target].filter(Boolean).join(" ")),
  );
  const others = names.slice(1, LISTED).map((each) => el("li", {}, each));
  const more = group.length > LISTED ? [el("li", {}, `and ${group.length - LISTED} more`)] : [];
  const rest =
    group.length > 1
      ? [el("details", {}, el("summary", {}, `and ${group.length - 1} more`), el("ul", {}, others, more))]
      : [];
  return el(
    "tr",
    {},
    el("td", { "data-label": "Severity" }, el("span", { class: `word ${SEVERITY[severity]}` }, severity)),
    el("td", { "data-label": "Finding" }, id),
    el("td", { "data-label": "Of" }, names[0], ...rest),
    el(
      "td",
      { "data-label": "Why" },
      reason,
      accepted ? ` (accepted: ${accepted})` : "",
      factsOf({ remedy, evidence: evidence.map((each) => [each, ""]) }),
    ),
  );
}

const SEVERITY = { error: "denied", warning: "unknown", note: "skipped" };

/** The differences by rank, those with one cause as one. */
function changesOf(changes) {
  const titles = [...new Set(changes.map(({ title }) => title))];
  const lists = titles.flatMap((title) => [
    ...(title === "" ? [] : [el("h3", {}, title)]),
    el("ol", { class: "changes" }, changes.filter((each) => each.title === title).map(changeOf)),
  ]);
  return section("What changed", ...lists);
}

function changeOf({ kind, danger, text, count, removed, added }) {
  const more = count > 1 ? [el("li", {}, `and the same of ${count - 1} more`)] : [];
  const places = [
    ...removed.map((each) => el("li", {}, `before: ${each}`)),
    ...added.map((each) => el("li", {}, `now: ${each}`)),
  ];
  const where = el("details", {}, el("summary", {}, "Where it is written"), el("ul", {}, places, more));
  return el(
    "li",
    { class: DANGER[danger] ?? "unknown" },
    el("strong", {}, kind),
    ` ${text}`,
    places.length > 0 ? where : "",
  );
}

const DANGER = { admin: "denied", issuer: "denied", subjects: "denied", others: "denied", less: "skipped" };

function section(title, ...content) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), ...content);
}

page.append(
  ...(data.changes ? [changesOf(data.changes)] : []),
  filters(),
  status,
  section("Problems", problemsPlace),
  section("Map", mapPlace),
  section("Results", tablePlace),
  ...(data.audit ? [section("Audit", auditPlace)] : []),
);
page.prepend(header());
for (const link of document.querySelectorAll("a.skip, a.counter")) link.addEventListener("click", jump);
addEventListener("hashchange", () => {
  state = stateOf(location.hash);
  draw();
});
addEventListener("resize", () => redrawLines());
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
// Lines follow the width of the paper.
matchMedia("print").addEventListener("change", () => redrawLines());
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (state.node || state.chain)) change({ node: "", chain: "" });
});
draw();
