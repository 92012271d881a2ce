import type { Problem } from "./problem";

/** Refusals of roles of components and workloads on AWS, their permissions, and of issuers' buckets. */
export const awsComponentsMessages = {
  "aws-provider-spec-invalid": (where: string, reason: string, value: unknown, allowed: string): Problem => ({
    problem: `${where} ${reason}`,
    value,
    allowed,
    remedy:
      "take the CredentialsRequest as the release payload has it; what this cluster needs otherwise is said with `overrides`",
  }),
  "aws-request-kind": (value: string): Problem => ({
    problem: "CredentialsRequest asks another cloud",
    value,
    allowed: "AWSProviderSpec",
    remedy: "filter the requests by cloud before they are handed to componentRoles()",
  }),
  "aws-request-brokered": (value: unknown): Problem => ({
    problem:
      "CredentialsRequest names a role itself (stsIAMRoleARN), so the cloud credential operator writes its Secret",
    value,
    allowed: "requests of the release payload, which leave the role to the installation",
    remedy: "leave this request out, and give the operator's subscription the ARN of a ComponentRole",
  }),
  "aws-ccoctl-name-clash": (name: string, first: string, second: string): Problem => ({
    problem: `${first} and ${second} would share one IAM role, since ccoctl cuts names after 64 characters`,
    value: name,
    allowed: "one role per request",
    remedy:
      'leave both out of the list `adopt` and state naming: "derived", which ends a cut name with a hash: they get roles of their own; the one that ccoctl shared in this way holds the permissions of one of them only',
  }),
  "aws-component-name-clash": (name: string, first: string, second: string): Problem => ({
    problem: `${first} and ${second} would share one IAM role`,
    value: name,
    allowed: "one role per request",
    remedy: "give one of the two another name: overrides: { <request>: { roleName } }",
  }),
  "aws-override-unknown": (value: string, known: readonly string[]): Problem => ({
    problem: "override is for a CredentialsRequest that is not among the requests",
    value,
    allowed: known.join(", "),
    remedy: "use the `metadata.name` of a request that was not filtered out, or remove the override",
  }),
  "aws-adopt-unknown": (value: string, known: readonly string[]): Problem => ({
    problem: "adopt names a CredentialsRequest that is not among the requests",
    value,
    allowed: known.join(", "),
    remedy: "use the `metadata.name` of a request whose role exists",
  }),
  "aws-override-unused": (value: string, actions: readonly string[]): Problem => ({
    problem: "override narrows an action that no Allow statement of the request has",
    value,
    allowed: actions.join(", "),
    remedy:
      "write the action as the request does, or with * for any text; Deny statements are never narrowed",
  }),
  "aws-override-ambiguous": (value: string): Problem => ({
    problem: "override narrows one action twice",
    value,
    allowed: "each action of the request in one entry of `narrow`",
    remedy:
      "put resources and conditions of the action into one entry; for KMS actions use `kmsKeys` or `narrow`",
  }),
  "aws-override-wider": (value: string, resource: string): Problem => ({
    problem: "override would let the component reach more than its request asks for",
    value,
    allowed: resource,
    remedy: "give further resources with `statements`, which says openly that they are added",
  }),
  "aws-override-condition": (operator: string, key: string): Problem => ({
    problem: `override states a condition that the request has already, ${operator} on ${key}`,
    value: key,
    allowed: "conditions on other keys, or with other operators",
    remedy: "state it with an operator that the request does not use; all conditions must hold",
  }),
  "aws-kms-key-invalid": (value: unknown): Problem => ({
    problem: "KMS key is not the ARN of a key",
    value,
    allowed: "arn:<partition>:kms:<region>:<account>:key/<id>",
    remedy: "use the ARN of the key: IAM does not follow an alias in a policy's Resource",
  }),
  "aws-statement-invalid": (what: string, reason: string, value: unknown): Problem => ({
    problem: `${what} ${reason}`,
    value,
    allowed:
      "{ Sid?, Effect: Allow or Deny, Action: one or several, Resource: one or several, Condition? }, nothing else",
    remedy: "write it as in an IAM identity policy",
  }),
  "aws-statement-too-wide": (value: unknown): Problem => ({
    problem:
      "permission is for every action, or every action of a service, on every resource, and no reason is given",
    value,
    allowed: "named actions, or named resources",
    remedy:
      "narrow it; where it must be so, write why as `wideReason`, which stands in the role's description",
  }),
  "aws-statement-sid-twice": (value: string): Problem => ({
    problem: "two statements of one policy have the same Sid, which IAM refuses",
    value,
    allowed: "each Sid once per IAM role",
    remedy: "rename one of the two, or leave both without Sid",
  }),
  "aws-managed-policy-account": (value: string, expected: string): Problem => ({
    problem: "managed policy is one of another account than the IAM role",
    value,
    allowed: `a policy of account ${expected}, or one that AWS manages`,
    remedy: "declare the policy in the role's account, or use `statements`",
  }),
  "aws-override-invalid": (where: string, reason: string, value: unknown): Problem => ({
    problem: `override: ${where} ${reason}`,
    value,
    allowed:
      "{ narrow?: { actions, resources?, conditions? }[], kmsKeys?, statements?, wideReason?, roleName? }, where each entry of `narrow` has resources within the request's or conditions",
    remedy: "correct the entry, or remove it",
  }),
  "aws-kms-unlimited": (action: string): Problem => ({
    problem: "request permits actions of any service, so `kmsKeys` would not keep it to these keys",
    value: action,
    allowed: "requests that name their services",
    remedy: "leave `kmsKeys` out, and narrow that action with `narrow`",
  }),
  "aws-adopt-path": (value: string): Problem => ({
    problem:
      "role that exists would be replaced: ccoctl makes roles without a path, and a path cannot be changed",
    value,
    allowed: 'no path, or "/"',
    remedy:
      "leave `path` out while roles are adopted; make roles of requests with a path in a maker of their own",
  }),
  "aws-adopt-naming": (value: string): Problem => ({
    problem: "role that exists has ccoctl's name and is adopted under it",
    value,
    allowed: '"ccoctl"; or `adopt` with the names of some requests, the others being named as `naming` says',
    remedy: "leave `naming` out, or take the request off `adopt` to have a new role made",
  }),
  "aws-adopt-boundary-missing": (): Problem => ({
    problem:
      "adopting takes off whatever permissions boundary the existing role has, unless it is stated, and it is not",
    allowed: 'permissionsBoundary: the ARN, or "none"',
    remedy:
      "look it up: aws iam get-role --role-name NAME --query Role.PermissionsBoundary.PermissionsBoundaryArn",
  }),
  "aws-ccoctl-name-invalid": (value: unknown): Problem => ({
    problem: "name that ccoctl was given is not usable",
    value,
    allowed: "1 to 89 letters, digits, `.`, `_` and `-`",
    remedy: "give what stood after --name: the bucket's name without `-oidc`",
  }),
  "aws-ccoctl-name-unused": (value: unknown): Problem => ({
    problem: "name that ccoctl was given is stated, but nothing is adopted or named as ccoctl does",
    value,
    allowed: '`ccoctlName` with `adopt`, or with naming: "ccoctl"',
    remedy: "leave it out, or state what is adopted",
  }),
  "aws-tags-invalid": (reason: string, value: unknown, max: number): Problem => ({
    problem: `tags ${reason}`,
    value,
    allowed: `at most ${max} tags; keys of 1 to 128 characters that do not begin with aws:, values of at most 256`,
    remedy: "correct the tags",
  }),
  "aws-issuer-domain-invalid": (value: unknown): Problem => ({
    problem: "domain of the issuer is not the name of a host",
    value,
    allowed: "lower-case labels joined by dots, oidc.example.com; no scheme, path, port or wildcard",
    remedy: "write the host alone, as the certificate has it",
  }),
  "aws-issuer-adopt-unusable": (reason: string, value: unknown): Problem => ({
    problem: `what is to be adopted of an issuer ${reason}`,
    value,
    allowed: '{ ccoctlName, policy?, distribution? }, `distribution` with access "cloudfront" only',
    remedy: "state what exists, as the installation has it",
  }),
  "aws-grant-foreign": (value: string): Problem => ({
    problem: "grant was not made by componentRoles()",
    value,
    allowed: "an entry of `grants` that componentRoles() declared",
    remedy: "look the construct up at the maker of that cloud",
  }),
  "aws-access-empty": (): Problem => ({
    problem: "awsAccess() permits nothing",
    allowed: "at least one entry in `statements` or `managedPolicyArns`",
    remedy: "say what the service account may do",
  }),
  "aws-access-foreign": (value: unknown): Problem => ({
    problem: "access was not made by awsAccess()",
    value,
    allowed: "what awsAccess() of the aws subpath returns",
    remedy: "hand access of other clouds to their own identities",
  }),
  "aws-managed-policies-too-many": (count: number): Problem => ({
    problem: "too many managed policies for one IAM role",
    value: count,
    allowed: "20, the greatest value of the IAM quota (default 10)",
    remedy: "put the permissions into `statements`",
  }),
  "aws-bucket-name-invalid": (value: unknown, reason: string): Problem => ({
    problem: `bucket name ${reason}`,
    value,
    allowed:
      "3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit, without the prefixes and suffixes that S3 reserves",
    remedy: "use another name, for example <cluster>-oidc",
  }),
  "aws-bucket-taken": (value: string, by: string): Problem => ({
    problem: `bucket is already declared by ${by}`,
    value,
    allowed: "one bucket of that name in the whole partition",
    remedy: "give each issuer a bucket of its own",
  }),
  "aws-cloudfront-missing": (partition: string): Problem => ({
    problem: "partition has no CloudFront that serves an issuer under a name of its own",
    value: partition,
    allowed: "aws",
    remedy:
      'use access: "public"; or host the documents otherwise (in aws-cn under a domain with an ICP filing) and state that issuer with OidcProvider.fromIssuer',
  }),
  "aws-issuer-domain-incomplete": (): Problem => ({
    problem: "an issuer under a domain of one's own needs the domain and its certificate",
    allowed: "domainName and certificateArn together, with access through CloudFront",
    remedy: "give both, or neither to use the name that CloudFront gives the distribution",
  }),
  "aws-distribution-id-invalid": (value: unknown): Problem => ({
    problem: "CloudFront distribution to adopt is not given by id and domain",
    value,
    allowed: 'an id such as "E2EXAMPLE1ABCD" and a domain such as "d111111abcdef8.cloudfront.net"',
    remedy: "copy both from `aws cloudfront list-distributions`",
  }),
  "aws-adopt-account-missing": (): Problem => ({
    problem: "an existing CloudFront distribution is adopted, but its account is not known",
    allowed: "account, 12 digits",
    remedy:
      "give `account`: the bucket's policy must admit the distribution before its origin access changes, and names it by ARN",
  }),
};
