/*
 * The controller's side on the hub: its configuration, the plugin in its containers, the call, and secrets. What the
 * controller would fail with is never allowed, and what this library writes always is.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformOutput } from "cdktf";
import { describe, expect, it } from "vitest";
import { workloadRoles } from "../../../lib/cloud/aws/workload";
import { eksSpoke } from "../../../lib/cloud/aws/spoke";
import { type Status, explain } from "../../../lib/explain";
import { controller, multiKueue, selfManagedSpoke } from "../../../lib/fleet";
import { FleetAccess, type FleetAccessProps, ImagePulls } from "../../../lib/synth";
import { CA } from "../../fixtures/fleet/spokes";
import {
  type Artefacts,
  edited,
  explained,
  folderOf,
  statuses,
  synthesized,
  synthesizedStack,
} from "../../fixtures/explain/artefacts";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { put } from "../../fixtures/explain/documents";
import { damaged, withoutDocument } from "../../fixtures/explain/fleet";
import { type Damage, both, workload } from "../../fixtures/explain/fleet-damages";
import { ISSUER, fromEcr, makers, plainCluster } from "../../support/image-pulls";

const HUB = "65-fleet-controller.yaml";
const region = "eu-west-1";
const AIA = { plugin: "aws-iam-authenticator", image: "e.example/aws-iam-authenticator:v0.7.18" } as const;

const props = (
  hub: Partial<FleetAccessProps["hub"]>,
  more: Partial<FleetAccessProps> = {},
): FleetAccessProps => ({
  hub: {
    name: "hub",
    issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF",
    apiServer: "1.35",
    podIdentityWebhooks: ["aws"],
    ...hub,
  },
  consumer: multiKueue({ version: "0.19" }),
  kueueConfiguration: "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n",
  clusterManager: "platform",
  identities: [workloadRoles({ account: "111122223333", region })],
  plugins: [AIA],
  spokes: [
    {
      name: "a",
      clusterRole: "worker",
      access: eksSpoke({
        cluster: {
          name: "a",
          endpoint: "https://a.gr7.eu-west-1.eks.amazonaws.com",
          certificateAuthorityData: CA,
        },
        region,
        kubernetesGroups: ["g"],
      }),
    },
  ],
  ...more,
});

const fleet = (given: FleetAccessProps, output?: string): Artefacts =>
  synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region });
    // The proof would refuse what the cases of outputs are about.
    new FleetAccess(stack, "fleet", { ...given, proof: output === undefined });
    if (output !== undefined) new TerraformOutput(stack, "other", { value: output });
  });

const copied = props({ apiServer: "1.32" }, { plugins: [{ ...AIA, hasCopy: true }] });

const WRITTEN = props({}, { statusWriter: { kubectlVersion: "1.35.2" } });

describe("what this library writes is allowed", () => {
  it.each<[string, FleetAccessProps]>([
    ["on a hub with image volumes", props({})],
    ["where the gate ImageVolume is on", props({ apiServer: "1.33", featureGates: { ImageVolume: true } })],
    [
      "with the gate on the command line",
      props({}, { consumer: multiKueue({ version: "0.19", featureGatesByFlag: true }) }),
    ],
    ["with a copied plugin", copied],
    [
      "with a plugin elsewhere in its image",
      props({}, { plugins: [{ ...AIA, path: "/bin/aws-iam-authenticator" }] }),
    ],
    ["with Jobs that write the status", WRITTEN],
  ])("%s", (_, given) => {
    const results = explained(fleet(given));
    expect(results.map(({ job, target, verdict }) => [job, target, verdict])).toEqual([
      ["fleet-access", "a", "allowed"],
    ]);
  });

  it.each([
    "${aws_iam_access_key.k.id}",
    "${google_service_account_key.k.private_key_type}",
    "${azurerm_kubernetes_cluster.k.fqdn}",
    '${join("", [aws_iam_access_key.k.id, aws_ssm_parameter.p.value])}',
    "${aws_eks_cluster_auth.k.name} token",
  ])("with the output %s", (output) => {
    expect(explained(fleet(props({}), output)).map(({ verdict }) => verdict)).toEqual(["allowed"]);
  });

  it("with Jobs that write the status, beside image pulls", () => {
    const pulls = (...serviceAccounts: readonly string[]): Artefacts =>
      synthesizedStack((stack) => {
        new AwsProvider(stack, "aws", { region });
        new FleetAccess(stack, "fleet", {
          ...WRITTEN,
          hub: { ...WRITTEN.hub, name: "prod", issuer: ISSUER },
        });
        new ImagePulls(stack, "pulls", {
          cluster: plainCluster(),
          identities: [makers.aws()],
          pulls: serviceAccounts.map((serviceAccount) => ({ serviceAccount, from: fromEcr() })),
        });
      });
    const asked = (artefacts: Artefacts): unknown =>
      explained(artefacts).map(({ job, subject, verdict }) => [job, subject, verdict]);
    const entered = ["fleet-access", "kueue-system/kueue-controller-manager", "allowed"];
    expect(asked(pulls("shop/web"))).toEqual([["image-pull", "shop/web", "allowed"], entered]);
    // Its image may be a copy that needs credentials, and whoever declares a pull wants to know.
    expect(asked(pulls("kueue-system/a-status"))).toEqual([
      ["image-pull", "kueue-system/a-status", "unknown"],
      ["image-pull", "kueue-system/a-status", "unknown"],
      entered,
    ]);
  });
});

type Case = readonly [
  what: string,
  check: string,
  status: Status,
  reason: string,
  artefacts: () => Artefacts,
];

/** The base, and texts of the hub's file that are replaced. */
const hub =
  (given: FleetAccessProps, ...edits: readonly (readonly [from: string, to: string])[]): (() => Artefacts) =>
  () =>
    edited(
      fleet(given),
      edits.map(([from, to]) => [HUB, from, to]),
    );

