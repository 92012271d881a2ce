/*
 * The CredentialsRequests that OpenShift's release payloads carry, 4.16 to 5.1 and the branches in development
 * (`HEAD`), as facts: what the components' repositories say, one entry per distinct content.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Clouds with payload requests. */
export type RequestCloud = "aws" | "azure" | "google";

/** A CredentialsRequest as it is parsed from YAML. */
export type RequestDocument = Readonly<Record<string, unknown>>;

interface Entry {
  readonly releases: readonly string[];
  readonly document: RequestDocument;
}

const FOLDER = resolve(__dirname, "../fixtures/credentials-requests");
const read = <T>(name: string): T => JSON.parse(readFileSync(`${FOLDER}/${name}.json`, "utf8")) as T;

/** `aws`, `azure`, `google`. */
export const requestClouds: readonly RequestCloud[] = ["aws", "azure", "google"];

/** The releases of the data set, oldest first; `HEAD` last. */
export const requestReleases: readonly string[] = [
  "4.16",
  "4.17",
  "4.18",
  "4.19",
  "4.20",
  "4.21",
  "4.22",
  "4.23",
  "5.0",
  "5.1",
  "HEAD",
];

/** Every payload CredentialsRequest of a cloud in a release, gated ones included, in the order of their names. */
export function payloadRequests(cloud: RequestCloud, release: string): readonly RequestDocument[] {
  return read<readonly Entry[]>(cloud)
    .filter(({ releases }) => releases.includes(release))
    .map(({ document }) => document);
}

/** The releases in which something is new among a cloud's requests: the others have exactly those of the one before. */
export function releasesThatDiffer(cloud: RequestCloud): readonly string[] {
  const texts = requestReleases.map((release) => JSON.stringify(payloadRequests(cloud, release)));
  return requestReleases.filter((_, place) => texts[place] !== texts[place - 1]);
}

/** Those of optional operators; some name no service account and are not used with short-term credentials as they are. */
export function optionalRequests(cloud: RequestCloud): readonly RequestDocument[] {
  return read<readonly { readonly cloud: string; readonly document: RequestDocument }[]>("optional")
    .filter((entry) => entry.cloud === cloud)
    .map(({ document }) => document);
}
