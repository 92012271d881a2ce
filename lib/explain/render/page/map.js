/*
 * The map. A chain always runs through the same stages in the same order, so that these are columns, and nothing has to be
 * laid out: what several chains share is one box, and boxes stand in the order of the chains.
 */

/** More boxes in a column than these are not read; service accounts are then shown by namespace. */
const ACCOUNTS_MAX = 60;
const CHAINS_MAX = 400;
const ORDER = ["pass", "skipped", "unknown", "fail"];

const worst = (checks) =>
  checks.reduce(
    (found, { status }) => (ORDER.indexOf(status) > ORDER.indexOf(found) ? status : found),
    "pass",
  );

/** The stages of a result: what stands in each column, how its links are, and what they say. */
function stagesOf(result, byNamespace) {
  if (result.stages?.byNamespace === byNamespace) return result.stages;
  const placed = new Map();
  let stage = 0;
  for (const check of checksOf(result)) {
    if (check.id === "otherwise" || check.id === "still-pulled") continue;
    const found = data.stages.findIndex(([, ids]) => ids.includes(check.id));
    if (found >= 0) stage = found;
    placed.set(stage, [...(placed.get(stage) ?? []), check]);
  }
  const made = data.stages.map(([title], place) => {
    const checks = placed.get(place) ?? [];
    // What a broken link of a later stage keeps from being asked does not hide what was found before it.
    const reached = checks.filter((check) => check.status !== "skipped");
    const status = checks.length === 0 ? "pass" : worst(reached.length > 0 ? reached : checks);
    const deciding = checks.filter((check) => check.status === status).at(-1);
    const label =
      place === 0
        ? byNamespace
          ? `${result.namespace}/*`
          : result.subject
        : title === "Identity" && result.as !== null && status !== "fail"
          ? result.as
          : (deciding?.reason ?? "");
    return { title, status, label: label || "–", checks };
  });
  const { target, verdict } = result;
  const end = {
    title: "Target",
    status: verdict === "allowed" ? "pass" : "skipped",
    label: target,
    checks: [],
  };
  result.stages = Object.assign([...made, end], { byNamespace });
  return result.stages;
}

/** The boxes of every column and the lines between them, of the chains of one lane. */
function graphOf(chosen, byNamespace) {
  const boxes = new Map();
  const lines = new Map();
  for (const result of chosen) {
    const stages = stagesOf(result, byNamespace);
    let before;
    let isBroken = false;
    for (const [column, stage] of stages.entries()) {
      const { status, label } = stage;
      const key = `${column} ${result.cloud} ${label}`;
      const box = boxes.get(key) ?? { key, column, label, status: "pass", results: [], stages: [] };
      boxes.set(key, box);
      box.results.push(result);
      if (box.stages.length < 3) box.stages.push(stage);
      if (ORDER.indexOf(status) > ORDER.indexOf(box.status)) box.status = status;
      if (before && !isBroken) {
        const id = `${before.key}\n${key}`;
        const line = lines.get(id) ?? { from: before.key, to: key, status: "pass", count: 0 };
        line.count += 1;
        if (ORDER.indexOf(status) > ORDER.indexOf(line.status)) line.status = status;
        lines.set(id, line);
      }
      // The line ends at the stage that is broken; what follows was not reached.
      isBroken ||= status === "fail";
      before = box;
    }
  }
  return { boxes: [...boxes.values()], lines: [...lines.values()] };
}

function drawMap(place, all, state, change) {
  const chosen = all.filter((each) => !state.node || hasBox(each, state.node));
  const shown = chosen.slice(0, CHAINS_MAX);
  const byNamespace = new Set(shown.map(({ subject }) => subject)).size > ACCOUNTS_MAX;
  const said = el(
    "p",
    { class: "said", "aria-live": "polite" },
    "Point at a box, or focus it, to see what was found; choose it to see its chains alone.",
  );
  const lanes = [...new Set(shown.map(({ cloud }) => cloud))].sort().map((cloud) => {
    const graph = graphOf(
      shown.filter((each) => each.cloud === cloud),
      byNamespace,
    );
    return laneOf(cloud, graph, state, change, said);
  });
  const notes = [
    ...(chosen.length > shown.length
      ? [`The first ${shown.length} of ${chosen.length} chains are drawn: filter to see others.`]
      : []),
    ...(byNamespace ? ["Service accounts are drawn by namespace: filter to see single ones."] : []),
  ];
  const back = state.node
    ? [el("button", { type: "button", onclick: () => change({ node: "" }) }, "Show all chains again")]
    : [];
  place.replaceChildren(
    ...notes.map((note) => el("p", { class: "asks" }, note)),
    ...back,
    said,
    ...lanes.map(({ lane }) => lane),
  );
  for (const each of lanes) each.drawLines();
  return () => lanes.forEach((each) => each.drawLines());
}

