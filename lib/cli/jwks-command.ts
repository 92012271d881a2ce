import { existsSync } from "node:fs";
import { readAtMost } from "../artefact/read-file";
import { errorCode } from "../artefact/synth-folder";
import { writeTogether } from "../artefact/write-together";
import { fail } from "../errors";
import { printable } from "../explain/render/printable";
import { Issuer } from "../model/issuer";
import { documentsOf, jsonText } from "../rules/openid/issuer-documents";
import { jwksFromPublicKeys } from "../rules/openid/jwks";
import { type Asked, type CommandIo, UsageError } from "./command";
import { inputUpTo } from "./input-text";

/** The largest key has a few kilobytes. */
const BYTES_MAX = 65_536;

/** A line of PEM has 64 characters of base64. A longer operand that is not a file is hardly ever a mistyped path. */
const PATH_MAX = 100;
const BASE64 = /[A-Za-z0-9+/=_-]{40}/;
/** Names standard input. */
const STDIN = "-";
const KEY_END = /(?<=^-----END [^\n]*-----[ \t]*\r?\n)/m;
const NO_TEXT = "jwks takes files with public keys, not their text";

interface Values {
  readonly issuer?: string;
  readonly "jwks-path": string;
  readonly to?: string;
}

/**
 * `jwks`: the JSON Web Key Set of public keys and, with an issuer, first its discovery document.
 *
 * Prints them, or writes them below the folder, at the paths at which the issuer must serve them: all or none.
 */
export async function run({ values, operands }: Asked<Values>, io: CommandIo): Promise<number> {
  const { issuer, to, "jwks-path": jwksPath } = values;
  // Any other refusal would show the text, and the key may be a private one.
  if (operands.some(mayBeKey)) throw new UsageError(NO_TEXT);

  const keys = await Promise.all(
    operands.map((path) => (path === STDIN ? inputKeys(io) : [[path, keyText(path)] as const])),
  );
  const set = jwksFromPublicKeys(
    keys.flat().map(([, text]) => text),
    keys.flat().map(([name]) => name),
  );
  // The placeholder issuer only finds the path checked; its discovery document is not used.
  const { discovery, jwks } = documentsOf(Issuer.exactly(issuer ?? "https://issuer.invalid"), set, {
    jwksPath,
  });
  const documents = issuer === undefined ? [{ ...jwks, text: jsonText(set) }] : [discovery, jwks];
  if (issuer?.endsWith("/"))
    io.err("the issuer ends with a slash: the cluster's `iss` must end with one too\n");
  if (to === undefined) for (const { text } of documents) io.out(`${text}\n`);
  else for (const path of writeTogether(to, documents)) io.out(`${printable(path)}\n`);
  return 0;
}

/** True for an operand that is not a file and may be part of a key, whose PEM text the shell split into words. */
function mayBeKey(path: string): boolean {
  return !existsSync(path) && (path.includes("\n") || path.length > PATH_MAX || BASE64.test(path));
}

type NamedKey = readonly [name: string, text: string];

/** The keys of standard input, one after the other. */
async function inputKeys(io: CommandIo): Promise<readonly NamedKey[]> {
  const all = await inputUpTo(io, BYTES_MAX);
  if (all === undefined) return refuseKeys("standard input", `is larger than ${BYTES_MAX} bytes`);
  const pieces = all.split(KEY_END);
  const texts = pieces.filter((text, place) => place === 0 || text.trim() !== "");
  return texts.map((text, place) => [
    texts.length === 1 ? "standard input" : `key ${place + 1} of standard input`,
    text,
  ]);
}

function keyText(path: string): string {
  let reason = `is larger than ${BYTES_MAX} bytes`;
  try {
    const bytes = readAtMost(path, BYTES_MAX);
    if (bytes) return bytes.toString("utf8");
  } catch (error) {
    reason = `cannot be read (${errorCode(error)})`;
  }
  return refuseKeys(path, reason);
}

function refuseKeys(path: string, reason: string): never {
  return fail("issuer-invalid", {
    problem: `file of a public key ${reason}`,
    value: path,
    allowed: "a readable file with a public key in PEM",
    remedy: "give the path of a readable file",
  });
}
