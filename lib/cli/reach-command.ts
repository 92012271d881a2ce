import type { ServiceAccountReach } from "../explain";
import { assertAccount } from "../explain/asked";
import { inStack } from "../explain/render/jobs";
import { printable, printableJson } from "../explain/render/printable";
import { grouped } from "../model/grouped";
import { type Listing, printSkipped, readAsked } from "./asked-folders";
import type { Asked, CommandIo } from "./command";

interface Values extends Listing {
  readonly "service-account": string;
}

/** `reach`: every repository that a service account may read, and as whom, declared or not. */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const { "service-account": serviceAccount, stack, format, verbose } = values;
  const explainer = readAsked(operands, values);
  assertAccount(explainer, serviceAccount, stack);
  const rows = explainer.reach(serviceAccount, stack);
  io.out(format === "json" ? reachJson(serviceAccount, rows) : reachText(serviceAccount, rows));
  printSkipped(explainer, io, verbose);
  return 0;
}

function reachJson(serviceAccount: string, rows: readonly ServiceAccountReach[]): string {
  const reach = rows.map(({ stack, as, pattern, declared }) => ({ stack, as, pattern, declared }));
  return `${printableJson({ version: 1, serviceAccount, reach })}\n`;
}

function reachText(serviceAccount: string, rows: readonly ServiceAccountReach[]): string {
  if (rows.length === 0) return `${printable(serviceAccount)} may read nothing that is known here\n`;
  const groups = grouped(rows, ({ stack, as }) => `${inStack(stack)}${serviceAccount} as ${as} may read`);
  return [...groups]
    .flatMap(([who, group]) => [
      who,
      ...group.map(({ pattern, declared }) => `  ${pattern}${declared ? "" : "  (not declared)"}`),
    ])
    .map((line) => `${printable(line)}\n`)
    .join("");
}
