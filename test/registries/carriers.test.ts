/*
 * Entries of registries that are no cloud's, on every kind of node: what a carrier writes is read back with the same
 * entries, arguments and variables, one or several in a file, and nodes that take none refuse them.
 */

import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { eks } from "../../lib/cloud/aws";
import { aks } from "../../lib/cloud/azure";
import { gke } from "../../lib/cloud/google";
import { explain } from "../../lib/explain";
import type { ICluster } from "../../lib/model/cluster";
import type { INodeCarrier } from "../../lib/model/node-carrier";
import {
  PlainCarrier,
  butane,
  ec2NodeClass,
  ignition,
  k3s,
  kops,
  kubeadm,
  kubeadmConfigTemplate,
  microShift,
  nodeadm,
  rke2,
  talos,
} from "../../lib/node";
import { hostedOpenShift } from "../../lib/openshift";
import { type OidcRegistry, harbor, quay, vaultSecret, zot } from "../../lib/registries";
import { ISSUER, REGION, openShiftCluster, plainCluster, synthesizedPulls } from "../support/image-pulls";

const ZOT = zot({ host: "zot.example.com", repositories: ["shop/*"], executable: "zot-token" });
const HARBOR = harbor({
  host: "harbor.example.com:8443",
  repositories: ["shop/*"],
  executable: "harbor-token",
});
const BRIDGE = harbor({
  host: "bridged.example.com",
  repositories: ["shop/web"],
  bridge: { endpoint: "https://127.0.0.1:30443", caBundle: "/etc/bridge/ca.crt" },
});
const QUAY = quay({ host: "quay.io", robot: "acme+web", repositories: ["acme/web"] });
const VAULT = vaultSecret({
  host: "vaulted.example.com",
  address: "https://vault.example.com",
  role: "pull",
  secretMount: "kv",
  secretName: "registry",
  repositories: ["shop/web"],
});

const SETS: readonly (readonly [string, readonly OidcRegistry[]])[] = [
  ["zot", [ZOT]],
  ["Harbor", [HARBOR]],
  ["five of them", [ZOT, HARBOR, BRIDGE, QUAY, VAULT]],
];

const eksCluster = (): ICluster<Construct> =>
  eks({
    name: "prod",
    version: "1.35",
    region: REGION,
    issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A",
  });

const PLAIN: Readonly<Record<string, INodeCarrier<Construct>>> = {
  "plain data": new PlainCarrier(),
  RKE2: rke2(),
  "RKE2 by Butane": rke2({ by: butane({ variant: "flatcar" }) }),
  "K3s by Ignition": k3s({ by: ignition() }),
  kubeadm: kubeadm(),
  "Cluster API": kubeadmConfigTemplate({ name: "workers", namespace: "fleet" }),
  "Talos 1.13": talos({ version: "1.13" }),
  "Talos 1.14": talos({ version: "1.14" }),
  MicroShift: microShift({ version: "5.0" }),
  kOps: kops(),
};

type Row = readonly [
  name: string,
  cluster: () => ICluster<Construct>,
  carriers?: readonly INodeCarrier<Construct>[],
];

const ROWS: readonly Row[] = [
  ...Object.entries(PLAIN).map(([name, carrier]): Row => [
    name,
    () => plainCluster({ version: "1.36", carriers: [carrier] }),
  ]),
  ["two kinds of nodes", () => plainCluster({ version: "1.36", carriers: [rke2(), kops()] })],
  ["MachineConfigs of two pools", () => openShiftCluster({ pools: ["worker", "infra"] })],
  [
    "NodePools",
    () =>
      hostedOpenShift({
        name: "prod",
        version: "4.22",
        platform: "aws",
        issuer: ISSUER,
        namespace: "clusters",
        nodePools: ["a", "b"],
      }),
  ],
  ["nodeadm", eksCluster, [nodeadm()]],
  [
    "EC2NodeClass",
    eksCluster,
    [
      ec2NodeClass({
        name: "default",
        spec: {
          role: "nodes",
          amiSelectorTerms: [{ alias: "al2023@v20260714" }],
          subnetSelectorTerms: [{ tags: { a: "b" } }],
          securityGroupSelectorTerms: [{ tags: { a: "b" } }],
        },
      }),
    ],
  ],
];

describe.each(ROWS.map((row) => [row[0], row] as const))("%s", (_, [, cluster, carriers]) => {
  it.each(SETS)("%s", (_set, sources) => {
    const { outdir } = synthesizedPulls(() => ({
      cluster: cluster(),
      ...(carriers && { carriers }),
      pulls: sources.map((from) => ({ serviceAccount: "shop/web", from })),
    }));
    const results = explain([outdir]).map(({ target, verdict, checks }) => [
      target,
      verdict,
      ...checks
        .filter(({ status }) => status !== "pass" && status !== "skipped")
        .map(({ id, reason }) => `${id}: ${reason}`),
    ]);
    const images = sources.flatMap((source) => source.images);
    expect(results.sort()).toEqual(images.map((image) => [image, "allowed"]).sort());
  });
});

const MANY = Array.from({ length: 40 }, (_, place) => {
  const host = `registry${place}.example.com`;
  return zot({ host, executable: `zot-token-${place}`, repositories: ["*"] });
});
const AKS_ISSUER =
  "https://westeurope.oic.prod-aks.azure.com/0b1f6471-1bf0-4dda-aec3-cb9272f09590/1b1f6471-1bf0-4dda-aec3-cb9272f09590/";
const hosted = {
  name: "prod",
  platform: "aws",
  issuer: ISSUER,
  namespace: "clusters",
  nodePools: ["a"],
} as const;

/** Sources: the carriers' own, and docs/nodes.md. */
describe("is refused", () => {
  it.each<
    [
      string,
      string,
      () => ICluster<Construct>,
      readonly OidcRegistry[],
      (readonly INodeCarrier<Construct>[])?,
    ]
  >([
    [
      "for nodes that a service owns: ROSA with hosted control planes",
      "openshift-unsupported",
      () => hostedOpenShift({ ...hosted, version: "4.22", managedBy: "rosa" }),
      [ZOT],
    ],
    [
      "for AKS, which owns the file",
      "cluster-unsupported",
      () => aks({ name: "prod", issuer: AKS_ISSUER }) as never,
      [ZOT],
    ],
    [
      "for GKE, which owns the file",
      "cluster-unsupported",
      () => gke({ name: "prod", project: "acme-project", location: "europe-west1" }) as never,
      [ZOT],
    ],
    [
      "if it is longer than Cluster API's template takes",
      "node-unsupported",
      () =>
        plainCluster({ version: "1.36", carriers: [kubeadmConfigTemplate({ name: "w", namespace: "n" })] }),
      MANY,
    ],
    ["if it is longer than user data may be", "node-limit", eksCluster, MANY, [nodeadm()]],
    [
      "for a Talos that would drop its parts",
      "version-unsupported",
      () => plainCluster({ version: "1.36", carriers: [talos({ version: "1.10" })] }),
      [ZOT],
    ],
    [
      "for an OpenShift whose kubelet refuses it",
      "version-unsupported",
      () => openShiftCluster({ version: "4.20" }),
      [ZOT],
    ],
  ])("%s", (_, code, cluster, sources, carriers) => {
    const synth = (): unknown =>
      synthesizedPulls(() => ({
        cluster: cluster(),
        ...(carriers && { carriers }),
        pulls: sources.map((from) => ({ serviceAccount: "shop/web", from })),
      }));
    expect(synth).toThrow(expect.objectContaining({ code }));
  });
});
