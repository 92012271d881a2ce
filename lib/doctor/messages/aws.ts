/*
 * Messages of AWS STS, IAM and ECR.
 *
 * Sources: docs.aws.amazon.com, STS API reference (AssumeRoleWithWebIdentity, errors) and IAM user guide ("Troubleshoot
 * access denied error messages"); kubernetes/cloud-provider-aws, cmd/ecr-credential-provider.
 */

import { type MessageRow, TOKEN_SENT } from "./row";

/** What AWS STS says of a token that it has seen. */
const STS = { by: "AWS STS", holds: TOKEN_SENT };
const TRUST = "aws iam get-role --role-name ROLE --query Role.AssumeRolePolicyDocument";
const PROVIDERS =
  "aws iam list-open-id-connect-providers; aws iam get-open-id-connect-provider --open-id-connect-provider-arn ARN";

export const AWS_MESSAGES: readonly MessageRow[] = [
  {
    text: "No OpenIDConnect provider found in your account",
    ...STS,
    means: "The role's account has no OIDC provider for exactly the issuer of the token.",
    broken: ["issuer-trusted"],
    fix: "Create the OIDC provider for the token's issuer, trailing slash included, in the account of the role.",
    decide: PROVIDERS,
  },
  {
    text: "Incorrect token audience",
    ...STS,
    means: "The OIDC provider does not list the token's audience among its client ids.",
    broken: ["audience-accepted"],
    fix: "Add the audience to the client ids of the OIDC provider, or ask for a token with an audience that it lists.",
    decide: PROVIDERS,
  },
  {
    text: "Couldn't retrieve verification key from your identity provider",
    ...STS,
    means:
      "AWS cannot read the issuer's documents, or the key that signed the token is not in the published set.",
    broken: ["issuer-configured", "issuer-trusted"],
    fix: "Publish the discovery document and the key set where everyone can read them, with the key that the API server signs with.",
    decide:
      "curl -s ISSUER/.well-known/openid-configuration; curl -s JWKS_URI # from outside of the network; compare kid with the token's header",
  },
  {
    text: "HTTPS certificate doesn't match configured thumbprint",
    ...STS,
    means:
      "The issuer's certificate is signed by no authority that AWS knows, and none of the OIDC provider's thumbprints is that of its top authority.",
    broken: ["issuer-trusted"],
    isUnread: true,
    fix: "Serve the documents with a certificate of a public authority, or write the SHA-1 thumbprint of the last certificate of the served chain into the OIDC provider.",
    decide:
      "openssl s_client -connect HOST:443 -showcerts </dev/null # compare the last certificate's fingerprint with the OIDC provider's ThumbprintList",
  },
  {
    text: "Not authorized to perform sts:AssumeRoleWithWebIdentity",
    ...STS,
    means: "The trust policy of the role does not admit the token, or the role does not exist.",
    broken: ["identity-found", "issuer-trusted", "audience-accepted", "subject-admitted"],
    fix: "Compare the token's iss, sub and aud with the trust policy: a `*` needs StringLike, keys are `<issuer without scheme>:sub` and `:aud`, and an explicit deny wins.",
    decide: TRUST,
  },
  {
    text: "ExpiredTokenException",
    ...STS,
    means: "The token expired before AWS saw it: an old file, or clocks that differ.",
    broken: [],
    fix: "Compare the clocks of node and control plane, and let the program read the token's file again for every call.",
    decide: "date -u # on the node and on the control plane",
  },
  {
    text: "is not authorized to perform: ecr:GetAuthorizationToken",
    by: "Amazon ECR",
    means:
      "The role may not log in to any registry. If the message names the node's role, the chain was not used.",
    broken: ["login-permitted"],
    holds: [],
    fix: "Allow ecr:GetAuthorizationToken on `*` to the role that the message names.",
  },
  {
    text: "is not authorized to perform: ecr:BatchGetImage",
    by: "Amazon ECR",
    means:
      "The identity that the message names may not read the repository. Its end says why: no identity-based policy, no resource-based policy, or an explicit deny.",
    broken: ["repository-permitted"],
    holds: [],
    fix: "Allow ecr:BatchGetImage and ecr:GetDownloadUrlForLayer on the repository; for another account's registry also in its repository policy.",
    decide: "aws ecr get-repository-policy --registry-id ACCOUNT --repository-name NAME",
  },
  {
    text: "EntityAlreadyExists",
    by: "AWS IAM",
    means: "The account already has the OIDC provider of this issuer, or a role of this name.",
    broken: [],
    holds: [],
    fix: "Reference the existing one (OidcProvider.fromIssuer), take it over with adopt, or choose another name (namePrefix).",
  },
  {
    text: "WebIdentityErr: failed to retrieve credentials",
    by: "AWS SDK",
    means: "The SDK has a token and a role, and AWS STS refused them; its own message follows.",
    broken: ["issuer-trusted", "audience-accepted", "subject-admitted"],
    holds: ["account-present", "account-annotated", "pods-configured"],
    fix: "Look up the message of AWS STS, which follows in the same line.",
  },
  {
    text: "Unable to locate credentials",
    by: "AWS SDK",
    means: "The pod has neither the variables nor the token that the SDK looks for.",
    broken: ["account-annotated", "pods-configured"],
    holds: ["account-present"],
    fix: "Restart the pod: the webhook injects only when a pod is created. Without a webhook, the pod states the token and the variables itself.",
    decide: "kubectl get pod -n NAMESPACE POD -o yaml",
  },
];
