import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { IssuerBucket, ecr } from "../../lib/cloud/aws";
import { type ExplainResult, type Status, explain } from "../../lib/explain";
import { kubernetes } from "../../lib/node";
import { ImagePulls } from "../../lib/synth";
import { payloadRequests } from "../support/credentials-requests";
import {
  AUTHENTICATION,
  INGRESS,
  RECORD,
  WORKLOAD,
  accessArtefacts,
  issuer,
  publicKey,
  reasonOf,
  resultOf,
  withJson,
  withTerraform,
  withoutFile,
} from "../fixtures/explain/access";
import {
  type Artefacts,
  type Edit,
  edited,
  explained,
  firstFailed,
  folderOf,
  statuses,
  synthesized,
  synthesizedStack,
} from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const written = {
  aws: accessArtefacts("aws"),
  azure: accessArtefacts("azure"),
  google: accessArtefacts("google"),
} as const;
const clouds = ["aws", "azure", "google"] as const;

type Cloud = (typeof clouds)[number];

const INGRESS_SECRET = "manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml";

/** The Terraform configuration as text, every occurrence replaced, in policies inside of it too. */
function inTerraform(artefacts: Artefacts, from: string, to: string): Artefacts {
  return edited(artefacts, [["cdk.tf.json", from, to]]);
}

describe.each(clouds)("%s", (cloud) => {
  const artefacts = written[cloud];

  it("allows every service account of components and workload, each link by itself", () => {
    const results = explained(artefacts);
    expect(results.map(({ job, subject, verdict }) => [job, subject, verdict])).toEqual([
      ["component", "openshift-image-registry/cluster-image-registry-operator", "allowed"],
      ["component", "openshift-image-registry/registry", "allowed"],
      ["component", INGRESS, "allowed"],
      ["workload", WORKLOAD, "allowed"],
    ]);
    for (const result of results)
      for (const { id, status, reason } of result.checks)
        // No pod of the workload was read, and Azure's need a label.
        if (cloud === "azure" && id === "pods-configured")
          expect([status, reason]).toEqual(["skipped", expect.stringContaining("no pod of it was read")]);
        else expect([id, status]).toEqual([id, "pass"]);
  });

  it("names Secret and cloud as target, and the identity", () => {
    const [first, , , workload] = explained(artefacts);
    expect(first?.target).toBe("openshift-image-registry/installer-cloud-credentials");
    expect(workload?.target).toBe(cloud);
    for (const result of [first, workload]) expect(result?.as).not.toBeNull();
  });

  it("shows what is granted as evidence", () => {
    const permission = resultOf(artefacts, INGRESS).checks.find(({ id }) => id === "permissions-granted");
    expect(permission?.evidence.length).toBeGreaterThan(1);
  });

  it("takes the service account as a filter, and asks no one else", () => {
    expect(explained(artefacts, { serviceAccount: WORKLOAD }).map(({ subject }) => subject)).toEqual([
      WORKLOAD,
    ]);
    expect(explained(artefacts, { serviceAccount: "shop/other" })).toEqual([]);
  });

  it("takes the stack as a filter", () => {
    expect(explained(artefacts, { stack: "fixture" })).toHaveLength(4);
    expect(() => explained(artefacts, { stack: "other" })).toThrowError(
      expect.objectContaining({ code: "explain-unknown" }),
    );
  });

  it("says nothing of components where an image is asked about", () => {
    const jobs = explained(artefacts, { image: "r.example.com/a", serviceAccount: INGRESS }).map(
      ({ job }) => job,
    );
    expect(jobs).toEqual(["image-pull"]);
  });

  it("denies where the Secret is not written", () => {
    const result = resultOf(withoutFile(artefacts, INGRESS_SECRET), INGRESS);
    expect([result.verdict, result.as, firstFailed(result)]).toEqual(["denied", null, "secret-present"]);
    expect(statuses(result)["subject-admitted"]).toBe("skipped");
  });

  it("denies where the issuer's manifest is missing, empty, or another one than recorded", () => {
    for (const changed of [
      withoutFile(artefacts, AUTHENTICATION),
      edited(artefacts, [[AUTHENTICATION, `serviceAccountIssuer: ${issuer}`, "serviceAccountIssuer: ''"]]),
      edited(artefacts, [[AUTHENTICATION, issuer, `${issuer}/`]]),
    ])
      expect(firstFailed(resultOf(changed, INGRESS))).toBe("issuer-configured");
  });

  it("denies an issuer that differs by a slash from what the cloud trusts", () => {
    const changed = withJson(
      edited(artefacts, [[AUTHENTICATION, issuer, `${issuer}/`]]),
      RECORD,
      (value) =>
        ((value as { clusters: { issuer: string }[] }).clusters[0] = {
          ...(value as { clusters: { issuer: string }[] }).clusters[0],
          issuer: `${issuer}/`,
        }),
    );
    expect(firstFailed(resultOf(changed, INGRESS))).toBe("issuer-trusted");
    expect(firstFailed(resultOf(changed, WORKLOAD))).toBe("issuer-trusted");
  });

  it("denies a subject that the cloud does not admit, and names no other service account's", () => {
    const changed = inTerraform(
      artefacts,
      "openshift-ingress-operator:ingress-operator",
      "openshift-ingress-operator:other",
    );
    expect(firstFailed(resultOf(changed, INGRESS))).toBe("subject-admitted");
    expect(resultOf(changed, "openshift-image-registry/registry").verdict).toBe("allowed");
  });

  it("cannot tell where Terraform is missing", () => {
    const result = resultOf(withoutFile(artefacts, "cdk.tf.json"), INGRESS);
    expect(result.verdict).toBe("unknown");
    expect(statuses(result)).toMatchObject({ "identity-found": "unknown", "permissions-granted": "unknown" });
  });

  it("cannot tell of a cloud that it does not know", () => {
    const changed = withJson(artefacts, RECORD, (value) => {
      const [cluster] = (value as { clusters: { components: { cloud: string } }[] }).clusters;
      if (cluster) cluster.components.cloud = "other";
    });
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
      stringData: { other: "x" },
    });
    const result = resultOf(new Map([...changed, [`stacks/fixture/${INGRESS_SECRET}`, text]]), INGRESS);
    expect([result.verdict, statuses(result)["secret-well-formed"]]).toEqual(["unknown", "unknown"]);
  });

  it("denies a workload whose service account is not written, or cannot tell where nothing on it is needed", () => {
    const result = resultOf(withoutFile(artefacts, "20-service-accounts.yaml"), WORKLOAD);
    expect(statuses(result)["account-present"]).toBe(cloud === "google" ? "unknown" : "fail");
    expect(result.verdict).not.toBe("allowed");
  });
});

