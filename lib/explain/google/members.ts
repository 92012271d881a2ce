/*
 * Whom members of IAM policies stand for: the bearer of a token at a workload identity pool, or a service account.
 * Source: cloud.google.com/iam/docs/principal-identifiers.
 */

import {
  type Known,
  type Ternary,
  and,
  joined,
  known,
  map,
  match,
  or,
  orElse,
  partsOf,
  same,
  shown,
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
import type { ManagedExchange } from "./exchange";
import { piecesOf } from "./names";

/** Whom a role may be granted to. */
export interface Bearer {
  /** For people: the member that names the bearer alone, else the subject. */
  readonly label: string;
  /** Whether a member stands for the bearer. */
  readonly isMember: (member: Known<string>) => Ternary;
  /** Keys of the members that certainly do, and of the pools in which others may. */
  readonly keys: readonly string[];
}

/** A pool, as members name it. */
export interface PoolName {
  /** Texts for the number of its project, which stand for one number; none where it is not compared. */
  readonly numbers: readonly Known<string>[];
  /** Id of the pool. */
  readonly poolId: Known<string>;
}

/** Who is meant, without the number of the project: `principal <pool>/subject/<subject>`. */
type Name = Known<string>;

const EVERYBODY = "allUsers";
/**
 * Everybody whom Google has authenticated; whether that includes identities of pools is stated differently in its
 * documentation, so that it decides nothing of them.
 */
const AUTHENTICATED = "allAuthenticatedUsers";
const GROUPS = "group:";
/** The key of what nothing else is known of: it may be anybody. */
export const LOOSE = "";
/** Of whom nothing is known, every grant may be to. */
export const NOBODY: Bearer = { label: "", isMember: () => "unknown", keys: [LOOSE] };

const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;

interface PoolMember {
  readonly number: Known<string>;
  readonly name: Name;
  /** What the names of all that differ in their value alone begin with: `principal <pool>/`. */
  readonly sort: Name;
}

/** The parts of a pool's member; `undefined` for any other member, and for one of which that is not known. */
function poolMember(member: Known<string>): PoolMember | undefined {
  const [scheme, number, pool, rest] = orElse(piecesOf(member, MEMBER), () => undefined) ?? [];
  if (!scheme || !number || !pool || !rest) return undefined;
  const sort = joined(scheme, " ", pool, "/");
  return { number, sort, name: joined(sort, rest) };
}

/** The bearer of a token at a pool of the user's; every member of the pool may be meant where the mapping is not known. */
export function poolBearer(
  pool: PoolName,
  attributes: MappedAttributes | undefined,
  subject: string,
): Bearer {
  const [single, set] = [joined("principal ", pool.poolId, "/"), joined("principalSet ", pool.poolId, "/")];
  const all = joined(set, "*");
  if (attributes === undefined) return bearer(subject, pool.numbers, [all], [single, set]);
  const { google, attribute, subjectUid } = attributes;
  const groups = Array.isArray(google["groups"]) ? google["groups"] : [google["groups"]];
  const values = [
    {
      start: joined(single, "subject/"),
      value: google["subject"],
      open: subjectUid === "after-uid" ? "uid:" : "",
    },
    ...Object.entries(attribute).map(([name, value]) => ({
      start: joined(set, `attribute.${name}/`),
      value,
      open: "",
    })),
    ...groups.map((value: unknown) => ({ start: joined(set, "group/"), value, open: "" })),
  ];
  const texts = values.map(({ value }) => (value === undefined ? undefined : claimText(value)));
  const names = values.flatMap(({ start }, place) => {
    const text = texts[place];
    return text && partsOf(text) ? [joined(start, text)] : [];
  });
  const open = values.flatMap(({ start, open: after }, place) => {
    const text = texts[place];
    return text && !partsOf(text) ? [joined(start, after)] : [];
  });
  const path = joined(
    "projects/",
    pool.numbers[0] ?? "-",
    "/locations/global/workloadIdentityPools/",
    pool.poolId,
  );
  const [own] = texts;
  const label =
    own && partsOf(own) ? shown(joined("principal://iam.googleapis.com/", path, "/subject/", own)) : subject;
  return bearer(label, pool.numbers, [...names, all], open);
}

/**
 * The bearer of a token at the pool of GKE and fleet. The number of the pool's project stands in no argument of the
 * plugin, and the pool's id is unique without it.
 */
export function managedBearer(
  { project, identityProvider }: ManagedExchange,
  namespace: string,
  name: string,
): Bearer {
  const pool = joined(project, ".svc.id.goog/");
  const own = joined(pool, `subject/ns/${namespace}/sa/${name}`);
  const sets = [known(`namespace/${namespace}`), joined("kubernetes.cluster/", identityProvider), known("*")];
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
      return text === EVERYBODY ? "yes" : text === AUTHENTICATED ? "unknown" : "no";
    }
    const number = sameNumber(numbers, named.number);
    const stated = or(...names.map((each) => same(each, named.name)));
    const isOpen = open.some((beginning) => mayBegin(named.name, beginning));
    return and(number, stated === "no" && isOpen ? "unknown" : stated);
  };
  const sorts = open.map((beginning) => map(beginning, (text) => text.slice(0, text.indexOf("/") + 1)));
  return { label, isMember, keys: [EVERYBODY, AUTHENTICATED, ...[...names, ...sorts].map(keyOf)] };
}

/** All texts stand for one number, so that each decides. */
function sameNumber(numbers: readonly Known<string>[], other: Known<string>): Ternary {
  const outcomes = numbers.map((each) => same(each, other));
  if (numbers.length === 0 || outcomes.includes("yes")) return "yes";
  return outcomes.includes("no") ? "no" : "unknown";
}

/** Whether a text may begin so; a reference may be anything. */
function mayBegin(text: Known<string>, beginning: Known<string>): boolean {
  const parts = partsOf(beginning) ?? [];
  const pattern = parts.map((part) => (typeof part === "string" ? literalPattern(part) : patternOf("*")));
  const [[first], [start]] = [partsOf(text) ?? [], parts];
  return match(
    text,
    (whole) => matchesPattern(prefixPattern(joinedPattern(pattern)), whole) !== false,
    () =>
      typeof first !== "string" ||
      typeof start !== "string" ||
      first.startsWith(start) ||
      start.startsWith(first),
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
      if (text === EVERYBODY || text === AUTHENTICATED) return "yes";
      // Who is in a group, no artefact says.
      return text.startsWith(GROUPS) ? "unknown" : or(same(member, other), same(principal, other));
    },
    keys: [EVERYBODY, AUTHENTICATED, GROUPS, keyOf(member)],
  };
}

function keyOf(text: Known<string>): string {
  return match(
    text,
    (each) => (each.startsWith(GROUPS) ? GROUPS : each),
    () => LOOSE,
  );
}

/** The keys under which a member is found: its own, and that of its pool for those whose value is not known. */
export function memberKeys(member: Known<string>): readonly string[] {
  const named = poolMember(member);
  return named ? [keyOf(named.name), keyOf(named.sort)] : [keyOf(member)];
}
