import type { CheckResult, ExplainResult } from "cdktf-workload-identity/explain";
import type { Outcome } from "./run";
import type { Edit } from "./variant";

const HEAD = `# Pulls that are denied, and how to tell why

Every link of an image pull fails silently: whatever is wrong, the pod shows the registry's 401 or 403. Each variant on this
page makes one common mistake in files that were good, and shows what \`explain\` says about it. The page is generated from a
run, and a test compares the two.

\`\`\`sh
npm ci && npm run build && node dist/examples/denied-pulls/main.js
\`\`\`

This writes the good files to \`cdktf.out/denied-pulls/good\` and each damaged copy to a folder named after its variant, and
prints one line per variant. To see all links of one variant and where the evidence is:

\`\`\`sh
npx cdktf-workload-identity explain cdktf.out/denied-pulls/glob-over-a-dot --verbose \\
  --service-account shop/web --image 111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1.4
\`\`\`

You cannot make most of these mistakes with the constructs of this library, because they refuse them at synth. The mistakes
occur in files that were written by hand, changed afterwards, or applied to nodes that they were not made for.

A pull that works only with the node's identity is denied too: it works only until the node loses its permissions, and the pod
has the same rights as every other pod on that node.
`;

/** The first link that does not hold. */
export function stopped({ checks }: ExplainResult): CheckResult {
  const first = checks.find(({ status }) => status !== "pass");
  if (!first) throw new Error("every link holds");
  return first;
}

/** The catalogue of all variants as Markdown. */
export function catalogue(outcomes: readonly Outcome[]): string {
  const links = [...new Set(outcomes.map(({ after }) => stopped(after).id))];
  const index = links.map((link) => {
    const ids = outcomes.filter(({ after }) => stopped(after).id === link).map(({ variant }) => variant.id);
    return `- ${link}: ${ids.map((id) => `[${id}](#${anchor(id)})`).join(", ")}`;
  });
  return [HEAD, "## By the link that breaks\n", `${index.join("\n")}\n`, ...outcomes.map(section)].join("\n");
}

function section({ variant, after }: Outcome): string {
  const { id, reason, log, remedy } = stopped(after);
  const as =
    after.verdict !== "denied" || after.as === null ? "" : `, although the ${after.as} may serve the pull`;
  const facts = [
    ["Pull", `\`${variant.serviceAccount}\` pulls \`${variant.image}\``],
    ["Verdict", `**${after.verdict}** at \`${id}\`${as}`],
    ["Why", code(reason)],
    ["What an operator sees", log === undefined ? undefined : code(log)],
    ["Remedy", code(remedy)],
  ].filter(([, text]) => text !== undefined);
  const list = facts.map(([name, text]) => `- ${name}: ${text}`).join("\n");
  return [`## ${variant.id}\n`, `${variant.mistake}\n`, ...variant.edits.map(difference), `${list}\n`].join(
    "\n",
  );
}

/** Texts of programs, in which no character may mean something to Markdown. */
function code(text: string): string {
  return text.includes("`") ? `\`\`${text}\`\`` : `\`${text}\``;
}

function difference({ file, from = "", to }: Edit): string {
  const lines = [...signed("-", from), ...signed("+", to)];
  return [`\`${file}\`:\n`, "```diff", ...lines, "```\n"].join("\n");
}

function signed(sign: string, text: string): readonly string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return text === "" ? [] : lines.map((line) => `${sign} ${line}`);
}

/** The id that the heading gets on a forge: dots are left out. */
function anchor(id: string): string {
  return id.replaceAll(".", "");
}
