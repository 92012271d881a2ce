import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fleetRunner } from "../../../lib/explain/jobs/fleet-links";
import {
  type Edit,
  type ExampleName,
  edited,
  explained,
  statuses,
  synthesized,
} from "../../fixtures/explain/artefacts";

const CASES: readonly (readonly [ExampleName, readonly string[], readonly string[]])[] = [
  [
    "fleet-argocd",
    ["argocd/argocd-application-controller", "argocd/argocd-server"],
    ["shop-aws", "shop-azure", "shop-google"],
  ],
  ["fleet-multikueue", ["kueue-system/kueue-controller-manager"], ["cpu-1", "gpu-1", "on-prem"]],
];

describe.each(CASES)("%s", (name, accounts, spokes) => {
  it("lets every controller into every spoke, each link by itself, and asks nothing else", () => {
    const results = explained(synthesized(name));
    expect(results.map(({ job, subject, target, verdict }) => [job, subject, target, verdict])).toEqual(
      accounts.flatMap((account) => spokes.map((spoke) => ["fleet-access", account, spoke, "allowed"])),
    );
    for (const result of results)
      expect(statuses(result)).toEqual(Object.fromEntries(fleetRunner.links.map(({ id }) => [id, "pass"])));
  });

  it("asks about one spoke, and about one service account", () => {
    const [account = "", spoke = ""] = [accounts[0], spokes[1]];
    const results = explained(synthesized(name), { spoke, serviceAccount: account });
    expect(results.map(({ subject, target }) => [subject, target])).toEqual([[account, spoke]]);
    expect(() => explained(synthesized(name), { spoke: "other" })).toThrowError(
      expect.objectContaining({ code: "explain-unknown" }),
    );
  });
});

it("there are seventeen checks, each of its own name", () => {
  expect(new Set(fleetRunner.links.map(({ id }) => id)).size).toBe(17);
});

it("says as whom", () => {
  const results = explained(synthesized("fleet-multikueue"));
  expect(results.map(({ as }) => as)).toEqual([
    "arn:aws:iam::111122223333:role/batch-hub_kueue-system_kueue-controller-manager_access",
    "arn:aws:iam::111122223333:role/batch-hub_kueue-system_kueue-controller-manager_access",
    expect.stringMatching(/hub:system:serviceaccount:kueue-system:kueue-controller-manager$/),
  ]);
});

it("warns of wide rights, and of nothing where there is nothing", () => {
  const ids = (name: ExampleName): unknown =>
    explained(
      synthesized(name),
      name === "fleet-argocd" ? { serviceAccount: "argocd/argocd-server" } : {},
    ).map(({ warnings }) => warnings?.map(({ id }) => id));
  expect(ids("fleet-argocd")).toEqual([["wide-policy"], ["wide-role"], []]);
  expect(ids("fleet-multikueue")).toEqual([[], [], []]);
});

const CERTIFICATE = readFileSync("examples/fleet-multikueue/on-prem-ca.crt").toString("base64");

/** What other people's files would be: no record, addresses as they are, Terraform beside. */
function plain(name: ExampleName, isBound = true): ReadonlyMap<string, string> {
  const moved = [...synthesized(name)].flatMap(([path, text]) => {
    const [, , folder = "", file = ""] = path.split("/");
    if (path.endsWith("cdk.tf.json")) return [["terraform/main.tf.json", text] as const];
    if (file === "") return [];
    const bound = text
      .replaceAll(/(certificate-authority-data: )"@late\([^)]*\)@"/g, `$1${CERTIFICATE}`)
      .replaceAll(/@late\([^)]*client_id\)@/g, "11111111-2222-4333-8444-555555555555")
      .replaceAll(/(?:https:\/\/)?@late\([^)]*\)@/g, "https://a.gr7.eu-west-1.eks.amazonaws.com");
    return [
      [`${folder}/${file.replace("_control-plane", "/control-plane")}`, isBound ? bound : text] as const,
    ];
  });
  return new Map(moved);
}

it("judges the same manifests without the record, with what no one wrote given", () => {
  const issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
  const results = explained(plain("fleet-multikueue"), {}, { cluster: { issuer, apiServer: "1.35" } });
  expect(results.map(({ job, target, verdict }) => [job, target, verdict])).toEqual([
    ["fleet-access", "cpu-1", "allowed"],
    ["fleet-access", "gpu-1", "allowed"],
    ["fleet-access", "on-prem", "allowed"],
  ]);
  const without = explained(plain("fleet-multikueue"));
  expect(without.map(({ verdict }) => verdict)).toEqual(["unknown", "unknown", "unknown"]);
});

it("follows placeholders without the record as far as Terraform was read", () => {
  const issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
  const artefacts = plain("fleet-multikueue", false);
  const verdicts = (files: ReadonlyMap<string, string>): readonly string[] =>
    explained(files, {}, { cluster: { issuer, apiServer: "1.35" } }).map(({ verdict }) => verdict);
  expect(verdicts(artefacts)).toEqual(["allowed", "allowed", "allowed"]);
  const manifests = new Map([...artefacts].filter(([path]) => !path.startsWith("terraform/")));
  expect(verdicts(manifests)).toEqual(["unknown", "unknown", "allowed"]);
  // They lead to the cluster that they name.
  const other: Edit = ["61-cluster-profile-status.yaml", "cluster.cpu-1.endpoint", "cluster.gpu-1.endpoint"];
  expect(verdicts(edited(artefacts, [other]))).toEqual(["denied", "allowed", "allowed"]);
});

it("leaves open of other people's Argo CD what only their clouds know", () => {
  const issuer = "https://d222222abcdef8.cloudfront.net";
  const results = explained(plain("fleet-argocd"), {}, { cluster: { issuer, apiServer: "1.35" } });
  const open = results.map(({ subject, target, verdict, checks }) => [
    subject.split("/")[1],
    target,
    verdict,
    ...checks.filter(({ status }) => status !== "pass").map(({ id, status }) => `${id}: ${status}`),
  ]);
  const azure = [
    "identity-named",
    "issuer-trusted",
    "audience-accepted",
    "subject-admitted",
    "spoke-admits",
    "spoke-authorizes",
    "all-understood",
  ];
  expect(open).toEqual(
    ["argocd-application-controller", "argocd-server"].flatMap((account) => [
      // Nothing says whether the webhook runs there.
      [account, "shop-aws", "unknown", "token-mounted: unknown"],
      [account, "shop-azure", "unknown", ...azure.map((id) => `${id}: unknown`)],
      [account, "shop-google", "unknown", "spoke-admits: unknown"],
    ]),
  );
});
