/* A pipe that has no writer would be waited for, and some devices never end: neither is read. */

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf, synthesized } from "../fixtures/explain/artefacts";
import { plain } from "../fixtures/explain/plain";
import { cli } from "../support/cli";

function pipe(path: string): string {
  rmSync(path, { force: true });
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  return path;
}

const synth = synthesized("openshift-aws");
const stack = "stacks/prod-eu";
const asked = [
  "--service-account",
  "team/puller",
  "--image",
  "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1",
];

describe.runIf(process.platform !== "win32")("refused at once, by name", () => {
  it.each<[string, (folder: string) => readonly string[]]>([
    ["explain of a pipe", (folder) => ["explain", pipe(join(folder, "p"))]],
    ["explain of a pipe that looks like a manifest", (folder) => ["explain", pipe(join(folder, "p.yaml"))]],
    ["explain of a device", () => ["explain", "/dev/zero"]],
    [
      "a stack's manifest",
      (folder) => [pipe(join(folder, stack, "manifests/20-service-accounts.yaml")), folder],
    ],
    ["a stack's configuration", (folder) => [pipe(join(folder, stack, "cdk.tf.json")), folder]],
    ["a stack's record", (folder) => [pipe(join(folder, stack, "workload-identity.json")), folder]],
    ["the manifest of the synth output", (folder) => [pipe(join(folder, "manifest.json")), folder]],
    ["facts of a cluster", (folder) => ["explain", "--facts", pipe(join(folder, "c")), folder]],
    ["facts of a cluster from a device", (folder) => ["explain", "--facts", "/dev/zero", folder]],
    [
      "outputs",
      (folder) => ["bind", "--outputs", pipe(join(folder, "o")), "--to", join(folder, "to"), folder],
    ],
    [
      "outputs from a device",
      (folder) => ["bind", "--outputs", "/dev/zero", "--to", join(folder, "to"), folder],
    ],
    ["a public key", (folder) => ["jwks", pipe(join(folder, "k"))]],
  ])("%s", async (_, args) => {
    const [first = "", ...others] = args(folderOf(synth));
    const { code, out, err } = await cli(
      ...(first.startsWith("/") ? ["explain", ...others] : [first, ...others]),
    );
    expect(code).not.toBe(0);
    expect(out).toBe("");
    expect(err).toMatch(/cannot be read \(it is not a regular file\), got "\/[^"]+"/);
  });
});

it.runIf(process.platform !== "win32")("lists what is no file of a folder as not read", async () => {
  const folder = folderOf(plain);
  pipe(join(folder, "pipe.yaml"));
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "linked"));
  symlinkSync("nowhere", join(folder, "dead.json"));
  const { code, out, err } = await cli("explain", ...asked, folder);
  expect([code, out === ""]).toEqual([3, false]);
  const link = "a symbolic link, which is not followed; give explain its target instead";
  expect(err).toBe(
    [
      ["dead.json", link],
      ["linked", link],
      ["pipe.yaml", "a pipe, socket or device, which is not read"],
    ]
      .map(([name, reason]) => `skipped ${folder}/${name}: ${reason}\n`)
      .join(""),
  );
});
