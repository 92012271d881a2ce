/* Nothing that artefacts, file names or arguments hold reaches a terminal as a control. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf, synthesized } from "../fixtures/explain/artefacts";
import { plain } from "../fixtures/explain/plain";
import { cli } from "../support/cli";

/** ESC, CSI of C1, DEL, an override of the direction, a line that looks like another one, a line separator. */
const CONTROLS = "\u001b[2J\u009b31m\u007f\u202e\nskipped b\u2028\u0085";
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u2066-\u2069]/;

const account = "team/puller";
const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1";

/** Manifests whose names of files, kinds, objects and annotations hold controls. */
function hostile(): string {
  const inner = JSON.stringify(CONTROLS);
  const folder = folderOf({
    ...plain,
    [`${CONTROLS}.yaml`]: `apiVersion: v1\nkind: ${inner}\nmetadata: {name: x}\n`,
    [`${CONTROLS}-2.yaml`]: `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: puller, namespace: team, annotations: {eks.amazonaws.com/ecr-role-arn: ${inner}}}\n`,
  });
  mkdirSync(join(folder, `${CONTROLS}.d`));
  writeFileSync(join(folder, `${CONTROLS}.d/values.yaml`), "a: 1\n");
  return folder;
}

describe("explain", () => {
  it.each(["text", "json", "mermaid", "html", "sarif", "junit", "github", "markdown"])(
    "as %s",
    async (format) => {
      const { out, err } = await cli(
        ...["explain", "--format", format, ...(format === "text" ? ["--verbose"] : [])],
        ...["--service-account", account, "--image", image, hostile()],
      );
      if (format !== "mermaid") expect(out).toContain("\\u001b[2J");
      expect(out).not.toMatch(RAW);
      expect(err).not.toMatch(RAW);
      expect(err.split("\n").filter((line) => line.startsWith("skipped b"))).toEqual([]);
      expect(err).toContain("\\u001b[2J\\u009b31m\\u007f\\u202e\\u000askipped b\\u2028\\u0085");
      if (format === "json")
        expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(CONTROLS).slice(1, -1));
    },
  );

  it.each([
    [["explain", CONTROLS]],
    [["explain", "--stack", CONTROLS]],
    [["explain", `--${CONTROLS}`]],
    [["explain", "--format", CONTROLS]],
    [[CONTROLS]],
    [["bind", "--outputs", CONTROLS, "--to", CONTROLS]],
    [["jwks", CONTROLS]],
    [["credentials-diff", CONTROLS, CONTROLS]],
  ])("of arguments: %j", async (args) => {
    const { code, out, err } = await cli(...args, ...(args.length === 3 ? [hostile()] : []));
    expect([code === 0, out]).toEqual([false, ""]);
    expect(err).not.toMatch(RAW);
  });

  it("of a broken file", async () => {
    const { code, err } = await cli("explain", folderOf({ [`${CONTROLS}.yaml`]: `"a\u009b": [\n` }));
    expect(code).toBe(2);
    expect(err).not.toMatch(RAW);
    expect(err.trimEnd()).not.toContain("\n");
  });
});

it("lists the outputs that bind misses, one per line", async () => {
  const outputs = join(folderOf({ "o.json": "{}" }), "o.json");
  const to = folderOf({});
  const { code, err } = await cli(
    "bind",
    "--outputs",
    outputs,
    "--to",
    to,
    folderOf(synthesized("openshift-manual-azure")),
  );
  expect(code).toBe(1);
  expect(err).not.toMatch(/\\u000a/);
  const [, ...lines] = err.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines.slice(0, -1))
    expect(line).toMatch(/^ {2}- azurerm_user_assigned_identity_[\w-]+ by prod-azure\/\S/);
});
