import { NO_ACCOUNT, type OidcProviderFact, Roles, oidcProviders } from "../../explain/clouds/aws/iam";
import type { RoleFact } from "../../explain/clouds/aws/role-fact";
import { awsTrust } from "../../explain/clouds/aws/trust";
import { evaluateAwsTrust } from "../../rules/aws/evaluate/evaluate-trust";
import { serviceAccountClaims } from "../../rules/aws/evaluate/service-account-claims";
import { type AssumeLink, type ReadIdentities, type TokenClaims, links } from "./identity";

/** The IAM roles that a stack declares. */
export const awsRoles: ReadIdentities = (terraform, own) => {
  const roles = new Roles(terraform);
  const providers = oidcProviders(terraform);
  return own("aws_iam_role").flatMap((resource) => {
    const role = roles.ofResource(resource);
    if (role === undefined) return [];
    return [
      {
        address: resource.address,
        names: [resource.address, terraform.attribute(resource, "name"), role.pathName, ...arnEnd(role)],
        admits: (claims) => judged(role, claims, providers),
      },
    ];
  });
};

/** Partitions differ; account and name are what tells roles apart. */
function arnEnd({ account, pathName }: RoleFact): readonly string[] {
  return account === ""
    ? []
    : ["aws", "aws-cn", "aws-us-gov"].map((p) => `arn:${p}:iam::${account}:role/${pathName}`);
}

function judged(
  role: RoleFact,
  { iss, sub, aud }: TokenClaims,
  providers: readonly OidcProviderFact[],
): readonly AssumeLink[] {
  const account = role.account;
  const question = { role, account, issuer: iss, subject: sub, audience: aud, oidcProviders: providers };
  const answers = links(awsTrust(question));
  const [issuer] = answers;
  if (issuer?.status !== "fail") return presumingProvider(answers);
  const unnamed = evaluateAwsTrust(role.trustPolicy, {
    providerArn: `arn:aws:iam::${account || NO_ACCOUNT}:oidc-provider/${iss.replace(/^https:\/\//, "")}`,
    claims: serviceAccountClaims(iss, sub, aud),
  });
  // A principal such as `*` names no OIDC provider, and lets them all in.
  if (unnamed.outcome === "denied") return answers;
  const status = unnamed.outcome === "allowed" ? "pass" : "unknown";
  return [{ id: "subject-admitted", status, reason: unnamed.reason }];
}

/**
 * An OIDC provider that another team declares was not read; the trust policy then decides alone, as it does for AWS
 * once the OIDC provider is there.
 */
function presumingProvider(judged: readonly AssumeLink[]): readonly AssumeLink[] {
  const admitted = judged.some(({ id, status }) => id === "subject-admitted" && status === "pass");
  if (!admitted) return judged;
  return judged.map((link) =>
    link.status === "unknown" ? { ...link, status: "pass", reason: `presumed: ${link.reason}` } : link,
  );
}
