/*
 * The requests of two releases as one: what the cluster needs from the moment an upgrade may begin until it is done,
 * since components of both releases run side by side.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { requestLabel } from "../../model/request-label";
import {
  type CredentialsRequestSelection,
  CREDENTIALS_REQUEST_SELECTION,
} from "./credentials-request-selection";
import { joinedEntries, textOf } from "./joined-entries";
import { refuseSameNames } from "./request-names";
import { checkGiven } from "../../model/shape";

/**
 * The requests of the release that runs and of the one to come, for the time of an upgrade: each request has the
 * service accounts and the permissions of both, and what only one of them has is kept.
 *
 * Statements of AWS that differ in their actions alone are one with the actions of both. `skipped` is that of the release
 * to come, without requests that the running one has.
 *
 * Throws or `credentials-requests-unjoinable` where both releases have a request of one
 * name and its Secret, the path of its token, or a setting that is no list differs.
 */
export function joinedCredentialsRequests(
  running: CredentialsRequestSelection,
  next: CredentialsRequestSelection,
): CredentialsRequestSelection {
  checkGiven("joinedCredentialsRequests()", CREDENTIALS_REQUEST_SELECTION, running, "running");
  checkGiven("joinedCredentialsRequests()", CREDENTIALS_REQUEST_SELECTION, next, "next");
  const before = new Map(running.requests.map((request) => [keyOf(request), request]));
  const requests = next.requests.map((request) => joined(before.get(keyOf(request)), request));
  const kept = new Set(requests.map(keyOf));
  const all = [...running.requests.filter((request) => !kept.has(keyOf(request))), ...requests];
  refuseSameNames(all);
  const names = new Set(all.map(({ name }) => name));
  return {
    requests: all.sort(
      ({ secret: a }, { secret: b }) => order(a.namespace, b.namespace) || order(a.name, b.name),
    ),
    skipped: next.skipped.filter(({ name }) => !names.has(name)),
  };
}

function keyOf({ providerKind, name }: CredentialsRequest): string {
  return `${providerKind} ${name}`;
}

function joined(before: CredentialsRequest | undefined, after: CredentialsRequest): CredentialsRequest {
  if (before === undefined) return after;
  for (const field of ["secret", "cloudTokenPath"] as const)
    same(before, after, field, before[field], after[field]);
  const known = new Set(before.subjects.map(({ key }) => key));
  return {
    ...after,
    subjects: [...before.subjects, ...after.subjects.filter(({ key }) => !known.has(key))].sort((a, b) =>
      order(a.name, b.name),
    ),
    providerSpec: joinedSpec(before, after),
  };
}

function joinedSpec(
  before: CredentialsRequest,
  after: CredentialsRequest,
): CredentialsRequest["providerSpec"] {
  const [was, is] = [before.providerSpec, after.providerSpec];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return Object.fromEntries(
    fields.map((field) => {
      const [old, current] = [was[field] ?? undefined, is[field] ?? undefined];
      if (old === undefined || current === undefined) return [field, current ?? old];
      if (Array.isArray(old) && Array.isArray(current)) return [field, joinedEntries(old, current)];
      same(before, after, `providerSpec.${field}`, old, current);
      return [field, current];
    }),
  );
}

function same(
  before: CredentialsRequest,
  after: CredentialsRequest,
  field: string,
  was: unknown,
  is: unknown,
): void {
  if (textOf(was) !== textOf(is))
    fail("credentials-requests-unjoinable", requestLabel(before), requestLabel(after), field, is, was);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
