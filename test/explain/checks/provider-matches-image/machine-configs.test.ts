/*
 * MachineConfigs that overwrite each other, and the pools of nodes that have them.
 * Source of the order: openshift/machine-config-operator, pkg/controller/common/helpers.go (MergeMachineConfigs).
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { ProdPools } from "../../../../examples/openshift-custom-pools/stack";
import { pullRoles } from "../../../../lib/cloud/aws";
import { ImagePulls } from "../../../../lib/synth";
import { synthesizedStack } from "../../../fixtures/explain/artefacts";
import { answer, checkOf, checks } from "../../../fixtures/explain/checks";
import {
  MACHINE,
  CONFIG,
  OWN_CONFIG,
  dropIn,
  file,
  openshift,
  other,
  stock,
} from "../../../fixtures/explain/machine-configs";
import { HOST, objects } from "../../../fixtures/explain/three-clouds";
import { filesOf } from "../../../fixtures/synth/stack-fixture";
import { fromEcr, openShiftCluster } from "../../../support/image-pulls";
import { synthesized as synthesizedApp } from "../../../support/synthesized";

const DROP_INS = "/etc/systemd/system/kubelet.service.d";

checks("provider-matches-image", "two MachineConfigs for one file", openshift, [
  [
    "the one that counts does not match the image",
    objects(file("99-worker-zzz", CONFIG, other)),
    "fail",
    `the only pattern *.azurecr.io does not match ${HOST}/shop/web; MachineConfig 99-worker-zzz overwrites ${CONFIG} of ${OWN_CONFIG}; such files are not merged`,
    {
      evidence: `nodes worker: acr-credential-provider\nMachineConfig 99-worker-zzz writes ${CONFIG}; it sorts last, so it takes effect\nMachineConfig ${OWN_CONFIG} is overwritten there`,
    },
  ],
  [
    "the one that counts serves the pull",
    objects(file("10-worker-aaa", CONFIG, other)),
    "pass",
    "",
    {
      evidence: `MachineConfig ${OWN_CONFIG} writes ${CONFIG}; it sorts last, so it takes effect\nMachineConfig 10-worker-aaa is overwritten there`,
    },
  ],
  [
    "drop-ins, of which the later file sets the flags",
    objects(
      file("99-worker-dir", "/etc/mine/a.json", other),
      dropIn("50-mine", "/etc/mine"),
      dropIn("40-theirs", CONFIG),
    ),
    "fail",
    "",
    {
      evidence: `MachineConfig 50-mine writes ${DROP_INS}/50-mine.conf; it sorts last, so it takes effect\nMachineConfig 40-theirs is overwritten there`,
    },
  ],
]);

it("says nothing of a MachineConfig for another file", () => {
  const result = answer(openshift, objects(file("99-worker-zzz", "/etc/other", other)));
  expect(checkOf(result, "provider-matches-image").evidence).toHaveLength(1);
});

const MACHINES = "40-machine-configs.yaml";
const OWN_POOL = "a pool of its own by";

// openshift/machine-config-operator, docs/custom-pools.md: a role that no pool selects reaches no node.
checks(
  "provider-matches-image",
  "a MachineConfig where worker is meant",
  openshift,
  (
    [
      ["workers", `; the nearest is workers, ${OWN_POOL} the role of its MachineConfigs`],
      ["Worker", `; the nearest is Worker, which differs only in letter case, ${OWN_POOL}`],
      ["gpu", "no CredentialProviderConfig of the nodes worker was read"],
    ] as const
  ).map(([role, text]) => [
    `for ${role}`,
    [MACHINES, `${MACHINE}/role: worker`, `${MACHINE}/role: ${role}`],
    "unknown",
    text,
  ]),
);

describe("pools of one cluster", () => {
  const app = synthesizedApp((scope) => void new ProdPools(scope, "prod-pools"));
  const pools = { ...openshift, artefacts: new Map(Object.entries(filesOf(app))) };
  const pool = (name: string, more: object = {}): object => {
    const matchExpressions = [{ key: `${MACHINE}/role`, operator: "In", values: ["worker", name] }];
    return {
      apiVersion: `${MACHINE}/v1`,
      kind: "MachineConfigPool",
      metadata: { name },
      spec: { machineConfigSelector: { matchExpressions }, ...more },
    };
  };
  const rows: readonly (readonly [string, readonly object[], string, RegExp])[] = [
    ["nothing", [], "allowed", /^$/],
    ["a MachineConfigPool `gpu` without MachineConfigs", [pool("gpu")], "allowed", /^$/],
    [
      "`99-zz-registries` of role `worker` with the same path, no tokens",
      [file("99-zz-registries", CONFIG, stock)],
      "denied",
      /^on the nodes worker: the entry ecr-credential-provider has no tokenAttributes/,
    ],
    [
      "`98-registries` of role `infra` with the same path, no tokens",
      [file("98-registries", CONFIG, stock, "infra")],
      "allowed",
      /^$/,
    ],
    [
      "`00-gpu` of role `gpu` with the same path, no tokens",
      [file("00-gpu", CONFIG, stock, "gpu")],
      "denied",
      /^on the nodes gpu: /,
    ],
    [
      "a MachineConfigPool `gpu` that selects only its own role",
      [pool("gpu", { machineConfigSelector: { matchLabels: { [`${MACHINE}/role`]: "gpu" } } })],
      "unknown",
      /no CredentialProviderConfig of the nodes gpu was read/,
    ],
    ["a MachineConfigPool `gpu` that is paused", [pool("gpu", { paused: true })], "unknown", /gpu is paused/],
  ];

  it.each(rows)("with %s", (_, others, verdict, reason) => {
    const text = others.map((each) => JSON.stringify(each)).join("\n---\n");
    const result = answer({ ...pools, others: others.length > 0 ? [{ "others.json": text }] : [] });
    const open = result.checks.find(({ status }) => status !== "pass");
    expect([result.verdict, open?.reason ?? ""]).toEqual([verdict, expect.stringMatching(reason)]);
  });

  it("are in the README as they are judged", () => {
    const path = "../../../../examples/openshift-custom-pools/README.md";
    const table = [
      ...readFileSync(resolve(__dirname, path), "utf8").matchAll(
        /^\| (.+?) +\| (allowed|denied|unknown) +\|/gm,
      ),
    ];
    expect(table.map(([, what, verdict]) => [what, verdict])).toEqual(
      rows.map(([what, , verdict]) => [what, verdict]),
    );
  });
});

describe.each(["none", "external"] as const)(
  "the platform %s, whose unit has no place for the flags",
  (platform) => {
    const artefacts = synthesizedStack((stack) => {
      new AwsProvider(stack, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
      new ImagePulls(stack, "pulls", {
        cluster: openShiftCluster({
          platform,
          kubeletCommand:
            "/usr/local/bin/kubenswrapper \\\n    /usr/bin/kubelet \\\n      --config=/etc/kubernetes/kubelet.conf --node-ip=${KUBELET_NODE_IP}",
        }),
        identities: [pullRoles({ account: "111122223333", region: "eu-west-1" })],
        pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
      });
    });
    checks("provider-matches-image", "a drop-in", { ...openshift, artefacts }, [
      ["with a command line", [], "pass", "", { as: "arn:aws:iam::111122223333:role/prod_shop_web" }],
    ]);
  },
);