/** What is wrong with a Secret, by the text that is replaced in its file. */
const SECRETS: Readonly<
  Record<Cloud, readonly (readonly [what: string, from: string, to: string, says: string])[]>
> = {
  aws: [
    [
      "another token",
      "/openshift/serviceaccount/token",
      "/kubernetes.io/serviceaccount/token",
      "the component's token is at",
    ],
    ["no role", "    role_arn", "    # role_arn", "credentials has no role_arn"],
    ["no ARN", "role_arn = arn:aws:iam::111122223333:role/", "role_arn = ", "is not an ARN of an IAM role"],
    [
      "keys that last",
      "    role_arn",
      "    aws_access_key_id = AKIA\n    role_arn",
      "has the setting aws_access_key_id",
    ],
    [
      "keys that last instead",
      "  credentials:",
      "  aws_access_key_id: AKIA\n  credentials:",
      "which does not expire",
    ],
    ["another key", "  credentials:", "  config:", "has no readable key credentials"],
    ["no section", "[default]", "[profile other]", "has no section [default]"],
    ["a stray line", "    role_arn", "    stray\n    role_arn", "is not a setting"],
  ],
  azure: [
    ["another token", "/openshift/serviceaccount/token", "/other/token", "the component's token is at"],
    ["a key missing", "  azure_region", "  azure_regio", "has no azure_region"],
    ["no GUID", "azure_tenant_id: 1", "azure_tenant_id: x", "is not a GUID"],
    [
      "a client secret",
      "  azure_region",
      "  azure_client_secret: x\n  azure_region",
      "which components prefer",
    ],
    ["another key", "  azure_region", "  other: x\n  azure_region", "has the key other"],
  ],
  google: [["another key", "service_account.json: ", "other.json: ", "has no readable key"]],
};

describe.each(clouds)("the Secret of %s", (cloud) => {
  it.each(SECRETS[cloud])("is refused with %s", (_, from, to, says) => {
    const result = resultOf(edited(written[cloud], [[INGRESS_SECRET, from, to]]), INGRESS);
    expect([firstFailed(result), result.verdict]).toEqual(["secret-well-formed", "denied"]);
    expect(reasonOf(result, "secret-well-formed")).toContain(says);
  });
});

