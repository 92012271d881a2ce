/*
 * The members of IAM policies: the bearer of a token at a workload identity pool, or a service account.
 * Source: cloud.google.com/iam/docs/principal-identifiers.
 */

import {
  type Known,
  type Ternary,
  and,
  isKnown,
  joined,
  known,
  map,
  anyOf,
  or,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import { treeOf } from "../../model/tree";
import { type MappedAttributes, UNKNOWN_UID } from "../../rules/google/trust";
import { piecesOf } from "./names";

/** A principal to whom roles may be granted. */
export interface Bearer {
  /** For display: the member that names only the bearer, else the subject. */
  readonly label: string;
  readonly isMember: (member: Known<string>) => Ternary;
  /** Keys of members that certainly are the bearer, and of pools whose other members may be ({@link memberKeys}). */
  readonly keys: readonly string[];
}

export const EVERYONE = "allUsers";
/** Google's documentation disagrees on whether it includes pool identities, so it decides nothing for them. */
export const AUTHENTICATED = "allAuthenticatedUsers";
/**
 * Sets whose members no file lists: groups, the service accounts of a project, folder or organization, and whoever has
 * a basic role on a bucket's project.
 */
const SETS =
  /^(?:group:|principalSet:\/\/cloudresourcemanager\.googleapis\.com\/|project(?:Owner|Editor|Viewer):)/;
/** The key of such sets. */
const SET = "set";
/** The key of a member about which nothing else is known: it may be anyone. */
export const LOOSE = "";
/** A bearer about whom nothing is known: every grant may be to it. */
export const ANYONE: Bearer = { label: "", isMember: () => "unknown", keys: [LOOSE] };

const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;

interface PoolMember {
  readonly number: Known<string>;
  /** The member without the project's number: `principal <pool>/subject/<subject>`. */
  readonly name: Known<string>;
  /** The common beginning of all names with its scheme and pool: `principal <pool>/`. */
  readonly pool: Known<string>;
}

/** The parts of a pool's member; `undefined` for any other member, and if the parts are not known. */
function poolMember(member: Known<string>): PoolMember | undefined {
  const [scheme, number, poolId, rest] = piecesOf(member, MEMBER);
  if (scheme === undefined || number === undefined || poolId === undefined || rest === undefined)
    return undefined;
  const pool = joined(scheme, " ", poolId, "/");
  return { number, pool, name: joined(pool, rest) };
}

/**
 * The bearer of a token at the user's own pool; if the mapping is not known, it may be any member of the pool. The
 * texts in `numbers` all mean the number of the pool's project.
 */
export function poolBearer(
  poolId: Known<string>,
  numbers: readonly Known<string>[],
  attributes: MappedAttributes | undefined,
  subject: string,
): Bearer {
  const [single, set] = [joined("principal ", poolId, "/"), joined("principalSet ", poolId, "/")];
  const names = [joined(set, "*")];
  if (attributes === undefined) return bearer(subject, numbers, names, [single, set]);
  const { google, attribute } = attributes;
  const values: readonly (readonly [pool: Known<string>, kind: string, value: unknown])[] = [
    [single, "subject/", google["subject"]],
    ...Object.entries(attribute).map(([name, value]) => [set, `attribute.${name}/`, value] as const),
    ...[google["groups"]].flat().map((value) => [set, "group/", value] as const),
  ];
  const open: Known<string>[] = [];
  for (const [pool, kind, value] of values) {
    if (value === undefined) continue;
    const text = map(treeOf(value), String);
    if (partsOf(text)) names.push(joined(pool, kind, text));
    else open.push(pool);
  }
  const own = orElse(map(treeOf(google["subject"]), String), () => undefined);
  const path = joined("projects/", numbers[0] ?? "-", "/locations/global/workloadIdentityPools/", poolId);
  const label =
    own === undefined ? subject : shown(joined("principal://iam.googleapis.com/", path, "/subject/", own));
  return bearer(label, numbers, names, open);
}

/**
 * The bearer of a token at the pool of GKE and fleets. No argument of the plugin has the number of the pool's project,
 * and the pool's id is unique without it.
 */
export function managedBearer(
  project: Known<string>,
  cluster: Known<string>,
  namespace: string,
  name: string,
): Bearer {
  const pool = joined(project, ".svc.id.goog/");
  const principal = joined(pool, `subject/ns/${namespace}/sa/${name}`);
  const sets = [known(`namespace/${namespace}`), joined("kubernetes.cluster/", cluster), known("*")];
  // A principal may also be named by the service account's UID.
  const byUid = joined("principal ", pool, "kubernetes.serviceaccount.uid/", UNKNOWN_UID);
  const names = [
    joined("principal ", principal),
    byUid,
    ...sets.map((each) => joined("principalSet ", pool, each)),
  ];
  // Google's documentation does not say that it may be granted any role.
  const former = formerName(project, namespace, name);
  return bearer(`principal:…/workloadIdentityPools/${shown(principal)}`, [], names, [], former);
}

/** As {@link managedBearer} in the policies of service accounts, which may also name it in its former form. */
export function managedUser(
  project: Known<string>,
  cluster: Known<string>,
  namespace: string,
  name: string,
): Bearer {
  const { isMember, keys } = managedBearer(project, cluster, namespace, name);
  const former = formerName(project, namespace, name);
  return { label: shown(former), keys, isMember: (member) => or(same(member, former), isMember(member)) };
}

function formerName(project: Known<string>, namespace: string, name: string): Known<string> {
  return joined("serviceAccount:", project, `.svc.id.goog[${namespace}/${name}]`);
}

/** `open` holds the pools, with a scheme, whose members may all be the bearer; `former` may be another name for it. */
function bearer(
  label: string,
  numbers: readonly Known<string>[],
  names: readonly Known<string>[],
  open: readonly Known<string>[],
  former: Known<string> = known(AUTHENTICATED),
): Bearer {
  const isMember = (member: Known<string>): Ternary => {
    const named = poolMember(member);
    if (named === undefined) {
      const text = orElse(member, () => AUTHENTICATED);
      if (text === EVERYONE) return "yes";
      return text === AUTHENTICATED || same(member, former) !== "no" ? "unknown" : "no";
    }
    const stated = anyOf(names.map((each) => same(each, named.name)));
    const isOpen = open.some((pool) => same(pool, named.pool) !== "no");
    return and(sameNumber(numbers, named.number), stated === "no" && isOpen ? "unknown" : stated);
  };
  const others = [EVERYONE, AUTHENTICATED, keyOf(former)];
  return { label, isMember, keys: [...others, ...[...names, ...open].map(bearerKey)] };
}

/** Since all texts mean one number, any of them decides. */
function sameNumber(numbers: readonly Known<string>[], other: Known<string>): Ternary {
  const outcomes = numbers.map((each) => same(each, other));
  if (numbers.length === 0 || outcomes.includes("yes")) return "yes";
  return outcomes.includes("no") ? "no" : "unknown";
}

export function accountBearer(email: Known<string>): Bearer {
  const member = joined("serviceAccount:", email);
  return {
    label: shown(email),
    isMember: (other) => {
      const text = orElse(other, () => "");
      if (text === EVERYONE || text === AUTHENTICATED) return "yes";
      return SETS.test(text) ? "unknown" : same(member, other);
    },
    keys: [EVERYONE, AUTHENTICATED, SET, keyOf(member)],
  };
}

function keyOf(text: Known<string>): string {
  const literal = orElse(text, () => LOOSE);
  return SETS.test(literal) ? SET : literal;
}

/** A name with an unknown part may be any of its pool. */
function bearerKey(name: Known<string>): string {
  const [start] = partsOf(name) ?? [];
  if (isKnown(name) || typeof start !== "string" || !start.includes("/")) return keyOf(name);
  return start.slice(0, start.indexOf("/") + 1);
}

/** The keys by which a member is found: its own, and its pool's for bearers whose name is not known. */
export function memberKeys(member: Known<string>): readonly string[] {
  const named = poolMember(member);
  return named ? [keyOf(named.name), keyOf(named.pool)] : [keyOf(member)];
}