/** Source: kubernetes-sigs/kueue:pkg/features, k8s.io/component-base/featuregate. */
const gates = (...lines: readonly string[]): (() => Artefacts) =>
  hub(props({}), ["      MultiKueueClusterProfile: true\n", lines.map((line) => `      ${line}\n`).join("")]);

it.each([
  ["of all alpha features", ["AllAlpha: true"]],
  [
    "of MultiKueue beside its stage",
    ["MultiKueueClusterProfile: true", "AllBeta: false", "MultiKueue: true"],
  ],
])("takes the gate %s", (_, lines) => {
  expect(explained(gates(...lines)()).map(({ verdict }) => verdict)).toEqual(["allowed"]);
});

const MOUNT = "mountPath: /plugins/aws-iam-authenticator\n";
const COMMAND = "command: /plugins/aws-iam-authenticator/aws-iam-authenticator";
const JWT = ["eyJhbGciOiJSUzI1NiJ9", "eyJzdWIiOiJ4In0xxxx", "c2ln"].join(".");

/** Source of the rules of Kueue: kubernetes-sigs/kueue:pkg/config/validation.go, and its strict decoding. */
const CASES: readonly Case[] = [
  [
    "a gate of MultiKueue that is off",
    "controller-configured",
    "fail",
    "leaves the feature gate MultiKueue off",
    gates("MultiKueueClusterProfile: true", "MultiKueue: false"),
  ],
  [
    "all gates of MultiKueue's stage off",
    "controller-configured",
    "fail",
    "leaves the feature gate MultiKueue off",
    gates("MultiKueueClusterProfile: true", "AllBeta: false"),
  ],
  [
    "an older API of the configuration",
    "controller-configured",
    "fail",
    "is not of kind Configuration of config.kueue.x-k8s.io/v1beta2",
    hub(props({}), ["config.kueue.x-k8s.io/v1beta2", "config.kueue.x-k8s.io/v1beta1"]),
  ],
  [
    "another kind of configuration",
    "controller-configured",
    "fail",
    "is not of kind Configuration",
    hub(props({}), ["kind: Configuration", "kind: Config"]),
  ],
  [
    "no interactiveMode",
    "controller-configured",
    "fail",
    "has no interactiveMode in the entry aws-a",
    hub(props({}), ["interactiveMode: Never", "provideClusterInfo: false"]),
  ],
  [
    "a key that Kueue does not know",
    "controller-configured",
    "fail",
    "has the key profileSourcedEnvVarsPolicy",
    hub(props({}), ["- name: aws-a\n", "- name: aws-a\n            profileSourcedEnvVarsPolicy: Replace\n"]),
  ],
  [
    "a key beside the list that Kueue does not know",
    "controller-configured",
    "fail",
    "has the key profiles in multiKueue.clusterProfile",
    hub(props({}), ["      clusterProfile:\n", "      clusterProfile:\n        profiles: []\n"]),
  ],
  [
    "gates in the file together with the flag",
    "controller-configured",
    "fail",
    "has featureGates, which Kueue refuses together with --feature-gates",
    hub(props({}, { consumer: multiKueue({ version: "0.19", featureGatesByFlag: true }) }), [
      "kind: Configuration\n",
      "kind: Configuration\n    featureGates:\n      Other: true\n",
    ]),
  ],
  [
    "a ConfigMap of another name",
    "controller-configured",
    "unknown",
    "whether MultiKueue reads the ConfigMap other is not known",
    hub(props({}), ["name: kueue-manager-config", "name: other"]),
  ],
  [
    "another path in the plugin's image",
    "plugin-present",
    "unknown",
    "whether the image has the plugin at /bin/aws-iam-authenticator is not said",
    hub(props({}), [COMMAND, "command: /plugins/aws-iam-authenticator/bin/aws-iam-authenticator"]),
  ],
  [
    "a part of the plugin's image",
    "plugin-present",
    "unknown",
    "with a subPath",
    hub(props({}), [MOUNT, `${MOUNT}              subPath: x\n`]),
  ],
  [
    "an init container that copies nothing",
    "plugin-present",
    "unknown",
    "in the volume plugin-aws-iam-authenticator is not known: init containers fill it",
    hub(copied, ["- cp\n", '- "true"\n']),
  ],
  [
    "an init container that copies under another name",
    "plugin-present",
    "unknown",
    "init containers fill it",
    hub(copied, ["- /plugins/aws-iam-authenticator/\n", "- /plugins/aws-iam-authenticator/other\n"]),
  ],
  [
    "a volume that is not there",
    "plugin-present",
    "fail",
    "has no volume plugin-aws-iam-authenticator that holds",
    hub(props({}), ["reference: e.example/aws-iam-authenticator:v0.7.18", "pullPolicy: Always"]),
  ],
  [
    "aws-iam-authenticator without token",
    "plugin-called",
    "fail",
    "aws-iam-authenticator is called without token",
    hub(props({}), ["- token\n", "- version\n"]),
  ],
  [
    "a password in a proxy's address",
    "secret-free",
    "fail",
    "contains secret material",
    hub(props({}), ["value: eu-west-1", "value: http://user:hunter2@proxy.example:3128"]),
  ],
  ["a token in an output", "secret-free", "fail", "the Terraform output other", () => fleet(props({}), JWT)],
  [
    "a client secret in an output",
    "secret-free",
    "fail",
    "the Terraform output other",
    () => fleet(props({}), "${azuread_application_password.p.value}"),
  ],
  [
    "a cluster's token in an output",
    "secret-free",
    "fail",
    "the Terraform output other",
    () => fleet(props({}), "${data.aws_eks_cluster_auth.a[0].token}"),
  ],
];

