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
import { explain } from "../../lib/explain";
import type { IIssuerHost } from "../../lib/model/issuer";
import { kubernetes } from "../../lib/node";
import { credentialsRequestsOf } from "../../lib/openshift";
import { ImagePulls, PlatformComponents, WorkloadAccess } from "../../lib/synth";
import {
  type Configuration,
  TERRAFORM,
  WORKLOAD,
  publicKey,
  resultOf,
  subscriptionId,
  withTerraform,
} from "../fixtures/explain/access";
import {
  type Artefacts,
  explained,
  firstFailed,
  folderOf,
  synthesizedStack,
} from "../fixtures/explain/artefacts";
import { payloadRequests } from "../support/credentials-requests";

const place = { account: "111122223333", region: "eu-west-1" } as const;
const keys = [{ publicKey, use: "current" }] as const;
const tenantId = "11111111-2222-4333-8444-555555555555";

const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";

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

const onAzure = (declare: (stack: TerraformStack) => IIssuerHost, version?: string): Artefacts =>
  synthesizedStack((stack) => {
    if (version !== undefined) stack.addOverride("terraform.required_providers.azurerm.version", version);
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId });
    const role = { role: "Reader", scope: `/subscriptions/${subscriptionId}/resourceGroups/reports` };
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer: declare(stack) },
      workloads: [{ serviceAccount: WORKLOAD, may: azureAccess({ roles: [role] }) }],
      identities: [workloadIdentities({ resourceGroupName: "apps", location: "westeurope", tenantId })],
    });
  });

const onGoogle = (declare: (stack: TerraformStack) => IIssuerHost): Artefacts =>
  synthesizedStack((stack) => {
    new GoogleProvider(stack, "google", { project: "acme-prod" });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer: declare(stack) },
      workloads: [
        {
          serviceAccount: WORKLOAD,
          may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "reports" }] }),
        },
      ],
      identities: [workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" })],
    });
  });

const cloudFront = (stack: TerraformStack): IIssuerHost => {
  new AwsProvider(stack, "aws", { region: place.region, allowedAccountIds: [place.account] });
  return new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys });
};
const storage = { resourceGroupName: "oidc", region: "westeurope", keys } as const;
const container = (stack: TerraformStack): IIssuerHost =>
  new IssuerContainer(stack, "issuer", {
    ...storage,
    storageAccountName: "acmec1",
    blobContainerName: "cluster1",
  });
const website = (stack: TerraformStack): IIssuerHost =>
  new IssuerWebsite(stack, "issuer", { ...storage, storageAccountName: "acmec1" });
const ARTEFACTS = {
  "S3, public": onAws(
    (stack) =>
      new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys, access: "public" }),
  ),
  CloudFront: onAws(
    (stack) => new IssuerBucket(stack, "issuer", { bucketName: "issuer-c1", ...place, keys }),
  ),
  container: onAzure(container),
  "container of azurerm 5": onAzure(container, "5.2.0"),
  website: onAzure(website),
  "website of azurerm 5": onAzure(website, "5.2.0"),
  "Cloud Storage": onGoogle(
    (stack) =>
      new GoogleIssuerBucket(stack, "issuer", {
        bucket: "issuer-c1",
        project: "acme-prod",
        location: "EU",
        keys,
      }),
  ),
} as const;

type Host = keyof typeof ARTEFACTS;

