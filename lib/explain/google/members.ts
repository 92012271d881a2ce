/*
 * Who the members of IAM policies are: the bearer of a token at a workload identity pool, or a service account.
 * Source: cloud.google.com/iam/docs/principal-identifiers.
 */

import {
  type Known,
  type Ternary,
  and,
  joined,
  known,
  map,
  or,
  orElse,
  partsOf,
  same,
  shown,
  whether,
} from "../../model/known";
import { claimText } from "../../rules/google/cel-variables";
import type { MappedAttributes } from "../../rules/google/mapped-attributes";
import {
  joinedPattern,
  literalPattern,
  matchesPattern,
  patternOf,
  prefixPattern,
} from "../../rules/wildcard";
import { piecesOf } from "./names";

/** Whom a role may be granted to. */
export interface Bearer {
  /** For people: the member that names the bearer alone, else the subject. */
  readonly label: string;
  readonly isMember: (member: Known<string>) => Ternary;
  /** Keys of the members that certainly are the bearer, and of the pools in which others may be ({@link memberKeys}). */
  readonly keys: readonly string[];
}

/** Who is meant, without the number of the project: `principal <pool>/subject/<subject>`. */
type Name = Known<string>;

export const EVERYONE = "allUsers";
/**
 * Everyone whom Google has authenticated; whether that includes identities of pools is stated differently in its
 * documentation, so that it decides nothing of them.
 */
export const AUTHENTICATED = "allAuthenticatedUsers";
const GROUPS = "group:";
/** The key of what nothing else is known of: it may be anyone. */
export const LOOSE = "";
/** Of whom nothing is known, every grant may be to. */
export const ANYONE: Bearer = { label: "", isMember: () => "unknown", keys: [LOOSE] };

const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;

interface PoolMember {
  readonly number: Known<string>;
  readonly name: Name;
  /** What all names of its pool and scheme begin with: `principal <pool>/`. */
  readonly pool: Name;
}

/** The parts of a pool's member; `undefined` for any other member, and for one of which that is not known. */
function poolMember(member: Known<string>): PoolMember | undefined {
  const [scheme, number, poolId, rest] = piecesOf(member, MEMBER);
  if (scheme === undefined || number === undefined || poolId === undefined || rest === undefined)
    return undefined;
  const pool = joined(scheme, " ", poolId, "/");
  return { number, pool, name: joined(pool, rest) };
}

/**
 * The bearer of a token at a pool of the user's; every member of the pool may be meant where the mapping is not known. The
 * texts for the number of the pool's project all mean one number.
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
  const { google, attribute, subjectUid } = attributes;
  const ofSubject = joined(single, "subject/");
  const values: readonly (readonly [start: Name, value: unknown, open?: Name])[] = [
    [ofSubject, google["subject"], subjectUid === "after-uid" ? joined(ofSubject, "uid:") : ofSubject],
    ...Object.entries(attribute).map(([name, value]) => [joined(set, `attribute.${name}/`), value] as const),
    ...[google["groups"]].flat().map((value) => [joined(set, "group/"), value] as const),
  ];
  const open: Name[] = [];
  for (const [start, value, beginning = start] of values) {
    const text = claimText(value);
    if (text === undefined) continue;
    if (partsOf(text)) names.push(joined(start, text));
    else open.push(beginning);
  }
  const own = claimText(google["subject"]);
  const path = joined("projects/", numbers[0] ?? "-", "/locations/global/workloadIdentityPools/");
  const label =
    own === undefined || !partsOf(own)
      ? subject
      : shown(joined("principal://iam.googleapis.com/", path, poolId, "/subject/", own));
  return bearer(label, numbers, names, open);
}

/**
 * The bearer of a token at the pool of GKE and fleet. The number of the pool's project is in no argument of the plugin,
 * and the pool's id is unique without it.
 */
export function managedBearer(
  project: Known<string>,
  cluster: Known<string>,
  namespace: string,
  name: string,
): Bearer {
  const pool = joined(project, ".svc.id.goog/");
  const own = joined(pool, `subject/ns/${namespace}/sa/${name}`);
  const sets = [known(`namespace/${namespace}`), joined("kubernetes.cluster/", cluster), known("*")];
  return bearer(
    `principal:…/workloadIdentityPools/${shown(own)}`,
    [],
    [joined("principal ", own), ...sets.map((each) => joined("principalSet ", pool, each))],
    [joined("principal ", pool, "kubernetes.serviceaccount.uid/")],
  );
}

function bearer(
  label: string,
  numbers: readonly Known<string>[],
  names: readonly Name[],
  open: readonly Name[],
): Bearer {
  const isMember = (member: Known<string>): Ternary => {
    const named = poolMember(member);
    if (named === undefined) {
      const text = orElse(member, () => AUTHENTICATED);
      return text === EVERYONE ? "yes" : text === AUTHENTICATED ? "unknown" : "no";
    }
    const stated = or(...names.map((each) => same(each, named.name)));
    const isOpen = open.some((beginning) => mayBegin(named.name, beginning));
    return and(sameNumber(numbers, named.number), stated === "no" && isOpen ? "unknown" : stated);
  };
  const pools = open.map((beginning) => map(beginning, (text) => text.slice(0, text.indexOf("/") + 1)));
  return { label, isMember, keys: [EVERYONE, AUTHENTICATED, ...[...names, ...pools].map(keyOf)] };
}

/** All texts mean one number, so that each decides. */
function sameNumber(numbers: readonly Known<string>[], other: Known<string>): Ternary {
  const outcomes = numbers.map((each) => same(each, other));
  if (numbers.length === 0 || outcomes.includes("yes")) return "yes";
  return outcomes.includes("no") ? "no" : "unknown";
}

/** Whether a text may begin so; a reference may be anything. */
function mayBegin(text: Known<string>, beginning: Known<string>): boolean {
  const parts = partsOf(beginning) ?? [];
  const pattern = parts.map((part) => (typeof part === "string" ? literalPattern(part) : patternOf("*")));
  return (
    whether(text, (whole) => matchesPattern(prefixPattern(joinedPattern(pattern)), whole) !== false) !== "no"
  );
}

/** A Google service account. */
export function accountBearer(email: Known<string>): Bearer {
  const member = joined("serviceAccount:", email);
  // As deny policies name it.
  const principal = joined("principal://iam.googleapis.com/projects/-/serviceAccounts/", email);
  return {
    label: shown(email),
    isMember: (other) => {
      const text = orElse(other, () => "");
      if (text === EVERYONE || text === AUTHENTICATED) return "yes";
      // Who is in a group, no artefact says.
      return text.startsWith(GROUPS) ? "unknown" : or(same(member, other), same(principal, other));
    },
    keys: [EVERYONE, AUTHENTICATED, GROUPS, keyOf(member)],
  };
}

function keyOf(text: Known<string>): string {
  const literal = orElse(text, () => LOOSE);
  return literal.startsWith(GROUPS) ? GROUPS : literal;
}

/** The keys by which a member is found: its own, and that of its pool for bearers whose name is not known. */
export function memberKeys(member: Known<string>): readonly string[] {
  const named = poolMember(member);
  return named ? [keyOf(named.name), keyOf(named.pool)] : [keyOf(member)];
}
