import { expect, it } from "vitest";
import { INGRESS, RECORD, accessArtefacts, subscriptionId, withJson } from "../../fixtures/explain/access";
import { answer, both, checkOf, checks } from "../../fixtures/explain/checks";
import {
  SECRET,
  content,
  credentialFile,
  credentials,
  provided,
  secret,
  threeOnAws,
} from "../../fixtures/explain/components";
import { argument, configured, provider } from "../../fixtures/explain/configuration";

const ID = "secret-well-formed";
const of = (cloud: "aws" | "azure" | "google") => ({
  artefacts: accessArtefacts(cloud),
  serviceAccount: INGRESS,
});
const TOKEN = "the component's token is at";
const SETTING = "    role_arn";

checks(ID, "AWS", of("aws"), [
  ["as written", [], "pass"],
  [
    "another token",
    secret("/openshift/serviceaccount/token", "/kubernetes.io/serviceaccount/token"),
    "fail",
    TOKEN,
  ],
  ["no role", secret(SETTING, "    # role_arn"), "fail", "credentials has no role_arn"],
  [
    "no ARN",
    secret("role_arn = arn:aws:iam::111122223333:role/", "role_arn = "),
    "fail",
    "is not an ARN of an IAM role",
  ],
  [
    "keys that last",
    secret(SETTING, `    aws_access_key_id = AKIA\n${SETTING}`),
    "fail",
    "has the setting aws_access_key_id",
  ],
  [
    "keys that last instead",
    secret("  credentials:", "  aws_access_key_id: AKIA\n  credentials:"),
    "fail",
    "which does not expire",
  ],
  ["another key", secret("  credentials:", "  config:"), "fail", "has no readable key credentials"],
  ["no section", secret("[default]", "[profile other]"), "fail", "has no section [default]"],
  ["a region", secret(SETTING, `    region = eu-west-1\n${SETTING}`), "pass"],
  ["a stray line", secret(SETTING, `    stray\n${SETTING}`), "fail", "is not a setting"],
]);

const TENANT = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-2222-4333-8444-555555555555";
const tenant = secret(TENANT, OTHER);
const subscription = secret(subscriptionId, OTHER);
const inTenant = configured(provider("azurerm", { tenant_id: TENANT }));
const lateScopes = configured(argument("azurerm_role_assignment", { scope: "${var.scope}" }));
const NEIGHBOUR = { serviceAccount: "openshift-image-registry/registry" };

// A component works in one tenant and one subscription: those of its identity, its roles and its neighbours.
checks(ID, "Azure", of("azure"), [
  ["as written", [], "pass"],
  ["another token", secret("/openshift/serviceaccount/token", "/other/token"), "fail", TOKEN],
  ["a key missing", secret("  azure_region", "  azure_regio"), "fail", "has no azure_region"],
  ["no GUID", secret("azure_tenant_id: 1", "azure_tenant_id: x"), "fail", "is not a GUID"],
  [
    "a client secret",
    secret("  azure_region", "  azure_client_secret: x\n  azure_region"),
    "fail",
    "which components prefer",
  ],
  ["another key", secret("  azure_region", "  other: x\n  azure_region"), "fail", "has the key other"],
  ["another tenant than those beside it", tenant, "unknown"],
  ["a neighbour of another tenant", tenant, "unknown", "", NEIGHBOUR],
  ["the tenant of its identity's provider", inTenant, "pass"],
  ["another tenant than its identity's provider", both(tenant, inTenant), "fail"],
  ["another subscription than all roles", subscription, "fail"],
  ["another subscription than those beside it, of late roles", both(subscription, lateScopes), "unknown"],
]);

const region = "eu-west-1";
const inAccount = secret("arn:aws:iam::111122223333", "arn:aws:iam::111122223339");
const inPartition = secret("arn:aws:iam", "arn:aws-cn:iam");
/** By a later link: the OIDC provider is elsewhere. */
const DENIED = { verdict: "denied" } as const;

// terraform-provider-aws, arguments region, allowed_account_ids and assume_role.
checks(ID, "account and partition of a role on AWS", threeOnAws, [
  ["of an unknown account", provided({ region }), "pass"],
  ["of another account than those beside", both(provided({ region }), inAccount), "unknown", "", DENIED],
  ["of another partition than those beside", both(provided({}), inPartition), "unknown", "", DENIED],
  ["of another partition than the provider's region", both(provided({ region }), inPartition), "fail"],
  ["of another partition than the provider, all of them", provided({ region: "us-gov-west-1" }), "fail"],
]);
const moved = JSON.stringify({ ...credentialFile, universe_domain: "acme.example" })
  .replace("sts.googleapis.com", "sts.acme.example")
  .replace("iamcredentials.googleapis.com", "iamcredentials.acme.example");

checks(ID, "the credential file of Google", of("google"), [
  ["as written", [], "pass"],
  ["under another key", secret("service_account.json: ", "other.json: "), "fail", "has no readable key"],
  ["no JSON", content("{"), "fail", "is not JSON"],
  [
    "a key",
    credentials({ type: "service_account" }),
    "fail",
    "is a service account key, which does not expire",
  ],
  [
    "another type",
    credentials({ type: "authorized_user" }),
    "fail",
    "has the type authorized_user, not external_account",
  ],
  ["no pool provider", credentials({ audience: "//x" }), "fail", "has the audience //x"],
  ["another token type", credentials({ subject_token_type: "x" }), "fail", "has the subject_token_type x"],
  ["another exchange", credentials({ token_url: "https://sts.example.com/v2" }), "fail", "has the token_url"],
  [
    "another exchange's domain",
    credentials({ token_url: "https://sts.evil.example/v1/token" }),
    "fail",
    "not https://sts.googleapis.com/v1/token",
  ],
  [
    "a domain of its own that the exchange is not of",
    credentials({ universe_domain: "acme.example" }),
    "fail",
    "not https://sts.acme.example/v1/token",
  ],
  ["everything of another universe", content(moved), "pass"],
  ["no token", credentials({ credential_source: {} }), "fail", "names no credential_source.file"],
  [
    "another token",
    credentials({ credential_source: { file: "/t" } }),
    "fail",
    "credential_source.file is /t",
  ],
  [
    "a token in JSON",
    credentials({ credential_source: { file: "/t", format: { type: "json" } } }),
    "fail",
    "has the credential_source.format.type json",
  ],
  [
    "impersonation elsewhere",
    credentials({
      service_account_impersonation_url:
        "https://iamcredentials.evil.example/v1/projects/-/serviceAccounts/a@b.iam.gserviceaccount.com:generateAccessToken",
    }),
    "fail",
    "which is not in googleapis.com",
  ],
  [
    "no one to act as",
    credentials({ service_account_impersonation_url: "x" }),
    "fail",
    "which names no service account",
  ],
]);
it.each(["aws", "azure", "google"] as const)("is not judged for a cloud that is not known: %s", (cloud) => {
  const recorded = withJson(accessArtefacts(cloud), RECORD, (value) => {
    const [cluster] = (value as { clusters: { components: { cloud: string } }[] }).clusters;
    if (cluster) cluster.components.cloud = "other";
  });
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
    stringData: { other: "x" },
  });
  const artefacts = new Map(recorded).set(`stacks/fixture/${SECRET}`, text);
  const result = answer({ artefacts, serviceAccount: INGRESS });
  expect([result.verdict, checkOf(result, ID).status]).toEqual(["unknown", "unknown"]);
});
