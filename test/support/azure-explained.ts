/*
 * What Azure's part of the verifier says of artefacts, asked without the other clouds.
 */

import { askedImage, askedPattern } from "../../lib/explain/asked-image";
import { azureReader } from "../../lib/explain/azure/reader";
import type { Cloud } from "../../lib/explain/cloud";
import { Accesses, type JudgedAccess } from "../../lib/explain/jobs/access";
import { type JudgedPull, Pulls } from "../../lib/explain/jobs/pull";
import { pullerOf } from "../../lib/explain/jobs/pull-questions";
import type { ClusterRecord } from "../../lib/explain/read/cluster-record";
import { type Facts, readFacts } from "../../lib/explain/read/facts";
import { PublishedIssuers } from "../../lib/explain/shared/issuers";
import { type Artefacts, folderOf } from "../fixtures/explain/artefacts";

/** Facts, and Azure over them. */
export interface AzureFacts {
  /** What was read. */
  readonly facts: Facts;
  /** Azure. */
  readonly cloud: Cloud;
}

/** Reads artefacts, and others that are named besides them. */
export function azureFacts(
  artefacts: Artefacts | Readonly<Record<string, string>>,
  cluster: ClusterRecord = {},
  ...others: readonly Readonly<Record<string, string>>[]
): AzureFacts {
  const facts = readFacts([artefacts, ...others].map(folderOf), { computed: azureReader.computed, cluster });
  const issuers = new PublishedIssuers(azureReader.stores(facts.terraform));
  return { facts, cloud: azureReader.read(facts.terraform, issuers) };
}

/** Judges a pull; a pattern has a star. */
export function pullOf({ facts, cloud }: AzureFacts, serviceAccount: string, image: string): JudgedPull {
  const [artefacts] = facts.clusters;
  if (artefacts === undefined) throw new Error("no cluster");
  const asked = image.includes("*") ? askedPattern(image) : askedImage(image);
  return new Pulls(() => cloud.pulls).judge(artefacts, pullerOf(artefacts, serviceAccount, "asked"), asked);
}

/** Judges a component or workload. */
export function accessOf({ facts, cloud }: AzureFacts, serviceAccount: string): JudgedAccess {
  const [artefacts] = facts.clusters;
  if (artefacts === undefined) throw new Error("no cluster");
  const accesses = new Accesses([cloud]);
  for (const job of ["component", "workload"] as const)
    for (const result of accesses.of(artefacts, job, serviceAccount, new Set())) return result;
  throw new Error(`nothing is said of ${serviceAccount}`);
}

/** The first check that does not pass, with its reason, or `allowed`. */
export function firstOpenOf({ verdict, checks }: Pick<JudgedPull, "verdict" | "checks">): string {
  const open = checks.find(({ status }) => status === (verdict === "denied" ? "fail" : "unknown"));
  return verdict === "allowed" ? "allowed" : `${open?.status} ${open?.id}: ${open?.reason}`;
}
