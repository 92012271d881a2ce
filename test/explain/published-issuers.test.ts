/*
 * Clouds ask an issuer for its keys, so that trust in one whose documents are wrong or closed is none.
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3; "Blocking public access to your Amazon S3 storage" in the
 * S3 user guide; learn.microsoft.com, "Configure anonymous read access for containers and blobs".
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerBucket, awsAccess, componentRoles, ecr, workloadRoles } from "../../lib/cloud/aws";
import { IssuerContainer, IssuerWebsite, azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import {
  IssuerBucket as GoogleIssuerBucket,
  googleAccess,
  workloadServiceAccounts,
} from "../../lib/cloud/google";
import type { IIssuerHost } from "../../lib/model/issuer-host";
import { kubernetes } from "../../lib/node";
import { credentialsRequestsOf } from "../../lib/openshift";
import { ImagePulls, PlatformComponents, WorkloadAccess } from "../../lib/synth";
import {
  type Configuration,
  WORKLOAD,
  publicKey,
  resultOf,
  subscriptionId,
  withTerraform,
} from "../fixtures/explain/access";
import { type Artefacts, explained, firstFailed, synthesizedStack } from "../fixtures/explain/artefacts";
import { payloadRequests } from "../support/credentials-requests";

const place = { account: "111122223333", region: "eu-west-1" } as const;
const keys = [{ publicKey, use: "current" }] as const;
const tenantId = "11111111-2222-4333-8444-555555555555";

type Edit = (configuration: Configuration) => void;

const onAws = (declare: (stack: TerraformStack) => IIssuerHost): Artefacts =>
  synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region: place.region, allowedAccountIds: [place.account] });
    const issuer = declare(stack);
    const may = awsAccess({
      statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: "arn:aws:s3:::reports/*" }],
    });
    new PlatformComponents(stack, "components", {
      clusterName: "c1",
      issuer,
      requests: credentialsRequestsOf(payloadRequests("aws", "4.22"), { cloud: "aws", featureGates: "all" }),
      identities: componentRoles(place),
    });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer },
      workloads: [{ serviceAccount: WORKLOAD, may }],
      identities: [workloadRoles(place)],
    });
  });

const onAzure = (declare: (stack: TerraformStack) => IIssuerHost): Artefacts =>
  synthesizedStack((stack) => {
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId });
    const role = { role: "Reader", scope: `/subscriptions/${subscriptionId}/resourceGroups/reports` };
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer: declare(stack) },
      workloads: [{ serviceAccount: WORKLOAD, may: azureAccess({ roles: [role] }) }],
      identities: [workloadIdentities({ resourceGroupName: "apps", location: "westeurope", tenantId })],
    });
  });

const storage = { resourceGroupName: "oidc", region: "westeurope", keys } as const;
const ARTEFACTS = {
  "S3, public": onAws(
    (stack) =>
      new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys, access: "public" }),
  ),
  CloudFront: onAws(
    (stack) => new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys }),
  ),
  container: onAzure(
    (stack) =>
      new IssuerContainer(stack, "issuer", {
        ...storage,
        storageAccountName: "acmec1",
        blobContainerName: "cluster1",
      }),
  ),
  website: onAzure(
    (stack) => new IssuerWebsite(stack, "issuer", { ...storage, storageAccountName: "acmec1" }),
  ),
  "Cloud Storage": synthesizedStack((stack) => {
    new GoogleProvider(stack, "google", { project: "acme-prod" });
    const issuer = new GoogleIssuerBucket(stack, "issuer", {
      bucket: "issuer-c1",
      project: "acme-prod",
      location: "EU",
      keys,
    });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer },
      workloads: [
        {
          serviceAccount: WORKLOAD,
          may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "reports" }] }),
        },
      ],
      identities: [workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" })],
    });
  }),
} as const;

type Host = keyof typeof ARTEFACTS;

const S3 = ["aws_s3_object", "key", "content"] as const;
const BLOB = ["azurerm_storage_blob", "name", "source_content"] as const;
const OBJECT = ["google_storage_bucket_object", "name", "content"] as const;
const OBJECTS: Readonly<Record<Host, readonly [string, string, string]>> = {
  "S3, public": S3,
  CloudFront: S3,
  container: BLOB,
  website: BLOB,
  "Cloud Storage": OBJECT,
};

/** The key set or the discovery document changed; `undefined` takes it away. */
function documents(host: Host, isKeys: boolean, change: (text: string) => string | undefined): Edit {
  const [type, name, content] = OBJECTS[host];
  return (configuration) => {
    const objects = configuration.resource[type] ?? {};
    const locals = (configuration as unknown as { locals?: Record<string, string> }).locals ?? {};
    for (const [id, object] of Object.entries(objects)) {
      if (String(object[name]).endsWith("openid-configuration") === isKeys) continue;
      const local = /^\$\{local\.(.+)\}$/.exec(String(object[content]))?.[1];
      const text = change(local === undefined ? String(object[content]) : (locals[local] ?? ""));
      if (text === undefined) delete objects[id];
      else object[content] = text;
    }
  };
}

