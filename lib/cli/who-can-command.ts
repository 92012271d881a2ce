import type { ImagePuller } from "../explain";
import { openLinks } from "../explain/findings";
import { printable, printableLines } from "../explain/render/printable";
import { printSkipped, readAsked } from "./asked-folders";
import type { Asked, CommandIo } from "./command";

interface Values {
  readonly image: string;
  readonly stack?: string;
  readonly facts?: string;
  readonly format: "text" | "json";
}

/** `who-can`: the service accounts that may pull an image, declared or not, and those of which it cannot be told. */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const { image, stack, facts, format } = values;
  const explainer = readAsked(operands, facts);
  const pullers = explainer.whoMayPull(image, stack);
  io.out(format === "json" ? pullersJson(image, pullers) : pullersText(image, pullers));
  printSkipped(explainer, io);
  return 0;
}

function pullersJson(image: string, pullers: readonly ImagePuller[]): string {
  const rows = pullers.map(({ result: { stack, subject, verdict, as }, declared }) => ({
    ...{ stack, subject, verdict, as, declared },
  }));
  return `${printableLines(JSON.stringify({ version: 1, image, pullers: rows }, undefined, 2))}\n`;
}

function pullersText(image: string, pullers: readonly ImagePuller[]): string {
  const lines = pullers.map(({ result, declared }) => {
    const { stack, subject, verdict, as } = result;
    const [open] = openLinks(result);
    const who = `${verdict}  ${stack === "" ? "" : `${stack}: `}${subject}${as === null ? "" : ` as ${as}`}`;
    return `${who}${declared ? "" : ", not declared"}${open ? `: ${open.id}: ${open.reason}` : ""}`;
  });
  const perhaps = pullers.filter(({ result }) => result.verdict === "unknown").length;
  const count = pullers.length - perhaps;
  const end = `${count} may pull ${image}${perhaps === 0 ? "" : `, ${perhaps} perhaps`}`;
  return `${[...lines, end].map(printable).join("\n")}\n`;
}