describe.each(CASES)("%s", (_, id, status, reason, artefacts) => {
  it(`is ${status} of ${id}`, () => {
    const [result] = explained(artefacts());
    const check = result?.checks.find((each) => each.id === id);
    expect([check?.status, check?.reason]).toEqual([status, expect.stringContaining(reason)]);
    expect(result?.verdict).toBe(status === "fail" ? "denied" : "unknown");
  });
});

it.each([
  ["ImageVolume=false", "unknown"],
  ["Other=false", "pass"],
])("gates %s that are given to kube-apiserver past its operator leave image volumes %s", (gates, status) => {
  const override = {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeAPIServer",
    metadata: { name: "cluster" },
    spec: { unsupportedConfigOverrides: { apiServerArguments: { "feature-gates": [gates] } } },
  };
  const paths = [folderOf(fleet(props({}))), folderOf({ "api-server.json": JSON.stringify(override) })];
  const [result] = explain(paths);
  expect(result && statuses(result)["plugin-present"]).toBe(status);
});

/** Judged is what this library writes; what else init containers do is not known. */
describe("an init container that copies the plugin", () => {
  const FOLDER = "/plugins/aws-iam-authenticator";
  const BINARY = "/aws-iam-authenticator";
  const first = (key: string, value: unknown): Damage => workload(["initContainers", 0, key], value);
  const present = (change: Damage): string | undefined => {
    const [result] = explained(change(fleet(copied)));
    return result && statuses(result)["plugin-present"];
  };

  it.each<[string, readonly string[], Status]>([
    ["into the folder", ["cp", BINARY, `${FOLDER}/`], "pass"],
    ["by a whole path", ["/bin/cp", BINARY, FOLDER + BINARY], "unknown"],
    ["by the absolute path of cp", ["/usr/bin/cp", BINARY, `${FOLDER}/`], "pass"],
    ["into what is mounted", ["/usr/bin/cp", "-fv", BINARY, FOLDER], "unknown"],
    ["as an archive", ["cp", "-a", BINARY, `${FOLDER}/`], "unknown"],
    ["with its mode", ["cp", "--preserve=mode", BINARY, FOLDER], "unknown"],
    ["under another name", ["cp", BINARY, `${FOLDER}/other`], "unknown"],
    ["into another folder", ["cp", BINARY, "/other/"], "unknown"],
    ["of another file", ["cp", "/bin/other", FOLDER + BINARY], "unknown"],
    ["of several files", ["cp", BINARY, "/bin/other", `${FOLDER}/`], "unknown"],
    ["of a folder", ["cp", "-r", BINARY, `${FOLDER}/bin`], "unknown"],
    ["with the folder first", ["cp", "-t", FOLDER, BINARY], "unknown"],
    ["to a relative path", ["cp", BINARY, FOLDER.slice(1)], "unknown"],
    ["of nothing", ["cp", BINARY], "unknown"],
    ["by a script", ["sh", "-c", `cp ${BINARY} ${FOLDER}/`], "unknown"],
    ["by another program", ["true", BINARY, `${FOLDER}/`], "unknown"],
  ])("%s", (_, command, status) => {
    expect(present(first("command", command))).toBe(status);
    const [program, ...args] = command;
    expect(present(both(first("command", [program]), first("args", args)))).toBe(status);
  });

  it.each<[readonly string[], Status]>([
    [["cp", "/gcp-auth-plugin", `${FOLDER}/`], "pass"],
    [["cp", "/other", `${FOLDER}/`], "fail"],
    [["cp", "-r", "/bin", `${FOLDER}/`], "unknown"],
    [["cp", "-t", FOLDER, "/gcp-auth-plugin"], "unknown"],
  ])("of an image that is not published: %j", (command, status) => {
    const other = (all: Artefacts): Artefacts =>
      edited(all, [[HUB, `command: ${FOLDER + BINARY}`, `command: ${FOLDER}/gcp-auth-plugin`]]);
    expect(present(both(other, first("command", command)))).toBe(status);
  });

  it("through a mount of a part, or none", () => {
    expect(present(first("volumeMounts", put([0, "subPath"], "a")))).toBe("unknown");
    expect(present(first("volumeMounts", []))).toBe("fail");
  });
});

