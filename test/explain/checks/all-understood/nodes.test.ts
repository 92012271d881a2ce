/*
 * Objects that configure OpenShift's nodes: what the operators read is understood, any other field opens every pull of
 * the cluster, and no other chain. Source: openshift/api, machineconfiguration/v1, config/v1 and operator/v1alpha1.
 */

import { expect, test } from "vitest";
import { explain } from "../../../../lib/explain";
import { NODE_KINDS } from "../../../../lib/explain/coverage/kinds";
import { type ExampleName, heldFolder, synthesized } from "../../../fixtures/explain/artefacts";
import { beside, object, question } from "../../../fixtures/explain/admission";
import { type Row, checks } from "../../../fixtures/explain/checks";

const MCO = "machineconfiguration.openshift.io/v1";
const CONFIG = "config.openshift.io/v1";
const mirror = { source: "docker.io/library", mirrors: ["mirror.example.com/library"] };

/** By kind: its API, and a `spec` as clusters have it. */
const USUAL: Readonly<Record<string, readonly [api: string, spec: object]>> = {
  ClusterImagePolicy: [CONFIG, { scopes: ["quay.io/acme"], policy: { rootOfTrust: { policyType: "PKI" } } }],
  FeatureGate: [CONFIG, { featureSet: "CustomNoUpgrade", customNoUpgrade: { enabled: ["A"], disabled: [] } }],
  Image: [
    CONFIG,
    { additionalTrustedCA: { name: "ca" }, registrySources: { insecureRegistries: ["old.example.com"] } },
  ],
  ImageContentSourcePolicy: ["operator.openshift.io/v1alpha1", { repositoryDigestMirrors: [mirror] }],
  ImageDigestMirrorSet: [CONFIG, { imageDigestMirrors: [mirror] }],
  ImagePolicy: [CONFIG, { scopes: ["quay.io/acme"], policy: {} }],
  ImageTagMirrorSet: [CONFIG, { imageTagMirrors: [mirror] }],
  KubeletConfig: [
    MCO,
    {
      autoSizingReserved: true,
      machineConfigPoolSelector: { matchLabels: { "custom-kubelet": "large" } },
      kubeletConfig: { maxPods: 500, systemReserved: { memory: "3Gi" } },
    },
  ],
};

const ROWS = Object.entries(USUAL).flatMap(([kind, [api, spec]]): readonly Row[] => [
  [`${kind} with usual fields`, beside(object(api, kind)({ spec })), "pass"],
  [
    `${kind} with another`,
    beside(object(api, kind)({ spec: { ...spec, tomorrow: "x" } })),
    "unknown",
    `the field spec.tomorrow of ${kind} `,
  ],
]);

const kubelet = (kubeletConfig: object): object => object(MCO, "KubeletConfig")({ spec: { kubeletConfig } });
checks("all-understood", "the nodes' objects", question, [
  ...ROWS,
  [
    "which images on a node need credentials",
    beside(kubelet({ imagePullCredentialsVerificationPolicy: "NeverVerify" })),
    "unknown",
    "the field spec.kubeletConfig.imagePullCredentialsVerificationPolicy of KubeletConfig x is not judged",
  ],
]);

test("every kind has a row, here or in hosted.test.ts and beside its nodes", () => {
  expect(Object.keys(USUAL)).toEqual(
    Object.keys(NODE_KINDS).filter((kind) => !["MachineConfigPool", "NodePool"].includes(kind)),
  );
});

const pool = (more: object): object =>
  object(MCO, "MachineConfigPool")(
    { spec: { machineConfigSelector: { matchLabels: {} }, maxUnavailable: 1, ...more } },
    { name: "infra" },
  );

test.each<[title: string, job: string, example: ExampleName, changed: object, verdict: string]>([
  ["a pull", "image-pull", "openshift-aws", pool({}), "allowed"],
  ["a pull", "image-pull", "openshift-aws", pool({ osImageStream: { name: "rhel-10" } }), "unknown"],
  ["a component", "component", "openshift-manual-aws", pool({ tomorrow: 1 }), "allowed"],
])("%s (%s of %s) beside a pool", (_, job, example, changed, verdict) => {
  const files = new Map(synthesized(example));
  const [manifest = ""] = [...files.keys()].filter((path) => path.endsWith(".yaml"));
  files.set(manifest, `${files.get(manifest) ?? ""}\n---\n${JSON.stringify(changed)}\n`);
  const verdicts = explain([heldFolder(files)])
    .filter((each) => each.job === job)
    .map((each) => each.verdict);
  expect(new Set(verdicts)).toEqual(new Set([verdict]));
});
