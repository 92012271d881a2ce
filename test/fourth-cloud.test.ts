/*
 * A fourth cloud costs the files that docs/contributing.md lists, and no others: a copy of Google's, under another name, compiles
 * with the rest of the library once each of those has its row. Nothing is written; the compiler reads the changed texts.
 */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/markdown";

const CLOUD = "fourth";
const MODEL = "google";

const source = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** What is inserted into a file of the library, before or after the text that a pattern finds. */
type Row = readonly [pattern: RegExp, replacement: string];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "lib/model/clouds.ts": [
    [/"google";/, `"google" | "${CLOUD}";`],
    [
      /\n};/,
      `\n  ${CLOUD}: { providerSpec: "FourthProviderSpec", providerFields: "roles", argoCd: "${CLOUD}" },\n};`,
    ],
  ],
  "lib/error-kinds.ts": [[/\n {2}issuer:/, `\n  ${CLOUD}: "a fourth cloud",$&`]],
  "lib/registries/plugins.ts": [[/\n {2}gcp,/, `$&\n  ${CLOUD}: gcp,`]],
  "lib/rules/fleet/consumers.ts": [[/\n {2}google: .*/, `$&\n  ${CLOUD}: "gcp-auth-plugin",`]],
  "lib/rules/fleet/plugins.ts": [[/\n {2}google: .*/, `$&\n  ${CLOUD}: () => ({ args: [] }),`]],
  "lib/explain/every-cloud.ts": [
    [/import \{ googleReader \}.*/, `$&\nimport { ${CLOUD}Reader } from "./${CLOUD}/reader";`],
    [/googleReader\]/, `googleReader, ${CLOUD}Reader]`],
  ],
  "lib/adopt/every-cloud.ts": [
    [/import \{ googleAdoption \}.*/, `$&\nimport { ${CLOUD}Adoption } from "./${CLOUD}/reader";`],
    [/googleAdoption\]/, `googleAdoption, ${CLOUD}Adoption]`],
  ],
};

/** The folders of a cloud. */
const FOLDERS = ["rules", "cloud", "explain", "adopt"];

function withRows(path: string): string {
  return (ROWS[path] ?? []).reduce((text, [pattern, replacement]) => {
    expect(text, `${path}: ${String(pattern)}`).toMatch(pattern);
    return text.replace(pattern, replacement);
  }, source(path));
}

/** The files of the new cloud: the model's, with its name in imports, codes and keys, but not in names of resources. */
function copies(): readonly (readonly [path: string, text: string])[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, "lib", folder, MODEL), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => {
        const text = source(join("lib", folder, MODEL, name))
          .replace(/(from "[./]*(?:rules|cloud|explain|adopt)\/)google\//g, `$1${CLOUD}/`)
          .replace(/"google(?=-[a-z]+")/g, `"${CLOUD}`)
          .replace(/(?<=cloud(?:: |\s*= ))"google"/g, `"${CLOUD}"`)
          .replace(/CLOUDS\.google/g, `CLOUDS.${CLOUD}`)
          .replace(/\bgoogle(?=Reader|Adoption)/g, CLOUD);
        return [join("lib", folder, CLOUD, name), text] as const;
      }),
  );
}

/** What no overlay changes is parsed once. */
const parsed = new Map<string, ts.SourceFile>();

/** What the compiler says about the library without constructs with these texts instead of the files, by file. */
function complaints(overlay: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => readFileSync(path, "utf8")) as {
    readonly config: object;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ["lib"] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, directoryExists } = host;
  const own = (path: string): string | undefined => overlay.get(relative(ROOT, path));
  host.readFile = (path) => own(path) ?? readFile(path);
  host.fileExists = (path) => own(path) !== undefined || fileExists(path);
  host.directoryExists = (path) => path.endsWith(`/${CLOUD}`) || (directoryExists?.(path) ?? true);
  host.getSourceFile = (path, version) => {
    const text = own(path);
    if (text !== undefined) return ts.createSourceFile(path, text, version);
    const known = parsed.get(path) ?? ts.createSourceFile(path, readFile(path) ?? "", version);
    parsed.set(path, known);
    return known;
  };
  const files = [...fileNames, ...[...overlay.keys()].map((path) => join(ROOT, path))];
  const rootNames = [...new Set(files)].filter((path) =>
    /\/lib\/(?:model|registries|rules|explain|adopt|artefact|error)/.test(path),
  );
  const program = ts.createProgram({
    rootNames,
    options: { ...options, noEmit: true, composite: false },
    host,
  });
  // Exports state their types (`isolatedDeclarations`), so a change reaches the files that import it, and none behind them.
  const isNear = ({ fileName, text }: ts.SourceFile): boolean =>
    own(fileName) !== undefined ||
    [...text.matchAll(/from "(\.[^"]+)"/g)].some(
      ([, to = ""]) => own(`${join(dirname(fileName), to)}.ts`) !== undefined,
    );
  return program
    .getSourceFiles()
    .filter((file) => file.fileName.startsWith(join(ROOT, "lib")) && isNear(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(
      ({ file, messageText }) =>
        `${relative(ROOT, file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
}

describe("docs/contributing.md, a fourth cloud", () => {
  const [, section = ""] = source("docs/contributing.md").split("### A fourth cloud");
  const cells = section
    .split("\n")
    .flatMap((line) => (line.startsWith("| `") ? [line.split("|")[1] ?? ""] : []));
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));

  it("lists the tables that get a row, and the folders of each cloud", () => {
    const folders = FOLDERS.map((folder) => `lib/${folder}/<c>/`);
    expect([...listed].sort()).toEqual([...Object.keys(ROWS), ...folders].sort());
  });

  it("compiles after changes of these files alone", () => {
    const rows = Object.keys(ROWS).map((path) => [path, withRows(path)] as const);
    expect(complaints(new Map([...rows, ...copies()]))).toEqual([]);
  }, 60_000);

  it("is asked for by the compiler once the cloud has a name", () => {
    const path = "lib/model/clouds.ts";
    const files = complaints(new Map([[path, withRows(path)]])).map((text) => text.split(":")[0]);
    expect([...new Set(files)].sort()).toEqual([
      "lib/rules/fleet/consumers.ts",
      "lib/rules/fleet/plugins.ts",
    ]);
  }, 60_000);
});
