/*
 * Pods that run today, held against a stage of a rollout: what goes on, by what, and what is lost.
 */

import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider, PullRole } from "../../../lib/cloud/aws";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { type CheckResult, Explainer, type RunningResult } from "../../../lib/explain";
import { ImagePulls, type ImagePullsProps } from "../../../lib/synth";
import { type Artefacts, edited, folderOf, synthesizedStack } from "../../fixtures/explain/artefacts";
import { cluster as plainCluster, plain } from "../../fixtures/explain/plain";
import { HOST } from "../../fixtures/explain/three-clouds";
import {
  ACCOUNT,
  ISSUER,
  REGION,
  fromEcr,
  makers,
  openShiftCluster,
  plainCluster as selfManaged,
} from "../../support/image-pulls";

const IMAGE = `${HOST}/shop/web:1`;
const SECRET_REF = "openshift.io/internal-registry-pull-secret-ref";
const MIRROR = { annotations: { "kubernetes.io/config.mirror": "9f86d081" } };

type Settings = Partial<Pick<ImagePullsProps, "cluster" | "credentialProviders" | "carriers" | "identities">>;

/** A stage of a rollout, whose settings may need the stack. */
function stage(settings: Settings | ((stack: TerraformStack) => Settings) = {}): Artefacts {
  return synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region: REGION, allowedAccountIds: [ACCOUNT] });
    new ImagePulls(stack, "pulls", {
      cluster: openShiftCluster(),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr("shop/*") }],
      ...(typeof settings === "function" ? settings(stack) : settings),
    });
  });
}

const MIXED = { credentialProviders: { ecr: { mode: "mixed" } } } as const;
const strict = stage();
const mixed = stage(MIXED);
/** ECR of 4.21 does not fall back, so that mixed mode takes a second entry there. */
const twoEntries = stage({
  cluster: selfManaged({ version: "1.34", plugins: { ecr: "1.34.2" } }),
  credentialProviders: {
    ecr: { mode: "mixed", nodeIdentityName: "ecr-credential-provider-node", nodeIdentityArgs: [] },
  },
});

interface PodParts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly image?: string;
}

/** A pod as `kubectl get pods -A -o yaml` prints it. */
function pod(account: string, { metadata, spec, status, image = IMAGE }: PodParts = {}): object {
  const [namespace = "", serviceAccountName] = account.split("/");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace, uid: "1", ...metadata },
    spec: { serviceAccountName, containers: [{ name: "c", image }], ...spec },
    status: { phase: "Running", ...status },
  };
}

function account(key: string, annotations: object = {}, others: object = {}): object {
  const [namespace, name] = key.split("/");
  const metadata = { namespace, name, uid: `uid-${key}`, annotations };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata, ...others };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

function running(artefacts: Artefacts, ...objects: readonly object[]): readonly RunningResult[] {
  const folder = folderOf(artefacts);
  const shown = folderOf({ "running.json": listOf(objects) });
  return [...Explainer.read([folder, shown]).running()];
}

/** Verdict, `as`, and the reason of the one result. */
function said(artefacts: Artefacts, ...objects: readonly object[]): readonly unknown[] {
  const results = running(artefacts, ...objects);
  expect(results).toHaveLength(1);
  const [{ verdict, as, checks } = { verdict: "none", as: null, checks: [] as CheckResult[] }] = results;
  expect(checks[0]?.id).toBe("still-pulled");
  return [verdict, as, checks[0]?.reason];
}

const ROLE = "arn:aws:iam::111122223333:role/prod_shop_web";
const LIVE = account("shop/other");

describe("a pod whose service account is annotated", () => {
  it.each([
    ["strict", strict],
    ["mixed", mixed],
    ["mixed with two entries", twoEntries],
  ])("pulls as its role at the stage %s, also where the cluster has the account without", (_, artefacts) => {
    const expected = ["allowed", ROLE, "every link holds"];
    expect(said(artefacts, pod("shop/web"))).toEqual(expected);
    expect(said(artefacts, pod("shop/web"), account("shop/web"))).toEqual(expected);
  });
});

