import { TerraformVariable } from "cdktf";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { awsAccess, componentRoles, ecr, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import { componentIdentities } from "../../lib/cloud/azure";
import { componentServiceAccounts } from "../../lib/cloud/google";
import { Issuer } from "../../lib/model/issuer";
import { credentialsRequestsOf, openShift } from "../../lib/openshift";
import { ImagePulls, PlatformComponents, WorkloadAccess, bind } from "../../lib/synth";
import { filesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { payloadRequests, releasesThatDiffer, requestClouds } from "../support/credentials-requests";
import { type Json, inside, list, record, text } from "../support/json";
import { faults } from "../support/faults";
import {
  ISSUER,
  SUBSCRIPTION,
  TENANT,
  componentsProps,
  issuerBucket,
  providersStack,
  releaseRequests,
  synthesizedComponents,
} from "../support/platform-components";
import { sampleNote, sampleOf } from "../support/sample";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { madeUpOutputs, resources } from "../support/terraform";

/** A manifest of a stack, parsed. */
function manifest({ files }: WrittenStack, name: string): Json {
  return record(parse(files.get(`manifests/${name}.yaml`) ?? ""));
}

/** The files of a stack after `bind` with made-up outputs. */
function bound(outdir: string, { name, terraform }: WrittenStack): Record<string, string> {
  const outputs = join(mkdtempSync(join(tmpdir(), "workload-identity-")), "outputs.json");
  writeFileSync(outputs, JSON.stringify(madeUpOutputs(terraform)));
  const to = temporaryFolder();
  bind({ outputs, from: outdir, to });
  return Object.fromEntries(
    Object.entries(filesOf(to)).map(([path, content]) => [path.replace(`${name}/`, ""), content]),
  );
}

function components({ identity }: WrittenStack): Json {
  return record(inside(list(identity["clusters"])[0], "components"));
}

describe.each(requestClouds)("payload requests of %s", (cloud) => {
  it.each(sampleOf(releasesThatDiffer(cloud), 3, (release) => `${cloud} ${release}`))(
    `%s${sampleNote(3)}: every one synthesizes, and the cloud admits each service account`,
    (release) => {
      const requests = releaseRequests(cloud, release);
      const { outdir, written } = synthesizedComponents(cloud, () => ({ requests }));
      expect(requests.requests.map(({ name }) => name).sort()).toEqual(
        payloadRequests(cloud, release)
          .map((document) => text(inside(document, "metadata", "name")))
          .sort(),
      );
      const expected = requests.requests.map(
        ({ secret }) => `manifests/${secret.namespace}-${secret.name}-credentials.yaml`,
      );
      const files = [...written.files.keys()];
      expect(files.filter((file) => file.endsWith("-credentials.yaml")).sort()).toEqual(expected.sort());
      expect(faults(outdir)).toEqual([]);
    },
  );
});

describe("the installer's files", () => {
  it("are named as ccoctl names them, listed in the order in which they are applied", () => {
    const { written } = synthesizedComponents("azure");
    const files = list(written.identity["manifests"]).map((entry) => text(record(entry)["file"]));
    expect(files.slice(0, 3)).toEqual([
      "manifests/cluster-authentication-02-config.yaml",
      "manifests/azure-ad-pod-identity-webhook-config.yaml",
      "manifests/openshift-cloud-controller-manager-azure-cloud-credentials-credentials.yaml",
    ]);
  });

  it("name the issuer, and nothing else", () => {
    const { written } = synthesizedComponents("aws");
    expect(manifest(written, "cluster-authentication-02-config")).toEqual({
      apiVersion: "config.openshift.io/v1",
      kind: "Authentication",
      metadata: { name: "cluster" },
      spec: { serviceAccountIssuer: ISSUER },
    });
  });

  it("AWS: the Secret is what ccoctl writes, final at synth", () => {
    const { written } = synthesizedComponents("aws");
    expect(manifest(written, "openshift-ingress-operator-cloud-credentials-credentials")).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cloud-credentials", namespace: "openshift-ingress-operator" },
      type: "Opaque",
      stringData: {
        credentials: [
          "[default]",
          "sts_regional_endpoints = regional",
          "role_arn = arn:aws:iam::111122223333:role/prod-openshift-ingress-operator-cloud-credentials",
          "web_identity_token_file = /var/run/secrets/openshift/serviceaccount/token",
        ].join("\n"),
      },
    });
    expect(written.identity["placeholders"]).toEqual({});
  });

  it("Azure: client ids are bound from outputs, everything else is final", () => {
    const { outdir, written } = synthesizedComponents("azure");
    const files = bound(outdir, written);
    const secret = record(
      parse(
        files["manifests/openshift-cluster-api-capz-manager-bootstrap-credentials-credentials.yaml"] ?? "",
      ),
    );
    const identity = record(
      components(written)["granted"] &&
        list(components(written)["granted"]).find(
          (granted) => record(granted)["request"] === "openshift-cluster-api-azure",
        ),
    );
    expect(secret["stringData"]).toEqual({
      azure_client_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      azure_federated_token_file: "/var/run/secrets/azure/tokens",
      azure_region: "westeurope",
      azure_subscription_id: SUBSCRIPTION,
      azure_tenant_id: TENANT,
    });
    expect(identity["tokenPath"]).toBe("/var/run/secrets/azure/tokens");
    expect(Object.values(files).join("")).not.toContain("@late(");
  });

  it("Google: a late project number is filled in before the Secret is encoded", () => {
    const { outdir, written } = synthesizedComponents("google", (stack) => ({
      identities: componentServiceAccounts({
        project: "acme-prod",
        projectNumber: new TerraformVariable(stack, "number", {}).stringValue,
      }),
    }));
    const files = bound(outdir, written);
    const secret = record(
      parse(files["manifests/openshift-machine-api-gcp-cloud-credentials-credentials.yaml"] ?? ""),
    );
    const file = Buffer.from(text(inside(secret, "data", "service_account.json")), "base64").toString();
    const number = text(
      Object.values(madeUpOutputs(written.terraform)).map((output) => record(output)["value"])[0],
    );
    expect(record(JSON.parse(file))["audience"]).toBe(
      `//iam.googleapis.com/projects/${number}/locations/global/workloadIdentityPools/k8s-prod/providers/k8s-prod--openshift`,
    );
  });

  it("a host of this configuration is the issuer; its late URL is bound", () => {
    const { outdir, written } = synthesizedComponents("aws", (stack) => ({ issuer: issuerBucket(stack) }));
    const late = text(
      inside(manifest(written, "cluster-authentication-02-config"), "spec", "serviceAccountIssuer"),
    );
    expect(late).toMatch(/^https:\/\/@late\(aws_cloudfront_distribution\.\w+\.domain_name\)@$/);
    expect(bound(outdir, written)["manifests/cluster-authentication-02-config.yaml"]).toContain(
      "serviceAccountIssuer: https://d111111abcdef8.cloudfront.net\n",
    );
    expect(faults(outdir)).toEqual([]);
  });

  it("keep the slash that ends an issuer of a host", () => {
    const issuer = `${ISSUER}/`;
    const { written } = synthesizedComponents("azure", () => ({
      issuer: { issuer: Issuer.exactly(issuer) },
    }));
    expect(written.files.get("manifests/cluster-authentication-02-config.yaml")).toContain(`: ${issuer}\n`);
  });

  it("the upgrade gate is opened by a file for the running cluster, after the Secrets", () => {
    const { written } = synthesizedComponents("aws", () => ({ upgradeableTo: "4.23" }));
    expect(manifest(written, "90-upgradeable-to")).toEqual({
      apiVersion: "operator.openshift.io/v1",
      kind: "CloudCredential",
      metadata: {
        name: "cluster",
        annotations: { "cloudcredential.openshift.io/upgradeable-to": "4.23.0" },
      },
    });
    const files = list(written.identity["manifests"]).map((entry) => record(entry)["file"]);
    expect(files.at(-1)).toBe("manifests/90-upgradeable-to.yaml");
  });
});

