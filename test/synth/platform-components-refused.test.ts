import { Testing } from "cdktf";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type IssuerBucket, awsAccess, ecr, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import type { ErrorCode } from "../../lib/errors";
import type { CredentialsRequest } from "../../lib/model/credentials-request";
import { credentialsRequests, openShift } from "../../lib/openshift";
import {
  ImagePulls,
  Manifests,
  PlatformComponents,
  type PlatformComponentsProps,
  WorkloadAccess,
} from "../../lib/synth";
import { filesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import {
  ISSUER,
  componentsProps,
  issuerBucket,
  providersStack,
  releaseRequests,
} from "../support/platform-components";
import { resources } from "../support/terraform";
import { code as refused, refusal } from "../support/refusal";

const FILE = "02-bad.yaml";

/** A request of one statement, changed where a row says so. */
function document(change: (document: Record<string, never>) => void = () => undefined): unknown {
  const made: unknown = {
    apiVersion: "cloudcredential.openshift.io/v1",
    kind: "CredentialsRequest",
    metadata: { name: "bad", namespace: "openshift-cloud-credential-operator" },
    spec: {
      secretRef: { name: "creds", namespace: "openshift-x" },
      serviceAccountNames: ["operator"],
      providerSpec: {
        apiVersion: "cloudcredential.openshift.io/v1",
        kind: "AWSProviderSpec",
        statementEntries: [{ effect: "Allow", action: ["s3:GetObject"], resource: "*" }],
      },
    },
  };
  change(made as Record<string, never>);
  return made;
}

type Made = {
  spec: Record<string, unknown> & {
    providerSpec: Record<string, unknown>;
    secretRef: Record<string, unknown>;
  };
};
const changed = (change: (spec: Made["spec"]) => void) => (): string =>
  stringify(document((made) => change((made as unknown as Made).spec)));

const good = stringify(
  document((made) => {
    (made as unknown as { metadata: Record<string, unknown> }).metadata["name"] = "good";
    (made as unknown as Made).spec.secretRef["name"] = "other";
  }),
);

/** Synthesizes a folder of a good file and a bad one, whose second document is the row's. */
function declare(bad: string, props: Partial<PlatformComponentsProps> = {}): void {
  const folder = join(temporaryFolder(), "requests");
  mkdirSync(folder);
  writeFileSync(join(folder, "01-good.yaml"), good);
  writeFileSync(
    join(folder, FILE),
    `${good.replace("name: good", "name: good-too").replace("name: other", "name: third")}---\n${bad}`,
  );
  const app = Testing.app({ outdir: temporaryFolder() });
  const stack = providersStack(app);
  try {
    new PlatformComponents(
      stack,
      "components",
      componentsProps("aws", { requests: credentialsRequests(folder, { cloud: "aws" }), ...props }),
    );
  } finally {
    // Nothing half-written: neither a resource nor a manifest, nor a file.
    expect(resources(JSON.parse(Testing.synth(stack)) as never, "aws_iam_role")).toEqual([]);
    expect([...Manifests.of(stack).render().keys()].filter((file) => file.endsWith(".yaml"))).toEqual([]);
    expect(filesOf(app.outdir)).toEqual({});
  }
}

const WHERE = `${FILE}, document 2`;

// [what is wrong, code, the document, what the message must name besides file and document]
const DOCUMENTS: readonly (readonly [what: string, code: ErrorCode, bad: () => string, named: string])[] = [
  [
    "no service accounts",
    "openshift-invalid",
    changed((spec) => delete spec["serviceAccountNames"]),
    "serviceAccountNames",
  ],
  [
    "an unknown field",
    "openshift-unknown",
    changed((spec) => (spec["serviceAccounts"] = ["x"])),
    "spec.serviceAccounts",
  ],
  [
    "a Secret that another request has",
    "openshift-conflict",
    changed(({ secretRef }) => (secretRef["name"] = "other")),
    "01-good.yaml",
  ],
  [
    "a statement without actions",
    "aws-invalid",
    changed(({ providerSpec }) => (providerSpec["statementEntries"] = [{ effect: "Allow", resource: "*" }])),
    "action",
  ],
  [
    "a policy over the limit of IAM",
    "aws-limit",
    changed(
      ({ providerSpec }) =>
        (providerSpec["statementEntries"] = [
          {
            effect: "Allow",
            action: Array.from({ length: 600 }, (_, place) => `ec2:DescribeSomething${place}`),
            resource: "*",
          },
        ]),
    ),
    "10240",
  ],
];

describe("a bad document among good ones is named with its file, and nothing is declared", () => {
  it.each(DOCUMENTS)("%s", (_, code, bad, named) => {
    expect(() => declare(bad())).toThrowError(
      refusal(code, {
        message: expect.stringMatching(new RegExp(`${WHERE}[^]*${named}|${named}[^]*${WHERE}`)) as unknown,
      }),
    );
  });

  it("broken YAML: file and line", () => {
    expect(() => declare("kind: [\n")).toThrowError(
      refusal("openshift-invalid", { message: expect.stringMatching(new RegExp(`${FILE}:\\d+`)) as unknown }),
    );
  });
});

const [request] = releaseRequests("aws", "4.22").requests;
const own = (change: Partial<CredentialsRequest>): CredentialsRequest =>
  ({ ...request, source: { file: "a.yaml", document: 3 }, ...change }) as CredentialsRequest;
const requestsOf = (...requests: readonly CredentialsRequest[]): PlatformComponentsProps["requests"] => ({
  requests,
  skipped: [],
});

// [code, properties, the message after the construct's path]
const ROWS: readonly (readonly [
  code: ErrorCode,
  props: Partial<PlatformComponentsProps>,
  message: string,
])[] = [
  [
    "openshift-missing",
    { requests: { requests: [], skipped: [{ name: "x", source: {}, reason: "is for another cloud" }] } },
    "no CredentialsRequest is left: x is for another cloud; allowed: at least one request that matches the filter's cloud, feature set, capabilities and cluster profile; correct the filter, or pass the requests of this cluster's release",
  ],
  [
    "openshift-foreign",
    { requests: requestsOf(own({ name: "ccm", providerKind: "GCPProviderSpec" })) },
    'a.yaml, document 3, CredentialsRequest ccm is for another cloud than aws, whose identities are declared here, got "GCPProviderSpec"; allowed: AWSProviderSpec; filter the requests by the cloud whose identities are declared',
  ],
  [
    "openshift-conflict",
    {
      requests: requestsOf(
        own({ name: "one", secret: { namespace: "a-b", name: "c" } }),
        own({ name: "two", secret: { namespace: "a", name: "b-c" } }),
      ),
    },
    "a.yaml, document 3, CredentialsRequest one and a.yaml, document 3, CredentialsRequest two share the file manifests/a-b-c-credentials.yaml, which is named after namespace and Secret, so one would overwrite the other; remove one of the two, filter by the annotation in which they differ, or give one of them another secretRef",
  ],
  [
    "openshift-invalid",
    { requests: requestsOf(own({ name: "ccm", secret: { namespace: "10-ns", name: "creds" } })) },
    'the Secret of a.yaml, document 3, CredentialsRequest ccm would be written to a file whose name begins like those for the running cluster, got "manifests/10-ns-creds-credentials.yaml"; allowed: a namespace that does not begin with two digits and a dash; give the request a secretRef in another namespace',
  ],
  [
    "openshift-conflict",
    { requests: requestsOf(own({ name: "one" }), own({ name: "two", source: {} })) },
    "a.yaml, document 3, CredentialsRequest one and CredentialsRequest two share the Secret openshift-cloud-credential-operator/cloud-credential-operator-iam-ro-creds, so one would overwrite the other; remove one of the two, filter by the annotation in which they differ, or give one of them another secretRef",
  ],
  [
    "version-invalid",
    { upgradeableTo: "next" },
    'version to upgrade to is not a version, got "next"; allowed: major.minor, for example "1.35"; a patch level is accepted where it changes a rule; write the version as text, not as a number: the number 1.30 is 1.3',
  ],
];

/** Values that no compiler saw. */
const UNTYPED: readonly (readonly [code: ErrorCode, props: object])[] = [
  ["property-invalid", { issuer: null }],
  ["property-invalid", { issuer: {} }],
  ["property-invalid", { requests: null }],
  ["property-invalid", { requests: releaseRequests("aws", "4.22").requests }],
  ["property-missing", { requests: { requests: releaseRequests("aws", "4.22").requests } }],
  ["property-invalid", { requests: { requests: [null], skipped: [] } }],
  ["property-missing", { requests: { requests: [document()], skipped: [] } }],
  ["property-missing", { requests: requestsOf(own({ source: undefined as never })) }],
  ["property-missing", { requests: { ...requestsOf(own({})), skipped: [{ name: "x" }] } }],
  ["property-missing", { identities: undefined }],
  ["property-invalid", { identities: workloadRoles() }],
  ["property-invalid", { identities: pullRoles() }],
];

describe("PlatformComponents refuses", () => {
  it.each(UNTYPED)("%s: what no compiler saw, %j", (code, props) => {
    const stack = providersStack(Testing.app());
    const given = { ...componentsProps("aws"), ...props };
    expect(() => new PlatformComponents(stack, "components", given)).toThrowError(refused(code));
    expect(resources(JSON.parse(Testing.synth(stack)) as never, "aws_iam_role")).toEqual([]);
  });

  it("openshift-conflict: a Secret that the cloud's identities write themselves", () => {
    const stack = providersStack(Testing.app());
    const [first, ...others] = releaseRequests("azure", "4.22").requests;
    const secret = { namespace: "openshift-cloud-credential-operator", name: "azure-credentials" };
    const mine = { ...first, secret, name: "mine", source: { file: "a.yaml", document: 3 } };
    const requests = requestsOf(...others, mine as CredentialsRequest);
    expect(
      () => new PlatformComponents(stack, "components", componentsProps("azure", { requests })),
    ).toThrowError(
      refusal("openshift-conflict", {
        message:
          'prod/components: a.yaml, document 3, CredentialsRequest mine asks for a Secret that the identities of azure write themselves, got "openshift-cloud-credential-operator/azure-credentials"; allowed: any other Secret; give the request another secretRef, or leave it out',
      }),
    );
    expect(Testing.synth(stack)).not.toContain("azurerm_user_assigned_identity");
  });

  it.each([
    ["the URL of a host, and another", (bucket: IssuerBucket) => bucket, () => "https://oidc.example.com"],
    ["a literal, and a host", () => "https://oidc.example.com", (bucket: IssuerBucket) => bucket],
  ])("cluster-mismatch: %s", (_, first, second) => {
    const stack = providersStack(Testing.app());
    const bucket = issuerBucket(stack);
    new PlatformComponents(stack, "components", componentsProps("aws", { issuer: first(bucket) }));
    const access = awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSESFullAccess"] });
    const before = [...Manifests.of(stack).render()];
    expect(
      () =>
        new WorkloadAccess(stack, "workloads", {
          cluster: { name: "prod", issuer: second(bucket) },
          workloads: [{ serviceAccount: "shop/web", may: access }],
          identities: [workloadRoles({ account: "111122223333", region: "eu-west-1" })],
        }),
    ).toThrowError(refusal("cluster-mismatch"));
    expect([...Manifests.of(stack).render()]).toEqual(before);
    expect(Testing.synth(stack)).not.toContain("prod_shop_web_access");
  });

  it("upgradeable-to-not-newer: the version that ImagePulls of the stack states", () => {
    const [account, region] = ["111122223333", "eu-west-1"];
    const upgrade = (upgradeableTo: string): unknown => {
      const stack = providersStack(Testing.app());
      const facts = { name: "prod", version: "4.22.3", platform: "aws", issuer: ISSUER } as const;
      new ImagePulls(stack, "pulls", {
        cluster: openShift({ ...facts, pools: ["worker"] }),
        pulls: [{ serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["web"] }) }],
        identities: [pullRoles({ account, region })],
      });
      return new PlatformComponents(stack, "components", componentsProps("aws", { upgradeableTo }));
    };
    expect(() => upgrade("4.22")).toThrowError(
      refusal("openshift-invalid", {
        message: expect.stringMatching(/^prod\/components: .* got "4\.22"; allowed: /) as unknown,
      }),
    );
    expect(() => upgrade("4.23")).not.toThrow();
  });

  it.each(ROWS)("%s", (code, props, message) => {
    const stack = providersStack(Testing.app());
    expect(() => new PlatformComponents(stack, "components", componentsProps("aws", props))).toThrowError(
      refusal(code, { message: `prod/components: ${message}` }),
    );
    expect(resources(JSON.parse(Testing.synth(stack)) as never, "aws_iam_role")).toEqual([]);
  });

  it("cluster-conflict: components twice, and components of another cluster", () => {
    const stack = providersStack(Testing.app());
    new PlatformComponents(stack, "components", componentsProps("aws"));
    const before = [...Manifests.of(stack).render()];
    for (const [clusterName, message] of [
      [
        "prod",
        "this stack already has a PlatformComponents for cluster prod; allowed: one PlatformComponents per cluster, with all its lines in one list; add the lines to the existing construct",
      ],
      [
        "other",
        'this stack already writes manifests for cluster prod, and without `perCluster` the manifests of a stack are applied to one cluster, got "other"; allowed: "prod" as name of the cluster of each construct in this stack; if it is the same cluster, use the same name; otherwise first create `new Manifests(stack, "manifests", { perCluster: true })`, or put this construct into a TerraformStack of its own',
      ],
    ] as const)
      expect(
        () => new PlatformComponents(stack, clusterName, componentsProps("aws", { clusterName })),
      ).toThrowError(refusal("cluster-conflict", { message: `prod/${clusterName}: ${message}` }));
    expect([...Manifests.of(stack).render()]).toEqual(before);
  });
});
