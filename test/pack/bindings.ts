/*
 * Installs the newest bindings of each provider that the registry has, of cdktf and of CDK Terrain, into an empty folder, and
 * compares their schemas with the tables of arguments, and with what the constructs write. Needs the network, so it is no part
 * of the tests: `npm run check:bindings`. Bindings do not say which arguments are deprecated.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOT_UNDERSTOOD, missing, namesIn, rows } from "../support/coverage-tables";
import { ROOT } from "../support/markdown";
import { type Bindings, type TypeSchema, schemaOf } from "../support/provider-schema";

const PROVIDERS = ["aws", "azurerm", "google", "kubernetes"];
const EMPTY: TypeSchema = { arguments: new Map(), computed: new Set() };

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

const npm = (words: readonly string[], cwd: string): string =>
  execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The newest version of a package; `undefined` if the registry does not have it. */
function newest(name: string): string | undefined {
  try {
    return npm(["view", name, "version"], ROOT).trim();
  } catch {
    return undefined;
  }
}

/** The code of the constructs, for what they write. */
const CODE = ["lib/cloud", "lib/delivery"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(ROOT, folder, path),
    ),
  )
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

/** The types whose bindings the constructs import: `aws_iam_role`. */
const WRITTEN = [
  ...new Set(
    [...CODE.matchAll(/@cdktf\/provider-(\w+)\/lib\/([\w-]+)\/index/g)].map(([, provider = "", type = ""]) =>
      type.startsWith("data-")
        ? `data.${type.slice(5).replaceAll("-", "_")}`
        : `${provider}_${type.replaceAll("-", "_")}`,
    ),
  ),
];

function isWritten(argument: string): boolean {
  const camel = argument.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`\\b(?:${camel}|${argument})\\b`).test(CODE);
}

function compared(bindings: Bindings): readonly string[] {
  const has = (type: string, name: string, of?: Bindings): boolean => {
    const schemas = [type, `data.${type}`].map((each) =>
      schemaOf(each.replace(/^data\.data\./, "data."), of),
    );
    return schemas.some((each) => each?.arguments.has(name) === true || each?.computed.has(name) === true);
  };
  const read = rows.flatMap(([type, row]) => {
    const [old, made] = [schemaOf(type), schemaOf(type, bindings)];
    if (!made)
      return old && bindings(type.replace(/^data\./, "").split("_")[0] ?? "") ? [`removed type ${type}`] : [];
    const added = missing(row, made, type).filter((each) => !NOT_UNDERSTOOD.includes(each));
    const gone = namesIn(row).filter((name) => has(type, name) && !has(type, name, bindings));
    return [
      ...added.map((each) => `not in the tables: ${each}`),
      ...gone.map((name) => `removed: ${type}.${name}`),
    ];
  });
  const written = WRITTEN.flatMap((type) => {
    const [old, made] = [schemaOf(type) ?? EMPTY, schemaOf(type, bindings)];
    if (!made)
      return bindings(type.split("_")[0] ?? "") && old !== EMPTY
        ? [`removed type ${type}, which is written`]
        : [];
    return [...old.arguments.keys()]
      .filter((name) => !made.arguments.has(name) && isWritten(name))
      .map((name) => `removed, perhaps written: ${type}.${name}`);
  });
  return [...read, ...written];
}

/** Installs the newest bindings of a scope, unless they are those of this repository, and says what differs. */
function checked(scope: string, folder: string): readonly string[] {
  const found = PROVIDERS.flatMap((provider) => {
    const name = `${scope}/provider-${provider}`;
    const version = newest(name);
    return version === undefined || version === devDependencies[name] ? [] : [`${name}@${version}`];
  });
  if (found.length === 0) return [`${scope}: none newer than what is installed`];
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  npm(["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", ...found], folder);
  const bindings: Bindings = (provider) => {
    const at = join(folder, "node_modules", scope, `provider-${provider}`);
    return existsSync(at) ? at : undefined;
  };
  return [...found, ...compared(bindings).map((each) => `  ${each}`)];
}

const folder = mkdtempSync(join(tmpdir(), "bindings-"));
try {
  console.log(`${rows.length} tables, ${WRITTEN.length} types that constructs write`);
  for (const scope of ["@cdktf", "@cdktn"]) console.log(checked(scope, folder).join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
