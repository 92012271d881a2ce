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

const WHOLE = { allowed: "pass", denied: "fail", unknown: "unknown" };

/** A URL, an ARN, a host, a principal: what a sentence names. */
const NAME = /(?:https?:\/\/|arn:|api:\/\/|principal:\/\/|\/\/)[^\s,;"]+|[\w*-]+(?:\.[\w*-]+){2,}[^\s,;"]*/;

/** Names rather than sentences: the link that does not hold, or what the last one that holds names. */
function labelOf(check, status) {
  if (check === undefined) return "–";
  if (status === "skipped") return "not asked";
  if (status !== "pass") return check.id;
  const places = check.evidence.map(([, where]) => /resource\.([\w-]+\.[\w-]+)/.exec(where)?.[1]);
  return NAME.exec(check.reason)?.[0].replace(/[.:]+$/, "") ?? places.find(Boolean) ?? check.id;
}

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
    // Both ends of a chain take its verdict.
    if (place === 0)
      return {
        title,
        status: WHOLE[result.verdict],
        checks,
        label: byNamespace ? `${result.namespace}/*` : result.subject,
      };
    const own = checks.filter((check) => check.status === status);
    const deciding = own.filter(({ id }) => data.stages[place][1].includes(id)).at(-1) ?? own.at(-1);
    const label =
      title === "Identity" && result.as !== null && status !== "fail" ? result.as : labelOf(deciding, status);
    // What breaks chains for one reason is one box.
    const cause = status === "fail" || status === "unknown" ? ` ${deciding.template}` : "";
    return { title, status, label, cause, checks };
  });
  const end = { title: "Target", status: WHOLE[result.verdict], label: result.target, checks: [] };
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
      const { status, label, cause = "" } = stage;
      const key = `${column} ${result.cloud} ${label}${cause}`;
      const box = boxes.get(key) ?? { key, column, label, status: "pass", results: [], stages: [] };
      boxes.set(key, box);
      box.results.push(result);
      if (box.stages.length < 3) box.stages.push(stage);
      if (ORDER.indexOf(status) > ORDER.indexOf(box.status)) box.status = status;
      if (before && !isBroken) {
        // A line has the verdict of its chains, and is broken before the link that is.
        const own = WHOLE[result.verdict];
        const isAtBreak = status === "fail" && column < stages.length - 1;
        const id = `${before.key}\n${key}\n${own}`;
        const line = lines.get(id) ?? { from: before.key, to: key, status: own, isBroken: false, count: 0 };
        line.count += 1;
        line.isBroken ||= isAtBreak;
        lines.set(id, line);
      }
      // The line ends at the stage that is broken; what follows was not reached.
      isBroken ||= status === "fail" && column > 0;
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
  const legend = el(
    "p",
    { class: "legend" },
    ...["allowed", "denied", "unknown"].map(word),
    " Ends and lines show the verdict of the chain, boxes between them that of their own link; ✕ on a line is where it breaks.",
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
    legend,
    said,
    ...lanes.map(({ lane }) => lane),
  );
  for (const each of lanes) each.drawLines();
  return () => lanes.forEach((each) => each.drawLines());
}

/** Whether a chain runs through a box, named by column and label. */
function hasBox(result, node) {
  return [true, false].some((byNamespace) =>
    stagesOf(result, byNamespace).some(
      ({ label, cause = "" }, column) => `${column} ${result.cloud} ${label}${cause}` === node,
    ),
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
        // One stop for the tabulator in each lane; arrows move between boxes.
        tabindex: drawn.size === 0 ? "0" : "-1",
      },
      onkeydown: moved,
      onfocus: show,
      onmouseenter: show,
      onclick: () =>
        change({
          node: state.node === key ? "" : key,
          chain: own.length === 1 ? String(own[0].number + 1) : "",
        }),
    },
    el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[status]),
    ...named(label),
    el("span", { class: "hidden" }, `, ${status}`),
    own.length > 1 ? el("span", { class: "count" }, countOf(own)) : "",
  );
  drawn.set(key, button);
  return button;
}

/** The last part of a path, and above it, cut rather than broken, where that is. */
function named(label) {
  const at =
    /^(?:[\w-]+\.)+[a-z]+(?=\/.)|^(?:https?:\/)?\/[^/]+(?=\/.)|^arn:.*?(?=\/)/.exec(label)?.[0].length ?? 0;
  const parts = label.slice(at === 0 ? 0 : at + 1).split(/(?<=[/:@_])/);
  return [
    ...(at === 0 ? [] : [el("span", { class: "host", title: label }, label.slice(0, at))]),
    el("span", { class: "label" }, ...parts.flatMap((part) => [part, el("wbr")])),
  ];
}

/** `10 chains`, and how many of them are denied or not known. */
function countOf(own) {
  const counts = ["denied", "unknown"].map((verdict) => [
    own.filter((each) => each.verdict === verdict).length,
    verdict,
  ]);
  const bad = counts.filter(([count]) => count > 0).map((each) => each.join(" "));
  return `${own.length} chains${bad.length === 0 ? "" : `: ${bad.join(", ")}`}`;
}

/** Arrows move up and down a column, and to the columns beside it. */
function moved(event) {
  const [down, across] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
    event.key
  ] ?? [0, 0];
  if (down === 0 && across === 0) return;
  const columns = [...event.target.closest(".columns").querySelectorAll(".column")].map((each) => [
    ...each.querySelectorAll(".box"),
  ]);
  const column = columns.findIndex((each) => each.includes(event.target));
  const beside = columns[column + across] ?? [];
  const place = columns[column].indexOf(event.target) + down;
  const next = beside[Math.min(Math.max(place, 0), beside.length - 1)];
  event.preventDefault();
  next?.focus();
}

const SHOWN = 6;

function evidenceOf({ label, status, results: own, stages }, title) {
  const { checks, title: stage } = stages[0];
  // The ends have the verdict of the chain, which another link decides.
  const isEnd = stage === data.stages[0][0];
  const seen = checks.flatMap(({ evidence }) => evidence).slice(0, SHOWN);
  return [
    el("strong", {}, `${title}: ${label} `),
    word(status),
    ` ${own.length === 1 ? `of ${own[0].subject}` : `in ${own.length} chains`}`,
    ...checks
      .filter((check) => isEnd || check.status === status)
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
    ...lines.flatMap(({ from, to, status, isBroken, count }) => {
      const [a, b] = [drawn.get(from).getBoundingClientRect(), drawn.get(to).getBoundingClientRect()];
      const [x1, y1] = [a.right - outer.left + body.scrollLeft, a.top + a.height / 2 - outer.top];
      const [x2, y2] = [b.left - outer.left + body.scrollLeft, b.top + b.height / 2 - outer.top];
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
