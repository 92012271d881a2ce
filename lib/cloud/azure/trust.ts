import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { SUBJECT, Subject } from "../../model/subject";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { type FederatedCredential, checkCredentials, federatedCredentials } from "../../rules/azure/trust";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";

/** Service accounts of one cluster that may act as an identity. */
export interface PullTrust {
  /** Name of the cluster, a DNS label; begins the credentials' names. */
  readonly clusterName: string;
  /** The cluster's issuer, to the letter; may be late. */
  readonly issuer: GivenIssuer;
  /** `namespace/name` each; there are no wildcards in Azure. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * The audience of the tokens.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
}

/** The kind of {@link PullTrust}. */
export const PULL_TRUST: ObjectKind<PullTrust> = object({
  clusterName: text,
  issuer: ISSUER,
  serviceAccounts: list(SUBJECT),
  audience: optional(text),
});

/**
 * The credentials of trusts that are added to an identity, trust by trust and by subject within each, checked
 * together with the ones that the identity has; throws what `addTrust` throws.
 */
export function trustCredentials(
  identity: string,
  trusts: readonly PullTrust[],
  cloud: AzureCloudName | undefined,
  existing: readonly FederatedCredential[],
  remedy = "put the service accounts on more identities; pullIdentities makes one each",
): readonly FederatedCredential[] {
  const added = trusts.flatMap((trust) =>
    federatedCredentials({
      clusterName: trust.clusterName,
      issuer: Issuer.of(trust.issuer),
      audience: trust.audience ?? azureCloud(cloud ?? "AzurePublicCloud").audience,
      subjects: trust.serviceAccounts.map((serviceAccount) => Subject.of(serviceAccount)),
    }),
  );
  checkCredentials(identity, [...existing, ...added], remedy);
  return added;
}
