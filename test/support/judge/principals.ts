/*
 * Members of IAM policies, read back without the code that writes them.
 * Source: https://cloud.google.com/iam/docs/principal-identifiers, "workload identity pool".
 */

const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([1-9][0-9]*)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;
const SUBJECT = /^(?:system:serviceaccount:([^:]+):([^:]+)|ns\/([^/]+)\/sa\/([^/]+))$/;

/** Identities of a workload identity pool. */
export interface ReadPrincipal {
  readonly projectNumber: string;
  readonly poolId: string;
  /** `subject/<subject>`, or `attribute.<name>/<value>`. */
  readonly selector: string;
}

/** Reads a member; throws for any other than one of a pool. */
export function readPrincipal(member: string): ReadPrincipal {
  const [, scheme, projectNumber, poolId, selector = ""] = MEMBER.exec(member) ?? [];
  const isSingle = selector.startsWith("subject/");
  if (projectNumber === undefined || poolId === undefined || isSingle !== (scheme === "principal"))
    throw new Error(`no principal of a pool: ${member}`);
  return { projectNumber, poolId, selector };
}

/** The service account that a principal is, `<namespace>/<name>`; `undefined` for anything else. */
export function accountOf({ selector }: ReadPrincipal): string | undefined {
  const value = selector.slice(selector.indexOf("/") + 1);
  const [, namespace, name, managed, of] = SUBJECT.exec(value) ?? [];
  const [first, second] = [namespace ?? managed, name ?? of];
  return first === undefined || second === undefined ? undefined : `${first}/${second}`;
}
