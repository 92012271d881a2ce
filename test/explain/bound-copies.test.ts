/*
 * A synth folder and what `bind` made of it, read together: the finished files say what their templates say.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { readFacts } from "../../lib/explain/facts/facts";
import { bind } from "../../lib/synth";
import { folderOf, synthesized } from "../fixtures/explain/artefacts";

const three = synthesized("three-clouds");
const ACR = { serviceAccount: "shop/web", image: "acmeshop.azurecr.io/models/x" };
const ACCOUNTS = "edge-1/manifests/20-service-accounts.yaml";
const ROLES = "edge-1/manifests/10-token-audience.yaml";

/** The synth folder, and the one that is bound to. */
function bound(): readonly [from: string, to: string] {
  const from = folderOf(three);
  const [name = ""] = /azurerm_user_assigned_identity_\w+_client_id/.exec([...three.values()].join()) ?? [];
  const outputs = folderOf({ "o.json": JSON.stringify({ "edge-1": { [name]: "1f0c" } }) });
  const to = folderOf({});
  bind({ outputs: join(outputs, "o.json"), from, to });
  return [from, to];
}

function edit(folder: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replace(from, to));
}

const verdict = (paths: readonly string[]): string | undefined => explain(paths, ACR)[0]?.verdict;

it("both together", () => {
  const paths = bound();
  expect(verdict(paths)).toBe("allowed");
  expect(readFacts(paths, { computed: [], cluster: {} }).skipped).toEqual([]);
});

it.each<[string, (to: string) => void]>([
  [
    "a finished file that was edited",
    (to) => edit(to, ACCOUNTS, "annotations:", "annotations:\n    acme.example/team: a"),
  ],
  ["a finished file of another synth", (to) => edit(to, ACCOUNTS, "shop_web", "shop_other")],
  [
    "a file beside that is not listed",
    (to) => writeFileSync(join(to, "own.yaml"), readFileSync(join(to, ACCOUNTS))),
  ],
  ["a list that was lost", (to) => writeFileSync(join(to, ".workload-identity-files"), "")],
])("%s is a document like others", (_, change) => {
  const [from, to] = bound();
  change(to);
  const serviceAccounts = readFacts([from, to], { computed: [], cluster: {} }).clusters[0]?.serviceAccounts;
  expect(serviceAccounts?.get("shop/web")?.contested?.size).toBeGreaterThan(0);
});

it("a document more in a finished file counts", () => {
  const [from, to] = bound();
  edit(
    to,
    ROLES,
    "apiVersion",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: a}]}\n---\napiVersion",
  );
  expect(readFacts([from, to], { computed: [], cluster: {} }).clusters[0]?.workloads).toHaveLength(1);
});

it("the list is no document, also where it is named", () => {
  const [from, to] = bound();
  const list = join(to, ".workload-identity-files");
  expect(readFacts([from, list], { computed: [], cluster: {} }).skipped).toEqual([]);
  expect(readFacts([list, to], { computed: [], cluster: {} }).skipped).toEqual([]);
});

it("finished files alone are read", () => {
  const [, to] = bound();
  expect(readFacts([to], { computed: [], cluster: {} }).clusters[0]?.serviceAccounts.size).toBeGreaterThan(0);
});
