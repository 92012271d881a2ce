/* The minors that pages name are those of the tables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NEWEST_KUBERNETES } from "../../lib/rules/kubelet/feature-gates";
import { openShiftRelease, openShiftVersions } from "../../lib/rules/openshift/versions";
import { pluginRow } from "../../lib/rules/plugins";
import { ROOT } from "../support/markdown";

/** The cells of the table's row that begins with this cell. */
function row(page: string, first: RegExp): readonly string[] {
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  const found = lines
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find((cells) => first.test(cells[1] ?? ""));
  if (found === undefined) throw new Error(`${page} has no row ${String(first)}`);
  return found.slice(2);
}

it("README.md names the newest known minor of Kubernetes", () => {
  expect(row("README.md", /^kubelet and API server$/)[0]).toMatch(new RegExp(` to ${NEWEST_KUBERNETES}$`));
});

it("README.md names the oldest and the newest known minor of OpenShift", () => {
  const [pulls = ""] = row("README.md", /^image pulls on OpenShift/);
  const [oldest = "", newest = ""] = [openShiftVersions[0], openShiftVersions.at(-1)];
  expect(pulls.split(", on ")[0]?.match(/\d+\.\d+/g)).toEqual(expect.arrayContaining([oldest, newest]));
});

it.each(openShiftVersions)("docs/openshift.md names OpenShift %s and its kubelet", (version) => {
  const [kubelets = ""] = row(
    "docs/openshift.md",
    new RegExp(`(^|\\s)${version.replace(".", "\\.")}$|^${version.replace(".", "\\.")}\\s`),
  );
  expect(kubelets.split(", ")).toContain(openShiftRelease(version).kubernetes);
});

// kubernetes-sigs/cloud-provider-azure has no release for 1.37 yet.
it.each([
  ["ecr", NEWEST_KUBERNETES],
  ["acr", "1.36"],
])("the plugin %s is known up to %s", (plugin, newest) => {
  expect(pluginRow(plugin)?.newest).toBe(newest);
});