const S3 = ["aws_s3_object", "key", "content"] as const;
const BLOB = ["azurerm_storage_blob", "name", "source_content"] as const;
const OBJECT = ["google_storage_bucket_object", "name", "content"] as const;
const OBJECTS: Readonly<Record<Host, readonly [string, string, string]>> = {
  "S3, public": S3,
  CloudFront: S3,
  container: BLOB,
  "container of azurerm 5": BLOB,
  website: BLOB,
  "website of azurerm 5": BLOB,
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

/** The bucket is only looked up: its policy and its access block are in Terraform that is not read. */
const lookedUp: Edit = (configuration) => {
  const { aws_s3_bucket = {} } = configuration.resource;
  Object.assign(configuration, { data: { aws_s3_bucket } });
  argument("aws_s3_object", { bucket: "issuer-c1" })(configuration);
  for (const type of ["aws_s3_bucket", POLICY, BLOCK]) without(type)(configuration);
};

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
    ["no key set", true, () => "keys", "are not a JSON Web Key Set"],
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

  it("cannot be determined with a key under another id than the API server's", () => {
    const renamed = documents(host, true, (text) => text.replace(/"kid": "[^"]+"/, '"kid": "other"'));
    expect(asked(renamed)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("other is not the id that kube-apiserver derives"),
    });
  });

  it("is not with the discovery document of another issuer, or cannot be determined where the issuer is late", () => {
    const other = documents(host, false, (text) =>
      text.replace(/"issuer": "[^"\n]*(?:"\/"\)\})?"/, '"issuer": "https://x.example"'),
    );
    const late = host === "CloudFront" || host.startsWith("website");
    expect(asked(other)?.status).toBe(late ? "unknown" : "fail");
  });

  it("is judged by the cloud alone where nothing of its documents was read", () => {
    expect(asked(without(OBJECTS[host][0]))?.status).toBe("pass");
  });

  it("cannot be determined where Terraform leaves the documents as they are", () => {
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

const deny = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" }],
};

describe("documents that no one may read", () => {
  const rows: readonly [why: string, host: Host, edit: Edit, status: string][] = [
    ["block of the bucket", "S3, public", argument(BLOCK, { restrict_public_buckets: true }), "fail"],
    ["block of policies", "S3, public", argument(BLOCK, { block_public_policy: true }), "unknown"],
    ["no block, which S3 makes", "S3, public", without(BLOCK), "unknown"],
    ["no policy", "S3, public", without(POLICY), "fail"],
    ["no policy of a bucket that is looked up", "S3, public", lookedUp, "pass"],
    ["no policy of a bucket that is looked up", "CloudFront", lookedUp, "pass"],
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

const CONTROL = "aws_cloudfront_origin_access_control";
const DISTRIBUTION = "aws_cloudfront_distribution";
type Block = Record<string, unknown>;

/** A change of the distribution's only origin and of its behavior. */
function distribution(change: (values: Block, origin: Block, behavior: Block) => void): Edit {
  return ({ resource }) => {
    for (const values of Object.values(resource[DISTRIBUTION] ?? {}))
      change(values, (values["origin"] as Block[])[0] ?? {}, values["default_cache_behavior"] as Block);
  };
}

function both(...edits: readonly Edit[]): Edit {
  return (configuration) => edits.forEach((edit) => edit(configuration));
}

const withoutControl = distribution((_, origin) => delete origin["origin_access_control_id"]);
const everybody = {
  Version: "2012-10-17",
  Statement: [
    { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::issuer-c1/*" },
  ],
};
const opened = both(
  argument(BLOCK, { restrict_public_buckets: false, block_public_policy: false }),
  argument(POLICY, { policy: JSON.stringify(everybody) }),
);

/** A behavior before the default one. */
function ordered(path_pattern: string, target?: string): Edit {
  return distribution((values, _, behavior) => {
    const target_origin_id = target ?? behavior["target_origin_id"];
    values["ordered_cache_behavior"] = [{ ...behavior, path_pattern, target_origin_id }];
  });
}

// "Restrict access to an Amazon S3 origin" and "Restrict viewer access" in the CloudFront developer guide.
describe("a distribution before the documents", () => {
  it.each<[string, Edit, string, string]>([
    ["not enabled", distribution((values) => (values["enabled"] = false)), "fail", "is not enabled"],
    [
      "enabled by a variable",
      distribution((values) => (values["enabled"] = "${var.on}")),
      "unknown",
      "how enabled of",
    ],
    ["no identity", withoutControl, "fail", "keeps everyone outside the account out"],
    [
      "no identity and no policy",
      both(withoutControl, without(POLICY)),
      "fail",
      "keeps everyone outside the account out",
    ],
    ["no identity before an open bucket", both(withoutControl, opened), "pass", ""],
    [
      "requests unsigned",
      argument(CONTROL, { signing_behavior: "never" }),
      "fail",
      "keeps everyone outside the account out",
    ],
    [
      "requests unsigned, open bucket",
      both(argument(CONTROL, { signing_behavior: "never" }), opened),
      "pass",
      "",
    ],
    ["requests signed unless they are", argument(CONTROL, { signing_behavior: "no-override" }), "pass", ""],
    [
      "an identity of the older kind",
      both(
        withoutControl,
        distribution((_, origin) => {
          origin["s3_origin_config"] = [{ origin_access_identity: "origin-access-identity/cloudfront/E1" }];
        }),
      ),
      "pass",
      "",
    ],
    [
      "an origin other than",
      distribution((_, origin) => (origin["domain_name"] = "other.s3.eu-west-1.amazonaws.com")),
      "unknown",
      "from an origin other than the bucket",
    ],
    [
      "one country",
      distribution((values) => {
        values["restrictions"] = { geo_restriction: { restriction_type: "whitelist", locations: ["DE"] } };
      }),
      "unknown",
      "how geo_restriction of",
    ],
    [
      "signed URLs",
      distribution((_v, _o, behavior) => (behavior["trusted_key_groups"] = ["k"])),
      "unknown",
      "how trusted_key_groups of",
    ],
    [
      "signers of a variable",
      distribution((_v, _o, behavior) => (behavior["trusted_signers"] = "${var.signers}")),
      "unknown",
      "how trusted_signers of",
    ],
    [
      "what a state writes where nothing is",
      distribution((values, origin, behavior) => {
        Object.assign(values, { ordered_cache_behavior: [], web_acl_id: "", aliases: [] });
        Object.assign(origin, { s3_origin_config: [], custom_origin_config: [], origin_path: "" });
        Object.assign(behavior, { trusted_signers: [], trusted_key_groups: [], function_association: [] });
      }),
      "pass",
      "",
    ],
    [
      "a web ACL",
      distribution((values) => (values["web_acl_id"] = "arn:aws:wafv2:a")),
      "unknown",
      "how web_acl_id of",
    ],
    [
      "a function",
      distribution((_v, _o, behavior) => {
        behavior["function_association"] = [{ event_type: "viewer-request", function_arn: "arn:a" }];
      }),
      "unknown",
      "how function_association of",
    ],
    ["other paths from elsewhere", ordered("/api/*", "api"), "unknown", "how ordered_cache_behavior of"],
    ["the keys from elsewhere", ordered("/keys.json", "api"), "unknown", "how ordered_cache_behavior of"],
    ["a behavior of their own", ordered("*.json"), "unknown", "how ordered_cache_behavior of"],
    [
      "behaviors by a variable",
      distribution((values) => (values["ordered_cache_behavior"] = "${var.b}")),
      "unknown",
      "",
    ],
    ["the distribution missing", without(DISTRIBUTION), "unknown", "is not among what was read"],
  ])("%s", (_, edit, status, reason) => {
    expect(trusted(withTerraform(ARTEFACTS.CloudFront, edit))).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });

  it("that is not the issuer's changes nothing", () => {
    const other = distribution((values) => {
      values["enabled"] = false;
    });
    const renamed: Edit = ({ resource }) => {
      const [first = {}] = Object.values(resource[DISTRIBUTION] ?? {});
      Object.assign(resource[DISTRIBUTION] ?? {}, { other: { ...structuredClone(first), enabled: false } });
    };
    expect(trusted(withTerraform(ARTEFACTS.CloudFront, renamed))?.status).toBe("pass");
    expect(trusted(withTerraform(ARTEFACTS["S3, public"], other))?.status).toBe("pass");
  });
});

// boto/botocore, botocore/data/partitions.json: DNS suffixes.
it.each(["cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"])(
  "a bucket in %s is known by its host",
  (region) => {
    const artefacts = synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region, allowedAccountIds: [place.account] });
      const props = {
        bucketName: "issuer-c1",
        account: place.account,
        region,
        keys,
        access: "public",
      } as const;
      const issuer = new IssuerBucket(stack, "issuer", props);
      const may = awsAccess({
        statements: [{ Effect: "Allow", Action: ["sqs:ListQueues"], Resource: "*" }],
      });
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "c1", issuer },
        workloads: [{ serviceAccount: WORKLOAD, may }],
        identities: [workloadRoles({ account: place.account, region })],
      });
    });
    expect(trusted(artefacts)?.status).toBe("pass");
    expect(trusted(withTerraform(artefacts, without(POLICY)))?.status).toBe("fail");
  },
);

