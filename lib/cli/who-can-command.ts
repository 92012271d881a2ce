import type { CheckResult, ImagePuller } from "../explain";
import { openLinks } from "../explain/findings";
import { ANONYMOUS } from "../explain/jobs/fallback";
import { inStack } from "../explain/render/jobs";
import { printable, printableJson } from "../explain/render/printable";
import { grouped } from "../model/grouped";
import { lookupRepository } from "../rules/kubelet/image-reference";
import { type Listing, printSkipped, readAsked } from "./asked-folders";
import type { Asked, CommandIo } from "./command";

interface Values extends Listing {
  readonly image: string;
}

/** `who-can`: the service accounts that may pull an image, declared or not, and those that perhaps may. */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const { image, stack, format, verbose } = values;
  // For a name that the kubelet refuses, an empty list would mislead.
  lookupRepository(image);
  const explainer = readAsked(operands, values);
  const pullers = explainer.whoMayPull(image, stack);
  io.out(format === "json" ? pullersJson(image, pullers) : pullersText(image, pullers));
  printSkipped(explainer, io, verbose);
  return 0;
}

function pullersJson(image: string, pullers: readonly ImagePuller[]): string {
  const rows = pullers.map(({ result, declared }) => {
    const { stack, subject, verdict, as } = result;
    return { stack, subject, verdict, as, declared };
  });
  return `${printableJson({ version: 1, image, pullers: rows })}\n`;
}

function pullersText(image: string, pullers: readonly ImagePuller[]): string {
  const rows = pullers.map((puller) => ({ puller, link: openLinks(puller.result)[0] }));
  // Service accounts that pull without an identity often share one reason, and then one line.
  const isNoOne = ({ puller: { result } }: Row): boolean => result.as === null || result.as === ANONYMOUS;
  const groups = grouped(rows, (row) => {
    const { stack, subject, verdict } = row.puller.result;
    return isNoOne(row) ? `${verdict} ${stack} ${row.link?.reason ?? ""}` : `${stack} ${subject}`;
  });
  const lines = [...groups.values()].flatMap((group) => {
    const [{ puller, link } = {}] = group;
    if (puller === undefined || group.length === 1) return group.map(rowText);
    const { stack, verdict } = puller.result;
    return [`${verdict}  ${inStack(stack)}${group.length} service accounts, without identity${reason(link)}`];
  });
  const others = rows.filter(isNoOne);
  const perhaps = rows.filter((row) => row.puller.result.verdict === "unknown" && !isNoOne(row));
  const count = rows.length - others.length - perhaps.length;
  const end = [
    `${count} may pull ${image}`,
    ...(perhaps.length > 0 ? [`${perhaps.length} perhaps`] : []),
    ...(others.length > 0 ? [`${others.length} send no token for it`] : []),
  ].join(", ");
  return `${[...lines, end].map(printable).join("\n")}\n`;
}

interface Row {
  readonly puller: ImagePuller;
  readonly link: CheckResult | undefined;
}

function rowText({ puller: { result, declared }, link }: Row): string {
  const { stack, subject, verdict, as } = result;
  const who = `${verdict}  ${inStack(stack)}${subject}${as === null ? "" : ` as ${as}`}`;
  return `${who}${declared ? "" : ", not declared"}${reason(link)}`;
}

function reason(link: CheckResult | undefined): string {
  return link ? `: ${link.id}: ${link.reason}` : "";
}