describe("a pod whose service account is not annotated", () => {
  it("loses its pull at the strict stage", () => {
    const [result] = running(strict, pod("shop/other"), LIVE);
    expect(result).toMatchObject({ verdict: "denied", as: null, subject: "shop/other", target: IMAGE });
    expect(result?.checks[0]).toMatchObject({
      status: "fail",
      reason:
        "the pull is lost: the service account shop/other lacks the required annotation eks.amazonaws.com/ecr-role-arn",
      remedy: "annotate shop/other with eks.amazonaws.com/ecr-role-arn, letter case included",
    });
  });

  it.each([
    ["one entry, whose plugin falls back", mixed],
    ["two entries", twoEntries],
  ])("is served by the node's identity in mixed mode with %s", (_, artefacts) => {
    const [verdict, as, reason] = said(artefacts, pod("shop/other"), LIVE);
    expect([verdict, as]).toEqual(["allowed", "node identity"]);
    expect(reason).toContain("must keep its permissions at the registry");
  });

  it("loses its pull in mixed mode where nodes may not request its tokens", () => {
    const narrow = edited(mixed, [
      ["10-token-audience.yaml", "kind: ClusterRoleBinding", "kind: RoleBinding"],
    ]);
    const [verdict, as, reason] = said(narrow, pod("shop/other"), LIVE);
    expect([verdict, as]).toEqual(["denied", null]);
    expect(reason).toContain("the pull is lost");
  });

  it("is unknown where service accounts were not read, but for default, which has no annotations", () => {
    const [verdict, , reason] = said(strict, pod("shop/other"));
    expect([verdict, reason]).toEqual(["unknown", expect.stringContaining("is not among what was read")]);
    expect(said(strict, pod("shop/default"))[0]).toBe("denied");
  });

  it("is unknown where a pull secret may have credentials, not by that of OpenShift's own registry", () => {
    const pulls = (name: string): object => ({ spec: { imagePullSecrets: [{ name }] } });
    expect(said(strict, pod("shop/other", pulls("mine")), LIVE).slice(0, 2)).toEqual([
      "unknown",
      "pull secret",
    ]);
    const own = account("shop/other", { [SECRET_REF]: "other-dockercfg-x7" });
    expect(said(strict, pod("shop/other", pulls("other-dockercfg-x7")), own)[0]).toBe("denied");
    expect(said(mixed, pod("shop/other", pulls("mine")), LIVE).slice(0, 2)).toEqual([
      "allowed",
      "node identity",
    ]);
  });

  it("is not known to be served where the links before are open", () => {
    const files = edited(mixed, [["workload-identity.json", '"version": "1.35.1"', '"version": "1.99.0"']]);
    expect(said(files, pod("shop/other"), LIVE)[0]).toBe("unknown");
  });
});

// cloud-provider-aws, cmd/ecr-credential-provider/main.go (buildCredentialsProvider), v1.34.0 to v1.36.1.
describe("a default role", () => {
  const artefacts = stage((stack) => {
    const oidcProvider = new OidcProvider(stack, "oidc", {
      issuer: ISSUER,
      audiences: ["sts.amazonaws.com"],
      account: ACCOUNT,
      region: REGION,
    });
    const { arn: value } = new PullRole(stack, "unannotated", {
      account: ACCOUNT,
      roleName: "unannotated",
      trusts: [
        { oidcProvider, wildcards: [{ pattern: "shop/*", reason: "until every account is annotated" }] },
      ],
      sources: [fromEcr("shop/*")],
    });
    return {
      identities: [makers.aws({ oidcProvider })],
      credentialProviders: { ecr: { mode: "mixed", env: [{ name: "AWS_ECR_ROLE_ARN", value }] } },
    };
  });

  it("serves the accounts that it admits, and takes the pull from the others, as the plugin then fails", () => {
    expect(said(artefacts, pod("shop/other"), LIVE).slice(0, 2)).toEqual([
      "allowed",
      "arn:aws:iam::111122223333:role/unannotated",
    ]);
    expect(said(artefacts, pod("team/other"), account("team/other")).slice(0, 2)).toEqual(["denied", null]);
    const isStatic = said(artefacts, pod("kube-system/", { metadata: MIRROR }));
    expect(isStatic.slice(0, 2)).toEqual(["allowed", "node identity"]);
  });
});

describe("an account that the cluster shows", () => {
  const web = "eks.amazonaws.com/ecr-role-arn";

  it("is overwritten by what the stage says of it, and not relied on where the stage leaves it out", () => {
    expect(
      said(strict, pod("shop/web"), account("shop/web", { [web]: "arn:aws:iam::111122223333:role/old" }))[1],
    ).toBe(ROLE);
    const without = edited(strict, [["20-service-accounts.yaml", web, "other"]]);
    expect(said(without, pod("shop/web"), account("shop/web", { [web]: ROLE }))[0]).toBe("unknown");
  });
});

describe("a static pod", () => {
  it.each([
    ["strict", strict, ["denied", null]],
    ["mixed", mixed, ["allowed", "node identity"]],
    ["two entries", twoEntries, ["allowed", "node identity"]],
  ] as const)("has no token: %s", (_, artefacts, expected) => {
    expect(said(artefacts, pod("kube-system/", { metadata: MIRROR })).slice(0, 2)).toEqual(expected);
  });
});

