import { fail } from "../../errors";
import { literal } from "../../model/late";
import type { Subject } from "../../model/subject";
import { type NameRules, derivedName, stableHash } from "../names";
import { CREDENTIALS_PER_IDENTITY } from "./federated-credential";
import { type PullPermission, permissionKey } from "./pull-permission";
import { shardOf } from "./shard";

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

const NAME: NameRules = { max: 128, allowed: /[A-Za-z0-9_-]/, separator: "_" };
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

/**
 * Spreads service accounts over identities.
 *
 * Where each goes depends on nothing but itself: its name, and with `shards` also its permission set, since sharing
 * an identity shares its rights. Throws `azure-name-invalid`, `azure-shards-invalid` or
 * `azure-credentials-too-many`.
 */
export function spread(pulls: readonly PlannedPull[], options: SpreadOptions): readonly PlannedIdentity[] {
  const { namePrefix, shards } = options;
  if (!PREFIX.test(literal(namePrefix, "namePrefix"))) {
    const allowed = "1 to 63 letters, digits and hyphens, beginning with a letter or digit";
    fail("azure-name-invalid", "namePrefix", namePrefix, allowed);
  }
  const identities = new Map<string, PlannedIdentity>();
  for (const pull of pulls) {
    const parts = shards === undefined ? ownParts(pull) : sharedParts(pull, shards);
    const id = parts.join("_");
    const subjects = [...(identities.get(id)?.subjects ?? []), pull.subject];
    const identityName = derivedName([namePrefix, ...parts], NAME);
    identities.set(id, { id, identityName, permissions: pull.permissions, subjects });
  }
  for (const identity of identities.values()) checkSize(identity, shards);
  return [...identities.values()];
}

/** Neither namespaces nor service account names have an underscore, so the joined parts are unambiguous. */
function ownParts({ subject }: PlannedPull): readonly string[] {
  return [subject.namespace, subject.name];
}

function sharedParts({ subject, permissions }: PlannedPull, shards: number): readonly string[] {
  return [`pulls-${stableHash(permissionKey(permissions))}`, String(shardOf(subject, shards))];
}

function checkSize({ identityName, subjects }: PlannedIdentity, shards: number | undefined): void {
  if (subjects.length <= CREDENTIALS_PER_IDENTITY) return;
  const remedy = `raise shards (now ${shards}), which moves service accounts to other identities and so needs a planned apply, or leave it out for one identity per service account`;
  fail("azure-credentials-too-many", identityName, subjects.length, CREDENTIALS_PER_IDENTITY, remedy);
}
