import { existsSync } from "node:fs";
import { readAtMost } from "../artefact/read-file";
import { errorCode } from "../artefact/synth-folder";
import { writeTogether } from "../artefact/write-together";
import { fail } from "../errors";
import { printable } from "../explain/render/printable";
import { Issuer } from "../model/issuer";
import { documentsOf, jsonText } from "../rules/openid/issuer-documents";
import { jwksFromPublicKeys } from "../rules/openid/jwks";
import { type CommandIo, UsageError, readArguments } from "./command";

/** ccoctl's on AWS and Google. */
const JWKS_PATH = "keys.json";

/** The largest key has a few kilobytes. */
const BYTES_MAX = 65_536;

/** A line of PEM has 64 characters of base64. Paths are longer only where they exist, nearly always. */
const PATH_MAX = 100;
const BASE64 = /[A-Za-z0-9+/=_-]{40}/;
const NO_TEXT = "jwks takes files with public keys, not their text";

/**
 * `jwks PEM… [--issuer URL] [--jwks-path PATH] [--to DIR]`: the JSON Web Key Set of public keys, and with an issuer
 * its discovery document before it.
 *
 * Prints them, or writes them below the folder, at the paths at which the issuer must serve them: all or none.
 */
export function run(args: readonly string[], io: CommandIo): number {
  // Any other refusal would show the argument, and the key may be a private one.
  if (args.some((argument) => argument.includes("-----BEGIN") || argument.includes("\n")))
    throw new UsageError(NO_TEXT);
  const { values, positionals } = readArguments(args, {
    issuer: { type: "string" },
    "jwks-path": { type: "string", default: JWKS_PATH },
    to: { type: "string" },
  });
  const { issuer, to, "jwks-path": jwksPath } = values;
  if (positionals.length === 0) throw new UsageError("jwks needs at least one file with a public key in PEM");
  if (positionals.some(mayBeKey)) throw new UsageError(NO_TEXT);

  const set = jwksFromPublicKeys(positionals.map(keyText), positionals);
  // The placeholder issuer only finds the path checked; its discovery document is not used.
  const { discovery, jwks } = documentsOf(Issuer.exactly(issuer ?? "https://issuer.invalid"), set, {
    jwksPath,
  });
  const documents = issuer === undefined ? [{ ...jwks, text: jsonText(set) }] : [discovery, jwks];
  if (issuer?.endsWith("/"))
    io.err("the issuer ends with a slash: the cluster's `iss` must end with it as well\n");
  if (to === undefined) for (const { text } of documents) io.out(`${text}\n`);
  else for (const path of writeTogether(to, documents)) io.out(`${printable(path)}\n`);
  return 0;
}

/** True for what is no file and may be the text of a key, whose PEM lines the shell has taken apart. */
function mayBeKey(path: string): boolean {
  return !existsSync(path) && (path.length > PATH_MAX || BASE64.test(path));
}

function keyText(path: string): string {
  let reason = `is larger than ${BYTES_MAX} bytes`;
  try {
    const bytes = readAtMost(path, BYTES_MAX);
    if (bytes) return bytes.toString("utf8");
  } catch (error) {
    reason = `cannot be read (${errorCode(error)})`;
  }
  return fail("issuer-invalid", {
    problem: `file of a public key ${reason}`,
    value: path,
    allowed: "a readable file with a public key in PEM",
    remedy: "give the path of a readable file",
  });
}
