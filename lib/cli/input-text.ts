import { type CommandIo, UsageError } from "./command";

/** A kubelet's log of an hour, and the manifests of a large cluster, have some megabytes. */
const BYTES_MAX = 67_108_864;

/** Standard input as text; ends the command if it is larger. */
export async function inputText(io: CommandIo): Promise<string> {
  const text = await inputUpTo(io, BYTES_MAX);
  if (text === undefined)
    throw new UsageError(`standard input is larger than ${BYTES_MAX} bytes: select what is asked about`);
  return text;
}

/** Standard input as text; `undefined` if it has more bytes. */
export async function inputUpTo({ input }: CommandIo, bytesMax: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