// "Blocking public access to your Amazon S3 storage" in the S3 user guide: the most restrictive combination counts.
describe("a public access block of the account", () => {
  const closed = { block_public_policy: true, restrict_public_buckets: true };
  const added =
    (values: object): Edit =>
    ({ resource }) => {
      resource["aws_s3_account_public_access_block"] = { all: { ...values } };
    };
  it.each<[string, object, Host, string]>([
    ["of the bucket's provider", closed, "S3, public", "unknown"],
    ["of the bucket's provider, open", { restrict_public_buckets: false }, "S3, public", "pass"],
    ["that refuses public policies", { block_public_policy: true }, "S3, public", "unknown"],
    ["by a variable", { restrict_public_buckets: "${var.closed}" }, "S3, public", "unknown"],
    [
      "of the bucket's account",
      { ...closed, account_id: place.account, provider: "aws.other" },
      "S3, public",
      "unknown",
    ],
    ["of another account", { ...closed, account_id: "444455556666" }, "S3, public", "pass"],
    [
      "of an account known only after apply",
      { ...closed, account_id: "${var.account}" },
      "S3, public",
      "unknown",
    ],
    ["before which a distribution is", closed, "CloudFront", "pass"],
  ])("%s", (_, values, host, status) => {
    expect(trusted(withTerraform(ARTEFACTS[host], added(values)))?.status).toBe(status);
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

it("an issuer that apply will tell is shown as the reference that it is", () => {
  expect(trusted(ARTEFACTS.CloudFront)?.reason).toMatch(
    /^the OIDC provider and the trust policy both name issuer https:\/\/<aws_cloudfront_distribution\.\w+\.domain_name>$/,
  );
});

const SERVED = "d111111abcdef8.cloudfront.net";

/** What `terraform show -json` prints once the configuration is applied, as far as the issuer goes. */
function stateOf(artefacts: Artefacts, host: string): string {
  const configuration = JSON.parse(artefacts.get(TERRAFORM) ?? "") as Configuration & {
    readonly locals?: Readonly<Record<string, string>>;
  };
  const text = JSON.stringify(configuration.resource)
    .replace(/\$\{local\.([\w-]+)\}/g, (_, name: string) =>
      JSON.stringify(configuration.locals?.[name]).slice(1, -1),
    )
    .replace(/\$\{trimprefix\([^}]*\}[^}]*\}/g, host)
    .replace(/\$\{aws_cloudfront_distribution\.[^}]*\.domain_name\}/g, host)
    .replace(
      /\$\{aws_cloudfront_distribution\.[^}]*\.arn\}/g,
      "arn:aws:cloudfront::111122223333:distribution/E1",
    )
    .replace(
      /\$\{aws_iam_openid_connect_provider\.[^}]*\.arn\}/g,
      `arn:aws:iam::111122223333:oidc-provider/${host}`,
    )
    .replace(/\$\{(aws_\w+)\.([\w-]+)\.(\w+)\}/g, (whole, type: string, name: string, attribute: string) => {
      const values = configuration.resource[type]?.[name] ?? {};
      return String(values[attribute === "id" ? "bucket" : attribute] ?? whole);
    });
  const told: Readonly<Record<string, (values: Block) => object>> = {
    [DISTRIBUTION]: () => ({ domain_name: host, arn: "arn:aws:cloudfront::111122223333:distribution/E1" }),
    aws_iam_role: ({ name }) => ({ arn: `arn:aws:iam::111122223333:role/${String(name)}` }),
    aws_iam_openid_connect_provider: () => ({ arn: `arn:aws:iam::111122223333:oidc-provider/${host}` }),
  };
  const resources = Object.entries(JSON.parse(text) as Configuration["resource"]).flatMap(([type, byName]) =>
    Object.entries(byName).map(([name, values]) => {
      const known = { ...values, ...told[type]?.(values) };
      return { address: `${type}.${name}`, mode: "managed", type, name, values: known };
    }),
  );
  return JSON.stringify({ format_version: "1.0", values: { root_module: { resources } } });
}

