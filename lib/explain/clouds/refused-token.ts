/*
 * Projected tokens that the API server refuses, and the pod with them. Source: kubernetes/kubernetes,
 * pkg/apis/core/validation/validation.go, `validateProjectionSources`.
 */

import { posix } from "node:path";
import { type Answer, broken, seen } from "../answer";
import { at, list, own } from "../facts/access";
import type { PodFact } from "../facts/pod-fragments";

/** Lifetimes that Kubernetes takes, in seconds. */
const SHORTEST = 600;
const LONGEST = 2 ** 32;

/** The first pod with such a token; `undefined` where there is none. */
export function refusedToken(pods: readonly PodFact[]): Answer | undefined {
  for (const { title, spec, source } of pods) {
    const problem = tokensOf(spec)
      .map(tokenProblem)
      .find((each) => each !== undefined);
    if (problem !== undefined)
      return broken(
        `${title} ${problem}, so that it does not start`,
        "write a lifetime between 600 and 4294967296 seconds, and a path within the volume",
        "Invalid value",
        seen(title, source),
      );
  }
  return undefined;
}

function tokensOf(spec: unknown): readonly unknown[] {
  return list(own(spec, "volumes"))
    .flatMap((volume) => list(at(volume, "projected", "sources")))
    .map((source) => own(source, "serviceAccountToken"))
    .filter((token) => token !== undefined);
}

function tokenProblem(token: unknown): string | undefined {
  const [seconds, path] = [own(token, "expirationSeconds"), own(token, "path")];
  if (typeof path === "string" && (posix.isAbsolute(path) || path.split("/").includes("..")))
    return `asks for a token at ${path}; Kubernetes takes no path but one within the volume`;
  // What stands in for a late value is a text.
  if (seconds === undefined || seconds === null || isPlaceholder(seconds)) return undefined;
  if (!Number.isSafeInteger(seconds))
    return `asks for a token of ${JSON.stringify(seconds)}; Kubernetes takes whole numbers of seconds`;
  if (Number(seconds) > LONGEST)
    return `asks for a token of ${String(seconds)} seconds; Kubernetes gives none over ${LONGEST}`;
  return Number(seconds) < SHORTEST
    ? `asks for a token of ${String(seconds)} seconds; Kubernetes gives none under ${SHORTEST}`
    : undefined;
}

function isPlaceholder(value: unknown): boolean {
  return typeof value === "string" && /\$\{|@late\(/.test(value);
}
