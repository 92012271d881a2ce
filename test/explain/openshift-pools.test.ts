/*
 * The example openshift-custom-pools beside MachineConfigs and pools of other teams, row by row as its README says it.
 *
 * Source of the order: openshift/machine-config-operator, pkg/controller/common/helpers.go (MergeMachineConfigs).
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ProdPools } from "../../examples/openshift-custom-pools/stack";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { ecr, pullRoles } from "../../lib/cloud/aws";
import { explain } from "../../lib/explain";
import { openShift } from "../../lib/openshift";
import { ImagePulls } from "../../lib/synth";
import {
  type Artefacts,
  edited,
  folderOf,
  synthesized as exampleOf,
  synthesizedStack,
} from "../fixtures/explain/artefacts";
import { filesOf } from "../fixtures/synth/stack-fixture";
import { synthesized } from "../support/synthesized";

const artefacts: Artefacts = new Map(
  Object.entries(filesOf(synthesized((app) => void new ProdPools(app, "prod-pools")))),
);
const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1";
const ROLE = "machineconfiguration.openshift.io/role";

/** The operator's own entry, without tokens. */
const STOCK = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ecr-credential-provider
    matchImages: ["*.dkr.ecr.*.amazonaws.com"]
    defaultCacheDuration: "12h"
    apiVersion: credentialprovider.kubelet.k8s.io/v1
`;

function machineConfig(name: string, role: string): object {
  const source = `data:text/plain;charset=utf-8;base64,${Buffer.from(STOCK).toString("base64")}`;
  const path = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
  const files = [{ path, mode: 420, overwrite: true, contents: { compression: "", source } }];
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { [ROLE]: role } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } } },
  };
}

function pool(name: string, more: object = {}): object {
  const matchExpressions = [{ key: ROLE, operator: "In", values: ["worker", name] }];
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { machineConfigSelector: { matchExpressions }, ...more },
  };
}

/** Verdict, and the reason of the first link that does not hold. */
function said(...objects: readonly object[]): readonly unknown[] {
  const others = folderOf({ "others.json": objects.map((each) => JSON.stringify(each)).join("\n---\n") });
  const paths = objects.length > 0 ? [folderOf(artefacts), others] : [folderOf(artefacts)];
  const [result] = explain(paths, { serviceAccount: "shop/web", image: IMAGE });
  const { verdict, checks } = result ?? { verdict: "none", checks: [] };
  return [verdict, checks.find(({ status }) => status !== "pass")?.reason ?? ""];
}

const rows: readonly (readonly [string, readonly object[], string, RegExp])[] = [
  ["nothing", [], "allowed", /^$/],
  ["a MachineConfigPool `gpu` without MachineConfigs", [pool("gpu")], "allowed", /^$/],
  [
    "`99-zz-registries` of role `worker` with the same path, no tokens",
    [machineConfig("99-zz-registries", "worker")],
    "denied",
    /^on the nodes worker: the entry ecr-credential-provider has no tokenAttributes/,
  ],
  [
    "`98-registries` of role `infra` with the same path, no tokens",
    [machineConfig("98-registries", "infra")],
    "allowed",
    /^$/,
  ],
  [
    "`00-gpu` of role `gpu` with the same path, no tokens",
    [machineConfig("00-gpu", "gpu")],
    "denied",
    /^on the nodes gpu: /,
  ],
  ["a MachineConfigPool `gpu` that is paused", [pool("gpu", { paused: true })], "unknown", /gpu is paused/],
];

describe("a platform whose unit has no place for the flags", () => {
  it.each(["none", "external"] as const)("is judged by the command line of the drop-in: %s", (platform) => {
    const written = synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
      new ImagePulls(stack, "pulls", {
        cluster: openShift({
          name: "edge",
          version: "4.22",
          platform,
          issuer: "https://i.example",
          pools: ["worker"],
          kubeletCommand:
            "/usr/local/bin/kubenswrapper \\\n    /usr/bin/kubelet \\\n      --config=/etc/kubernetes/kubelet.conf --node-ip=${KUBELET_NODE_IP}",
        }),
        identities: [pullRoles({ account: "111122223333", region: "eu-west-1" })],
        pulls: [
          {
            serviceAccount: "shop/web",
            from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/*"] }),
          },
        ],
      });
    });
    const [result] = explain([folderOf(written)], { serviceAccount: "shop/web", image: IMAGE });
    expect(result).toMatchObject({ verdict: "allowed", as: "arn:aws:iam::111122223333:role/edge_shop_web" });
  });
});

// openshift/machine-config-operator, docs/custom-pools.md: a role that no pool selects reaches no node.
it.each([
  ["workers", "unknown", "; the nearest is workers, a pool of its own by the role of its MachineConfigs"],
  ["Worker", "unknown", "; the nearest is Worker, which differs only in letter case, a pool of its own by"],
  ["gpu", "unknown", "no CredentialProviderConfig of the nodes worker was read"],
])("a MachineConfig for %s where worker is meant", (role, verdict, reason) => {
  const MACHINES = "40-machine-configs.yaml";
  const written = edited(exampleOf("openshift-aws"), [[MACHINES, `${ROLE}: worker`, `${ROLE}: ${role}`]]);
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1";
  const [result] = explain([folderOf(written)], { serviceAccount: "shop/web", image });
  const open = result?.checks.find(({ status }) => status !== "pass");
  expect([result?.verdict, open?.id]).toEqual([verdict, "provider-matches-image"]);
  expect(open?.reason).toContain(reason);
});

describe("pools of one cluster", () => {
  it.each(rows)("with %s", (_, objects, verdict, reason) => {
    expect(said(...objects)).toEqual([verdict, expect.stringMatching(reason)]);
  });

  it("are in the README as they are judged", () => {
    const page = readFileSync(resolve(__dirname, "../../examples/openshift-custom-pools/README.md"), "utf8");
    const table = [...page.matchAll(/^\| (.+?) +\| (allowed|denied|unknown) +\|/gm)];
    expect(table.map(([, what, verdict]) => [what, verdict])).toEqual(
      rows.map(([what, , verdict]) => [what, verdict]),
    );
  });
});
