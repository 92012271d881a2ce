import type { CheckResult, ExplainResult } from "cdktf-workload-identity/explain";
import type { Outcome } from "./run";
import type { Edit } from "./variant";

const HEAD = `# Pulls that are denied, and how to tell why

Every link of an image pull fails quietly: whatever is wrong, the pod shows the registry's 401 or 403. Here are mistakes
that people make, one per variant, done to files that were good, and what \`explain\` says of each. This page is written
from a run; a test compares them.

\`\`\`sh
npm ci && npm run build && node dist/examples/denied-pulls/main.js
\`\`\`

writes the good files to \`cdktf.out/denied-pulls/good\`, each damaged copy to a folder named like the variant, and prints a
line for each. Ask about one of them with all links and the place of the evidence:

\`\`\`sh
npx cdktf-workload-identity explain cdktf.out/denied-pulls/glob-over-a-dot --verbose \\
  --service-account shop/web --image 111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1.4
\`\`\`

Most of these mistakes cannot be made with the constructs of this library, which refuse them at synth; they come with files
written by hand, changed afterwards, or applied to other nodes than they were made for.

A pull that only the node's identity serves is denied too: it works until the node's permissions are taken away, and the
pod acts as everybody else on that node.
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
  const as = after.verdict !== "denied" || after.as === null ? "" : `, though the ${after.as} may serve it`;
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
