import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Json, inside, list, record, text } from "./support/json";
import { ROOT } from "./support/markdown";

interface Manifest {
  readonly version: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}
interface Surface {
  readonly manifest: Manifest;
  readonly reports: ReadonlyMap<string, string>;
}
interface Release {
  readonly changesOf: (before: Surface, after: Surface) => readonly (readonly [string, string])[];
  readonly levelOf: (changes: readonly (readonly [string, string])[]) => string;
  readonly nextVersion: (previous: string, level: string) => string;
  readonly notesOf: (changelog: string, version: string) => string | undefined;
  readonly problemsOf: (
    tag: string,
    now: Surface & { readonly changelog: string },
    previous?: Surface & { readonly tag: string },
  ) => readonly string[];
}
/** A script of the build, in JavaScript. */
const release = import("../build/release.mjs" as string) as Promise<Release>;

const BEFORE = `## API Report File

\`\`\`ts

import { Construct } from 'constructs';

// @public
export function ecr(props: EcrProps): EcrSource;

// @public
export interface EcrProps {
    readonly account: string;
    readonly region?: string;
}

// @public
export class PullRole extends Construct {
    constructor(scope: Construct, id: string, props: PullRoleProps);
    readonly arn: string;
}

// @public
export type Verdict = "allowed" | "denied";

\`\`\`
`;

const manifest: Manifest = {
  version: "1.2.0",
  engines: { node: ">=20" },
  peerDependencies: { cdktf: ">=0.21.0 <1" },
};

function surface(report: string, changes: Partial<Manifest> = {}): Surface {
  return { manifest: { ...manifest, ...changes }, reports: new Map([["aws.api.md", report]]) };
}

async function changes(after: Surface): Promise<readonly string[]> {
  const { changesOf } = await release;
  return changesOf(surface(BEFORE), after).map(([level, change]) => `${level}: ${change}`);
}

describe("the level of a change of the surface", () => {
  it.each<readonly [string, string, string, readonly string[]]>([
    ["nothing", "", "", []],
    [
      "an optional member of an interface",
      "    readonly region?: string;",
      "    readonly region?: string;\n    readonly tags?: Tags;",
      ["minor: EcrProps has readonly tags?: Tags;"],
    ],
    [
      "a required member of an interface",
      "    readonly region?: string;",
      "    readonly region?: string;\n    readonly tags: Tags;",
      ["major: EcrProps has readonly tags: Tags;"],
    ],
    [
      "a member of a class",
      "    readonly arn: string;",
      "    readonly arn: string;\n    readonly name: string;",
      ["minor: PullRole has readonly name: string;"],
    ],
    [
      "a member that is gone",
      "    readonly region?: string;\n",
      "",
      ["major: EcrProps had readonly region?: string;"],
    ],
    [
      "another constructor",
      "props: PullRoleProps);",
      "props?: PullRoleProps);",
      [
        "major: PullRole had constructor(scope: Construct, id: string, props: PullRoleProps);",
        "major: PullRole has constructor(scope: Construct, id: string, props?: PullRoleProps);",
      ],
    ],
    [
      "another base class",
      "PullRole extends Construct {",
      "PullRole extends Resource {",
      ["major: PullRole: export class PullRole extends Resource {"],
    ],
    ["another type", '"denied";', '"denied" | "unknown";', ["major: Verdict is another type"]],
    ["another function", "(props: EcrProps)", "(props?: EcrProps)", ["major: ecr is another function"]],
    ["another kind", "export type Verdict = ", "export const Verdict: ", ["major: Verdict is a const now"]],
    [
      "an overload",
      "// @public\nexport type",
      "// @public\nexport function ecr(): EcrSource;\n\n// @public\nexport type",
      ["major: ecr is another function"],
    ],
    [
      "a new declaration",
      "// @public\nexport type",
      "// @public\nexport function acr(): AcrSource;\n\n// @public\nexport type",
      ["minor: acr is new"],
    ],
  ])("%s", async (_, found, replaced, expected) => {
    expect(BEFORE).toContain(found);
    expect(await changes(surface(BEFORE.replace(found, replaced)))).toEqual(expected);
  });

  it("of the manifest", async () => {
    const peers = { cdktf: ">=0.22.0 <1", cdk8s: "^2", vitest: ">=2" };
    const peerDependenciesMeta = { vitest: { optional: true } };
    const after = surface(BEFORE, { engines: {}, peerDependencies: peers, peerDependenciesMeta });
    expect(await changes(after)).toEqual([
      "major: engines had node >=20",
      "major: peerDependencies had cdktf >=0.21.0 <1",
      "major: peerDependencies has cdk8s ^2",
      "minor: peerDependencies has vitest >=2",
    ]);
  });

  it("of whole entries", async () => {
    const other = { ...surface(BEFORE), reports: new Map([["azure.api.md", BEFORE]]) };
    expect(await changes(other)).toEqual([
      "major: the entry of aws.api.md is gone",
      "minor: the entry of azure.api.md is new",
    ]);
  });

  it("finds every declaration of the committed reports", async () => {
    const { changesOf } = await release;
    const names = readdirSync(join(ROOT, "test/api")).filter((file) => file.endsWith(".api.md"));
    for (const file of names) {
      const report = readFileSync(join(ROOT, "test/api", file), "utf8");
      const count = report.match(/^\/\/ @public/gm)?.length ?? 0;
      const overloads = count - new Set(report.match(/^export (?:abstract )?\w+ \w+/gm)).size;
      const empty = { manifest, reports: new Map([[file, "```ts\n\n```"]]) };
      const found = changesOf(empty, { manifest, reports: new Map([[file, report]]) });
      expect([file, found.length]).toEqual([file, count - overloads]);
      expect(changesOf({ manifest, reports: new Map([[file, report]]) }, empty)).toHaveLength(found.length);
    }
  });
});

