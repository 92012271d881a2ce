import { describe, expect, it } from "vitest";
import type { Status } from "../../../lib/explain";
import { fleetRunner } from "../../../lib/explain/jobs/fleet-links";
import {
  type Artefacts,
  type Edit,
  type ExampleName,
  edited,
  explained,
  statuses,
  synthesized,
} from "../../fixtures/explain/artefacts";
import { damaged, withoutDocument, withoutResource } from "../../fixtures/explain/fleet";

const ARGO = "fleet-argocd";
const KUEUE = "fleet-multikueue";
const HUB = "65-fleet-controller.yaml";
const STATUS = "61-cluster-profile-status.yaml";
const AUTHENTICATION = "on-prem_control-plane.yaml";

type Damage = (artefacts: Artefacts) => Artefacts;
const edit =
  (...edits: readonly Edit[]): Damage =>
  (artefacts) =>
    edited(artefacts, edits);
const drop =
  (file: string, ...words: readonly string[]): Damage =>
  (artefacts) =>
    withoutDocument(artefacts, file, ...words);

/** Each check: the spoke asked about, what is damaged, the status, and a part of the reason. */
const CASES: readonly (readonly [string, Status, ExampleName, string, Damage, string])[] = [
  [
    "controller-present",
    "unknown",
    KUEUE,
    "cpu-1",
    // Neither a record nor a list says who would enter.
    (all) =>
      drop(HUB, "kind: ServiceAccount")(drop(HUB, "kind: Deployment")(drop(HUB, "kind: ConfigMap")(all))),
    "no list of access providers was read",
  ],
  [
    "controller-configured",
    "fail",
    KUEUE,
    "cpu-1",
    edit([HUB, "MultiKueueClusterProfile: true", "Other: true"]),
    "leaves the feature gate MultiKueueClusterProfile off",
  ],
  [
    "controller-configured",
    "fail",
    KUEUE,
    "cpu-1",
    edit([HUB, "accessProviders:", "credentialProviders:"]),
    "credentialProviders",
  ],
  [
    "controller-configured",
    "fail",
    ARGO,
    "shop-aws",
    edit([
      HUB,
      "mountPath: /etc/clusterprofile\n              name: clusterprofile-provider-file",
      "mountPath: /etc/clusterprofile\n              name: other",
    ]),
    "does not mount the ConfigMap",
  ],
  [
    "controller-configured",
    "unknown",
    ARGO,
    "shop-aws",
    drop(HUB, "checksum/clusterprofile-provider-file"),
    "which workload of Argo CD reads the list",
  ],
  [
    "profile-present",
    "fail",
    KUEUE,
    "gpu-1",
    drop(STATUS, "name: gpu-1"),
    "nothing that was read writes the status",
  ],
  [
    "profile-present",
    "unknown",
    KUEUE,
    "gpu-1",
    (all) =>
      edit([STATUS, "spec:\n  clusterManager:\n    name: acme-platform\n  displayName: gpu-1\n", ""])(
        drop("60-cluster-profiles.yaml", "name: gpu-1")(all),
      ),
    "the main object of the profile kueue-system/gpu-1",
  ],
  ["profile-readable", "fail", ARGO, "shop-aws", edit([HUB, "      - watch\n", ""]), "watch"],
  ["profile-readable", "unknown", ARGO, "shop-aws", drop(HUB, "kind: RoleBinding"), "no binding was read"],
  [
    "profile-well-formed",
    "fail",
    KUEUE,
    "on-prem",
    edit([STATUS, "https://on-prem.acme.example:6443", "http://on-prem.acme.example"]),
    "http://on-prem.acme.example",
  ],
  [
    "profile-well-formed",
    "fail",
    KUEUE,
    "cpu-1",
    edit([STATUS, "certificate-authority-data:", "certificateAuthorityData:"]),
    "certificateAuthorityData",
  ],
  [
    "profile-well-formed",
    "unknown",
    KUEUE,
    "cpu-1",
    edit([
      STATUS,
      '- cluster:\n        certificate-authority-data: "@late(data.aws_eks_cluster.cpu-1.certificate_authority[0].data)@"\n       ',
      "- cluster:\n       ",
    ]),
    "has no certificate authority",
  ],
  [
    "provider-chosen",
    "fail",
    KUEUE,
    "cpu-1",
    edit([STATUS, "name: aws-cpu-1", "name: aws-cpu-2"]),
    "aws-cpu-2",
  ],
  [
    "provider-chosen",
    "unknown",
    KUEUE,
    "cpu-1",
    drop(HUB, "kind: ConfigMap"),
    "no list of access providers was read",
  ],
  [
    "secret-free",
    "fail",
    KUEUE,
    "cpu-1",
    edit([HUB, "- name: AWS_REGION", "- name: AWS_SECRET_ACCESS_KEY"]),
    "AWS_SECRET_ACCESS_KEY",
  ],
  [
    "plugin-present",
    "fail",
    KUEUE,
    "cpu-1",
    edit([HUB, "mountPath: /plugins/aws-iam-authenticator", "mountPath: /other"]),
    "/plugins/aws-iam-authenticator/aws-iam-authenticator",
  ],
  [
    "plugin-present",
    "fail",
    KUEUE,
    "cpu-1",
    edit(["workload-identity.json", '"apiServer": "1.35"', '"apiServer": "1.32"']),
    "1.32",
  ],
  [
    "plugin-present",
    "unknown",
    KUEUE,
    "cpu-1",
    edit(["workload-identity.json", '"apiServer": "1.35",', ""]),
    "the version of the hub is not known",
  ],
  [
    "plugin-present",
    "unknown",
    KUEUE,
    "cpu-1",
    drop(HUB, "kind: Deployment"),
    "no workload of MultiKueue was read",
  ],
  ["plugin-called", "fail", KUEUE, "cpu-1", edit([HUB, "- --cluster-id", "- --cluster"]), "--cluster-id"],
  ["plugin-called", "fail", ARGO, "shop-aws", edit([HUB, '"--cluster-name"', '"--name"']), "--cluster-name"],
  [
    "plugin-called",
    "unknown",
    KUEUE,
    "cpu-1",
    edit([HUB, "aws-iam-authenticator/aws-iam-authenticator", "aws-iam-authenticator/my-plugin"]),
    "my-plugin is not known here",
  ],
  [
    "plugin-called",
    "unknown",
    KUEUE,
    "on-prem",
    edit([HUB, "|| exit 1\n", "|| exit 2\n"]),
    "is not judged here",
  ],
  [
    "identity-named",
    "fail",
    KUEUE,
    "cpu-1",
    edit([HUB, "eks.amazonaws.com/role-arn: arn", "other: arn"]),
    "has no eks.amazonaws.com/role-arn",
  ],
  [
    "identity-named",
    "unknown",
    KUEUE,
    "cpu-1",
    (all) => withoutResource(all, "aws_iam_role"),
    "is not among what was read",
  ],
  [
    "token-mounted",
    "fail",
    KUEUE,
    "on-prem",
    edit([HUB, "path: on-prem", "path: elsewhere"]),
    "has no service account token at",
  ],
  [
    "token-mounted",
    "fail",
    ARGO,
    "shop-azure",
    edit([HUB, "audience: api://AzureADTokenExchange", "audience: api://Other"]),
    "lacks the label",
  ],
  ["token-mounted", "unknown", ARGO, "shop-azure", drop(HUB, "kind: StatefulSet"), "no pod of it was read"],
  [
    "token-mounted",
    "unknown",
    KUEUE,
    "on-prem",
    edit([HUB, "audience: https://on-prem.acme.example", 'audience: ""']),
    "cannot be determined",
  ],
  [
    "issuer-trusted",
    "fail",
    KUEUE,
    "on-prem",
    edit([AUTHENTICATION, "url: https://oidc", "url: https://other"]),
    "does not trust the issuer",
  ],
  [
    "issuer-trusted",
    "fail",
    ARGO,
    "shop-azure",
    edit(["cdk.tf.json", '"issuer": "https://d222222abcdef8', '"issuer": "https://other']),
    "d222222abcdef8",
  ],
  [
    "issuer-trusted",
    "unknown",
    KUEUE,
    "on-prem",
    edit([AUTHENTICATION, "kind: AuthenticationConfiguration", "kind: Other"]),
    "no AuthenticationConfiguration of the spoke was read",
  ],
  [
    "audience-accepted",
    "fail",
    KUEUE,
    "on-prem",
    edit([AUTHENTICATION, "- https://on-prem.acme.example", "- https://other.example"]),
    "which the spoke does not accept",
  ],
  [
    "audience-accepted",
    "unknown",
    KUEUE,
    "on-prem",
    edit([HUB, "audience: https://on-prem.acme.example", 'audience: ""']),
    "audience of the token is not known",
  ],
  [
    "subject-admitted",
    "fail",
    KUEUE,
    "on-prem",
    edit([AUTHENTICATION, ":system:serviceaccount:kueue-system", ":system:serviceaccount:other"]),
    "does not admit",
  ],
  [
    "subject-admitted",
    "fail",
    ARGO,
    "shop-azure",
    edit([
      "cdk.tf.json",
      '"subject": "system:serviceaccount:argocd',
      '"subject": "system:serviceaccount:other',
    ]),
    "subject",
  ],
  [
    "subject-admitted",
    "unknown",
    KUEUE,
    "on-prem",
    edit([AUTHENTICATION, "user.username in [", "user.uid != '' && user.username in ["]),
    "the result of a rule is not known",
  ],
  [
    "spoke-admits",
    "unknown",
    ARGO,
    "shop-aws",
    (all) => withoutResource(all, "aws_eks_access_entry", "application-controller"),
    "no access entry",
  ],
  [
    "spoke-admits",
    "fail",
    ARGO,
    "shop-google",
    edit(["cdk.tf.json", '"role": "roles/container.clusterViewer"', '"role": "roles/logging.viewer"']),
    "no role admits it to clusters of project",
  ],
  [
    "spoke-admits",
    "unknown",
    KUEUE,
    "cpu-1",
    (all) => withoutResource(all, "aws_eks_access_entry", "cpu-1"),
    "no access entry",
  ],
  [
    "spoke-authorizes",
    "fail",
    KUEUE,
    "cpu-1",
    edit(["spokes/cpu-1.yaml", "name: multikueue\n", "name: other\n"]),
    "no binding of cpu-1 names multikueue",
  ],
  [
    "spoke-authorizes",
    "fail",
    ARGO,
    "shop-aws",
    (all) => withoutResource(all, "aws_eks_access_policy_association"),
    "neither access policies nor groups",
  ],
  [
    "spoke-authorizes",
    "unknown",
    KUEUE,
    "cpu-1",
    edit(["spokes/cpu-1.yaml", "kind: ClusterRoleBinding", "kind: Other"]),
    "no binding for multikueue on the spoke cpu-1 was read",
  ],
];

