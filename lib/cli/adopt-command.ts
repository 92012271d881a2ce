import type { Adoption, AdoptionChoice } from "../adopt/adoption";
import { type CloudAnswers, cloudAnswers } from "../adopt/every-cloud";
import { adoptionProgram, importBlocks } from "../adopt/render";
import { readCredentialsRequests } from "../artefact/credentials-requests-folder";
import { readAtMost } from "../artefact/read-file";
import { errorCode } from "../artefact/synth-folder";
import { fail } from "../errors";
import { printable, printableLines } from "../explain/render/printable";
import { selectCredentialsRequests } from "../rules/openshift/credentials-request-selection";
import { type Asked, type CommandIo, UsageError } from "./command";

const EXIT_COMPLETE = 0;
const EXIT_MISSING = 1;

/** The role assignments of a large subscription take some megabytes. */
const BYTES_MAX = 64 * 1024 * 1024;

interface Values {
  readonly from: string;
  readonly requests?: string;
  readonly name?: string;
  readonly issuer?: string;
  readonly format: "typescript" | "json" | "imports";
}

/** `adopt`: prints settings that take over what exists of a cluster; stderr also names what is missing. */
export function run({ values }: Asked<Values>, io: CommandIo): number {
  const { from, requests, name, issuer, format } = values;
  const answers = cloudAnswers(answersIn(from));
  const choice = {
    name,
    issuer,
    requests: requests === undefined ? undefined : requestsIn(requests, answers),
  };
  const adoptions = answers.adoptions(choice);
  if (adoptions.length === 0)
    throw new UsageError(
      "the answers describe no cluster: add the description of a managed one, or give --requests for OpenShift",
    );
  const text = {
    typescript: () => adoptionProgram(adoptions, { cloud: answers.cloud, requests }),
    json: () =>
      `${JSON.stringify({ version: 1, cloud: answers.cloud, clusters: adoptions }, undefined, 2)}\n`,
    imports: () => importBlocks(adoptions.flatMap((adoption) => adoption.imports)),
  }[format]();
  io.out(printableLines(text));
  return report(adoptions, io);
}

function report(adoptions: readonly Adoption[], io: CommandIo): number {
  for (const { cluster, missing } of adoptions)
    for (const { what, remedy, candidates } of missing)
      io.err(
        `${printable(`${cluster}: missing ${what}${candidates ? ` (found ${candidates.join(", ")})` : ""}: ${remedy}`)}\n`,
      );
  return adoptions.every(({ missing }) => missing.length === 0) ? EXIT_COMPLETE : EXIT_MISSING;
}

/** Treats every feature gate as enabled, because ccoctl does not look at them. */
function requestsIn(folder: string, { cloud }: CloudAnswers): NonNullable<AdoptionChoice["requests"]> {
  return selectCredentialsRequests(readCredentialsRequests(folder), { cloud, featureGates: "all" }).requests;
}

function answersIn(file: string): unknown {
  let reason = `is larger than ${BYTES_MAX} bytes`;
  try {
    const bytes = readAtMost(file, BYTES_MAX);
    if (bytes) return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    reason = error instanceof SyntaxError ? "is not JSON" : `cannot be read (${errorCode(error)})`;
  }
  return fail("adopt-invalid", {
    problem: `the file with the answers ${reason}`,
    value: file,
    allowed: "one JSON object",
    remedy: "collect the answers again with the commands in docs/adopting.md",
  });
}