describe("the next version", () => {
  it.each([
    ["1.2.3", "patch", "1.2.4"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3", "major", "2.0.0"],
    ["v0.2.3", "patch", "0.2.4"],
    ["v0.2.3", "minor", "0.2.4"],
    ["v0.2.3", "major", "0.3.0"],
  ])("after %s for a %s is %s", async (previous, level, expected) => {
    expect((await release).nextVersion(previous, level)).toBe(expected);
  });
});

describe("a tag", () => {
  const changelog =
    "# Changelog\n\n## Unreleased\n\n## 1.3.0 - 2026-11-23\n\n### Added\n\n- x\n\n## 1.2.0 - 2026-10-01\n\n- y\n";
  const now = { ...surface(BEFORE, { version: "1.3.0" }), changelog };
  const previous = { ...surface(BEFORE), tag: "v1.2.0" };

  it("may be released where manifest, changelog and surface agree with it", async () => {
    expect((await release).problemsOf("v1.3.0", now, previous)).toEqual([]);
    expect((await release).problemsOf("v1.3.0", now)).toEqual([]);
    expect((await release).notesOf(changelog, "v1.3.0")).toBe("### Added\n\n- x");
    expect((await release).notesOf(changelog, "1.2.0")).toBe("- y");
  });

  it.each([
    ["another version in the manifest", "v1.3.1", now, "package.json has version 1.3.0"],
    ["no section in the changelog", "v1.3.1", now, 'CHANGELOG.md has no section "## 1.3.1 - <date>"'],
    [
      "a version that promises too much",
      "v1.3.0",
      { ...now, ...surface(BEFORE.replace('"denied"', '"no"'), { version: "1.3.0" }) },
      "the public surface asks for 2.0.0 or more:\n  Verdict is another type",
    ],
  ])("is refused with %s", async (_, tag, given, expected) => {
    expect((await release).problemsOf(tag, given, previous).join("\n")).toContain(expected);
  });

  it("is a version", async () => {
    const { problemsOf } = await release;
    expect(() => problemsOf("latest", now)).toThrowError(
      "latest is no version; allowed: 1.2.3, or v1.2.3 for a tag",
    );
  });
});

describe("CHANGELOG.md", () => {
  const page = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

  it("says what is not released yet, or has the version of the manifest", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
    const { notesOf } = await release;
    expect(notesOf(page, version) !== undefined || page.includes(`This will be ${version}`)).toBe(true);
  });
});

interface Dependencies {
  readonly problemsOf: (lock: unknown, manifestOf: (path: string) => unknown) => readonly string[];
}

