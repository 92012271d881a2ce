/*
 * Whom members of IAM policies stand for: the bearer of a token at a workload identity pool, or a service account.
 * Source: cloud.google.com/iam/docs/principal-identifiers.
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isKnown,
  joined,
  known,
  match,
  or,
  orElse,
  partsOf,
  same,
  shown,
} from "../../model/known";
import type { MappedAttributes } from "../../rules/google/mapped-attributes";
import { claimText } from "../../rules/google/cel-variables";
import { managedPoolId } from "../../rules/google/workload-identity-names";
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

/** The identities of a pool that a token has: what follows the pool in members. */
interface Names {
  readonly single: readonly Known<string>[];
  readonly sets: readonly Known<string>[];
  /** Beginnings of those whose value is not known. */
  readonly open: readonly (readonly [scheme: string, beginning: string])[];
}

const PRINCIPAL = "principal";
const SET = "principalSet";
const EVERYBODY = "allUsers";
/**
 * Everybody whom Google has authenticated; whether that includes identities of pools is stated differently in its
 * documentation, so that it decides nothing of them.
 */
const AUTHENTICATED = "allAuthenticatedUsers";
const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;

/** The bearer of a token at a pool of the user's; every member of the pool may be meant where the mapping is not known. */
export function poolBearer(
  pool: PoolName,
  attributes: MappedAttributes | undefined,
  subject: string,
): Bearer {
  if (attributes === undefined)
    return bearer(subject, pool, {
      single: [],
      sets: [known("*")],
      open: [
        [PRINCIPAL, ""],
        [SET, ""],
      ],
    });
  const { google, attribute, subjectUid } = attributes;
  const single = named("subject/", [google["subject"]], subjectUid === "after-uid" ? "uid:" : "");
  const groups = Array.isArray(google["groups"]) ? google["groups"] : [google["groups"]];
  const sets = [
    ...Object.entries(attribute).map(([name, value]) => named(`attribute.${name}/`, [value])),
    named("group/", groups),
  ];
  const [own] = single.names;
  const path = joined(
    "projects/",
    pool.numbers[0] ?? "-",
    "/locations/global/workloadIdentityPools/",
    pool.poolId,
  );
  const label =
    own === undefined ? subject : shown(joined("principal://iam.googleapis.com/", path, "/", own));
  return bearer(label, pool, {
    single: single.names,
    sets: [...sets.flatMap(({ names }) => names), known("*")],
    open: [
      ...single.open.map((beginning) => [PRINCIPAL, beginning] as const),
      ...sets.flatMap(({ open }) => open).map((beginning) => [SET, beginning] as const),
    ],
  });
}

/** Texts as they follow a beginning, and what it is followed by where that is not known. */
function named(
  beginning: string,
  values: readonly unknown[],
  start = "",
): { readonly names: readonly Known<string>[]; readonly open: readonly string[] } {
  const texts = values.flatMap((value) => (value === undefined ? [] : (claimText(value) ?? [])));
  return {
    names: texts.filter((text) => partsOf(text) !== undefined).map((text) => joined(beginning, text)),
    open: texts.some((text) => partsOf(text) === undefined) ? [beginning + start] : [],
  };
}

/**
 * The bearer of a token at the pool of GKE and fleet. The number of the pool's project stands in no argument of the
 * plugin, and the pool's id is unique without it.
 */
export function managedBearer(
  {
    project,
    identityProvider,
  }: { readonly project: Known<string>; readonly identityProvider: Known<string> },
  namespace: string,
  name: string,
): Bearer {
  const own = `subject/ns/${namespace}/sa/${name}`;
  const poolId = match(
    project,
    (text) => known(managedPoolId(text)),
    () => joined(project, managedPoolId("")),
  );
  return bearer(
    `principal:…/workloadIdentityPools/${shown(poolId)}/${own}`,
    { numbers: [], poolId },
    {
      single: [known(own)],
      sets: [known(`namespace/${namespace}`), joined("kubernetes.cluster/", identityProvider), known("*")],
      open: [[PRINCIPAL, "kubernetes.serviceaccount.uid/"]],
    },
  );
}

function bearer(label: string, { numbers, poolId }: PoolName, names: Names): Bearer {
  const isMember = (member: Known<string>): Ternary =>
    match(
      piecesOf(member, MEMBER),
      (pieces) => {
        const [scheme, number, pool, rest] = pieces ?? [];
        if (scheme === undefined || number === undefined || pool === undefined || rest === undefined)
          return orElse(member, () => "") === EVERYBODY
            ? "yes"
            : is(member, AUTHENTICATED) === "no"
              ? "no"
              : "unknown";
        const numbered = numbers.length === 0 ? "yes" : or(...numbers.map((each) => same(each, number)));
        const values = is(scheme, PRINCIPAL) === "yes" ? names.single : names.sets;
        const stated = or(...values.map((each) => same(each, rest)));
        const isOpen = names.open.some(
          ([sort, beginning]) => is(scheme, sort) === "yes" && mayBegin(rest, beginning) !== "no",
        );
        return and(same(poolId, pool), numbered, stated === "no" && isOpen ? "unknown" : stated);
      },
      (): Ternary => "unknown",
    );
  return { label, isMember, keys: keysOf(poolId, names) };
}

function mayBegin(text: Known<string>, beginning: string): Ternary {
  const [first = ""] = partsOf(text) ?? [];
  if (typeof first !== "string") return "unknown";
  if (first.startsWith(beginning)) return "yes";
  return !isKnown(text) && beginning.startsWith(first) ? "unknown" : "no";
}

function keysOf(poolId: Known<string>, { single, sets, open }: Names): readonly string[] {
  const key = (scheme: string) => (name: Known<string>) => keyOf(scheme, poolId, name);
  return [EVERYBODY, AUTHENTICATED, ...single.map(key(PRINCIPAL)), ...sets.map(key(SET))].concat(
    open.map(([scheme]) => keyOf(scheme, poolId, known(""))),
  );
}

function keyOf(scheme: string, pool: Known<string>, rest: Known<string>): string {
  return match(
    joined(scheme, " ", pool, "/", rest),
    (text) => text,
    () => LOOSE,
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
    keys: [EVERYBODY, AUTHENTICATED, GROUPS, keyOfText(member)],
  };
}

/** The key of what nothing else is known of: it may be anybody. */
export const LOOSE = "";
const GROUPS = "group:";

function keyOfText(text: Known<string>): string {
  return match(
    text,
    (each) => (each.startsWith(GROUPS) ? GROUPS : each),
    () => LOOSE,
  );
}

/** The keys under which a member is found: its own, and that of its pool for those whose value is not known. */
export function memberKeys(member: Known<string>): readonly string[] {
  const pieces = orElse(piecesOf(member, MEMBER), () => undefined);
  const [scheme, , pool, rest] = pieces ?? [];
  if (scheme === undefined || pool === undefined || rest === undefined) return [keyOfText(member)];
  const sort = shown(scheme);
  return [keyOf(sort, pool, rest), keyOf(sort, pool, known(""))];
}
