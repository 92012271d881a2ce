/*
 * The declarations of the package in projects of each system of modules, with the compiler that is installed here. `npm run pack:types`
 * asks TypeScript 5.9, 6 and 7 from the registry about more of them.
 */

import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { emptyProject } from "../support/empty-project";

interface Project {
  readonly until?: number;
}
/** What the script has as well, in JavaScript. */
interface Compilers {
  readonly PROJECTS: Readonly<Record<string, Project>>;
  readonly writePrograms: (folder: string) => void;
  readonly writeProject: (folder: string, project: Project, major: number) => void;
  readonly isOurs: (path: string) => boolean;
}
let compilers: Compilers;
const MAJOR = Number(ts.version.split(".")[0]);

let folder: string;
beforeAll(async () => {
  compilers = (await import("./compilers.mjs" as string)) as Compilers;
  const clouds = ["aws", "azurerm", "google"].map((cloud) => `@cdktf/provider-${cloud}`);
  folder = emptyProject(["cdktf", "constructs", "cdk8s", "@types/node", "vitest", ...clouds]);
  compilers.writePrograms(folder);
}, 120_000);

/** Declarations of others, parsed once for all projects. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of the project's files and the library's declarations; those of others take most of its time. */
function errors(): readonly string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, "tsconfig.json"), undefined, host);
  if (!config) return ["the settings cannot be read"];
  const compiler = ts.createCompilerHost(config.options);
  const { getSourceFile } = compiler;
  compiler.getSourceFile = (path, version, ...rest) => {
    const parse = (): ts.SourceFile | undefined => getSourceFile.call(compiler, path, version, ...rest);
    if (compilers.isOurs(path)) return parse();
    const key = `${path} ${JSON.stringify(version)}`;
    if (!parsed.has(key)) parsed.set(key, parse());
    return parsed.get(key);
  };
  const program = ts.createProgram(config.fileNames, config.options, compiler);
  const ours = program.getSourceFiles().filter(({ fileName }) => compilers.isOurs(fileName));
  expect(ours.length).toBeGreaterThan(200);
  return [
    ...[...config.errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()],
    ...ours.flatMap((file) => ts.getPreEmitDiagnostics(program, file)),
  ].map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}

describe("the declarations", () => {
  it.each([
    "CommonJS, node10, no esModuleInterop",
    "ES modules, nodenext",
    "ES modules, bundler, verbatimModuleSyntax",
  ])("compile: %s", (name) => {
    const project = compilers.PROJECTS[name];
    if (!project) throw new Error(`no project ${name}`);
    compilers.writeProject(folder, project, MAJOR);
    expect(errors()).toEqual([]);
  });
});