it("a Secret that the API server refuses counts as absent, with the refusal as reason", () => {
  const broken = edited(written.google, [
    [INGRESS_SECRET, "service_account.json: ", "service_account.json: x"],
  ]);
  const result = resultOf(broken, INGRESS);
  expect([firstFailed(result), result.verdict]).toEqual(["secret-present", "denied"]);
  expect(reasonOf(result, "secret-present")).toContain("is not base64");
});

describe("the credential file of Google", () => {
  const text = written.google.get(`stacks/fixture/${INGRESS_SECRET}`) ?? "";
  const [, encoded = ""] = /service_account\.json: (\S+)/.exec(text) ?? [];
  const file = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as Record<string, unknown>;
  const withSecret = (content: string): Artefacts =>
    edited(written.google, [[INGRESS_SECRET, encoded, Buffer.from(content).toString("base64")]]);

  it.each<[string, Record<string, unknown> | string, string]>([
    ["no JSON", "{", "is not JSON"],
    ["a key", { type: "service_account" }, "is a service account key, which does not expire"],
    ["another type", { type: "authorized_user" }, "has the type authorized_user, not external_account"],
    ["no pool provider", { audience: "//x" }, "has the audience //x"],
    ["another token type", { subject_token_type: "x" }, "has the subject_token_type x"],
    ["another exchange", { token_url: "https://sts.example.com/v2" }, "has the token_url"],
    ["no token", { credential_source: {} }, "names no credential_source.file"],
    ["another token", { credential_source: { file: "/t" } }, "credential_source.file is /t"],
    [
      "a token in JSON",
      { credential_source: { file: "/t", format: { type: "json" } } },
      "has the credential_source.format.type json",
    ],
    [
      "another exchange's domain",
      { token_url: "https://sts.evil.example/v1/token" },
      "not https://sts.googleapis.com/v1/token",
    ],
    [
      "a domain of its own that the exchange is not of",
      { universe_domain: "acme.example" },
      "not https://sts.acme.example/v1/token",
    ],
    [
      "impersonation elsewhere",
      {
        service_account_impersonation_url:
          "https://iamcredentials.evil.example/v1/projects/-/serviceAccounts/a@b.iam.gserviceaccount.com:generateAccessToken",
      },
      "which is not in googleapis.com",
    ],
    ["no one to act as", { service_account_impersonation_url: "x" }, "which names no service account"],
  ])("is refused with %s", (_, change, says) => {
    const content = typeof change === "string" ? change : JSON.stringify({ ...file, ...change });
    const result = resultOf(withSecret(content), INGRESS);
    expect(firstFailed(result)).toBe("secret-well-formed");
    expect(reasonOf(result, "secret-well-formed")).toContain(says);
  });

  it("of another universe has everything of that one", () => {
    const moved = JSON.stringify({ ...file, universe_domain: "acme.example" })
      .replace("sts.googleapis.com", "sts.acme.example")
      .replace("iamcredentials.googleapis.com", "iamcredentials.acme.example");
    expect(statuses(resultOf(withSecret(moved), INGRESS))["secret-well-formed"]).toBe("pass");
  });

  it("of another service account is not taken for this one's", () => {
    const registry = JSON.stringify(file).replace(
      /serviceAccounts\/[^:]+/,
      "serviceAccounts/x@acme-prod.iam.gserviceaccount.com",
    );
    const result = resultOf(withSecret(registry), INGRESS);
    expect(statuses(result)).toMatchObject({ "identity-found": "unknown", "subject-admitted": "unknown" });
  });
});