describe("workload-identity.json", () => {
  it("says what each component presents, acts as and asked for, and what was skipped", () => {
    const [first, gated] = ["openshift-ingress", "openshift-cluster-api-aws"].map((name) =>
      payloadRequests("aws", "4.22").find((document) => inside(document, "metadata", "name") === name),
    );
    const requests = credentialsRequestsOf([first, gated], { cloud: "aws", featureGates: [] });
    const [{ source, ...ingress } = { source: {} }] = requests.requests;
    const { written } = synthesizedComponents("aws", () => ({
      requests: {
        requests: [
          { ...ingress, source: { file: "/home/someone/requests/ingress.yaml", document: 1 } } as never,
        ],
        skipped: requests.skipped.map((left) => ({ ...left, source: { file: "C:\\requests\\capi.yaml" } })),
      },
    }));
    expect(source).toEqual({ document: 1 });
    expect(written.identity["clusters"]).toEqual([
      {
        name: "prod",
        issuer: ISSUER,
        components: {
          cloud: "aws",
          audience: "openshift",
          granted: [
            {
              request: "openshift-ingress",
              file: "ingress.yaml",
              document: 1,
              secret: "openshift-ingress-operator/cloud-credentials",
              serviceAccounts: ["openshift-ingress-operator/ingress-operator"],
              tokenPath: "/var/run/secrets/openshift/serviceaccount/token",
              identity: "arn:aws:iam::111122223333:role/prod-openshift-ingress-operator-cloud-credentials",
              asks: {
                kind: "AWSProviderSpec",
                statementEntries: inside(first, "spec", "providerSpec", "statementEntries"),
              },
            },
          ],
          skipped: [
            {
              name: "openshift-cluster-api-aws",
              file: "capi.yaml",
              reason: "needs the feature gate ClusterAPIMachineManagement, which is not enabled",
            },
          ],
        },
      },
    ]);
  });
});

