/* The data, opened: results with their texts, checks looked up when they are shown. */

const data = JSON.parse(document.getElementById("data").textContent);

/** What stands for target, subject, identity, name and namespace in texts of a result. */
function marksOf({ target, subject, as }) {
  const slash = subject.indexOf("/");
  return [target, subject, as ?? "", subject.slice(slash + 1), subject.slice(0, Math.max(0, slash))];
}

/** The text of a number, with what is the result's own in its place. */
function textIn(result, number) {
  if (number < 0) return "";
  result.marks ??= marksOf(result);
  return data.texts[number].replace(/[\u0001-\u0005]/g, (mark) => result.marks[mark.charCodeAt(0) - 1]);
}

const text = (number) => (number < 0 ? "" : data.texts[number]);

const results = data.results.map(
  ([job, stack, subject, target, verdict, as, chain, cloud, cause, warnings, accepted], number) => ({
    number,
    job,
    stack: text(stack),
    subject: text(subject),
    target: text(target),
    verdict,
    chain,
    as: as < 0 ? null : text(as),
    cloud: text(cloud) || "none read",
    namespace: text(subject).split("/")[0],
    cause: cause || "none",
    warnings,
    accepted: accepted.map(text),
  }),
);

/** The links of a result's chain, with their texts. */
function checksOf(result) {
  result.checks ??= data.chains[result.chain].map((number) => {
    const [id, status, reason, evidence, remedy, log] = data.checks[number];
    return {
      id,
      status,
      template: reason,
      question: data.questions[id] ?? "",
      reason: textIn(result, reason),
      remedy: textIn(result, remedy),
      log: textIn(result, log),
      evidence: evidence.map((each) => evidenceIn(result, each)),
    };
  });
  return result.checks;
}

function evidenceIn(result, number) {
  const [said, place] = data.evidence[number];
  return [textIn(result, said), textIn(result, place)];
}

function warningsOf(result) {
  return result.warnings.map(([id, reason, evidence, remedy]) => ({
    id,
    reason: textIn(result, reason),
    remedy: textIn(result, remedy),
    evidence: evidence.map((each) => evidenceIn(result, each)),
  }));
}

/** What is chosen; the fragment of the address holds it, so that a link shows the same. */
const NOTHING = {
  q: "",
  ns: "",
  cloud: "",
  verdict: "",
  cause: "",
  why: "",
  sort: "verdict",
  chain: "",
  node: "",
  all: "",
  audit: "",
};

function stateOf(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  return Object.fromEntries(Object.keys(NOTHING).map((key) => [key, given.get(key) ?? NOTHING[key]]));
}

function fragmentOf(state) {
  const chosen = Object.entries(state).filter(([key, value]) => value !== NOTHING[key]);
  return `#${new URLSearchParams(chosen)}`;
}

const RANK = { denied: 0, unknown: 1, allowed: 2 };

const COLUMNS = [
  ["verdict", "Verdict", (each) => RANK[each.verdict]],
  ["stack", "Stack", (each) => each.stack],
  ["subject", "Service account", (each) => each.subject],
  ["target", "Target", (each) => each.target],
  ["as", "As", (each) => each.as ?? ""],
  ["cause", "Does not hold at", (each) => (each.cause === "none" ? "" : each.cause)],
];

/** The results that are chosen, in their order; `-` before a column turns it round. */
function chosenOf(state) {
  const wanted = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (each) =>
    (!state.ns || each.namespace === state.ns) &&
    (!state.cloud || each.cloud === state.cloud) &&
    (!state.verdict || each.verdict === state.verdict) &&
    (!state.cause || each.cause === state.cause) &&
    (!state.why || whyOf(each) === state.why) &&
    wanted.every((word) => searched(each).includes(word));
  const isDown = state.sort.startsWith("-");
  const [, , keyOf] = COLUMNS.find(([id]) => id === state.sort.replace("-", "")) ?? COLUMNS[0];
  return results.filter(fits).sort((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return (a < b ? -1 : a > b ? 1 : 0) * (isDown ? -1 : 1) || one.number - other.number;
  });
}

/** Results with one of these do not hold for one reason: link, verdict and sentence apart from their own names. */
function whyOf(each) {
  const numbers = data.chains[each.chain].map((number) => data.checks[number]);
  const [id, , reason] = numbers.find(([id, status]) => id === each.cause && status !== "pass") ?? [
    each.cause,
    "",
    "",
  ];
  return (each.why ??= `${each.verdict} ${id} ${reason}`);
}

function searched(each) {
  each.searched ??= [each.subject, each.target, each.as, each.stack, each.cause].join(" ").toLowerCase();
  return each.searched;
}

/** An element with attributes and children; every text is a text node. */
function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((each) => each !== undefined));
  return made;
}

const SIGNS = { allowed: "✓", pass: "✓", denied: "✕", fail: "✕", unknown: "?", skipped: "–" };

/** Verdict and status are words with a sign; colour only repeats them. */
const word = (status) => el("span", { class: `word ${status}` }, `${SIGNS[status] ?? "•"} ${status}`);
const code = (value) => el("code", {}, value);