describe("a state beside the configuration that it was made by", () => {
  const read = (state: string): ReturnType<typeof trusted> =>
    explain([folderOf(ARTEFACTS.CloudFront), folderOf({ "state.json": state })], { serviceAccount: WORKLOAD })
      .find(({ job }) => job !== "image-pull")
      ?.checks.find(({ id }) => id === "issuer-trusted");

  it("tells the issuer that only apply told", () => {
    expect(read(stateOf(ARTEFACTS.CloudFront, SERVED))).toMatchObject({
      status: "pass",
      reason: expect.stringContaining(SERVED) as string,
    });
  });

  it("has its documents judged as well", () => {
    const closed = withTerraform(
      ARTEFACTS.CloudFront,
      distribution((values) => (values["enabled"] = false)),
    );
    expect(read(stateOf(closed, SERVED))).toMatchObject({ status: "fail" });
  });

  it("says nothing where the state's distribution has another domain than the state's issuer", () => {
    const state = stateOf(ARTEFACTS.CloudFront, SERVED);
    const other = state.replace(`"domain_name":"${SERVED}"`, '"domain_name":"d222222abcdef8.cloudfront.net"');
    expect(other).not.toBe(state);
    expect(read(other)?.status).toBe("unknown");
  });

  it("says nothing where the role of the state trusts another issuer than the state's", () => {
    const state = stateOf(ARTEFACTS.CloudFront, SERVED);
    const strange = state.replace(/:oidc-provider\/d1+abcdef8/g, ":oidc-provider/d999999abcdef8");
    expect(strange).not.toBe(state);
    expect(read(strange)?.status).toBe("unknown");
  });
});

