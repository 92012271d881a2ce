/*
 * Mistakes in the clouds: issuer, audience, subject, and what the identity may do.
 */

import { type Variant, files, images } from "../variant";

const file = files.terraform;
const web = { stack: "edge-1", serviceAccount: "shop/web", image: images.ecr, verdict: "denied" } as const;
const batch = { ...web, serviceAccount: "batch/jobs", image: images.batch } as const;
const tools = { ...web, serviceAccount: "shop/tools", image: images.google } as const;

/** Mistakes that are made in Terraform. Policies stand there as text, quotes escaped. */
export const cloudVariants: readonly Variant[] = [
  {
    ...web,
    id: "trailing-slash-in-the-issuer",
    mistake:
      "The issuer in the federated identity credential ends with a slash; the issuer in the tokens does not.",
    image: images.acr,
    edits: [
      {
        file,
        from: '"issuer": "https://oidc.acme.example/edge-1"',
        to: '"issuer": "https://oidc.acme.example/edge-1/"',
      },
    ],
    stopsAt: "issuer-trusted",
  },
  {
    ...web,
    id: "issuer-of-another-cluster",
    mistake:
      "The cluster was rebuilt with a new issuer, but the trust policy names the old issuer's OIDC provider.",
    edits: [
      {
        file,
        from: ":oidc-provider/oidc.acme.example/edge-1",
        to: ":oidc-provider/oidc.acme.example/edge-0",
      },
    ],
    stopsAt: "issuer-trusted",
  },
  {
    ...web,
    id: "audience-not-in-the-client-ids",
    mistake:
      "The OIDC provider was made for another purpose, and its client ids do not include the audience.",
    edits: [{ file, from: '"sts.amazonaws.com"', to: '"openshift"' }],
    stopsAt: "audience-accepted",
  },
  {
    ...web,
    id: "wildcard-under-string-equals",
    mistake: "The trust policy has a wildcard under `StringEquals`, which compares the text exactly.",
    edits: [
      {
        file,
        from: String.raw`:sub\":\"system:serviceaccount:shop:web\"`,
        to: String.raw`:sub\":\"system:serviceaccount:shop:*\"`,
      },
    ],
    stopsAt: "subject-admitted",
  },
  {
    ...tools,
    id: "account-not-in-the-condition",
    mistake: "The attribute condition of the pool provider lists other service accounts.",
    edits: [
      {
        file,
        from: "['system:serviceaccount:shop:tools']",
        to: "['system:serviceaccount:shop:builder']",
      },
    ],
    stopsAt: "subject-admitted",
  },
  {
    ...web,
    id: "acr-pull-on-an-abac-registry",
    mistake: "The identity has the role `AcrPull` on a registry in ABAC mode, which ignores that role.",
    image: images.acr,
    edits: [
      {
        file,
        from: '"role_definition_name": "Container Registry Repository Reader"',
        to: '"role_definition_name": "AcrPull"',
      },
    ],
    stopsAt: "login-permitted",
  },
  {
    ...web,
    id: "login-on-the-repository-only",
    mistake:
      "The login is allowed on the repository, where it has no effect: it is a permission on the registry.",
    edits: [
      {
        file,
        from: String.raw`\"Action\":\"ecr:GetAuthorizationToken\",\"Resource\":\"*\"`,
        to: String.raw`\"Action\":\"ecr:GetAuthorizationToken\",\"Resource\":\"arn:aws:ecr:eu-west-1:111122223333:repository/shop/*\"`,
      },
    ],
    stopsAt: "login-permitted",
  },
  {
    ...web,
    id: "repository-like-a-folder",
    mistake: "The permission names a repository as if it were a folder, but it covers only that one name.",
    edits: [
      {
        file,
        from: String.raw`:repository/shop/*\"`,
        to: String.raw`:repository/shop\"`,
      },
    ],
    stopsAt: "repository-permitted",
  },
  {
    ...batch,
    id: "owner-lets-another-role-in",
    mistake:
      "The role was recreated under another name, but the owner's repository policy names the old one.",
    edits: [{ file, from: ":role/edge-1_batch_jobs", to: ":role/batch-puller" }],
    stopsAt: "repository-permitted",
  },
  {
    ...batch,
    id: "owner-has-no-policy",
    mistake:
      "The other account's repository has no repository policy in these files; the only policy is attached to another repository. A policy may have been created by hand, so the verdict is `unknown`.",
    edits: [{ file, from: '"repository": "batch/runner"', to: '"repository": "batch/runner-old"' }],
    stopsAt: "repository-permitted",
    verdict: "unknown",
  },
  {
    ...tools,
    id: "project-id-in-the-principal",
    mistake: "The principal names the pool's project by its id, but Google identifies it by its number.",
    edits: [
      {
        file,
        from: "principal://iam.googleapis.com/projects/123456789012/",
        to: "principal://iam.googleapis.com/projects/acme-images/",
      },
    ],
    stopsAt: "repository-permitted",
  },
];