/** Source: Azure/kubelogin:docs, `6dae42f8-…` is the server of all AKS clusters with Microsoft Entra. */
it.each<[string, Status, string, (artefacts: Artefacts) => Artefacts]>([
  ["a server of AKS", "fail", "k.hcp.westeurope.azmk8s.io:443", unrecorded],
  ["another server", "unknown", "shop.example", unrecorded],
  ["a server that was declared for AKS", "fail", "shop.example", (artefacts) => artefacts],
])("judges another server id by %s", (_, status, server, given) => {
  const artefacts = damaged(allSpokes("eks", "argocd"), HUB, (text) =>
    text.replaceAll(
      /("azure"\s*\],)/g,
      '$1 "env": [{ "name": "AAD_SERVER_APPLICATION_ID", "value": "00000000-0000-0000-0000-000000000000" }],',
    ),
  );
  const edit = ["61-cluster-profile-status.yaml", "k.hcp.westeurope.azmk8s.io:443", server] as const;
  const [result] = explained(given(edited(artefacts, [edit])), { spoke: "aks" });
  expect(result && statuses(result)["plugin-called"]).toBe(status);
});

it("judges another server id of kubelogin", () => {
  const edit = [HUB, "6dae42f8-4368-4678-94ff-3960e28e3630", "00000000-0000-0000-0000-000000000000"] as const;
  const artefacts = edited(allSpokes("eks", "kueue"), [edit]);
  for (const each of [artefacts, unrecorded(artefacts)]) {
    const [result] = explained(each, { spoke: "aks" });
    expect(result && statuses(result)["plugin-called"]).toBe("fail");
  }
});

