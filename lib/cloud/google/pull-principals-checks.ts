import { fail } from "../../errors";
import type { IdentityRequest } from "../../model/identity";
import { isLate, literal } from "../../model/late";
import type { Subject } from "../../model/subject";
import { managedPoolId } from "../../rules/google/provider";
import { parseManagedIdentityProvider } from "../../rules/google/pull";
import type { ArtifactRegistryRepository } from "./artifact-registry";
import { checkRepositoryPolicy, repositoryKey } from "./pull-binding";
import type { PullPrincipalsProps } from "./pull-principals-props";
import type { IWorkloadIdentityPool } from "./workload-identity-pool";

/** A binding of a request, not yet declared. */
export interface WantedBinding {
  /** Who pulls. */
  readonly serviceAccount: Subject;
  /** From where. */
  readonly repository: ArtifactRegistryRepository;
}

const CUSTOM_ONLY = ["oidcProvider", "providerId", "namePrefix", "jwks", "keys", "audience"] as const;
const DECLARED_ONLY = ["pool", "providerId", "namePrefix", "jwks", "keys", "audience"] as const;
const NUMBER = /^[0-9]+$/;

/** Throws `google-setting-contradicts` or `google-project-contradicts`. */
export function refuseContradictions(props: PullPrincipalsProps): void {
  const { pool } = props;
  const fleet = pool === "fleet";
  const custom = CUSTOM_ONLY.find((setting) => props[setting] !== undefined);
  if (fleet && custom) fail("google-setting-contradicts", custom, "with the pool of GKE and fleet");
  if (!fleet && props.identityProvider !== undefined)
    fail("google-setting-contradicts", "identityProvider", 'without pool: "fleet"');
  const declared = DECLARED_ONLY.find((setting) => props[setting] !== undefined);
  if (props.oidcProvider && declared)
    fail("google-setting-contradicts", declared, "with an existing oidcProvider");
  const given = givenPool(props);
  if (given) refuseOtherProject(props, given);
}

/** The number of a pool of one's own stands in the kubelet's file. Throws `late-value`. */
export function refuseLateNumber(props: PullPrincipalsProps): void {
  if (props.pool === "fleet") return;
  const number = givenPool(props)?.projectNumber ?? props.projectNumber;
  literal(number, "projectNumber (part of the plugin's arguments in the kubelet's file)");
}

/**
 * An existing pool provider of another cluster would hand that cluster's service accounts the rights: principals do
 * not name the issuer. Throws `google-issuer-mismatch` where both issuers are known.
 */
export function refuseOtherIssuer({ issuer }: IdentityRequest, { oidcProvider }: PullPrincipalsProps): void {
  const trusted = oidcProvider?.issuer;
  if (trusted === undefined || trusted.late || issuer.late || trusted.equals(issuer)) return;
  fail("google-issuer-mismatch", trusted.url, issuer.url);
}

/** Throws `google-principals-too-many` for one repository that all these bindings together overfill. */
export function refuseTooManyPrincipals(bindings: readonly WantedBinding[]): void {
  const holders = new Map<string, Set<string>>();
  for (const { repository, serviceAccount } of bindings) {
    const key = repositoryKey(repository);
    holders.set(key, (holders.get(key) ?? new Set<string>()).add(serviceAccount.key));
  }
  for (const [repository, { size }] of holders) checkRepositoryPolicy(repository, size);
}

/**
 * What to say of an identity provider of another project. A membership is in the fleet's host project, whose pool it
 * is, so another one is refused with `google-membership-project`; a GKE cluster may be of any project of its fleet,
 * and has the pool of its own project besides, so that the mistake cannot be told from intent.
 */
export function checkClusterProject(
  identityProvider: string,
  { project, projectNumber }: Pick<PullPrincipalsProps, "project" | "projectNumber">,
): string | undefined {
  const named = parseManagedIdentityProvider(identityProvider);
  if (named === undefined || [project, projectNumber].includes(named.project)) return undefined;
  if (isLate(projectNumber) && NUMBER.test(named.project)) return undefined;
  if (named.kind === "membership")
    fail("google-membership-project", identityProvider, named.project, project);
  return `the GKE cluster is of project ${named.project}, the pool ${managedPoolId(project)} of project ${project}: tokens are exchanged only if the cluster is registered in the fleet of ${project}; otherwise state the cluster's own project`;
}

function givenPool({ oidcProvider, pool }: PullPrincipalsProps): IWorkloadIdentityPool | undefined {
  const given = oidcProvider?.pool ?? (typeof pool === "object" ? pool : undefined);
  return given && "poolReference" in given ? given : undefined;
}

function refuseOtherProject(props: PullPrincipalsProps, pool: IWorkloadIdentityPool): void {
  for (const property of ["project", "projectNumber"] as const) {
    const [stated, expected] = [props[property], pool[property]];
    if (!isLate([stated, expected]) && stated !== expected)
      fail("google-project-contradicts", property, stated, expected);
  }
}