/** Checks that cannot end so, with the reason. */
const NEVER: Readonly<Record<string, readonly Status[]>> = {
  // Nothing says that no one enters; and nothing stands before it.
  "controller-present": ["fail", "skipped"],
  // What stands before it does not fail.
  "controller-configured": ["skipped"],
  // All that is looked at was read.
  "secret-free": ["unknown"],
};

const order: readonly string[] = fleetRunner.links.map(({ id }) => id);

it("has a case per status of every check", () => {
  const all: readonly Status[] = ["pass", "fail", "unknown", "skipped"];
  const failing = CASES.filter(([, status]) => status === "fail").map(([id]) => order.indexOf(id));
  for (const id of order) {
    const cased = CASES.filter(([name]) => name === id).map(([, status]) => status);
    // The examples pass; what stands behind a broken link is skipped.
    const skipped: readonly Status[] = failing.some((place) => place < order.indexOf(id)) ? ["skipped"] : [];
    const seen = new Set<Status>(["pass", ...cased, ...skipped]);
    expect([id, all.filter((status) => !seen.has(status))]).toEqual([id, NEVER[id] ?? []]);
  }
});

describe.each(CASES)("%s: %s in %s, %s", (id, status, example, spoke, damage, reason) => {
  const artefacts = id === "controller-present" ? withoutRecord(synthesized(example)) : synthesized(example);

  it(`says ${reason}`, () => {
    const [result] = explained(damage(artefacts), { spoke });
    const check = result?.checks.find((each) => each.id === id);
    const told = [check?.reason, check?.remedy, ...(check?.evidence.map(({ text }) => text) ?? [])].join(" ");
    expect([check?.status, told]).toEqual([status, expect.stringContaining(reason)]);
    expect(check?.remedy).not.toBe("");
    expect(result?.verdict).toBe(status === "fail" ? "denied" : "unknown");
  });

  it.runIf(status === "fail")("skips what stands behind, and nothing before", () => {
    const [result] = explained(damage(artefacts), { spoke });
    const found = Object.values(result ? statuses(result) : {});
    const place = order.indexOf(id);
    expect(found.slice(place + 1).every((each) => each === "skipped")).toBe(true);
    expect(found.slice(0, place)).not.toContain("skipped");
    expect(found.slice(0, place)).not.toContain("fail");
    expect(result?.as).toBeNull();
  });
});

function withoutRecord(artefacts: Artefacts): Artefacts {
  return damaged(artefacts, "workload-identity.json", (text) => {
    const record = JSON.parse(text) as { clusters: { fleet?: unknown }[] };
    for (const cluster of record.clusters) delete cluster.fleet;
    return JSON.stringify(record);
  });
}