describe("permissions", () => {
  it.each<[Cloud, string, string, string]>([
    [
      "aws",
      "route53:ListHostedZones",
      "route53:ListHostedZonesX",
      "the request includes route53:ListHostedZones",
    ],
    [
      "azure",
      "Microsoft.Network/dnsZones/A/delete",
      "Microsoft.Network/dnsZones/A/deleted",
      "the request includes Microsoft.Network/dnsZones/A/delete",
    ],
    ["google", '"dns.changes.create"', '"dns.changes.creates"', "the request includes dns.changes.create"],
  ])("of %s are denied where one is missing", (cloud, from, to, says) => {
    const result = resultOf(inTerraform(written[cloud], from, to), INGRESS);
    expect(firstFailed(result)).toBe("permissions-granted");
    expect(reasonOf(result, "permissions-granted")).toContain(says);
  });

  it.each<[Cloud, string, (values: Record<string, unknown>) => void]>([
    [
      "aws",
      "aws_iam_role_policy",
      (values) => {
        values["policy"] = String(values["policy"]).replaceAll(
          '"Effect":"Allow"',
          '"Condition":{"StringEquals":{"aws:RequestedRegion":"eu-west-1"}},"Effect":"Allow"',
        );
      },
    ],
    [
      "azure",
      "azurerm_role_assignment",
      (values) => {
        values["condition"] = "true";
      },
    ],
    [
      "google",
      "google_project_iam_member",
      (values) => {
        values["condition"] = { title: "t", expression: "request.time < x" };
      },
    ],
  ])("of %s cannot be determined under a condition", (cloud, type, change) => {
    const changed = withTerraform(written[cloud], ({ resource }) =>
      Object.values(resource[type] ?? {}).forEach(change),
    );
    expect(statuses(resultOf(changed, INGRESS))["permissions-granted"]).toBe("unknown");
    if (cloud === "google") return;
    const unrecorded = withJson(changed, RECORD, (value) => {
      for (const each of (value as { clusters: { workloads?: unknown }[] }).clusters) delete each.workloads;
    });
    for (const artefacts of [changed, unrecorded])
      expect(statuses(resultOf(artefacts, WORKLOAD))["permissions-granted"]).toBe("unknown");
  });

  it.each(clouds)("of %s that no one recorded are whatever is granted", (cloud) => {
    const unrecorded = withJson(written[cloud], RECORD, (value) => {
      for (const each of (value as { clusters: { workloads?: unknown }[] }).clusters) delete each.workloads;
    });
    expect(statuses(resultOf(unrecorded, WORKLOAD))["permissions-granted"]).toBe("pass");
  });

  it.each<[Cloud, readonly string[]]>([
    ["aws", ["aws_iam_role_policy"]],
    ["azure", ["azurerm_role_assignment"]],
    ["google", ["google_project_iam_member", "google_storage_bucket_iam_member"]],
  ])("of %s are denied where nothing is granted", (cloud, types) => {
    const changed = withTerraform(written[cloud], ({ resource }) =>
      types.forEach((type) => delete resource[type]),
    );
    for (const subject of [INGRESS, WORKLOAD])
      expect(firstFailed(resultOf(changed, subject))).toBe("permissions-granted");
  });

  it.each([
    ["dns.googleapis.com/changes.create", "unknown"],
    ["dns.googleapis.com/*", "unknown"],
    ["${var.denied}", "unknown"],
    ["compute.googleapis.com/instances.create", "allowed"],
  ])("of Google are open where a deny policy speaks of %s", (permission, verdict) => {
    const changed = withTerraform(written.google, ({ resource }) => {
      const rules = [{ deny_rule: [{ denied_principals: ["x"], denied_permissions: [permission] }] }];
      resource["google_iam_deny_policy"] = { deny: { name: "deny", rules } };
    });
    expect(resultOf(changed, INGRESS).verdict).toBe(verdict);
  });

  it("hold the request's own condition, which the component meets", () => {
    const results = explained(synthesized("openshift-manual-aws"));
    const ebs = results.find(({ subject }) => subject.endsWith("aws-ebs-csi-driver-operator"));
    expect(ebs?.verdict).toBe("allowed");
  });
});

describe("trust", () => {
  it("of an AWS role that does not compare the audience, as ccoctl writes it, is allowed and shown as too wide", () => {
    const changed = inTerraform(written.aws, String.raw`\"oidc.example.com/c1:aud\":\"openshift\",`, "");
    const result = resultOf(changed, INGRESS);
    expect(result.verdict).toBe("allowed");
    const texts = result.checks
      .find(({ id }) => id === "audience-accepted")
      ?.evidence.map(({ text }) => text);
    expect(texts?.at(-1)).toMatch(/^wider than needed: the trust policy does not compare the audience/);
    const narrow = resultOf(written.aws, INGRESS).checks.flatMap(({ evidence }) => evidence);
    expect(narrow.filter(({ text }) => text.startsWith("wider"))).toEqual([]);
  });

  it.each<[Cloud, Edit]>([
    ["aws", ["cdk.tf.json", String.raw`:aud\":\"openshift\"`, String.raw`:aud\":\"sts.amazonaws.com\"`]],
    ["azure", ["cdk.tf.json", '"openshift"', '"api://AzureADTokenExchange"']],
    ["google", ["cdk.tf.json", '"openshift"', '"other"']],
  ])("of %s in another audience denies the component", (cloud, edit) => {
    expect(firstFailed(resultOf(edited(written[cloud], [edit]), INGRESS))).toBe("audience-accepted");
  });

  it("of a Google service account is told from that of the pool: no one may act as it without a grant", () => {
    const changed = withTerraform(
      written.google,
      ({ resource }) => delete resource["google_service_account_iam_member"],
    );
    const result = resultOf(changed, INGRESS);
    expect(firstFailed(result)).toBe("subject-admitted");
    expect(reasonOf(result, "subject-admitted")).toContain("does not let");
  });
});

