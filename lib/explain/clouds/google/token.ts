/*
 * The token that the kubelet hands to the plugin, and whose it makes its bearer in IAM.
 */

import { type CelClaims, UNKNOWN_CLAIM } from "../../../rules/google/cel-variables";
import { type MappedAttributes, mapAttributes } from "../../../rules/google/mapped-attributes";
import { managedPoolId, poolPath } from "../../../rules/google/workload-identity-names";
import { podTokenClaims } from "../pod-token";

/** Whose token it is. */
export interface TokenClaims {
  /** `sub`. */
  readonly subject: string;
  /** The service account's namespace; empty where the subject is none of a service account. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;
}

/** What is known of a token. */
export interface Token {
  /** Whose it is. */
  readonly claims: TokenClaims;
  /** `iss`; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** The only entry of `aud`. */
  readonly audience: string;
}

/** Members of IAM policies that a token stands for. */
export interface Members {
  /** The one that names the token's bearer alone, else its subject. */
  readonly label: string;
  /** Those that are known. */
  readonly known: readonly string[];
  /** Beginnings of those whose value is not known: `principalSet://…/attribute.team/`. */
  readonly open: readonly string[];
}

/** A pool, as principals name it. */
export interface PoolName {
  /** Number of the pool's project. */
  readonly projectNumber: string;
  /** Id of the pool. */
  readonly poolId: string;
}

/** The claims of the token. */
export function assertionOf({ claims: { subject, namespace, name }, issuer, audience }: Token): CelClaims {
  return podTokenClaims({ subject, namespace, name, issuer, audience });
}

/** The attributes that a mapping makes of a token; `undefined` where the mapping is not known. */
export function attributesOf(
  mapping: ReadonlyMap<string, string> | undefined,
  token: Token,
): MappedAttributes | undefined {
  return mapping && mapAttributes(mapping, assertionOf(token));
}

const HOST = "iam.googleapis.com";

/** The member that stands for everybody, with an identity or without. */
const EVERYBODY = "allUsers";
/**
 * Everybody whom Google has authenticated; whether that includes identities of pools is stated differently in its
 * documentation, so that it decides nothing.
 */
const AUTHENTICATED = "allAuthenticatedUsers";

/**
 * Every member of a pool of one's own that the token stands for, those with another text for the project's number
 * among them; every member of the pool may be one where the mapping is not known.
 *
 * Source: cloud.google.com/iam/docs/principal-identifiers.
 */
export function membersOf(
  pool: PoolName,
  attributes: MappedAttributes | undefined,
  claims: TokenClaims,
  otherNumber?: string,
): Members {
  const { label, known, open } = membersNamed(pool, attributes, claims);
  if (otherNumber === undefined) return { label, known, open };
  const other = membersNamed({ ...pool, projectNumber: otherNumber }, attributes, claims);
  return { label, known: [...known, ...other.known], open: [...open, ...other.open] };
}

function membersNamed(
  { projectNumber, poolId }: PoolName,
  attributes: MappedAttributes | undefined,
  claims: TokenClaims,
): Members {
  const base = `${HOST}/${poolPath(projectNumber, poolId)}`;
  const all = [`principalSet://${base}/*`, EVERYBODY];
  if (attributes === undefined)
    return {
      label: claims.subject,
      known: all,
      open: [`principal://${base}/`, `principalSet://${base}/`, AUTHENTICATED],
    };
  const { google, attribute, subjectUid } = attributes;
  const uid = subjectUid === "after-uid" ? "uid:" : "";
  const subject = one(`principal://${base}/subject/`, google["subject"], uid);
  const groups = Array.isArray(google["groups"]) ? google["groups"] : [google["groups"]];
  const sets = [
    ...Object.entries(attribute).map(([name, value]) =>
      one(`principalSet://${base}/attribute.${name}/`, value),
    ),
    ...groups.map((group) => one(`principalSet://${base}/group/`, group)),
  ];
  return {
    label: subject.known[0] ?? claims.subject,
    known: [...subject.known, ...sets.flatMap(({ known }) => known), ...all],
    open: [...subject.open, ...sets.flatMap(({ open }) => open), AUTHENTICATED],
  };
}

interface OneMember {
  readonly known: readonly string[];
  readonly open: readonly string[];
}

function one(beginning: string, value: unknown, known = ""): OneMember {
  if (typeof value === "string") return { known: [beginning + value], open: [] };
  return { known: [], open: value === UNKNOWN_CLAIM ? [beginning + known] : [] };
}

/**
 * Every member of the pool of GKE and fleet that the token stands for. The number of the pool's project stands in no
 * argument of the plugin, and the pool's id is unique without it: members are found by their ending.
 */
export function managedMembers(
  { project, identityProvider }: { readonly project: string; readonly identityProvider: string },
  { namespace, name }: TokenClaims,
  ending: (ending: string) => readonly string[],
): Members {
  const pool = `/workloadIdentityPools/${managedPoolId(project)}`;
  const subject = `${pool}/subject/ns/${namespace}/sa/${name}`;
  const endings = [
    subject,
    `${pool}/namespace/${namespace}`,
    `${pool}/kubernetes.cluster/${identityProvider}`,
    `${pool}/*`,
  ];
  const [label = `principal:…${subject}`] = ending(subject);
  return {
    label,
    known: [...endings.flatMap(ending), EVERYBODY],
    open: [...ending(`${pool}/kubernetes.serviceaccount.uid/`), AUTHENTICATED],
  };
}
