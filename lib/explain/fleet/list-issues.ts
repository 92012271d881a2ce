/*
 * What is wrong with a list of access providers by itself; every spoke asks, so it is judged once.
 */

import type { WorkloadIdentityError } from "../../errors";
import { accessProviderIssues } from "../../rules/fleet/provider-file";
import { secretIssues } from "../../rules/fleet/secret-material";
import type { ProviderListFact } from "../facts/fleet-facts";

/** Refusals of a list. */
export interface ListIssues {
  /** Of its entries and their keys. */
  readonly entries: readonly WorkloadIdentityError[];
  /** Of tokens, keys and passwords in it. */
  readonly secrets: readonly WorkloadIdentityError[];
}

const JUDGED = new WeakMap<ProviderListFact, ListIssues>();

/** The refusals of a list; none where its text cannot be read. */
export function listIssues(read: ProviderListFact): ListIssues {
  const known = JUDGED.get(read);
  if (known) return known;
  const providers = read.providers ?? [];
  const made = {
    entries: accessProviderIssues(providers),
    secrets: secretIssues("list of access providers", providers),
  };
  JUDGED.set(read, made);
  return made;
}
