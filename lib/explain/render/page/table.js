/* The table of results, drawn a page at a time, and the chain of a result below its row. */

const PAGE = 100;

/** Whether allowed results are folded: nothing was chosen, and others come first. */
function isFolded(state, chosen) {
  const isChosen = ["q", "ns", "cloud", "verdict", "cause", "why", "node", "all", "chain"].some(
    (key) => state[key],
  );
  return !isChosen && chosen.some(({ verdict }) => verdict !== "allowed");
}

function drawTable(place, all, state, change) {
  const isShort = isFolded(state, all);
  const chosen = isShort ? all.filter(({ verdict }) => verdict !== "allowed") : all;
  const folded = all.length - chosen.length;
  const sorted = state.sort.replace("-", "");
  const heads = COLUMNS.map(([id, title]) => {
    const isSorted = id === sorted;
    const isDown = isSorted && state.sort.startsWith("-");
    return el(
      "th",
      { scope: "col", "aria-sort": isSorted ? (isDown ? "descending" : "ascending") : undefined },
      el(
        "button",
        {
          type: "button",
          class: "sort",
          onclick: () => change({ sort: isSorted && !isDown ? `-${id}` : id }),
        },
        `${title}${isSorted ? (isDown ? " ↓" : " ↑") : ""}`,
      ),
    );
  });
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", onclick: () => draw() });
  let drawn = 0;
  const draw = () => {
    const next = chosen.slice(drawn, drawn + PAGE);
    body.append(...next.flatMap((each) => rowsOf(each, state, change)));
    drawn += next.length;
    more.hidden = drawn >= chosen.length;
    more.textContent = `Show ${Math.min(PAGE, chosen.length - drawn)} more of ${chosen.length - drawn}`;
  };
  draw();
  const open = results[Number(state.chain) - 1];
  // A link to a chain that is further down shows it all the same.
  if (state.chain && open && chosen.indexOf(open) >= drawn) body.prepend(...rowsOf(open, state, change));
  place.replaceChildren(
    el(
      "table",
      {},
      el("caption", {}, `${chosen.length} of ${results.length} results`),
      el("thead", {}, el("tr", {}, heads)),
      body,
    ),
    more,
    ...(folded === 0
      ? []
      : [
          el(
            "button",
            { type: "button", class: "more", onclick: () => change({ all: "1" }) },
            `Show ${folded} allowed too`,
          ),
        ]),
  );
}

const NOBODY = { allowed: "", denied: "no one", unknown: "not known" };

function rowsOf(result, state, change) {
  const { number, stack, subject, target, verdict, as, cause, job } = result;
  const id = String(number + 1);
  const isOpen = state.chain === id;
  const button = el(
    "button",
    {
      type: "button",
      class: "open",
      "aria-expanded": String(isOpen),
      "aria-controls": `chain-${id}`,
      onclick: () => change({ chain: isOpen ? "" : id }, `row-${id}`),
      id: `row-${id}`,
    },
    subject,
  );
  const cells = [
    word(verdict),
    stack || "none",
    button,
    [`${data.jobs[job].target} `, code(target)],
    as === null ? NOBODY[verdict] : code(as),
    cause,
  ];
  const row = el(
    "tr",
    { "data-verdict": verdict },
    cells.map((cell, place) => el("td", { "data-label": COLUMNS[place][1] }, cell)),
  );
  if (!isOpen) return [row];
  return [
    row,
    el("tr", { class: "chain", id: `chain-${id}` }, el("td", { colspan: cells.length }, chainOf(result))),
  ];
}

/** The chain with its evidence. */
function chainOf(result) {
  const { job, subject, target, verdict, as, accepted } = result;
  const verb = data.jobs[job].verb;
  const acts =
    as === null
      ? []
      : verdict === "allowed" || !job.endsWith("-pull")
        ? [el("p", {}, job.endsWith("-pull") ? "Pulls as " : "Acts as ", code(as), ".")]
        : [el("p", {}, "The chain does not hold by itself; the pull may be served as ", code(as), ".")];
  const links = checksOf(result).map((check) =>
    el(
      "li",
      { class: check.status },
      el("h4", {}, `${check.id} `, word(check.status)),
      el("p", { class: "asks" }, check.question),
      el("p", {}, check.reason),
      factsOf(check),
    ),
  );
  const warned = warningsOf(result).map((each) =>
    el("li", {}, el("h4", {}, `note ${each.id}`), el("p", {}, each.reason), factsOf(each)),
  );
  return [
    el("h3", {}, code(subject), ` ${verb} `, code(target), ": ", word(verdict)),
    ...acts,
    ...accepted.map((why) => el("p", {}, `Accepted: ${why}`)),
    el("ol", { class: "links" }, links, warned),
  ];
}

function factsOf({ log, remedy, evidence }) {
  const rows = [
    ...(log ? [["Seen by an operator", [code(log)]]] : []),
    ...(remedy ? [["Remedy", [remedy]]] : []),
    ...(evidence.length > 0
      ? [
          [
            "Evidence",
            evidence.map(([said, where]) => (where ? el("span", {}, `${said}, `, code(where)) : said)),
          ],
        ]
      : []),
  ];
  if (rows.length === 0) return undefined;
  return el(
    "dl",
    {},
    rows.flatMap(([title, texts]) => [el("dt", {}, title), ...texts.map((each) => el("dd", {}, each))]),
  );
}

/** The chosen results as a Markdown table, in which nothing of theirs is markup. */
function markdownOf(chosen) {
  const cell = (value) => `\`${value.replaceAll("`", "'").replaceAll("|", "\\|") || " "}\``;
  const rows = chosen.map(
    (each) =>
      `| ${each.verdict} | ${[each.stack, each.subject, each.target, each.as ?? "", each.cause].map(cell).join(" | ")} |`,
  );
  return [
    "| verdict | stack | service account | target | as | does not hold at |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
