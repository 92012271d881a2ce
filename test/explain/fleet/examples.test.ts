import { describe, expect, it } from "vitest";
import { Explainer } from "../../../lib/explain";
import { fleetRunner } from "../../../lib/explain/jobs/fleet-links";
import {
  type ExampleName,
  explained,
  folderOf,
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
    const folder = folderOf(Object.fromEntries(synthesized(name)));
    const accesses = [...Explainer.read([folder]).fleetAccesses({ spoke, serviceAccount: account })];
    expect(accesses.map(({ subject, target }) => [subject, target])).toEqual([[account, spoke]]);
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

it("does not follow a fleet without its record", () => {
  const manifests = [...synthesized("fleet-multikueue")].flatMap(([path, text]) =>
    path.endsWith(".yaml") ? [[path.split("/").slice(2).join("/"), text] as const] : [],
  );
  const results = explained(new Map(manifests));
  expect(results.map(({ subject, target, verdict }) => [subject, target, verdict])).toEqual(
    ["cpu-1", "gpu-1", "on-prem"].map((spoke) => ["kueue-system/*", spoke, "unknown"]),
  );
  expect(results[0]?.checks[0]).toMatchObject({
    status: "unknown",
    reason: expect.stringContaining("is not known without a record of the fleet") as string,
  });
});
