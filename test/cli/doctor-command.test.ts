import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { collection } from "../../lib/doctor/collect";
import { cloudNames } from "../../lib/model/clouds";
import { HEALTHY } from "../fixtures/doctor/bundles";
import { folderOf } from "../fixtures/doctor/edits";
import { cli } from "../support/cli";

const MESSAGE = 'audience "sts.amazonaws.com" not found in pod spec volume';

describe("doctor", () => {
  it("says in five lines how to begin", async () => {
    const { code, out } = await cli("doctor");
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(5);
  });

  it("says what a message proves, what holds, and what to do", async () => {
    const { code, out } = await cli("doctor", "--message", MESSAGE);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^line 1: audience .*\n {2}API server: .*\n {2}broken: audience-granted\n {2}holds for a pull: image-parses, .*\n {2}fix: .*\n {2}decide: kubectl .*\n$/,
    );
  });

  it("prints the same as JSON", async () => {
    const { out } = await cli("doctor", "--message", `a\n${MESSAGE}\n${MESSAGE}`, "--format", "json");
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      messages: [{ by: "API server", line: 2, count: 2, broken: ["audience-granted"] }],
    });
  });

  it("knows nothing of other texts, or of those that prove no broken link", async () => {
    expect(await cli("doctor", "--message", "it does not work")).toMatchObject({
      code: 3,
      out: expect.stringContaining("no known message") as string,
    });
    expect((await cli("doctor", "--message", "AADSTS700024: expired")).code).toBe(3);
  });

  it("shows no control characters and no end of a very long line", async () => {
    const { out } = await cli("doctor", "--message", `\u001b[31mInvalidImageName${"x".repeat(5000)}`);
    expect(out).toContain("InvalidImageName");
    expect(out).not.toContain("\u001b");
    expect(out.length).toBeLessThan(1000);
  });

  it.each([
    [
      ["--message", `Authorization: Bearer ${"a".repeat(40)}`],
      /line 1 of the message holds a header with credentials/,
    ],
    [["--message", "a", "--collect", "aws"], /two questions/],
    [["--script"], /--script is a form of --collect/],
    [["--collect", "oracle"], /aws, azure, google, other/],
  ])("refuses %j", async (args, error) => {
    const { code, out, err } = await cli("doctor", ...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(error);
    expect(err).not.toContain("aaaa");
  });
});

