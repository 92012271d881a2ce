/*
 * What hosts an issuer's documents is judged in the form that the constructs write. Anything else is unknown, with the
 * commands that decide it; each argument is attacked in test/explain/coverage/issuer-attacks.test.ts.
 */

import { INGRESS, WORKLOAD } from "../../../../fixtures/explain/access";
import { type Row, checks } from "../../../../fixtures/explain/checks";
import {
  type Change,
  added,
  argument,
  configured,
  only,
  provider,
  without,
} from "../../../../fixtures/explain/configuration";
import {
  container,
  distributed,
  googleBucket,
  onAws,
  onAzure,
  onGoogle,
  place,
  workloadAt,
} from "../../../../fixtures/explain/issuer-hosts";

const ID = "issuer-trusted";
const BUCKET = "aws_s3_bucket";
const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";
const OBJECT = "aws_s3_object";
const DISTRIBUTION = "aws_cloudfront_distribution";
const CURL = /curl \S+\/\.well-known\/openid-configuration`.*`curl \S+`$/;

type Block = Record<string, unknown>;

const unknown = (name: string, ...changes: readonly Change[]): Row => [
  name,
  configured(...changes),
  "unknown",
  CURL,
];
const passes = (name: string, ...changes: readonly Change[]): Row => [name, configured(...changes), "pass"];
/** The bucket is only looked up: its policy and its access block are in Terraform that is not read. */
const lookedUp: Change = (configuration) => {
  configuration.data = { [BUCKET]: configuration.resource[BUCKET] ?? {} };
  argument(OBJECT, { bucket: "issuer-c1" })(configuration);
  for (const type of [BUCKET, POLICY, BLOCK]) without(type)(configuration);
};
/** The statements of the bucket's policy. */
const statements =
  (change: (all: Block[]) => unknown): Change =>
  (all) => {
    const policy = only(all, POLICY);
    const document = JSON.parse(String(policy["policy"])) as { Statement: Block[] };
    document.Statement = (change(document.Statement) as Block[] | undefined) ?? document.Statement;
    policy["policy"] = JSON.stringify(document);
  };
const statement = (values: Block) => statements((all) => void Object.assign(all[0] ?? {}, values));
const DENY = { Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" };
const ARN = "arn:aws:s3:::issuer-c1";
// "Blocking public access to your Amazon S3 storage": the most restrictive combination of account and bucket counts.
const ofAccount = (values: object) => added("aws_s3_account_public_access_block", values);
const closed = { block_public_policy: true, restrict_public_buckets: true };

checks(ID, "a bucket that everyone reads", workloadAt("S3, public"), [
  unknown("closed by its block", argument(BLOCK, { restrict_public_buckets: true })),
  unknown("no block, which S3 makes", without(BLOCK)),
  unknown("a block of a bucket of a variable", added(BLOCK, { bucket: "${var.bucket}" })),
  passes("a block of another bucket", added(BLOCK, { bucket: "other", ...closed })),
  unknown("no policy", without(POLICY)),
  unknown("the policy of a bucket whose name begins so", (all) => {
    const [name = ""] = Object.keys(all.resource[BUCKET] ?? {});
    argument(POLICY, { bucket: `\${${BUCKET}.${name}.id}-x` })(all);
  }),
  unknown("two policies", added(POLICY, { bucket: "issuer-c1", policy: "{}" })),
  unknown(
    "a denial beside the statement",
    statements((all) => [...all, DENY]),
  ),
  passes(
    "another permission",
    statements((all) => [...all, { ...DENY, Effect: "Allow" }]),
  ),
  unknown("a condition", statement({ Condition: { IpAddress: { "aws:SourceIp": "192.0.2.0/24" } } })),
  unknown("for an account", statement({ Principal: { AWS: place.account } })),
  unknown("one of the documents", statement({ Resource: `${ARN}/keys.json` })),
  passes("the whole bucket", statement({ Sid: undefined, Resource: [`${ARN}/*`] })),
  unknown("everything but the documents", statement({ Resource: undefined, NotResource: `${ARN}/x` })),
  unknown("only looked up", lookedUp),
  unknown("access control lists", added("aws_s3_bucket_acl", { bucket: "issuer-c1", acl: "public-read" })),
  unknown("an object of an older type", (all) => {
    all.resource["aws_s3_bucket_object"] = all.resource[OBJECT] ?? {};
    delete all.resource[OBJECT];
  }),
  unknown("a block of the account", ofAccount(closed)),
  passes("an open block of the account", ofAccount({ restrict_public_buckets: false })),
  unknown("a block by a variable", ofAccount({ restrict_public_buckets: "${var.closed}" })),
  unknown(
    "a block of the bucket's account, by another provider",
    ofAccount({ ...closed, account_id: place.account, provider: "aws.other" }),
  ),
  unknown(
    "a block of another account, whose account is not compared",
    ofAccount({ ...closed, account_id: "444455556666" }),
  ),
  unknown("a block of a late account", ofAccount({ ...closed, account_id: "${var.account}" })),
]);

/** A change of the distribution, its only origin and its default behavior. */
const distribution =
  (change: (values: Block, origin: Block, behavior: Block) => unknown): Change =>
  ({ resource }) => {
    for (const values of Object.values(resource[DISTRIBUTION] ?? {}))
      change(values, (values["origin"] as Block[])[0] ?? {}, values["default_cache_behavior"] as Block);
  };