describe("a workload", () => {
  it.each<[Cloud, Edit, string]>([
    [
      "aws",
      ["20-service-accounts.yaml", "eks.amazonaws.com/role-arn", "eks.amazonaws.com/role"],
      "account-annotated",
    ],
    [
      "azure",
      ["20-service-accounts.yaml", "azure.workload.identity/client-id", "azure.workload.identity/client"],
      "account-annotated",
    ],
    ["google", ["30-cloud-credentials.yaml", "external_account", "authorized_user"], "account-annotated"],
  ])("of %s is denied without what names its identity", (cloud, edit, failed) => {
    expect(firstFailed(resultOf(edited(written[cloud], [edit]), WORKLOAD))).toBe(failed);
  });

  const pod = (fields: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, labels: {app: web}}\nspec:\n  serviceAccountName: reports\n${fields}`;
  const withPod = (cloud: Cloud, text: string): Artefacts =>
    new Map([
      ...written[cloud],
      [
        "stacks/fixture/manifests/20-service-accounts.yaml",
        `${written[cloud].get("stacks/fixture/manifests/20-service-accounts.yaml") ?? ""}---\n${text}`,
      ],
    ]);

  it("of Azure needs the webhook's label on its pods", () => {
    const result = resultOf(withPod("azure", pod("  containers: []\n")), WORKLOAD);
    expect(firstFailed(result)).toBe("pods-configured");
    expect(reasonOf(result, "pods-configured")).toBe(
      'Pod shop/web lacks the label azure.workload.identity/use: "true", so the webhook leaves its pods alone',
    );
    const labelled = pod("  containers: []\n").replace("app: web", 'azure.workload.identity/use: "true"');
    expect(resultOf(withPod("azure", labelled), WORKLOAD).verdict).toBe("allowed");
  });

  it("of Google needs file, token and variable in its pods", () => {
    const directory = "/var/run/secrets/workload-identity/google";
    const [, audience = ""] =
      /audience: (\S+)/.exec(written.google.get("stacks/fixture/pods/shop.reports.yaml") ?? "") ?? [];
    const whole = pod(`  containers:
    - name: web
      env: [{name: GOOGLE_APPLICATION_CREDENTIALS, value: ${directory}/credentials.json}]
      volumeMounts: [{name: google, mountPath: ${directory}}]
  volumes:
    - name: google
      projected:
        sources:
          - serviceAccountToken: {audience: "${audience}", path: token}
          - configMap: {name: google-credentials-reports}
`);
    expect(resultOf(withPod("google", whole), WORKLOAD).verdict).toBe("allowed");
    for (const [from, replaced, says] of [
      ["GOOGLE_APPLICATION_CREDENTIALS", "OTHER", "does not set GOOGLE_APPLICATION_CREDENTIALS"],
      ["configMap: {name: google", "configMap: {name: other", "does not mount the ConfigMap"],
      ["path: token", "path: other", "has no token at"],
    ] as const) {
      const result = resultOf(withPod("google", whole.replace(from, replaced)), WORKLOAD);
      expect([firstFailed(result), reasonOf(result, "pods-configured")]).toEqual([
        "pods-configured",
        expect.stringContaining(says),
      ]);
    }
  });

  it("of Google without any pod cannot tell the audience", () => {
    const artefacts = withJson(written.google, RECORD, (value) => delete (value as { pods?: unknown }).pods);
    const result = resultOf(artefacts, WORKLOAD);
    expect(statuses(result)).toMatchObject({ "audience-accepted": "unknown", "pods-configured": "skipped" });
  });
});

it.each<[Status, string]>([
  ["pass", ""],
  ["fail", "annotations: {}"],
  ["unknown", 'annotations: {release.openshift.io/feature-gate: "ClusterAPI"}'],
])("of other people's manifests the Secret is judged %s", (status, annotations) => {
  const request = `apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: openshift-cluster-api-aws
  ${annotations === "" ? "annotations: {}" : annotations}
spec:
  secretRef: {namespace: openshift-cluster-api, name: capa}
  serviceAccountNames: [capa-controller-manager]
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: AWSProviderSpec
    statementEntries: [{effect: Allow, action: ["ec2:RunInstances"], resource: "*"}]
`;
  const secret = `---
apiVersion: v1
kind: Secret
metadata: {namespace: openshift-cluster-api, name: capa}
stringData:
  credentials: |-
    [default]
    sts_regional_endpoints = regional
    role_arn = arn:aws:iam::111122223333:role/capa
    web_identity_token_file = /var/run/secrets/openshift/serviceaccount/token
`;
  const [result] = explain([folderOf({ "a.yaml": request + (status === "pass" ? secret : "") })]);
  expect(result && statuses(result)["secret-present"]).toBe(status);
  expect(result && statuses(result)["issuer-configured"]).toBe(status === "fail" ? "skipped" : "unknown");
});

describe("requests of another release beside the stack", () => {
  const document = (account: string): string =>
    JSON.stringify({
      apiVersion: "cloudcredential.openshift.io/v1",
      kind: "CredentialsRequest",
      metadata: { name: "openshift-cluster-api-aws" },
      spec: {
        secretRef: { namespace: "openshift-cluster-api", name: "capa-manager-bootstrap-credentials" },
        serviceAccountNames: [account],
        providerSpec: {
          apiVersion: "cloudcredential.openshift.io/v1",
          kind: "AWSProviderSpec",
          statementEntries: [{ effect: "Allow", action: ["ec2:RunInstances"], resource: "*" }],
        },
      },
    });
  const made = accessArtefacts("aws", [JSON.parse(document("cluster-capi-operator")) as object]);
  const asked = (text: string): readonly ExplainResult[] =>
    explain([folderOf(made), folderOf({ "requests.yaml": text })]);

  it("deny a service account that was renamed, and say so", () => {
    const results = asked(document("capi-controllers")).filter(({ job }) => job === "component");
    expect(results.map(({ subject, verdict }) => [subject, verdict])).toEqual([
      ["openshift-cluster-api/capi-controllers", "denied"],
      ["openshift-cluster-api/cluster-capi-operator", "allowed"],
    ]);
    const [stale] = results;
    expect(stale && firstFailed(stale)).toBe("subject-admitted");
    expect(stale && reasonOf(stale, "subject-admitted")).toContain(
      "cluster-capi-operator up to 4.21, capi-controllers from 4.22",
    );
  });

  it("deny an action that the role of the older release is not granted", () => {
    const text = document("cluster-capi-operator").replace("ec2:RunInstances", "ec2:AllocateHosts");
    const [result] = asked(text).filter(({ job }) => job === "component");
    expect(result && reasonOf(result, "permissions-granted")).toContain(
      "the request includes ec2:AllocateHosts, which the role does not allow",
    );
  });

  it("of other clouds and of other Secrets are not this cluster's", () => {
    const others = [
      document("x").replace("AWSProviderSpec", "GCPProviderSpec"),
      document("x").replace("capa-manager-bootstrap-credentials", "other"),
    ].join("\n---\n");
    const subjects = asked(others)
      .filter(({ job }) => job === "component")
      .map(({ subject }) => subject);
    expect(subjects).toEqual(["openshift-cluster-api/cluster-capi-operator"]);
  });
});

it.each(clouds)("every request of the newest payload is allowed on %s", (cloud) => {
  const results = explained(accessArtefacts(cloud, payloadRequests(cloud, "HEAD")));
  expect(results.length).toBeGreaterThan(8);
  expect(results.filter(({ verdict }) => verdict !== "allowed")).toEqual([]);
});

describe("an issuer known only after apply", () => {
  const late = synthesized("openshift-manual-aws");
  const reference = "aws_cloudfront_distribution.issuer_Distribution_6D5A4523.domain_name";

  it("denies a subject that is not admitted", () => {
    const changed = inTerraform(
      late,
      "openshift-ingress-operator:ingress-operator",
      "openshift-ingress-operator:other",
    );
    const result = resultOf(changed, INGRESS);
    expect(firstFailed(result)).toBe("subject-admitted");
    expect(JSON.stringify(result)).not.toContain("known-after-apply.invalid");
  });

  it("is one that pulls by the same trust rest on as well", () => {
    const artefacts = synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
      const keys = [{ publicKey, use: "current" }] as const;
      const host = new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", region: "eu-west-1", keys });
      new ImagePulls(stack, "pulls", {
        cluster: kubernetes({
          name: "c1",
          version: "1.35",
          issuer: host.issuer,
          plugins: { ecr: "1.35.2" },
        }),
        pulls: [
          {
            serviceAccount: "shop/web",
            from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web"] }),
          },
        ],
      });
    });
    expect(explained(artefacts).map(({ job, verdict }) => [job, verdict])).toEqual([
      ["image-pull", "allowed"],
    ]);
    const foreign = inTerraform(
      artefacts,
      "system:serviceaccount:shop:web",
      "system:serviceaccount:shop:other",
    );
    expect(explained(foreign).map(({ verdict }) => verdict)).toEqual(["denied"]);
  });

  it("may be what a literal host in the trust says", () => {
    const host = `${"${"}${reference}}`;
    const result = resultOf(inTerraform(late, `${host}:aud`, "oidc.example.com:aud"), INGRESS);
    expect([result.verdict, statuses(result)["audience-accepted"]]).toEqual(["unknown", "unknown"]);
  });

  it("is another one where the reference is", () => {
    const changed = inTerraform(
      late,
      `https://${"${"}${reference}}`,
      `https://${"${"}${reference.replace("6D5A4523", "OTHER")}}`,
    );
    expect(resultOf(changed, INGRESS).verdict).not.toBe("allowed");
  });
});