/** Whether a chain runs through a box, named by column and label. */
function hasBox(result, node) {
  return [true, false].some((byNamespace) =>
    stagesOf(result, byNamespace).some(({ label }, column) => `${column} ${result.cloud} ${label}` === node),
  );
}

function laneOf(cloud, { boxes, lines }, state, change, said) {
  const drawn = new Map();
  const titles = [...data.stages.map(([title]) => title), "Target"];
  const columns = titles.map((title, column) =>
    el(
      "div",
      { class: "column" },
      el("h4", {}, title),
      el(
        "ul",
        {},
        boxes
          .filter((box) => box.column === column)
          .map((box) => el("li", {}, boxOf(box, title, state, change, said, drawn))),
      ),
    ),
  );
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const body = el("div", { class: "columns" }, ...columns);
  body.prepend(svg);
  const lane = el("section", { class: "lane", "aria-label": `Cloud ${cloud}` }, el("h3", {}, cloud), body);
  return { lane, drawLines: () => drawLines(svg, body, drawn, lines) };
}

function boxOf(box, title, state, change, said, drawn) {
  const { key, label, status, results: own } = box;
  const show = () => said.replaceChildren(...evidenceOf(box, title));
  const button = el(
    "button",
    {
      ...{
        type: "button",
        class: `box ${status}`,
        "aria-pressed": String(state.node === key),
        "data-key": key,
      },
      onfocus: show,
      onmouseenter: show,
      onclick: () =>
        change({
          node: state.node === key ? "" : key,
          chain: own.length === 1 ? String(own[0].number + 1) : "",
        }),
    },
    el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[status]),
    el("span", { class: "label" }, label),
    el("span", { class: "hidden" }, `, ${status}`),
    own.length > 1 ? el("span", { class: "count" }, ` ${own.length}`) : "",
  );
  drawn.set(key, button);
  return button;
}

const SHOWN = 6;

function evidenceOf({ label, status, results: own, stages }, title) {
  const checks = stages[0].checks;
  const seen = checks.flatMap(({ evidence }) => evidence).slice(0, SHOWN);
  return [
    el("strong", {}, `${title}: ${label} `),
    word(status),
    ` ${own.length === 1 ? `of ${own[0].subject}` : `in ${own.length} chains`}`,
    ...checks
      .filter((check) => check.status === status)
      .map(({ id, reason }) => el("span", { class: "line" }, `${id}: ${reason}`)),
    ...seen.map(([text, where]) => el("span", { class: "line asks" }, where ? `${text}, ${where}` : text)),
  ];
}

/** Lines run from the right of one box to the left of the next; a broken one ends before it, with a cross. */
function drawLines(svg, body, drawn, lines) {
  const outer = body.getBoundingClientRect();
  svg.setAttribute("width", String(body.scrollWidth));
  svg.setAttribute("height", String(body.scrollHeight));
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  svg.replaceChildren(
    ...lines.flatMap(({ from, to, status, count }) => {
      const [a, b] = [drawn.get(from).getBoundingClientRect(), drawn.get(to).getBoundingClientRect()];
      const [x1, y1] = [a.right - outer.left + body.scrollLeft, a.top + a.height / 2 - outer.top];
      const [x2, y2] = [b.left - outer.left + body.scrollLeft, b.top + b.height / 2 - outer.top];
      const isBroken = status === "fail";
      const [x, y] = isBroken ? [(x1 + x2) / 2, (y1 + y2) / 2] : [x2, y2];
      const bend = (x - x1) / 2;
      const d = `M${x1} ${y1}C${x1 + bend} ${y1} ${x - bend} ${y} ${x} ${y}`;
      const path = make("path", {
        d,
        class: `line ${status}`,
        "stroke-width": 1 + Math.min(4, Math.log2(count)),
      });
      if (!isBroken) return [path];
      const cross = make("text", { x: x - 5, y: y + 5, class: "broken" });
      cross.textContent = "✕";
      return [path, cross];
    }),
  );
}