/** Another distribution, which is not the issuer's. */
const another: Change = ({ resource }) => {
  const [first = {}] = Object.values(resource[DISTRIBUTION] ?? {});
  Object.assign(resource[DISTRIBUTION] ?? {}, { other: { ...structuredClone(first), enabled: false } });
};
const ofAnother: Change = (all) => {
  const policy = only(all, POLICY);
  policy["policy"] = String(policy["policy"]).replace(
    /\$\{[^}]*\.arn\}/,
    "arn:aws:cloudfront::1:distribution/A",
  );
};

checks(ID, "a bucket behind CloudFront", workloadAt("CloudFront"), [
  passes("closed by its block", argument(BLOCK, { restrict_public_buckets: true })),
  passes("closed by the account's block", ofAccount(closed)),
  unknown("no policy", without(POLICY)),
  unknown("only looked up", lookedUp),
  unknown("the policy of another distribution", ofAnother),
  passes("another distribution that is not enabled", another),
  unknown("not enabled", argument(DISTRIBUTION, { enabled: false })),
  unknown("enabled by a variable", argument(DISTRIBUTION, { enabled: "${var.on}" })),
  unknown(
    "requests unsigned",
    argument("aws_cloudfront_origin_access_control", { signing_behavior: "never" }),
  ),
  unknown(
    "no identity",
    distribution((_, origin) => delete origin["origin_access_control_id"]),
  ),
  unknown(
    "another origin",
    distribution((_, origin) => (origin["domain_name"] = "other.s3.eu-west-1.amazonaws.com")),
  ),
  unknown(
    "two origins",
    distribution((values, origin) => (values["origin"] = [origin, { ...origin, origin_id: "b" }])),
  ),
  unknown(
    "a function",
    distribution(
      (_v, _o, behavior) => (behavior["function_association"] = [{ event_type: "viewer-request" }]),
    ),
  ),
  unknown(
    "a behavior before the default one",
    distribution(
      (values, _, behavior) =>
        (values["ordered_cache_behavior"] = [{ ...behavior, path_pattern: "/keys.json" }]),
    ),
  ),
  unknown("a web ACL", argument(DISTRIBUTION, { web_acl_id: "arn:aws:wafv2:a" })),
  unknown("no distribution", without(DISTRIBUTION)),
]);

const ACCOUNT = "azurerm_storage_account";
const NETWORK_RULES = "azurerm_storage_account_network_rules";
const OTHER_ID = "/subscriptions/a/resourceGroups/b/providers/Microsoft.Storage/storageAccounts/other";
/** Rules beside the account, by default of it. */
const beside =
  (values: object, id?: string): Change =>
  (all) => {
    const [name = ""] = Object.keys(all.resource[ACCOUNT] ?? {});
    added(NETWORK_RULES, { storage_account_id: id ?? `\${${ACCOUNT}.${name}.id}`, ...values })(all);
  };
const DENIAL = { default_action: "Deny", bypass: ["AzureServices"] };

for (const host of ["container", "website"] as const)
  checks(ID, `the account of a ${host}`, workloadAt(host), [
    unknown("closed to public networks", argument(ACCOUNT, { public_network_access_enabled: false })),
    unknown("open by a variable", argument(ACCOUNT, { public_network_access_enabled: "${var.p}" })),
    unknown("rules that deny", argument(ACCOUNT, { network_rules: [DENIAL] })),
    unknown("rules of a variable", argument(ACCOUNT, { network_rules: "${var.r}" })),
    passes("rules that allow", argument(ACCOUNT, { network_rules: { default_action: "Allow" } })),
    unknown("rules beside it", beside(DENIAL)),
    passes("rules beside it that allow", beside({ default_action: "Allow" })),
    passes("rules of another account", beside(DENIAL, OTHER_ID)),
    unknown("rules of an account of a variable", beside(DENIAL, "${var.account}")),
    unknown("a policy that deletes blobs", (all) => {
      const [name = ""] = Object.keys(all.resource[ACCOUNT] ?? {});
      added("azurerm_storage_management_policy", { storage_account_id: `\${${ACCOUNT}.${name}.id}` })(all);
    }),
  ]);

const endpoint = (domain: string) =>
  argument(ACCOUNT, { primary_blob_endpoint: `https://acmec1.blob.core.${domain}/` });