/** A whole manifest of Kueue's manager, as its release has it, beside what this library writes. */
const manager = (
  args: readonly string[],
  configMap = "kueue-manager-config",
  version = "v0.19.0",
  more: object = {},
): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "kueue-system", name: "kueue-controller-manager" },
    spec: {
      template: {
        spec: {
          serviceAccountName: "kueue-controller-manager",
          containers: [
            {
              name: "manager",
              image: `registry.k8s.io/kueue/kueue:${version}`,
              args: ["--config=/controller_manager_config.yaml", ...args],
              ...more,
              volumeMounts: [
                {
                  name: "manager-config",
                  mountPath: "/controller_manager_config.yaml",
                  subPath: "controller_manager_config.yaml",
                },
              ],
            },
          ],
          volumes: [{ name: "manager-config", configMap: { name: configMap } }],
        },
      },
    },
  });

const byFlag = props({}, { consumer: multiKueue({ version: "0.19", featureGatesByFlag: true }) });
const GATE = "--feature-gates=Other=false,MultiKueueClusterProfile=true";

it.each<[string, Status, string, FleetAccessProps, string]>([
  ["the flag", "pass", "uses profiles", byFlag, manager([GATE])],
  ["no flag", "fail", "leaves the feature gate MultiKueueClusterProfile off", byFlag, manager([])],
  [
    "a flag for others",
    "fail",
    "MultiKueueClusterProfile off",
    byFlag,
    manager(["--feature-gates=Other=true"]),
  ],
  [
    "the flag without MultiKueue",
    "fail",
    "leaves MultiKueue off",
    byFlag,
    manager(["--feature-gates=MultiKueueClusterProfile=true,MultiKueue=false"]),
  ],
  [
    "white space in the flag",
    "pass",
    "uses",
    byFlag,
    manager([GATE.replaceAll("=M", " = M").replaceAll(",", " , ").replace("Profile=", "Profile = ")]),
  ],
  ["the flag for all alpha features", "pass", "uses", byFlag, manager(["--feature-gates=AllAlpha=true"])],
  ["the flag with one dash", "pass", "uses profiles", byFlag, manager([GATE.slice(1)])],
  ["a flag of a variable", "unknown", "is not known", byFlag, manager(["--feature-gates=$(GATES)"])],
  ["a flag in a script", "unknown", "is not known", byFlag, manager(["-c", `exec /manager ${GATE}`])],
  [
    "variables of a ConfigMap, which are no flags",
    "fail",
    "leaves the feature gate MultiKueueClusterProfile off",
    byFlag,
    manager([], undefined, undefined, { envFrom: [{ configMapRef: { name: "c" } }] }),
  ],
  ["gates in the file", "pass", "uses profiles", props({}), manager([])],
  ["gates in the file and an empty flag", "pass", "uses", props({}), manager(["--feature-gates="])],
  ["both", "fail", "which Kueue refuses together with --feature-gates", props({}), manager([GATE])],
  [
    "another ConfigMap",
    "fail",
    "does not mount the ConfigMap kueue-manager-config",
    props({}),
    manager([], "other"),
  ],
  ["too old a version", "fail", "is too old", props({}), manager([], undefined, "v0.14.2")],
])("reads of the whole manager %s", (_, status, reason, given, deployment) => {
  const [result] = explain([folderOf(fleet(given)), folderOf({ "manager.json": deployment })]);
  const check = result?.checks.find(({ id }) => id === "controller-configured");
  expect([check?.status, check?.reason]).toEqual([status, expect.stringContaining(reason)]);
});