describe("the packages of the lock file", () => {
  const dependencies = import("../build/dependencies.mjs" as string) as Promise<Dependencies>;
  const fine = { version: "1.0.0", license: "MIT", integrity: "sha512-x" };
  const SCRIPT = { hasInstallScript: true };
  const POSTINSTALL = { scripts: { postinstall: "x" } };

  it.each<readonly [string, object, { name?: string; installed?: object; problem?: string }]>([
    ["a permissive licence", {}, {}],
    ["one of two", { license: "(GPL-3.0 OR MIT)" }, {}],
    ["two of two", { license: "(Apache-2.0 AND BSD-3-Clause)" }, {}],
    ["a package of those that are stated", { license: "MPL-2.0" }, { name: "@cdktf/provider-aws" }],
    ["what is bundled, without a checksum", { integrity: undefined, inBundle: true }, {}],
    ["no script at installation", {}, { installed: { scripts: { test: "x" } } }],
    ["a script that is stated, in development", { hasInstallScript: true, dev: true }, { name: "esbuild" }],
    ["a stated script of what users install", SCRIPT, { name: "esbuild", problem: "runs a script when" }],
    ["one licence of two only", { license: "(MIT AND GPL-3.0)" }, { problem: "licence (MIT AND GPL-3.0)" }],
    ["another licence", { license: "MPL-2.0" }, { problem: "a 1.0.0: licence MPL-2.0 is none of" }],
    ["no licence", { license: undefined }, { problem: "licence is not stated" }],
    [
      "another one of a stated package",
      { license: "BUSL-1.1" },
      { name: "cdktf", problem: "licence BUSL-1.1" },
    ],
    ["a script by the lock file", SCRIPT, { problem: "runs a script when it is installed" }],
    ["a script by its manifest", {}, { installed: POSTINSTALL, problem: "runs postinstall when" }],
    ["no checksum", { integrity: undefined }, { problem: "no checksum in the lock file" }],
    [
      "another registry",
      { resolved: "https://npm.example.com/a.tgz" },
      { problem: "comes from https://npm" },
    ],
  ])("%s", async (_, entry, { name = "a", installed, problem }) => {
    const lock = { packages: { "": {}, [`node_modules/b/node_modules/${name}`]: { ...fine, ...entry } } };
    const problems = (await dependencies).problemsOf(lock, () => installed);
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  });

  it("have no problem", async () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
    expect((await dependencies).problemsOf(read("package-lock.json"), () => undefined)).toEqual([]);
  });
});

describe("workflows", () => {
  const folder = join(ROOT, ".github/workflows");
  const sources = readdirSync(folder).map(
    (file) => [file, readFileSync(join(folder, file), "utf8")] as const,
  );
  const jobs = (name: string): Json => record(inside(parse(new Map(sources).get(name) ?? ""), "jobs"));

  it.each(sources)("%s pins each action by commit, with its version beside it", (_, source) => {
    const uses = source.split("\n").filter((line) => line.includes("uses:"));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(sources)("%s has no permission but those that a job states", (_, source) => {
    const workflow = record(parse(source));
    expect(workflow["permissions"]).toEqual({});
    expect(source).not.toContain("secrets.");
  });

  it("release checks tag and project before it packs, and publishes what was packed, both packages", () => {
    const runs = (job: string): readonly string[] =>
      list(inside(jobs("release.yml"), job, "steps")).map((step) => text(record(step)["run"] ?? ""));
    const place = (job: string, part: string): number => runs(job).findIndex((run) => run.includes(part));
    const order = ["build/release.mjs check", ".ci/run", "npm audit", "npm pack "].map((part) =>
      place("pack", part),
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    const publish = runs("publish").join("\n");
    for (const name of ["cdktf", "cdktn"])
      expect(publish).toContain(
        `npm publish --provenance --access public "./packed/${name}-workload-identity-$version.tgz"`,
      );
    expect(publish).not.toMatch(/npm (?:ci|install|run)|node /);
  });

  it("release gives the identity to the job alone that publishes", () => {
    const permissions = Object.entries(jobs("release.yml")).map(([name, job]) => [
      name,
      record(job)["permissions"],
    ]);
    expect(Object.fromEntries(permissions)).toEqual({
      pack: { contents: "read" },
      publish: { "id-token": "write" },
      announce: { contents: "write" },
    });
  });
});