checks(ID, "a container", workloadAt("container"), [
  unknown("private", argument("azurerm_storage_container", { container_access_type: "private" })),
  unknown("private by default", argument("azurerm_storage_container", { container_access_type: undefined })),
  unknown("not public by the account", argument(ACCOUNT, { allow_nested_items_to_be_public: false })),
  passes(
    "beside a private one",
    added("azurerm_storage_container", { name: "other", storage_account_id: OTHER_ID }),
  ),
  unknown("another Azure cloud", provider("azurerm", { environment: "usgovernment" })),
  unknown("the cloud of a variable", provider("azurerm", { environment: "${var.e}" })),
  unknown("the cloud of a metadata host", provider("azurerm", { metadata_host: "m.example" })),
  passes("the public cloud, stated", provider("azurerm", { environment: "public" })),
  unknown("in another cloud, as a state has it", endpoint("usgovcloudapi.net")),
  passes("in the same cloud, as a state has it", endpoint("windows.net")),
]);
checks(ID, "a website", workloadAt("website"), [
  unknown("none", without("azurerm_storage_account_static_website")),
]);

const served = onAzure(container({ issuerUrl: "https://oidc.example.com/c1" }));
checks(ID, "a store before which another server stands", { artefacts: served, serviceAccount: WORKLOAD }, [
  passes("which reads it with its own rights", argument(ACCOUNT, { network_rules: [DENIAL] })),
]);
const gov = onAzure(container({ cloud: "AzureUSGovernmentCloud" }), { environment: "usgovernment" });
checks(ID, "a store in a cloud for governments", { artefacts: gov, serviceAccount: WORKLOAD }, [
  // At which Entra the pods of the workload ask is not known.
  ["as written", [], "pass", "", { verdict: "unknown" }],
  unknown("the public cloud of the provider", provider("azurerm", { environment: "public" })),
]);

const GOOGLE_BUCKET = "google_storage_bucket";
const MEMBER = `${GOOGLE_BUCKET}_iam_member`;
const other = { bucket: "issuer-c1", role: "roles/storage.objectAdmin", member: "user:a@example.com" };
/** The binding of everyone, changed or taken away. */
const ofEveryone =
  (change: (values: Block) => Block | undefined): Change =>
  ({ resource }) => {
    const all = Object.entries(resource[MEMBER] ?? {}).map(
      ([name, each]) => [name, each["member"] === "allUsers" ? change(each) : each] as const,
    );
    resource[MEMBER] = Object.fromEntries(all.flatMap(([name, each]) => (each ? [[name, each]] : [])));
  };
checks(ID, "a bucket of Google", workloadAt("Cloud Storage"), [
  unknown(
    "no binding",
    ofEveryone(() => undefined),
  ),
  unknown(
    "another role",
    ofEveryone((each) => ({ ...each, role: "roles/storage.objectCreator" })),
  ),
  unknown(
    "a condition",
    ofEveryone((each) => ({ ...each, condition: [{ title: "t", expression: "false" }] })),
  ),
  passes("another member", added(MEMBER, other)),
  unknown("a member of a variable", added(MEMBER, { ...other, member: "${var.m}" })),
  unknown(
    "a list of all members",
    added(`${GOOGLE_BUCKET}_iam_binding`, { ...other, member: undefined, members: [] }),
  ),
  unknown("no public access", argument(GOOGLE_BUCKET, { public_access_prevention: "enforced" })),
]);

/** The provider of the bucket alone. */
const ofBucket =
  (universe_domain: string): Change =>
  (all) => {
    all.provider["google"]?.push({ alias: "b", project: "acme-prod", universe_domain });
    argument(GOOGLE_BUCKET, { provider: "google.b" })(all);
  };
const universes = (universe: object) => onGoogle(googleBucket(universe), universe);
const [plain, elsewhere] = [universes({}), universes({ universeDomain: "s3ns.fr" })];
// Of a workload: its pool provider was handed no keys and asks the issuer.
checks(ID, "the universe of a bucket", { artefacts: plain, serviceAccount: WORKLOAD }, [
  unknown("another", ofBucket("s3ns.fr")),
  unknown("of a variable", provider("google", { universe_domain: "${var.u}" })),
  passes("the same", ofBucket("googleapis.com")),
]);
checks(ID, "the universe of a bucket in another", { artefacts: elsewhere, serviceAccount: WORKLOAD }, [
  passes("the same", ofBucket("s3ns.fr")),
  unknown("the default", ofBucket("googleapis.com")),
]);
const google = (universe_domain: string) => configured(provider("google", { universe_domain }));
for (const serviceAccount of [WORKLOAD, INGRESS]) {
  checks(ID, `the universe of ${serviceAccount}`, { artefacts: plain, serviceAccount }, [
    ["the default one, stated", google("googleapis.com"), "pass"],
    [
      "another one of the provider",
      google("s3ns.fr"),
      "fail",
      "credential file names the token exchange of googleapis.com, but the pool provider is in s3ns.fr",
    ],
  ]);
  checks(ID, `another universe of ${serviceAccount}`, { artefacts: elsewhere, serviceAccount }, [
    ["another one, everywhere", [], "pass"],
    ["the default one of the provider", google("googleapis.com"), "fail", "token exchange of s3ns.fr"],
  ]);
}
checks(ID, "a bucket of another region", { artefacts: onAws(distributed), serviceAccount: WORKLOAD }, [
  unknown("than its origin", argument(BUCKET, { region: "us-east-1" })),
]);