/** An argument of every resource of a type. */
function argument(type: string, values: object): Edit {
  return ({ resource }) => {
    for (const each of Object.values(resource[type] ?? {})) Object.assign(each, values);
  };
}

function without(type: string): Edit {
  return ({ resource }) => {
    if (resource[type] === undefined) throw new Error(`no ${type}`);
    delete resource[type];
  };
}

const trusted = (artefacts: Artefacts): { readonly status: string; readonly reason: string } | undefined =>
  resultOf(artefacts, WORKLOAD).checks.find(({ id }) => id === "issuer-trusted");

const hosts = Object.keys(ARTEFACTS) as Host[];

describe.each(hosts)("an issuer in %s", (host) => {
  const artefacts = ARTEFACTS[host];
  const asked = (edit: Edit): ReturnType<typeof trusted> => trusted(withTerraform(artefacts, edit));

  it("is trusted as it is written, with evidence of the cloud alone", () => {
    expect(trusted(artefacts)?.status).toBe("pass");
  });

  it.each([
    ["an empty key set", true, () => '{"keys":[]}', "are an empty list"],
    ["no key set", true, () => "keys", "are no JSON Web Key Set"],
    ["keys for encryption", true, (text: string) => text.replace('"sig"', '"enc"'), "use is not sig"],
    ["a missing key set", true, () => undefined, "is missing: nothing declares"],
    ["a missing discovery document", false, () => undefined, "is missing: nothing declares"],
    ["no issuer", false, () => '{"jwks_uri":"https://a.example.com/keys"}', "names no issuer"],
    ["no jwks_uri", false, (text: string) => text.replace('"jwks_uri"', '"jwks"'), "has no jwks_uri"],
    [
      "keys at a path where none are",
      false,
      (text: string) => text.replace(/(keys\.json|openid\/v1\/jwks)"/, 'other"'),
      "is missing: nothing declares other",
    ],
  ])("is not with %s", (_why, isKeys, change, reason) => {
    expect(asked(documents(host, isKeys, change))).toMatchObject({
      status: "fail",
      reason: expect.stringContaining(reason),
    });
  });

  it("cannot be told with a key under another id than the API server's", () => {
    const renamed = documents(host, true, (text) => text.replace(/"kid": "[^"]+"/, '"kid": "other"'));
    expect(asked(renamed)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("other is not the id that kube-apiserver derives"),
    });
  });

  it("is not with the discovery document of another issuer, or cannot be told where the issuer is late", () => {
    const other = documents(host, false, (text) =>
      text.replace(/"issuer": "[^"\n]*(?:"\/"\)\})?"/, '"issuer": "https://x.example"'),
    );
    const late = host === "CloudFront" || host === "website";
    expect(asked(other)?.status).toBe(late ? "unknown" : "fail");
  });

  it("is judged by the cloud alone where nothing of its documents was read", () => {
    expect(asked(without(OBJECTS[host][0]))?.status).toBe("pass");
  });

  it("cannot be told where Terraform leaves the documents as they are", () => {
    const [type, , content] = OBJECTS[host];
    const kept = argument(type, { lifecycle: { ignore_changes: [content] } });
    const empty = documents(host, true, () => '{"keys":[]}');
    expect(
      asked((configuration) => {
        kept(configuration);
        empty(configuration);
      })?.status,
    ).toBe("unknown");
  });
});