/** The same files without the record, as other people would have them. */
function unrecorded(artefacts: Artefacts): Artefacts {
  const plain = [...artefacts].filter(([path]) => !path.endsWith("workload-identity.json"));
  return new Map(plain.map(([path, text]) => [path.replace(/^stacks\/[^/]+\//, "hub/"), text]));
}

it("says where the list is that a controller reads", () => {
  const [result] = explained(fleet(props({})));
  const found = result?.checks
    .flatMap(({ evidence }) => evidence)
    .filter(({ text }) => text.startsWith("ConfigMap "));
  expect(new Set(found?.map(({ text, source }) => `${text} ${source?.path}`))).toEqual(
    new Set(['ConfigMap kueue-system/kueue-manager-config data["controller_manager_config.yaml"]']),
  );
});

const ENTRANT = {
  kind: "Deployment",
  namespace: "ops",
  name: "entrant",
  container: "main",
  serviceAccount: "entrant",
} as const;
const entering: FleetAccessProps = {
  ...props({}),
  consumer: controller({ title: "the entrant", workloads: [ENTRANT] }),
  kueueConfiguration: undefined,
  identities: [],
  plugins: [{ plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" }],
  spokes: [
    {
      name: "own",
      clusterRole: "worker",
      access: (hub) =>
        selfManagedSpoke({
          ...hub,
          apiServer: "1.34",
          audience: "https://own.example",
          endpoint: { server: "https://own.example:6443", certificateAuthorityData: CA },
        }),
    },
  ],
};

it("judges by the record, not by a name, whether a controller waits for healthy profiles", () => {
  const wellFormed = (artefacts: Artefacts): unknown =>
    explained(artefacts).map((result) => statuses(result)["profile-well-formed"]);
  const waiting = (value: boolean): Artefacts =>
    edited(fleet(entering), [
      ["workload-identity.json", '"isDistroless": true', `"isDistroless": true, "needsHealthy": ${value}`],
    ]);
  expect(wellFormed(waiting(false))).toEqual(["pass"]);
  expect(wellFormed(waiting(true))).toEqual(["fail"]);
});

it("leaves open whether a container has the token where no one says which one runs the plugin", () => {
  const status = (artefacts: Artefacts): unknown =>
    explained(artefacts).map((result) => statuses(result)["token-mounted"]);
  const sidecar = [HUB, "      containers:\n", "      containers:\n        - name: side\n"] as const;
  expect(status(unrecorded(fleet(entering)))).toEqual(["pass"]);
  expect(status(unrecorded(edited(fleet(entering), [sidecar])))).toEqual(["unknown"]);
  expect(status(edited(fleet(entering), [sidecar]))).toEqual(["pass"]);
  // Whose list it is, nothing says then.
  const [unread] = explained(withoutDocument(unrecorded(fleet(entering)), HUB, "kind: Deployment"));
  expect([unread?.subject, unread?.checks.find((each) => each.status !== "pass")?.reason]).toEqual([
    "ops/*",
    "no workload of the controller was read",
  ]);
});

it("leaves open which provider is chosen where the status was not read", () => {
  const all = withoutDocument(
    synthesized("fleet-multikueue"),
    "61-cluster-profile-status.yaml",
    "name: cpu-1",
  );
  const [result] = explained(unrecorded(all), { spoke: "cpu-1" });
  expect(result && statuses(result)).toMatchObject({
    "profile-present": "unknown",
    "provider-chosen": "unknown",
  });
});

it("warns where no MultiKueueCluster refers to a profile", () => {
  const ids = (artefacts: Artefacts): unknown =>
    explained(artefacts, { spoke: "cpu-1" }).map(({ warnings }) => warnings?.map(({ id }) => id));
  const artefacts = synthesized("fleet-multikueue");
  const path =
    [...artefacts.keys()].find((each) => artefacts.get(each)?.includes("kind: MultiKueueCluster")) ?? "";
  expect(
    ids(
      edited(artefacts, [
        [path, "clusterProfileRef:\n      name: cpu-1", "clusterProfileRef:\n      name: other"],
      ]),
    ),
  ).toEqual([["worker-cluster-missing"]]);
});
