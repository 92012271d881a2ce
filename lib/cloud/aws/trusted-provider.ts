import { Lazy } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { awsIssuer, clientIds, literalOidcProviderArn } from "../../rules/aws/provider";
import { conditionPrefixOf } from "./adopted-oidc-provider";
import { OidcProvider } from "./oidc-provider";
import type { IOidcProvider, OidcProviderProps } from "./oidc-provider-props";

/** What decides which OIDC provider the roles of a cluster trust. */
export interface TrustedProviderProps extends Omit<OidcProviderProps, "issuer" | "audiences"> {
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack
   */
  readonly oidcProvider?: IOidcProvider;
}

/**
 * The OIDC provider of a cluster: the stated one, or the stack's own, with the audiences added.
 *
 * Throws what `OidcProvider.forIssuer` throws, and `aws-issuer-mismatch` for one of another issuer.
 */
export function declaredProvider(
  scope: Construct,
  issuer: Issuer,
  audiences: readonly string[],
  { oidcProvider, account, region, tags, provider, adopt, thumbprints }: TrustedProviderProps,
): IOidcProvider {
  if (oidcProvider) requireIssuer(oidcProvider, issuer);
  if (oidcProvider instanceof OidcProvider)
    for (const audience of audiences) oidcProvider.addAudience(audience);
  if (oidcProvider) return oidcProvider;
  const [first = "", ...more] = audiences;
  const declared = OidcProvider.forIssuer(scope, {
    issuer,
    audience: first,
    ...(account === undefined ? {} : { account }),
    ...(region === undefined ? {} : { region }),
    ...(tags ? { tags } : {}),
    ...(provider ? { provider } : {}),
    ...(adopt === undefined ? {} : { adopt }),
    ...(thumbprints ? { thumbprints } : {}),
  });
  for (const audience of more) declared.addAudience(audience);
  return declared;
}

/**
 * What {@link declaredProvider} will return, as far as roles can be checked with it before anything is declared.
 *
 * Throws `aws-issuer-mismatch`, `aws-issuer-unusable`, `issuer-cluster-internal`, `aws-client-ids-invalid`,
 * `audience-invalid`, `aws-account-invalid` or `aws-region-unknown`.
 */
export function expectedProvider(
  issuer: Issuer,
  audiences: readonly string[],
  { oidcProvider, account, region }: Pick<TrustedProviderProps, "oidcProvider" | "account" | "region">,
): IOidcProvider {
  if (oidcProvider) requireIssuer(oidcProvider, issuer);
  const known = oidcProvider?.audiences;
  const accepted = clientIds([...audiences, ...(oidcProvider instanceof OidcProvider ? (known ?? []) : [])]);
  if (oidcProvider)
    return oidcProvider instanceof OidcProvider ? withAudiences(oidcProvider, accepted) : oidcProvider;
  const checked = awsIssuer(issuer);
  return {
    arn: literalOidcProviderArn(checked, account, region) ?? LATE_ARN,
    issuer: checked,
    conditionPrefix: conditionPrefixOf(checked),
    audiences: accepted,
    dependencies: [],
  };
}

/** Never written: it stands for an ARN that is known after apply while roles are being checked. */
const LATE_ARN = Lazy.stringValue({ produce: () => "" });

function withAudiences(
  { arn, issuer, conditionPrefix, dependencies }: IOidcProvider,
  audiences: readonly string[],
): IOidcProvider {
  return { arn, issuer, conditionPrefix, dependencies, audiences };
}

function requireIssuer(oidcProvider: IOidcProvider, issuer: Issuer): void {
  if (oidcProvider.issuer.late || issuer.late || oidcProvider.issuer.equals(issuer)) return;
  fail("aws-mismatch", {
    problem: "the OIDC provider is of another issuer than the cluster",
    value: oidcProvider.issuer.url,
    allowed: issuer.url,
    remedy: "give the OIDC provider of this cluster's issuer, or leave it out to have one declared",
  });
}
