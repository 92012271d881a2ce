import { fail } from "../../errors";
import { literal } from "../../model/late";
import type { Subject } from "../../model/subject";
import { type NameRules, derivedName, stableHash } from "../names";
import { CREDENTIALS_PER_IDENTITY } from "./trust";
import { type PullPermission, permissionKey } from "./pull-permission";
import { shardOf } from "./shard";
import { shardsThatFit } from "./shard";

/** A service account and what it may pull. */
export interface PlannedPull {
  /** Who pulls. */
  readonly subject: Subject;
  /** One entry per registry. */
  readonly permissions: readonly PullPermission[];
}

/** An identity to declare, and the service accounts that act as it. */
export interface PlannedIdentity {
  /** Id of the construct; a function of the service account, and with shards of its permissions. */
  readonly id: string;
  /** Name in Azure, within 128 characters. */
  readonly identityName: string;
  /** What each of its service accounts may pull. */
  readonly permissions: readonly PullPermission[];
  /** At most 20. */
  readonly subjects: readonly Subject[];
}

/** How service accounts are spread over identities. */
export interface SpreadOptions {
  /** Begins every name. */
  readonly namePrefix: string;
  /**
   * Number of buckets per permission set.
   *
   * @defaultValue - one identity per service account
   */
  readonly shards?: number | undefined;
}

/** Names of user-assigned identities that are derived from others. */
export const IDENTITY_NAME: NameRules = { max: 128, allowed: /[A-Za-z0-9_-]/, separator: "_" };
const PERCENT = 100;
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

/**
 * Spreads service accounts over identities.
 *
 * Where each goes depends on nothing but itself: its name, and with `shards` also its permission set, since sharing
 * an identity shares its rights. Throws `azure-name-invalid`, `azure-shards-invalid` or
 * `azure-credentials-too-many`.
 */
export function spread(pulls: readonly PlannedPull[], options: SpreadOptions): readonly PlannedIdentity[] {
  const { shards } = options;
  const namePrefix = identityNamePrefix(options.namePrefix);
  const identities = new Map<string, PlannedIdentity & { readonly subjects: Subject[] }>();
  for (const { subject, permissions } of pulls) {
    const parts = shards === undefined ? ownParts(subject) : sharedParts(subject, permissions, shards);
    const id = parts.join("_");
    const known = identities.get(id);
    if (known) known.subjects.push(subject);
    else {
      const identityName = derivedName([namePrefix, ...parts], IDENTITY_NAME);
      identities.set(id, { id, identityName, permissions, subjects: [subject] });
    }
  }
  const planned = [...identities.values()];
  if (shards !== undefined) checkSizes(planned, pulls, shards);
  return planned;
}

/** Returns what begins the names of identities; throws `azure-name-invalid` or `late-value`. */
export function identityNamePrefix(namePrefix: string): string {
  const allowed = "1 to 63 letters, digits and hyphens, beginning with a letter or digit";
  return PREFIX.test(literal(namePrefix, "namePrefix"))
    ? namePrefix
    : fail("azure-name-invalid", "namePrefix", namePrefix, allowed);
}

/** Neither namespaces nor service account names have an underscore, so the joined parts are unambiguous. */
function ownParts({ namespace, name }: Subject): readonly string[] {
  return [namespace, name];
}

function sharedParts(
  subject: Subject,
  permissions: readonly PullPermission[],
  shards: number,
): readonly string[] {
  return [`pulls-${stableHash(permissionKey(permissions))}`, String(shardOf(subject, shards))];
}

function checkSizes(
  identities: readonly PlannedIdentity[],
  pulls: readonly PlannedPull[],
  shards: number,
): void {
  const overfull = identities.find(({ subjects }) => subjects.length > CREDENTIALS_PER_IDENTITY);
  if (!overfull) return;
  const groups = new Map<string, Subject[]>();
  for (const { subject, permissions } of pulls) {
    const key = permissionKey(permissions).join("\n");
    groups.set(key, groups.get(key) ?? []);
    groups.get(key)?.push(subject);
  }
  const fitting = shardsThatFit([...groups.values()], CREDENTIALS_PER_IDENTITY, shards);
  const remedy = [...moreShards(shards, fitting), "leave shards out for one identity per service account"];
  const { identityName, subjects } = overfull;
  const text = remedy.join("; or ");
  fail("azure-credentials-too-many", identityName, subjects.length, CREDENTIALS_PER_IDENTITY, text);
}

function moreShards(shards: number, fitting: number | undefined): readonly string[] {
  if (fitting === undefined) return [];
  const moved = Math.round(PERCENT * (1 - shards / fitting));
  return [
    `set shards to ${fitting} (now ${shards}), the least number with which all service accounts fit; about ${moved} % of them move to another identity, so plan that apply`,
  ];
}