describe("together with ImagePulls and WorkloadAccess of the cluster", () => {
  const [account, region] = ["111122223333", "eu-west-1"];

  function together(order: readonly number[]): WrittenStack {
    const outdir = synthesized((app) => {
      const stack = providersStack(app);
      const issuer = issuerBucket(stack);
      const jobs = [
        (): unknown => new PlatformComponents(stack, "components", componentsProps("aws", { issuer })),
        (): unknown =>
          new WorkloadAccess(stack, "workloads", {
            cluster: { name: "prod", issuer },
            workloads: [
              {
                serviceAccount: "shop/web",
                may: awsAccess({
                  statements: [
                    { Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] },
                  ],
                }),
              },
            ],
            identities: [workloadRoles({ account, region })],
          }),
        (): unknown =>
          new ImagePulls(stack, "pulls", {
            cluster: openShift({
              name: "prod",
              version: "4.22",
              platform: "aws",
              issuer: issuer.issuer,
              pools: ["worker"],
            }),
            pulls: [
              { serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/web"] }) },
            ],
            identities: [pullRoles({ account, region })],
          }),
      ];
      for (const place of order) jobs[place]?.();
    });
    expect(faults(outdir)).toEqual([]);
    const [written] = writtenStacks(outdir);
    if (!written) throw new Error("no stack was written");
    return written;
  }

  it.each([[[0, 1, 2]], [[2, 1, 0]]])(
    "in the order %j: one OIDC provider, one cluster, one service account",
    (order) => {
      const written = together(order);
      const providers = resources(written.terraform, "aws_iam_openid_connect_provider");
      expect(providers.map((provider) => provider["client_id_list"])).toEqual([
        ["openshift", "sts.amazonaws.com"],
      ]);
      const clusters = list(written.identity["clusters"]).map(record);
      expect(clusters.map((cluster) => cluster["name"])).toEqual(["prod"]);
      expect(Object.keys(clusters[0] ?? {})).toEqual(
        expect.arrayContaining(["issuer", "kubelet", "pulls", "components", "workloads"]),
      );
      expect(manifest(written, "20-service-accounts")).toEqual({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: {
          name: "web",
          namespace: "shop",
          annotations: {
            "eks.amazonaws.com/ecr-role-arn": `arn:aws:iam::${account}:role/prod_shop_web`,
            "eks.amazonaws.com/role-arn": `arn:aws:iam::${account}:role/prod_shop_web_access`,
          },
        },
      });
    },
  );
});

describe("one issuer of several clusters", () => {
  const sharing = (...issuers: readonly string[]): readonly (readonly string[])[] =>
    writtenStacks(
      synthesized((app) =>
        issuers.forEach((issuer, number) => {
          const clusterName = `c${number}`;
          const stack = providersStack(app, clusterName);
          new PlatformComponents(stack, "components", componentsProps("azure", { clusterName, issuer }));
        }),
      ),
    ).map(({ warnings }) => warnings);

  it("is possible, with a warning", () => {
    expect(sharing(ISSUER, ISSUER)).toEqual([
      [],
      [
        "clusters c0 and c1 have the same issuer, and a token's subject does not name the cluster: a service account of one can act as the service account of the same name in the other; give each cluster its own issuer, or use different names",
      ],
    ]);
  });

  it("is not warned of where each has its own", () => {
    expect(sharing(ISSUER, `${ISSUER}-1`)).toEqual([[], []]);
  });
});

describe("AWS without account", () => {
  it("leaves ARNs to bind, in Secrets and facts", () => {
    const { outdir, written } = synthesizedComponents("aws", () => ({ identities: componentRoles() }));
    expect(text(record(list(components(written)["granted"])[0])["identity"])).toMatch(
      /^@late\(aws_iam_role\./,
    );
    expect(faults(outdir)).toEqual([]);
  });
});

describe("Azure without tenant", () => {
  it("leaves the tenant to bind too", () => {
    const { outdir, written } = synthesizedComponents("azure", () => ({
      identities: componentIdentities({ subscriptionId: SUBSCRIPTION, region: "westeurope" }),
    }));
    const webhook = manifest(written, "azure-ad-pod-identity-webhook-config");
    expect(text(inside(webhook, "stringData", "azure_tenant_id"))).toMatch(/^@late\(/);
    expect(faults(outdir)).toEqual([]);
  });
});
