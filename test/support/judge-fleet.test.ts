/*
 * The judge of fleets finds what is wrong: each row breaks one link in the files of an example, and names what must
 * be found.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { example } from "./examples";
import { judge } from "./judge";
import { synthesized } from "./synthesized";

const PROFILES = "manifests/60-cluster-profiles.yaml";
const STATUS = "manifests/61-cluster-profile-status.yaml";
const CONTROLLER = "manifests/65-fleet-controller.yaml";
const SUBJECT = "system:serviceaccount:kueue-system:kueue-controller-manager";

type Row = readonly [found: string, file: string, from: string | RegExp, to: string];

const ROWS: readonly Row[] = [
  ["spoke cpu-1: no matching cluster accessor found", CONTROLLER, "- name: aws-cpu-1", "- name: aws-cpu-2"],
  ["spoke cpu-1: aws-gpu-1 is chosen", STATUS, "name: aws-cpu-1", "name: aws-gpu-1"],
  [
    "spoke gpu-1: /opt/x is not in each container",
    CONTROLLER,
    /(?<=gpu-1[^]*command: )\/plugins\/aws\S+/,
    "/opt/x",
  ],
  ["spoke cpu-1: not one profile and one status", PROFILES, "name: cpu-1", "name: cpu-2"],
  ["spoke cpu-1: spec.displayname", PROFILES, "displayName: cpu-1", "displayname: cpu-1"],
  [
    "spoke on-prem: status.accessProviders[0].cluster.tlsName",
    STATUS,
    /server: https:\/\/on-prem\S+/,
    "$&\n        tlsName: x",
  ],
  ["spoke on-prem: the certificate authority", STATUS, /LS0t\S+/, "bm8gUEVN"],
  ["spoke on-prem: its server is on-prem", STATUS, "https://on-prem.acme", "on-prem.acme"],
  [
    "spoke cpu-1: its RBAC is not as recorded",
    "spokes/cpu-1.yaml",
    "kind: ClusterRoleBinding",
    "kind: ClusterRole",
  ],
  ["its role may do nothing", "cdk.tf.json", /"principal_arn": "(?=arn)/g, '"principal_arn": "x'],
  ["STS refuses the service account", "cdk.tf.json", `:sub\\":\\"${SUBJECT}`, `:sub\\":\\"${SUBJECT}s`],
];

async function written(): Promise<string> {
  const { Stack, id } = await example("fleet-multikueue");
  return synthesized((app) => void new Stack(app, id));
}

describe("the judge of fleets", () => {
  it("has nothing to say of a good one", async () => {
    expect(judge(await written())).toEqual([]);
  });

  it.each(ROWS)("finds: %s", async (found, file, from, to) => {
    const outdir = await written();
    const path = join(outdir, "stacks/batch-hub", file);
    const before = readFileSync(path, "utf8");
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
    expect(judge(outdir)).toEqual(expect.arrayContaining([expect.stringContaining(found)]));
  });
});