describe("what is left out", () => {
  it.each([
    ["an image that no entry matches and no plugin serves", { image: "quay.io/shop/web:1" }],
    [
      "an image of a host that the operator's file does not match either",
      { image: "public.ecr.aws/shop/web:1" },
    ],
    ["a pod that has ended", { status: { phase: "Succeeded" } }],
    ["an image that is never pulled", { spec: { containers: [{ image: IMAGE, imagePullPolicy: "Never" }] } }],
    ["a name that the kubelet refuses", { image: "Shop/Web" }],
  ])("%s", (_, parts) => {
    expect(running(strict, pod("shop/other", parts), LIVE)).toEqual([]);
  });
});

describe("containers of every kind", () => {
  it("count, those of init and debugging too", () => {
    const containers = [{ name: "c", image: `${HOST}/shop/a` }];
    const spec = {
      containers,
      initContainers: [{ name: "i", image: `${HOST}/shop/b` }],
      ephemeralContainers: [{ name: "e", image: `${HOST}/shop/c` }],
    };
    const targets = running(strict, pod("shop/web", { spec })).map(({ target }) => target.slice(-1));
    expect(targets.sort()).toEqual(["a", "b", "c"]);
  });
});

describe("several pods", () => {
  it("of one account, image and outcome are one result, with the pods as evidence", () => {
    const pods = Array.from({ length: 12 }, (_, place) =>
      pod("shop/other", { metadata: { name: `p-${place}` } }),
    );
    const [result, ...others] = running(strict, ...pods, LIVE);
    expect(others).toEqual([]);
    const texts = result?.checks[0]?.evidence.map(({ text }) => text) ?? [];
    expect(texts.slice(0, 11)).toEqual([
      ...pods.slice(0, 10).map((_, place) => `Pod shop/p-${place}`),
      "and 2 more",
    ]);
  });
});

describe("an entry that is gone", () => {
  const dropped = stage({
    credentialProviders: { ecr: { matchImages: [`*.dkr.ecr.eu-west-1.amazonaws.com`] } },
  });

  it("loses what the operator's own file served", () => {
    const image = "111122223333.dkr.ecr.us-east-1.amazonaws.com/tools/x";
    const [verdict, as, reason] = said(dropped, pod("shop/other", { image }), LIVE);
    expect([verdict, as]).toEqual(["denied", null]);
    expect(reason).toContain("which this one replaces, has *.dkr.ecr.*.amazonaws.com");
  });

  it("is unknown where it is not known what the nodes had", () => {
    const folder = folderOf({
      ...plain,
      "pods.json": listOf([pod("team/puller", { image: "public.ecr.aws/tools/x" })]),
    });
    const results = [
      ...Explainer.read([folder], { cluster: plainCluster }).running({ serviceAccount: "team/puller" }),
    ];
    const gone = results.find(({ target }) => target.startsWith("public"));
    expect(gone).toMatchObject({ verdict: "unknown" });
    expect(gone?.checks[0]?.reason).toContain("the file that nodes have today was not read");
  });
});

describe("pools at different stages", () => {
  it("count by the worst, which is named", () => {
    const worker = [...mixed].find(([path]) => path.endsWith("machine-configs.yaml"));
    const infra = [...strict]
      .find(([path]) => path.endsWith("machine-configs.yaml"))?.[1]
      .replaceAll("worker", "infra");
    const both = new Map([...mixed, [worker?.[0] ?? "", `${worker?.[1] ?? ""}---\n${infra ?? ""}`]]);
    const [verdict, , reason] = said(both, pod("shop/other"), LIVE);
    expect([verdict, reason]).toEqual(["denied", expect.stringContaining("on the nodes infra: ")]);
  });
});

describe("a selection", () => {
  it("is of one image or account; without node files nothing is known", () => {
    const folder = folderOf(strict);
    const shown = folderOf({ "running.json": listOf([pod("shop/web"), pod("shop/other"), LIVE]) });
    const explainer = Explainer.read([folder, shown]);
    expect([...explainer.running({ serviceAccount: "shop/web" })]).toHaveLength(1);
    expect([...explainer.running({ image: `${HOST}/shop/none` })]).toEqual([]);
    expect([...explainer.running({ image: IMAGE })]).toHaveLength(2);
    const prepared = stage({ ...MIXED, carriers: [] });
    expect(said(prepared, pod("shop/other"), LIVE)[0]).toBe("unknown");
  });
});