const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";
const deny = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" }],
};

describe("documents that nobody may read", () => {
  const rows: readonly [why: string, host: Host, edit: Edit, status: string][] = [
    ["block of the bucket", "S3, public", argument(BLOCK, { restrict_public_buckets: true }), "fail"],
    ["block of policies", "S3, public", argument(BLOCK, { block_public_policy: true }), "unknown"],
    ["no block, which S3 makes", "S3, public", without(BLOCK), "unknown"],
    ["no policy", "S3, public", without(POLICY), "fail"],
    ["denial", "S3, public", argument(POLICY, { policy: JSON.stringify(deny) }), "fail"],
    ["no policy for the distribution", "CloudFront", without(POLICY), "fail"],
    [
      "the block is the distribution's",
      "CloudFront",
      argument(BLOCK, { restrict_public_buckets: true }),
      "pass",
    ],
    [
      "policy for another distribution",
      "CloudFront",
      ({ resource }) => {
        for (const each of Object.values(resource[POLICY] ?? {}))
          each["policy"] = String(each["policy"]).replace(
            /\$\{[^}]*\.arn\}/,
            "arn:aws:cloudfront::1:distribution/A",
          );
      },
      "fail",
    ],
    [
      "private container",
      "container",
      argument("azurerm_storage_container", { container_access_type: "private" }),
      "fail",
    ],
    [
      "account without public containers",
      "container",
      argument("azurerm_storage_account", { allow_nested_items_to_be_public: false }),
      "fail",
    ],
    [
      "account without public network",
      "website",
      argument("azurerm_storage_account", { public_network_access_enabled: false }),
      "fail",
    ],
    ["no binding", "Cloud Storage", without("google_storage_bucket_iam_member"), "fail"],
    [
      "public access prevention",
      "Cloud Storage",
      argument("google_storage_bucket", { public_access_prevention: "enforced" }),
      "fail",
    ],
  ];

  it.each(rows)("%s (%s)", (_why, host, edit, status) => {
    expect(trusted(withTerraform(ARTEFACTS[host], edit))?.status).toBe(status);
  });
});

it("are judged for components and pulls as well", () => {
  const empty = documents("CloudFront", true, () => '{"keys":[]}');
  const components = explained(withTerraform(ARTEFACTS.CloudFront, empty));
  expect(components.length).toBeGreaterThan(5);
  expect(new Set(components.map(firstFailed))).toEqual(new Set(["issuer-trusted"]));
  const pulls = synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region: place.region, allowedAccountIds: [place.account] });
    const { issuer } = new IssuerBucket(stack, "issuer", {
      bucketName: "issuer-c1",
      ...place,
      keys,
      access: "public",
    });
    new ImagePulls(stack, "pulls", {
      cluster: kubernetes({ name: "c1", version: "1.35", issuer, plugins: { ecr: "1.35.2" } }),
      pulls: [{ serviceAccount: "shop/web", from: ecr({ ...place, repositories: ["shop/web"] }) }],
    });
  });
  expect(explained(pulls).map(({ verdict }) => verdict)).toEqual(["allowed"]);
  expect(explained(withTerraform(pulls, empty)).map(firstFailed)).toEqual(["issuer-trusted"]);
});

it("an issuer that apply will tell is called so, and has no URL", () => {
  expect(trusted(ARTEFACTS.CloudFront)?.reason).toMatch(
    /^account and trust policy know the issuer that apply will tell \(aws_cloudfront_distribution\.\w+\.domain_name\)$/,
  );
});
