/*
 * Where Argo CD's cluster profile controller reads profiles, and what it makes of them.
 * Source: argoproj-labs/clusterprofile-integration-for-argocd, README and controller.go (`renderSecret`).
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { eksSpoke } from "../../../lib/cloud/aws/spoke";
import { workloadRoles } from "../../../lib/cloud/aws/workload";
import { type ExplainResult, type Status, explain } from "../../../lib/explain";
import { type ArgoCdProps, argoCd } from "../../../lib/fleet";
import type { ControllerWorkload } from "../../../lib/model/fleet";
import { FleetAccess } from "../../../lib/synth";
import { type Artefacts, explained, folderOf, synthesizedStack } from "../../fixtures/explain/artefacts";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { HUB, both, listed, profile } from "../../fixtures/explain/fleet-damages";
import { CA } from "../../fixtures/fleet/ca";

const region = "eu-west-1";
const issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
const READER = "argocd-clusterprofile-controller";
const PATH = "/etc/clusterprofile/clusterprofile-provider-file.json";
const FILE = `--clusterprofile-provider-file=${PATH}`;
const VARIABLE = "ARGOCD_CLUSTERPROFILE_CONTROLLER_";

const fleet = (more: Partial<ArgoCdProps> = {}): Artefacts =>
  synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region });
    new FleetAccess(stack, "fleet", {
      hub: { name: "hub", issuer, apiServer: "1.35", podIdentityWebhooks: ["aws"] },
      consumer: argoCd({ version: "3.5", ...more }),
      clusterManager: "platform",
      identities: [workloadRoles({ account: "111122223333", region })],
      spokes: [
        {
          name: "a",
          clusterRole: "deployer",
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
    });
  });

const workload = (
  kind: ControllerWorkload["kind"],
  namespace: string,
  name: string,
  container = name,
): ControllerWorkload => ({ kind, namespace, name, container, serviceAccount: name });

const GITOPS: ArgoCdProps["workloads"] = [
  workload(
    "StatefulSet",
    "openshift-gitops",
    "openshift-gitops-application-controller",
    "argocd-application-controller",
  ),
  workload("Deployment", "openshift-gitops", "openshift-gitops-server", "argocd-server"),
];

const verdicts = (results: readonly ExplainResult[]): readonly string[] =>
  results.map(({ verdict }) => verdict);

const answer = (results: readonly ExplainResult[], id: string): readonly unknown[] => {
  const check = results[0]?.checks.find((each) => each.id === id);
  return [check?.status, check?.reason];
};

describe("profiles stand in the namespace of Argo CD", () => {
  it.each<[string, Partial<ArgoCdProps>, string]>([
    ["as its manifests have it", {}, "argocd"],
    ["as OpenShift GitOps has it", { workloads: GITOPS }, "openshift-gitops"],
    [
      "whose controller stands elsewhere",
      { workloads: GITOPS, profileController: workload("Deployment", "argocd", READER) },
      "openshift-gitops",
    ],
  ])("%s", (_, more, namespace) => {
    const artefacts = fleet(more);
    const profiles = [...artefacts].find(([path]) => path.endsWith("60-cluster-profiles.yaml"))?.[1];
    expect(profiles).toContain(`namespace: ${namespace}\n`);
    expect(verdicts(explained(artefacts))).toEqual(["allowed", "allowed"]);
    const isElsewhere = more.profileController !== undefined;
    const header = `# --cluster-profile-namespaces=${namespace}\n`;
    const hub = [...artefacts].find(([path]) => path.endsWith(HUB))?.[1];
    expect(hub?.includes(header)).toBe(isElsewhere);
  });

  it("is denied elsewhere", () => {
    const moved = [...fleet()].map(([path, text]): [string, string] => [
      path,
      path.includes("cluster-profile") ? text.replaceAll("namespace: argocd", "namespace: fleet") : text,
    ]);
    const record = new Map(moved.filter(([path]) => !path.endsWith("workload-identity.json")));
    const plain = new Map(
      [...record].map(([path, text]) => [path.replace(/^stacks\/[^/]+\//, "hub/"), text]),
    );
    const results = explained(plain);
    expect(verdicts(results)).toEqual(["denied", "denied"]);
    expect(answer(results, "controller-configured")).toEqual([
      "fail",
      expect.stringContaining("Argo CD reads only ClusterProfiles of its own namespace"),
    ]);
  });
});

/** The whole manifest of the controller, beside what this library writes. */
const reader = (args: readonly string[], container: object = {}): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "argocd", name: READER },
    spec: {
      template: {
        spec: {
          serviceAccountName: READER,
          containers: [
            {
              name: READER,
              image: "ghcr.io/argoproj-labs/clusterprofile-integration-for-argocd:v0.1.0",
              args,
              ...container,
            },
          ],
        },
      },
    },
  });

const env = (name: string, value: string): object => ({ env: [{ name: VARIABLE + name, value }] });
const elsewhere = (name: string): object => ({
  env: [{ name: VARIABLE + name, valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }],
});
const NAMESPACES = "--cluster-profile-namespaces";