const WEBSITE = "acmec1.z6.web.core.windows.net";

/** What `terraform show -json` prints once a website is applied, with this host in its documents and credentials. */
function websiteState(host: string): string {
  const { resource } = JSON.parse(ARTEFACTS.website.get(TERRAFORM) ?? "") as Configuration;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/oidc`;
  const told: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    azurerm_storage_account: {
      id: `${group}/providers/Microsoft.Storage/storageAccounts/acmec1`,
      primary_web_host: WEBSITE,
      primary_web_endpoint: `https://${WEBSITE}/`,
    },
    azurerm_user_assigned_identity: {
      id: `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/c1`,
      client_id: "22222222-2222-4333-8444-555555555555",
    },
  };
  const text = JSON.stringify(resource)
    .replace(/\$\{[^}]*\.primary_web_host\}/g, host)
    .replace(
      /\$\{(azurerm_\w+)\.([\w-]+)\.(\w+)\}/g,
      (whole, type: string, name: string, attribute: string) =>
        String(told[type]?.[attribute] ?? resource[type]?.[name]?.[attribute] ?? whole),
    );
  const resources = Object.entries(JSON.parse(text) as Configuration["resource"]).flatMap(([type, byName]) =>
    Object.entries(byName).map(([name, values]) => ({
      address: `${type}.${name}`,
      mode: "managed",
      type,
      name,
      values: { ...values, ...told[type] },
    })),
  );
  return JSON.stringify({ format_version: "1.0", values: { root_module: { resources } } });
}

describe("a state beside the configuration of a website", () => {
  // Of azurerm 4.55, 4.81 and 5.2, 12 components that were allowed became unknown beside the applied state.
  it.each([
    ["names the website", (state: string) => state, "pass", ""],
    [
      "has no keys",
      (state: string) => state.replace('\\"keys\\": [', '\\"keys\\": [], \\"x\\": ['),
      "fail",
      "the keys that",
    ],
    [
      "names another host",
      () => websiteState("other.z6.web.core.windows.net"),
      "unknown",
      "whether the discovery document names",
    ],
  ])("that %s", (_, edit, status, reason) => {
    const state = edit(websiteState(WEBSITE));
    const paths = [folderOf(ARTEFACTS.website), folderOf({ "state.json": state })];
    const [result] = explain(paths, { serviceAccount: WORKLOAD });
    expect(result?.checks.find(({ id }) => id === "issuer-trusted")).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });
});

/** Workloads of the other clouds, whose tokens have the issuer of a CloudFront distribution. */
const ELSEWHERE = {
  Azure: onAzure((stack) => cloudFront(stack)),
  "Google Cloud": onGoogle((stack) => cloudFront(stack)),
};

describe("a state beside the configuration of a distribution that other clouds trust", () => {
  it.each(Object.entries(ELSEWHERE))("%s", (_, artefacts) => {
    const state = stateOf(artefacts, SERVED);
    const read = (...texts: readonly string[]): ReturnType<typeof trusted> => {
      const folders = texts.map((text) => folderOf({ "state.json": text }));
      return explain([folderOf(artefacts), ...folders], { serviceAccount: WORKLOAD })[0]?.checks.find(
        ({ id }) => id === "issuer-trusted",
      );
    };
    expect(read()?.status).toBe("pass");
    expect(read(state)?.status).toBe("pass");
    const closed = withTerraform(
      artefacts,
      distribution((values) => (values["enabled"] = false)),
    );
    expect(read(stateOf(closed, SERVED))?.status).toBe("fail");
    const other = state.replace(`"domain_name":"${SERVED}"`, '"domain_name":"d222222abcdef8.cloudfront.net"');
    expect(other).not.toBe(state);
    expect(read(other)).toMatchObject({
      status: "unknown",
      remedy: expect.stringMatching(/^the document is that of a state: /) as string,
    });
  });
});