describe.each([...cloudNames, "other"] as const)("doctor --collect %s", (cloud) => {
  const commands = collection(cloud).flatMap(([, all]) => all);

  test("only reads, and says what each command shows", async () => {
    const { code, out } = await cli("doctor", "--collect", cloud);
    expect(code).toBe(0);
    for (const { command, shows, file } of commands)
      expect(out).toContain(`${command}\n    # ${shows} (${file})\n`);
    const verbs = commands.map(
      ({ command }) => command.match(/\b(?:kubectl|aws \w+|az|gcloud)\b.*/)?.[0] ?? "",
    );
    expect(
      verbs.filter((each) => /\b(?:apply|delete|patch|edit|update|put|set|add|annotate)\b/.test(each)),
    ).toEqual([]);
    // A token is made, and only its claims are printed.
    expect(verbs.filter((each) => /\bcreate\b/.test(each))).toEqual([
      expect.stringContaining("| cut -d. -f1,2 |"),
    ]);
    expect(new Set(commands.map(({ file }) => file)).size).toBe(commands.length);
  });

  test("is a script that a shell reads, with a file for each", async () => {
    const { out } = await cli("doctor", "--collect", cloud, "--script");
    execFileSync("sh", ["-n"], { input: out });
    for (const { file } of commands)
      expect(out).toMatch(new RegExp(`>(?:"\\$out/)?${file.replace(".", "\\.")}`));
    expect(out).not.toMatch(/\{\{\.data|get secrets? .*-o (?:json|yaml)/);
  });
});

describe("doctor BUNDLE", () => {
  const { files, image } = HEALTHY.zot;
  const broken = (files["credential-provider-config.yaml"] ?? "").replace(/"zot/, '"*.zot');
  const ask = async (changed: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    cli(
      "doctor",
      folderOf({ ...files, ...changed }),
      "--service-account",
      "shop/web",
      "--image",
      image,
      ...args,
    );

  it.each([
    ["text", /^shop\/web pulls zot.*: 1 link broken\n {2}1\. provider-matches-image: /],
    ["markdown", /^- `shop\/web pulls zot.*: 1 link broken`\n/],
    ["json", /"verdict": "denied"/],
    ["html", /<!doctype html>[^]*provider-matches-image/i],
  ])("as %s", async (format, expected) => {
    const { code, out } = await ask({ "credential-provider-config.yaml": broken }, "--format", format);
    expect([code, out]).toEqual([1, expect.stringMatching(expected)]);
  });

  it("exits with 3 where a link is open and none is broken", async () => {
    expect((await ask({})).code).toBe(3);
  });

  it.each<[readonly string[], RegExp]>([
    [["x", "--message", "a"], /asked about without --message/],
    [["--pod", "a/b"], /--pod is about a bundle/],
    [["--format", "html", "--message", "a"], /--format html is for bundles/],
    [["x", "--pod", "a/b", "--service-account", "a/b"], /--pod says service account and images/],
    [["x", "--image", "a"], /--image needs --service-account/],
    [["/dev/null"], /a bundle is a folder/],
  ])("refuses %j", async (args, error) => {
    const { code, out, err } = await cli("doctor", ...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(error);
  });
});

const hasJq = spawnSync("jq", ["--version"]).status === 0;

test.skipIf(!hasJq)(
  "the script writes a bundle that doctor reads, without values and signatures (needs jq)",
  async () => {
    const folder = folderOf({
      ...HEALTHY.zot.files,
      token: `${tokenPart({ alg: "RS256", kid: "key-1?>" })}.${tokenPart({ iss: "https://oidc.example.com/edge", sub: "system:serviceaccount:shop:web", aud: ["zot.example.com"], iat: Date.now() / 1000, exp: Date.now() })}.${"s".repeat(86)}`,
    });
    const objects = (HEALTHY.zot.files["objects.json"] ?? "").replace(
      '"env": []',
      '"env": [{ "name": "DB_PASSWORD", "value": "correct-horse" }, { "name": "AWS_ROLE_ARN", "value": "arn" }]',
    );
    writeFileSync(join(folder, "objects.json"), objects);
    mkdirSync(join(folder, "bin"));
    const kubectl = join(folder, "bin/kubectl");
    writeFileSync(kubectl, KUBECTL);
    chmodSync(kubectl, 0o755);
    const { out } = await cli("doctor", "--collect", "other", "--script");
    const { status, stderr } = spawnSync("sh", ["-s", "out"], {
      input: out,
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        GIVEN: folder,
        ISSUER: "file:///none",
        JWKS_URI: "file:///none",
      },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    const read = (name: string): string => readFileSync(join(folder, "out", name), "utf8");
    expect(read("objects.json")).not.toContain("correct-horse");
    expect(read("objects.json")).toContain('"value": "arn"');
    expect(read("claims.txt")).toContain('"kid":"key-1?>"');
    expect(read("claims.txt")).not.toContain("sss");
    const doctor = await cli(
      "doctor",
      join(folder, "out"),
      "--service-account",
      "shop/web",
      "--image",
      HEALTHY.zot.image,
    );
    expect([doctor.code, doctor.err]).toEqual([3, ""]);
  },
);

function tokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Prints what the healthy cluster has. */
const KUBECTL = `#!/bin/sh
case "$*" in
"get serviceaccounts"*) cat "$GIVEN/objects.json" ;;
"get roles"*) cat "$GIVEN/rbac.json" ;;
*openid-configuration) cat "$GIVEN/openid.json" ;;
"version"*) cat "$GIVEN/version.json" ;;
"create token"*) cat "$GIVEN/token" ;;
"get mutating"* | "get events"*) cat "$GIVEN/events.json" ;;
esac
`;