it.each<[string, Status, string, string]>([
  ["nothing more", "pass", "uses profiles", reader([FILE])],
  ["other namespaces", "fail", "only profiles of other", reader([FILE, `${NAMESPACES}=other`])],
  ["its namespace among others", "pass", "uses", reader([FILE, `${NAMESPACES}=other,argocd`])],
  ["all namespaces", "pass", "uses", reader([FILE, NAMESPACES, "*"])],
  ["no text", "pass", "uses", reader([FILE, `${NAMESPACES}=`])],
  ["namespaces of a variable", "unknown", "is not known", reader([FILE, `${NAMESPACES}=$(N)`])],
  [
    "other namespaces by variable",
    "fail",
    "only profiles of other",
    reader([FILE], env("NAMESPACES", "other")),
  ],
  ["namespaces of a ConfigMap", "unknown", "is not known", reader([FILE], elsewhere("NAMESPACES"))],
  [
    "variables of a ConfigMap",
    "unknown",
    "is not known",
    reader([FILE], { envFrom: [{ configMapRef: { name: "c" } }] }),
  ],
  ["a dry run", "fail", "writes no Secret", reader([FILE, "--dry-run"])],
  ["a dry run that is off", "pass", "uses", reader([FILE, "--dry-run", "--dry-run=false"])],
  ["a dry run by variable", "fail", "writes no Secret", reader([FILE], env("DRY_RUN", "true"))],
  ["a dry run of a ConfigMap", "unknown", "is not known", reader([FILE], elsewhere("DRY_RUN"))],
  ["the file by variable", "pass", "uses", reader([], env("CLUSTERPROFILE_PROVIDER_FILE", PATH))],
  ["another file by variable", "fail", "reads /x", reader([], env("CLUSTERPROFILE_PROVIDER_FILE", "/x"))],
  [
    "the file of a ConfigMap",
    "unknown",
    "is not known",
    reader([], elsewhere("CLUSTERPROFILE_PROVIDER_FILE")),
  ],
])("reads of the whole controller %s", (_, status, reason, manifest) => {
  const results = explain([folderOf(fleet()), folderOf({ "reader.json": manifest })]);
  expect(answer(results, "controller-configured")).toEqual([status, expect.stringContaining(reason)]);
});

it("what a role may allow that holds something known only after apply leaves a refusal open", () => {
  const artefacts = fleet();
  const refused = new Map(
    [...artefacts].map(([path, text]) => [
      path,
      path.endsWith(HUB) ? text.replaceAll("      - watch\n", "") : text,
    ]),
  );
  const role = (name: string): string =>
    JSON.stringify({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "more" },
      rules: [
        {
          apiGroups: ["multicluster.x-k8s.io"],
          resources: ["clusterprofiles"],
          verbs: ["watch"],
          resourceNames: [name],
        },
      ],
    });
  const said = (all: Artefacts, name: string): readonly unknown[] =>
    answer(explain([folderOf(all), folderOf({ "role.json": role(name) })]), "profile-readable");
  const LATE = "@late(none.such)@";
  expect(said(refused, "x")).toEqual(["fail", expect.stringContaining("watch")]);
  expect(said(refused, LATE)).toEqual([
    "unknown",
    expect.stringContaining(", unless a role or binding with a value known only after apply allows it"),
  ]);
  expect(said(artefacts, LATE)[0]).toBe("pass");
});

const builtin = (name: string): ((artefacts: Artefacts) => Artefacts) =>
  profile("a", [], (list: unknown) => [
    ...(list as readonly object[]),
    { ...(list as readonly object[])[0], name: `argo-cd-builtin-${name}` },
  ]);
const LISTED = (path: readonly (string | number)[], value: unknown): ((all: Artefacts) => Artefacts) =>
  listed(READER, "aws-a", path, value);

describe("what Argo CD runs", () => {
  it.each<[string, string, string]>([
    ["gcp", "identity-named", "no ConfigMap with a credential file"],
    ["azure", "identity-named", "has no azure.workload.identity"],
    ["aws", "profile-well-formed", "without --cluster-name"],
    ["foo", "provider-chosen", 'unsupported built-in access provider "argo-cd-builtin-foo"'],
  ])("its own provider %s comes before the list", (name, id, reason) => {
    const results = explained(builtin(name)(fleet()));
    expect(verdicts(results)).toEqual(["denied", "denied"]);
    expect(answer(results, id)).toEqual(["fail", expect.stringContaining(reason)]);
  });

  it("its own provider does for a spoke of its cloud", () => {
    const all = allSpokes("eks", "argocd");
    const said = (artefacts: Artefacts): readonly (readonly unknown[])[] =>
      explained(artefacts, { spoke: "aks" }).map(({ verdict, as }) => [verdict, as]);
    const found = said(profile("aks", [0, "name"], "argo-cd-builtin-azure")(all));
    expect(found).toEqual(said(all));
    expect(found.map(([verdict]) => verdict)).toEqual(["allowed", "allowed"]);
  });

  it("fills templates into arguments, and copies variables", () => {
    const template = "{{ .ClusterProfileName }}";
    const args = LISTED(["execConfig", "args"], ["aws", "--cluster-name", template]);
    expect(verdicts(explained(args(fleet())))).toEqual(["allowed", "allowed"]);
    const plugin = "/plugins/aws-iam-authenticator/aws-iam-authenticator";
    const byVariable = (value: string): ((all: Artefacts) => Artefacts) =>
      both(
        LISTED(["execConfig", "command"], plugin),
        LISTED(["execConfig", "args"], ["token"]),
        LISTED(["execConfig", "env"], [{ name: "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID", value }]),
      );
    const admitted = (value: string): unknown =>
      answer(explained(byVariable(value)(fleet())), "spoke-admits")[0];
    expect([admitted("a"), admitted(template)]).toEqual(["pass", "unknown"]);
    const region = LISTED(["execConfig", "env"], [{ name: "AWS_REGION", value: template }]);
    expect(answer(explained(region(fleet())), "plugin-called")).toEqual([
      "unknown",
      "Argo CD fills templates only into arguments, but the variable AWS_REGION has one",
    ]);
  });
});