describe("other people's manifests", () => {
  const secret = (name: string, data: Readonly<Record<string, string>>): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "ns", name },
      stringData: data,
    });

  it("without requests tell of the Secrets that lead to a token, of no one by name, and of no path", () => {
    const text = [
      secret("azure", {
        azure_client_id: "11111111-2222-4333-8444-555555555555",
        azure_tenant_id: "11111111-2222-4333-8444-555555555555",
        azure_region: "westeurope",
        azure_subscription_id: "11111111-2222-4333-8444-555555555555",
        azure_federated_token_file: "/var/run/secrets/azure/tokens/azure-identity-token",
      }),
      secret("other", { aws_access_key_id: "x", aws_secret_access_key: "y" }),
    ].join("\n---\n");
    const results = explain([folderOf({ "a.yaml": text })]);
    expect(results.map(({ subject, target, verdict }) => [subject, target, verdict])).toEqual([
      ["ns/*", "ns/azure", "unknown"],
    ]);
    const [result] = results;
    expect(result && statuses(result)).toMatchObject({
      "secret-well-formed": "pass",
      "issuer-configured": "unknown",
      "subject-admitted": "unknown",
    });
  });

  it("let an annotated service account act in a cloud, judged by Terraform as written by hand", () => {
    const annotated = edited(new Map(Object.entries(plain)), [
      ["deployment.yaml", "eks.amazonaws.com/ecr-role-arn", "eks.amazonaws.com/role-arn"],
    ]);
    const asked = (more: object): ExplainResult | undefined =>
      explained(annotated, { serviceAccount: "team/puller" }, { cluster: { ...cluster, ...more } }).find(
        ({ job }) => job === "workload",
      );
    expect(asked({ podIdentityWebhooks: ["aws"] })).toMatchObject({
      target: "aws",
      verdict: "allowed",
      as: "arn:aws:iam::111122223333:role/team/puller",
    });
    // Nothing says that the pods get a token.
    const open = asked({});
    expect([open?.verdict, open && statuses(open)["pods-configured"]]).toEqual(["unknown", "unknown"]);
  });

  it("withdrawn requests ask for nothing", () => {
    const request = {
      apiVersion: "cloudcredential.openshift.io/v1",
      kind: "CredentialsRequest",
      metadata: { name: "old", annotations: { "release.openshift.io/delete": "true" } },
      spec: { secretRef: { namespace: "ns", name: "old" }, providerSpec: { kind: "AWSProviderSpec" } },
    };
    expect(explain([folderOf({ "a.json": JSON.stringify(request) })])).toEqual([]);
  });
});
