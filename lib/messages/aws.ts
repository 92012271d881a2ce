import type { Problem } from "./problem";

/** Refusals of the AWS area: accounts, regions, OIDC providers, IAM roles, ECR repositories. */
export const awsMessages = {
  "aws-account-invalid": (value: unknown): Problem => ({
    problem: "AWS account is not an account id",
    value,
    allowed: "12 digits, as text because of leading zeros",
    remedy: "use the id that `aws sts get-caller-identity` prints",
  }),
  "aws-region-unknown": (value: unknown, known: string): Problem => ({
    problem: "AWS region is not known to this release of the library",
    value,
    allowed: known,
    remedy:
      "write the region's code, for example eu-west-1, not its name or an availability zone; for a newer region use a newer release of the library",
  }),
  "aws-partition-mismatch": (what: string, value: string, expected: string): Problem => ({
    problem: `${what} is in another AWS partition than the rest of the chain`,
    value,
    allowed: expected,
    remedy:
      "use one partition for OIDC provider, IAM role and registries; an IAM role is never valid across partitions",
  }),
  "aws-arn-invalid": (what: string, value: unknown, form: string): Problem => ({
    problem: `${what} is not an ARN of that kind`,
    value,
    allowed: form,
    remedy: "copy the whole ARN from IAM",
  }),
  "aws-issuer-unusable": (value: string, reason: string): Problem => ({
    problem: `issuer ${reason}, which IAM refuses for an OIDC provider`,
    value,
    allowed: "https://host[/path] of at most 255 characters, on port 443",
    remedy: "host the cluster's discovery document under such a URL and set --service-account-issuer to it",
  }),
  "aws-issuer-mismatch": (value: string, expected: string): Problem => ({
    problem: "the OIDC provider is of another issuer than the cluster",
    value,
    allowed: expected,
    remedy: "give the OIDC provider of this cluster's issuer, or leave it out to have one declared",
  }),
  "aws-oidc-account-mismatch": (value: string, expected: string): Problem => ({
    problem: "the OIDC provider is in another account than the IAM role that trusts it",
    value,
    allowed: expected,
    remedy: "declare an OIDC provider of the issuer in the role's account, STS looks for no other",
  }),
  "aws-provider-account-mismatch": (value: string, accounts: readonly string[]): Problem => ({
    problem: "the account is another one than that of the aws provider, which declares the IAM role",
    value,
    allowed: accounts.join(", "),
    remedy: "state the same account in both, or give the aws provider of this account as `provider`",
  }),
  "aws-oidc-provider-conflict": (property: string, value: unknown, by: string): Problem => ({
    problem: `an OIDC provider of this issuer is already declared with another ${property}, by ${by}`,
    value,
    remedy: "AWS has one OIDC provider per issuer and account: state the property once",
  }),
  "aws-oidc-provider-taken": (value: string, by: string): Problem => ({
    problem: `OIDC provider of this issuer is already declared by ${by}`,
    value,
    allowed: "one OIDC provider per issuer and account",
    remedy:
      "use that one, as `oidcProvider` of a trust, of pullRoles(), componentRoles() or workloadRoles(), in another stack too; within a stack OidcProvider.forIssuer shares it, elsewhere OidcProvider.fromIssuer adopts it, and the declared one must accept the audiences of all",
  }),
  "aws-client-ids-invalid": (count: number): Problem => ({
    problem: "number of audiences (client ids) of the OIDC provider is out of range",
    value: count,
    allowed: "1 to 100 per OIDC provider (IAM quota, not adjustable)",
    remedy: "use one audience for all workloads; sts.amazonaws.com is the convention in every partition",
  }),
  "aws-thumbprints-invalid": (value: unknown): Problem => ({
    problem: "thumbprints of the OIDC provider are not usable",
    value,
    allowed: "at most 5 SHA-1 fingerprints of 40 hexadecimal digits, without colons",
    remedy: "leave them out: AWS trusts issuers whose certificate chains to a public certificate authority",
  }),
  "aws-role-name-invalid": (value: unknown): Problem => ({
    problem: "IAM role name has characters that IAM refuses",
    value,
    allowed: "letters, digits and _+=,.@-, at least one; over 64 characters it is shortened with a hash",
    remedy: "use another name, or leave it out to have one derived",
  }),
  "aws-path-invalid": (value: unknown): Problem => ({
    problem: "path of the IAM role is not a path",
    value,
    allowed: "/ or /…/ with visible ASCII characters, at most 512",
    remedy: "begin and end it with a slash",
  }),
  "aws-description-invalid": (what: string, value: unknown): Problem => ({
    problem: `${what} cannot stand in the description of an IAM role`,
    value,
    allowed: "at least one character of printable Latin-1; the whole description at most 1000 characters",
    remedy: "write one short sentence",
  }),
  "aws-trust-empty": (): Problem => ({
    problem: "IAM role trusts nobody",
    allowed: "at least one service account, or a wildcard with a reason",
    remedy: "name the service accounts as namespace/name",
  }),
  "aws-duplicate-subject": (subject: string, audience: string): Problem => ({
    problem: `service account appears twice in the trust of one IAM role, for one OIDC provider and audience ${audience}`,
    value: subject,
    allowed: "each service account once, and none that a wildcard of the same IAM role admits already",
    remedy: "remove one of the two",
  }),
  "aws-subject-pattern-invalid": (value: unknown): Problem => ({
    problem: "wildcard for service accounts is not usable",
    value,
    allowed:
      "namespace/name with * or ? in at least one of the two, where the namespace is literal or begins with 3 literal characters: shop/*, ci-*/runner",
    remedy:
      "name the namespaces, one wildcard each; list service accounts without wildcard under serviceAccounts",
  }),
  "aws-trust-too-long": (characters: number, statements: number): Problem => ({
    problem: `trust policy of the IAM role is too long: ${statements} statements`,
    value: characters,
    allowed: "4096 characters without white space, the greatest value of quota L-C07B4B0D (default 2048)",
    remedy: "split the service accounts, or the clusters, over several IAM roles",
  }),
  "aws-policy-too-long": (
    what: string,
    characters: number,
    remedy = "use repository patterns such as team/*",
  ): Problem => ({
    problem: `${what} is too long`,
    value: characters,
    allowed: "10240 characters without white space (IAM quota, not adjustable)",
    remedy,
  }),
  "aws-repository-policy-too-long": (repository: string, characters: number, roles: number): Problem => ({
    problem: `policy of the ECR repository ${repository} is too long: ${roles} IAM roles`,
    value: characters,
    allowed: "10240 characters without white space (ECR quota, not adjustable); a late ARN is estimated",
    remedy:
      'say ownerPolicy: "elsewhere", and have the owner admit the account of the IAM roles in one statement: Principal its account id, limited to the roles by their path (pullRoles({ path })) with ArnLike on aws:PrincipalArn',
  }),
  "aws-repository-policy-taken": (repository: string, account: string, by: string): Problem => ({
    problem: `policy of an ECR repository in account ${account} is already written by ${by}; AWS has one per repository, and the last apply would take the other's permissions away`,
    value: repository,
    allowed: "one stack and Terraform provider per repository policy",
    remedy:
      'say ownerPolicy: "elsewhere" in one of the two, and let the other keep the statement of both (additionalStatements)',
  }),
  "aws-owner-provider-shared": (owners: readonly string[]): Problem => ({
    problem:
      "repository policies of several accounts would be written by one Terraform provider, into one account",
    value: owners,
    allowed: "a Terraform provider per owning account",
    remedy:
      'give each source its own: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or say ownerPolicy: "elsewhere"',
  }),
  "aws-owner-provider-missing": (owner: string, roleAccount: string): Problem => ({
    problem: `ownerPolicy would be written by the Terraform provider of the IAM role, into account ${roleAccount}, but the registry is another account's`,
    value: owner,
    allowed: "a Terraform provider of the registry's account",
    remedy:
      'give one: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or say ownerPolicy: "elsewhere" where the owner writes it',
  }),
  "aws-boundary-account-mismatch": (value: string, expected: string): Problem => ({
    problem: "permissions boundary is a policy of another account than the IAM role",
    value,
    allowed: `a policy of account ${expected}, or one that AWS manages`,
    remedy: "declare the policy in the role's account",
  }),
  "aws-role-name-taken": (value: string, by: string): Problem => ({
    problem: `name of an IAM role is already used by ${by} in the same account; IAM does not tell upper from lower case`,
    value,
    allowed: "one role of that name per account, whatever its path",
    remedy:
      "give one of the two another roleName; with pullRoles() another namePrefix, or another name to one of the clusters",
  }),
  "aws-sources-empty": (): Problem => ({
    problem: "IAM role is given no registry to pull from",
    allowed: "at least one of ecr(…) and ecrPublic(…)",
    remedy: "name the registry and its repositories",
  }),
  "aws-source-foreign": (value: unknown): Problem => ({
    problem: "registry was not made by ecr() or ecrPublic()",
    value,
    allowed: "what ecr() and ecrPublic() of the aws subpath return",
    remedy: "hand registries of other clouds to their own identities",
  }),
  "aws-repository-invalid": (value: unknown): Problem => ({
    problem: "ECR repository is not a repository name or pattern",
    value,
    allowed:
      "path segments of a-z and 0-9, joined inside by single . _ or -, 2 to 256 characters, * for any text; no registry host, tag or digest",
    remedy: "write it as `aws ecr describe-repositories` prints it, for example shop/web or base/*",
  }),
  "aws-repository-with-host": (value: string): Problem => ({
    problem: "ECR repository begins with the host of its registry",
    value,
    allowed: "the repository alone, for example shop/web or base/*",
    remedy: "remove the host: account and region say which registry it is",
  }),
  "aws-repositories-empty": (value: unknown): Problem => ({
    problem: "ECR registry is named without a list of repositories",
    value,
    allowed: "a list of at least one repository name or pattern",
    remedy: 'list what is pulled; the whole registry is "*"',
  }),
  "aws-registry-kind-unsupported": (kind: string, where: string, allowed: string): Problem => ({
    problem: `ECR has no ${kind} there that the image credential provider knows`,
    value: where,
    allowed,
    remedy: "leave the option out to use the plain registry host <account>.dkr.ecr.<region>.<suffix>",
  }),
  "aws-public-region-missing": (): Problem => ({
    problem: "ECR Public is pulled with a service account token, but no region is known for AWS_REGION",
    allowed: "a region of partition aws",
    remedy: "give it: ecrPublic({ region }) or pullRoles({ region })",
  }),
  "aws-public-region-conflict": (values: readonly string[]): Problem => ({
    problem: "ECR Public is named with several regions, but the plugin has one AWS_REGION for all pulls",
    value: values,
    allowed: "one region",
    remedy: "give the same region to every ecrPublic()",
  }),
  "aws-repository-policy-wildcard": (value: unknown): Problem => ({
    problem: "ECR has a policy per repository, none for a pattern",
    value,
    allowed: "exact repository names",
    remedy: "list the repositories under ownerPolicy.repositories",
  }),
  "aws-repository-policy-empty": (value: string): Problem => ({
    problem: "policy of the ECR repository lets no IAM role pull",
    value,
    allowed: "at least one role",
    remedy: "give the roles that pull from it",
  }),
  "aws-owner-repository-uncovered": (value: string, patterns: readonly string[]): Problem => ({
    problem: "the owner's policy is for a repository that the IAM role may not pull from",
    value,
    allowed: patterns.join(", "),
    remedy: "add the repository to `repositories`, or remove it from ownerPolicy.repositories",
  }),
};
