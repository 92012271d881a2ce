/*
 * Whether something that is not read names an identity, or an object that one needs.
 */

import { rowOf } from "../coverage/closed-world";
import type { Resource } from "../read/block";
import { sourceText } from "../read/source";
import type { Terraform } from "../read/terraform";
import type { Whole } from "./sides";

/** ARNs, ids of resources, members, e-mail addresses, subjects of service accounts, client ids. */
const NAMES =
  /arn:[\w:/.@+=,-]+|\/subscriptions\/[\w/.()-]+|principal(?:set)?:\/\/[\w/.:-]+|[\w.+-]+@[\w.-]+|system:serviceaccount:[\w.:-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
/** A service account of the object's own namespace. */
const ACCOUNT = /"(?:serviceAccount(?:Name)?|kind":"ServiceAccount","name)":"([^"]+)"/g;
/** Much depends on these that has nothing to do with the identities in them. */
const PLACES = /_(?:cluster|project|resource_group)$/;

/** The texts in a text that may name an identity, in lower case and in order. */
export function namesIn(text: string): readonly string[] {
  return [...(text.toLowerCase().match(NAMES) ?? [])].sort();
}

/** What one of the resources is, or what the text of an object in the namespace names; `undefined` if nothing known. */
export type Mentions = (
  resources: readonly Resource[],
  text: string,
  namespace?: string,
) => string | undefined;

/** Looks for the identities of a side that service accounts act as or that admit tokens, and for what these rest on. */
export function mentionsOf({ inside, actedAs }: Whole): Mentions {
  const { clusters, terraform } = inside.facts;
  const identities = inside.clouds.flatMap((cloud) => cloud.identities);
  const trusting = identities.filter(({ terms }) => terms.issuers.length > 0);
  const accounts = clusters.flatMap(({ serviceAccounts }) => [...serviceAccounts.keys()]);
  const subjects = accounts.map((key) => `system:serviceaccount:${key.replace("/", ":")}`);
  const all = [...trusting.flatMap(({ names }) => names), ...actedAs, ...subjects];
  const names = new Map(all.map((name) => [name.toLowerCase(), name]));
  const addresses = new Set(trusting.map(({ address }) => address));
  let known: ReadonlySet<Resource> | undefined;
  return (resources, text, namespace = "") => {
    known ??= chained(
      terraform,
      (each) => addresses.has(each.address) || actedAs.has(sourceText(each.source)),
    );
    const found = known;
    const own = [...text.matchAll(ACCOUNT)].map(([, name]) => `system:serviceaccount:${namespace}:${name}`);
    const [named] = [...namesIn(text), ...own].flatMap((each) => names.get(each) ?? []);
    return resources.find((each) => found.has(each))?.address ?? named;
  };
}

/** Identities, what is read and mentions them, and what that mentions in turn, as far as it is read. */
function chained({ scopes }: Terraform, isIdentity: (resource: Resource) => boolean): ReadonlySet<Resource> {
  const all = scopes.flatMap(({ resources }) => [...resources.values()]).filter(isRead);
  const identities = new Set(all.filter(isIdentity));
  const isNear = (each: Resource): boolean =>
    [each, ...targetsOf(each)].some((other) => identities.has(other));
  const known = new Set(all.filter(isNear));
  for (const each of known) for (const other of targetsOf(each)) if (isRead(other)) known.add(other);
  return known;
}

function isRead({ type, adopted }: Resource): boolean {
  return rowOf(type, adopted) !== undefined && !PLACES.test(type);
}

function targetsOf(resource: Resource): readonly Resource[] {
  return resource.scope.targets(resource.written([]));
}
