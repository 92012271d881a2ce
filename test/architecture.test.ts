/*
 * The layer table of this library, as code. Imports go one way, so that the pure rules can be read and tested
 * without a construct library, so that a verifier never loads one, and so that one cloud never loads another's
 * bindings (a single root import of a provider costs seconds and half a gigabyte).
 *
 * A failure names the file, what it imports, and the row that forbids it.
 */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { cloudNames } from "../lib/model/clouds";

const LIB = resolve(__dirname, "../lib");

/** Each row: what a folder may import besides its own files, in words. The longest matching prefix is the row of a file. */
const LAYERS: Readonly<Record<string, string>> = {
  "error-kinds.ts": "",
  "errors.ts": "error-kinds.ts",
  "error-codes.ts": "error-kinds.ts errors.ts",
  "missing-package.ts": "errors.ts",
  "model/": "errors.ts",
  "model/parsed-yaml.ts": "yaml",
  "index.ts": "error-codes.ts errors.ts model/",
  "registries/": "errors.ts model/ rules/kubelet/",
  "rules/": "errors.ts model/ registries/ yaml node:crypto",
  "rules/google/": "errors.ts model/ registries/ rules/ node:crypto @bufbuild/cel",
  "artefact/": "errors.ts model/ yaml node:",
  "adopt/": "errors.ts model/ rules/",
  "explain/": "errors.ts model/ registries/ rules/ artefact/ yaml node:",
  "lint/": "errors.ts model/ registries/ rules/ artefact/ explain/",
  "cloud/shared/": "errors.ts model/ constructs cdktf",
  "cloud/aws/": "errors.ts model/ rules/ cloud/shared/ constructs cdktf @cdktf/provider-aws/",
  "cloud/azure/": "errors.ts model/ rules/ cloud/shared/ constructs cdktf @cdktf/provider-azurerm/",
  "cloud/google/":
    "errors.ts model/ registries/ rules/ cloud/shared/ constructs cdktf @cdktf/provider-google/",
  "kubernetes/": "errors.ts model/ rules/ constructs cdk8s",
  "node/": "errors.ts model/ rules/ kubernetes/ constructs cdk8s yaml",
  "openshift/": "errors.ts model/ rules/ artefact/ kubernetes/ node/ constructs cdk8s yaml node:",
  "fleet/": "errors.ts model/ rules/ kubernetes/ constructs cdk8s yaml node:crypto",
  "synth/":
    "errors.ts model/ rules/ artefact/ explain/ kubernetes/ node/ openshift/ fleet/ constructs cdktf cdk8s yaml node:",
  "delivery/":
    "errors.ts model/ rules/ artefact/ cloud/shared/ kubernetes/ openshift/ fleet/ synth/ constructs cdktf @cdktf/provider-kubernetes/",
  "testing/": "errors.ts model/ rules/ artefact/ explain/ cdktf yaml node:",
  "vitest/": "testing/ vitest",
  "doctor/": "errors.ts model/ rules/ explain/ node:",
  "cli/": "errors.ts model/ rules/ artefact/ adopt/ synth/bind/ explain/ lint/ doctor/ commander yaml node:",
};

/**
 * Packages whose modules each public entry may load; everything else that is not ours is a leak. What a function
 * loads when it is first needed (`require` in its body) is not loaded by the entry.
 */
const ENTRY_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "index.ts": [],
  "rules/index.ts": ["yaml"],
  "cloud/aws/index.ts": ["constructs", "cdktf", "@cdktf/provider-aws"],
  "cloud/azure/index.ts": ["constructs", "cdktf", "@cdktf/provider-azurerm"],
  "cloud/google/index.ts": ["constructs", "cdktf", "@cdktf/provider-google"],
  "kubernetes/index.ts": ["constructs", "cdk8s"],
  "node/index.ts": ["constructs", "cdk8s", "yaml"],
  "openshift/index.ts": ["constructs", "cdk8s", "yaml"],
  "fleet/index.ts": ["constructs", "cdk8s", "yaml"],
  "registries/index.ts": [],
  "synth/index.ts": ["constructs", "cdktf", "cdk8s", "yaml"],
  "delivery/index.ts": ["constructs", "cdktf", "cdk8s", "yaml", "@cdktf/provider-kubernetes"],
  "explain/index.ts": ["yaml"],
  "lint/index.ts": ["yaml"],
  "testing/index.ts": ["cdktf", "yaml"],
  "vitest/index.mts": ["cdktf", "yaml", "vitest"],
  "cli/main.ts": ["commander", "yaml"],
};

const LINES_MAX = 400;
const FUNCTION_LINES_MAX = 40;
const EXPORTS_MAX = 12;

/** Files with more exports, each with the reason. */
const CROWDED: Readonly<Record<string, string>> = {
  "model/known.ts": "one type and all that may be done with its values: no other file casts",
  "model/tree.ts": "one type and all that may be done with its values: no other file casts",
  "model/problems.ts": "one sentence each, of values that every job shares",
  "explain/cloud.ts": "the contract of a cloud, whole",
  "explain/azure/ids.ts": "ids of resources, how they are compared, and what is found by them",
};

interface Import {
  readonly specifier: string;
  /** True for types, and for what is required when a function runs: loading the file does not load it. */
  readonly typeOnly: boolean;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

const files: readonly SourceFile[] = readdirSync(LIB, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.m?ts$/.test(path))
  .sort()
  .map(read);

function read(path: string): SourceFile {
  const text = readFileSync(join(LIB, path), "utf8");
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const imports: Import[] = [];
  tree.forEachChild((node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const specifier = (node.moduleSpecifier as ts.StringLiteral).text;
      imports.push({ specifier, typeOnly: isTypeOnly(node) });
    }
  });
  walk(tree, (node) => {
    const specifier = requiredBy(node);
    if (specifier !== undefined) imports.push({ specifier, typeOnly: isInFunction(node) });
  });
  return { path, text, tree, imports };
}

/** The module of a call of `require`. */
function requiredBy(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "require")
    return undefined;
  const [specifier] = node.arguments;
  return specifier && ts.isStringLiteral(specifier) ? specifier.text : "require of an expression";
}

function isInFunction(node: ts.Node): boolean {
  return ts.findAncestor(node, ts.isFunctionLike) !== undefined;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** `model/late.ts` for a relative import, the specifier itself otherwise. */
function target(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const path = relative(LIB, resolve(LIB, dirname(from), specifier))
    .replaceAll("\\", "/")
    .replace(/\.js$/, "");
  const found = [`${path}.ts`, `${path}/index.ts`].find((candidate) =>
    files.some((f) => f.path === candidate),
  );
  return found ?? path;
}

function rowOf(path: string): string | undefined {
  return Object.keys(LAYERS)
    .filter((row) => path === row || (row.endsWith("/") && path.startsWith(row)))
    .sort((a, b) => b.length - a.length)[0];
}

function allowed(row: string, to: string): boolean {
  if (row.endsWith("/") && to.startsWith(row)) return true;
  return (LAYERS[row] ?? "")
    .split(" ")
    .some((entry) => to === entry || (/[/:]$/.test(entry) && to.startsWith(entry)));
}

/** All modules that a file reaches at run time, ours and others'. */
function reached(entry: string): Set<string> {
  const seen = new Set<string>();
  const queue = [entry];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const file = files.find((f) => f.path === next);
    for (const { specifier, typeOnly } of file?.imports ?? [])
      if (!typeOnly) queue.push(target(next, specifier));
  }
  return seen;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

/** The places in all files of nodes that have something. */
function placesOf(has: (node: ts.Node) => boolean): readonly string[] {
  const places: string[] = [];
  for (const file of files)
    walk(file.tree, (node) => {
      if (has(node)) places.push(`${file.path}:${lineOf(file, node.getStart())}`);
    });
  return places;
}

function lineOf(file: SourceFile, position: number): number {
  return file.tree.getLineAndCharacterOfPosition(position).line + 1;
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node) ?? []).some((m) => m.kind === ts.SyntaxKind.ExportKeyword)
  );
}

/** A kind goes with the interface whose values it checks: who reads one reads the other. */
function isKind(node: ts.Node): boolean {
  return (
    ts.isVariableStatement(node) &&
    node.declarationList.declarations.every(({ type }) => /^(?:Object)?Kind</.test(type?.getText() ?? ""))
  );
}

/** The names that the API reports list: what users read in their editors. */
const PUBLIC = new Set(
  readdirSync(resolve(LIB, "../test/api"))
    .filter((name) => name.endsWith(".api.md"))
    .flatMap((name) => [
      ...readFileSync(resolve(LIB, "../test/api", name), "utf8").matchAll(
        /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm,
      ),
    ])
    .map(([, name]) => name),
);

/** Whether a statement exports a public name; what only the library itself uses explains itself where it needs to. */
function isPublic(node: ts.Node): boolean {
  if (!isExported(node)) return false;
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.some(({ name }) => PUBLIC.has(name.getText()));
  return (
    (ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node)) &&
    PUBLIC.has(node.name?.text)
  );
}

function docOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => doc.getText())
    .join("\n");
}

describe("layers", () => {
  it("has a row for every file", () => {
    expect(files.filter((file) => !rowOf(file.path)).map((file) => file.path)).toEqual([]);
  });

  it("imports only what the row of a file allows", () => {
    const broken = files.flatMap((file) =>
      file.imports
        .map(({ specifier }) => target(file.path, specifier))
        .filter((to) => !allowed(rowOf(file.path) ?? "", to))
        .map(
          (to) =>
            `${file.path} imports ${to}; the row "${rowOf(file.path)}" allows ${LAYERS[rowOf(file.path) ?? ""]}`,
        ),
    );
    expect(broken).toEqual([]);
  });

  it("has no import cycle, type imports included", () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (done.has(path) || trail.includes(path)) return;
      const file = files.find((f) => f.path === path);
      for (const { specifier } of file?.imports ?? []) {
        if (specifier.startsWith(".")) visit(target(path, specifier), [...trail, path]);
      }
      done.add(path);
    };
    for (const file of files) visit(file.path, []);
    expect(cycles).toEqual([]);
  });

  it("never imports the root of a provider's bindings, and always with /index.js", () => {
    const roots = files.flatMap((file) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith("@cdktf/"))
        .filter(({ specifier }) => !/^@cdktf\/provider-\w+\/lib\/[\w-]+\/index\.js$/.test(specifier))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
    expect(roots).toEqual([]);
  });
});

/** Files of the verifier outside of its readers that import what knows late texts, each with the reason. */
const KNOW_LATE: Readonly<Record<string, string>> = {
  "explain/jobs/pull-questions.ts": "refuses late values in what a caller asks",
};

/** Files of the verifier with `${` in a text, each with the reason. */
const KNOW_TEMPLATES: Readonly<Record<string, string>> = {
  "explain/read/expression.ts": "takes Terraform's templates apart",
  "explain/read/late-text.ts": "reads the reference in a placeholder as a template",
  "explain/read/terraform-show.ts": "makes a template of a plan's references",
  "explain/aws/documents.ts": "the provider writes IAM's policy variables as `&{`",
};

describe("what is not known has a type", () => {
  const verifier = files.filter(({ path }) => path.startsWith("explain/"));

  it("so that only readers ask whether a text is late", () => {
    const found = verifier
      .filter(({ path, imports }) =>
        imports.some(({ specifier }) => target(path, specifier) === "model/late.ts"),
      )
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("explain/read/"));
    expect(found).toEqual(Object.keys(KNOW_LATE).sort());
  });

  it("so that no text of a template is a value", () => {
    const found = verifier.filter(({ tree }) => {
      let isOne = false;
      walk(tree, (node) => {
        isOne ||=
          (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) && node.text.includes("${");
      });
      return isOne;
    });
    expect(found.map(({ path }) => path)).toEqual(Object.keys(KNOW_TEMPLATES).sort());
  });
});

interface Room {
  readonly each: string;
  readonly own: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Where each cloud has a room of its own, what stands in each of them, and what one cloud has besides, with the reason. */
const ROOMS: Readonly<Record<string, Room>> = {
  cloud: {
    each: "cluster component component-props index issuer place pull ready-permissions registry spoke workload",
    own: {
      aws: {
        adopted: "roles and OIDC providers that exist",
        "issuer-props": "would make the issuer's file too long",
        once: "what an account or a stack has once",
        "owner-policies": "the owner of a repository has a say",
        "pod-identity": "EKS hands roles to service accounts by associations",
        props: "settings that several constructs share",
        provider: "an account knows an issuer once",
        "provider-props": "would make the provider's file too long",
        "shared-registry": "owners of repositories admit roles one by one",
        "registry-source": "what roles may pull, apart from the policies of owners",
        role: "what roles for pulls, components and workloads have in common",
        "role-props": "would make the role's file too long",
        "workload-props": "would make the file of workloads too long",
      },
      azure: {
        access: "what service accounts may do",
        adopted: "identities that exist, and what is declared on them",
        "identity-binding": "AKS exchanges tokens itself, by a binding and RBAC",
        identity: "what identities for pulls, components and workloads have in common",
        "issuer-container": "an issuer's documents in a container",
        "issuer-website": "an issuer's documents as a static website",
        names: "names of identities and roles across an app",
        "renamed-arguments": "azurerm renames arguments of resources that two files declare",
        "workload-props": "would make the file of workloads too long",
      },
      google: {
        access: "roles on many kinds of resources",
        adopted: "pool providers and service accounts that exist",
        components: "the composed maker beside the small construct",
        identity: "what service accounts for components and workloads have in common",
        pool: "pools hold providers, and principals are theirs",
        props: "settings that several constructs share",
        provider: "a pool knows an issuer once",
        "provider-props": "would make the provider's file too long",
        role: "custom roles and bindings",
      },
    },
  },
  rules: {
    each: "cluster commands component issuer names permission powers pull ready-permissions registry spoke trust",
    own: {
      aws: {
        arn: "how everything is named",
        distribution: "CloudFront before the issuer's bucket",
        karpenter: "the longest of the ready permissions",
        "managed-policies": "AWS writes policies itself",
        narrowing: "requests of components are narrowed, never widened",
        partitions: "regions, accounts and endpoints",
        "pod-identity": "the trust of roles that EKS hands to service accounts",
        "policy-document": "how policies are written",
        provider: "OIDC providers",
        "ready-statements": "how rows of ready permissions write their statements",
        role: "IAM roles",
        statement: "statements that callers write",
        "statement-warnings": "statements that IAM accepts although they permit nothing",
        workload: "access of workloads and tokens of pods",
      },
      azure: {
        access: "roles of workloads",
        adoption: "identities that ccoctl made",
        "azurerm-version": "arguments change their names",
        clouds: "hosts and audiences by cloud",
        "identity-binding": "AKS exchanges tokens itself, by a binding and RBAC",
        ids: "resource ids",
        plugin: "azure.json and the plugin's arguments",
        pod: "tokens of pods and the webhook",
        "provider-spec": "what components ask for",
        roles: "role definitions",
        scope: "where a role counts",
        tags: "tags",
      },
      google: {
        cel: "attribute conditions are written in CEL",
        "cel-claims": "attribute conditions are written in CEL",
        "cel-evaluation": "attribute conditions are written in CEL",
        "cel-operations": "attribute conditions are written in CEL",
        condition: "what a pool provider admits",
        mapping: "attributes of principals",
        provider: "pool providers",
        role: "roles and permissions",
        text: "descriptions and display names",
        workload: "access of workloads and tokens of pods",
      },
    },
  },
  explain: {
    each: "clusters held identity issuer permission plugin pods reader recorded rights spoke trust",
    own: {
      aws: {
        "access-entry": "EKS has access entries and policies of its own",
        access: "who acts other than by pulling",
        attachments: "policies are attached to roles in six ways",
        documents: "policies are documents",
        "oidc-providers": "an account knows an issuer once",
        owner: "the owner of a repository has a say",
        place: "ARNs name partition, account and region",
        "pod-identity": "EKS hands roles to service accounts by associations",
        "pod-identity-trust": "EKS assumes one role, and with it perhaps another",
        registry: "repositories and registries have policies",
        "resource-policies": "keys, buckets, queues and secrets have policies",
        "role-judge": "identity policies and boundary decide together",
        stated: "what may be stated of accounts",
        "trust-links": "trust has a link each for provider, audience and subject",
      },
      azure: {
        access: "who acts other than by pulling",
        assignments: "roles are assigned, also to groups, and denied",
        credentials: "an identity has up to twenty federated credentials",
        "identity-binding": "AKS exchanges tokens itself, by a binding and RBAC",
        ids: "resource ids are compared without letter case, and form scopes",
        registry: "registries honour other roles by their mode",
      },
      google: {
        grants: "members, bindings and policies grant, and own policies",
        iam: "grants count by bearer, role, place and condition",
        members: "principals name pools and attributes",
        names: "the number of a project is in no resource",
        pool: "pools have providers with attribute mappings",
      },
    },
  },
};

describe("clouds", () => {
  const rows = Object.entries(ROOMS).flatMap(([room, { each, own }]) =>
    Object.entries(own).map(
      ([cloud, besides]) => [`${room}/${cloud}`, [...each.split(" "), ...Object.keys(besides)]] as const,
    ),
  );

  it.each(rows)("%s has the files of each cloud, and others with a reason", (folder, expected) => {
    const names = files
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path }) => path.slice(`${folder}/`.length, -".ts".length))
      .filter((name) => !name.includes("/"));
    expect(names.sort()).toEqual([...expected].sort());
  });

  it("are listed in one file: no other list or union, and every table of them has the type of its keys", () => {
    const named = (nodes: readonly ts.Node[]): boolean =>
      cloudNames.every((cloud) => nodes.some((node) => node.getText().replaceAll(/["']/g, "") === cloud));
    const listed = files.flatMap((file) => {
      const lines: string[] = [];
      walk(file.tree, (node) => {
        const isTable =
          ts.isObjectLiteralExpression(node) &&
          named(node.properties.flatMap(({ name }) => name ?? [])) &&
          !/CloudName/.test(node.parent.getText().split("=")[0] ?? "") &&
          file.path !== "error-kinds.ts";
        const isList =
          (ts.isUnionTypeNode(node) && named(node.types)) ||
          (ts.isArrayLiteralExpression(node) && named(node.elements));
        if (isTable || isList) lines.push(`${file.path}:${lineOf(file, node.getStart())}`);
      });
      return lines;
    });
    expect(listed).toEqual([expect.stringMatching(/^model\/clouds\.ts:/)]);
  });
});

describe("carriers of node files", () => {
  /** Rules of the same folder that belong to no carrier of their own, each with the reason. */
  const SHARED: Readonly<Record<string, string>> = {
    authentication: "a file of API servers, which several carriers bring",
    "cloud-init": "a transport, which several carriers use",
    commands: "what may run on nodes, whatever brings it there",
    form: "what every form can do",
    forms: "the table of forms",
    ignition: "a transport, which several carriers use",
    "plugin-source": "where plugins are downloaded from",
  };

  it("have the name of their rules", () => {
    const namesIn = (folder: string): string[] =>
      files.flatMap(({ path }) => (dirname(path) === folder ? [path.slice(folder.length + 1, -3)] : []));
    expect([...namesIn("node/carriers"), ...Object.keys(SHARED)].sort()).toEqual(
      namesIn("rules/node").sort(),
    );
  });
});

describe("subpaths", () => {
  it.each(Object.keys(ENTRY_PACKAGES))("%s loads only its own packages", (entry) => {
    expect(files.map((file) => file.path)).toContain(entry);
    const foreign = [...reached(entry)]
      .filter((to) => !/\.m?ts$/.test(to) && !to.startsWith("node:"))
      .map(packageOf);
    expect(foreign.filter((name) => !ENTRY_PACKAGES[entry]?.includes(name))).toEqual([]);
  });

  it("mirrors the export map of the package", () => {
    const manifest = JSON.parse(readFileSync(resolve(LIB, "../package.json"), "utf8")) as {
      exports: Record<string, { default: string } | string>;
    };
    const entries = Object.values(manifest.exports)
      .map((entry) => (typeof entry === "string" ? entry : entry.default))
      .filter((path) => /\.m?js$/.test(path))
      .map((path) => path.replace("./dist/lib/", "").replace(/\.(m?)js$/, ".$1ts"));
    expect([...entries, "cli/main.ts"].sort()).toEqual(Object.keys(ENTRY_PACKAGES).sort());
  });
});

describe("checks of explain", () => {
  const ids = files
    .filter(({ path }) => path === "explain/check-ids.ts")
    .flatMap(({ text }) => [...text.matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, id = ""]) => id));
  const tests = readdirSync(resolve(__dirname, "explain/checks")).map((name) => name.replace(".test.ts", ""));

  it("have a test file or a folder each, named after their id", () => {
    expect(ids.length).toBeGreaterThan(30);
    expect([...new Set(tests)].sort()).toEqual([...ids].sort());
  });
});

describe("size", () => {
  it(`keeps files within ${LINES_MAX} lines`, () => {
    const long = files
      .map((file) => ({ path: file.path, lines: file.text.split("\n").length }))
      .filter(({ lines }) => lines > LINES_MAX);
    expect(long).toEqual([]);
  });

  it(`keeps functions within ${FUNCTION_LINES_MAX} lines`, () => {
    const linesOf = ({ body }: ts.FunctionLikeDeclaration): number =>
      body ? body.getText().split("\n").length : 0;
    const long = placesOf(
      (node) =>
        ts.isFunctionLike(node) &&
        "body" in node &&
        linesOf(node as ts.FunctionLikeDeclaration) > FUNCTION_LINES_MAX,
    );
    expect(long).toEqual([]);
  });

  it(`keeps a file's own exports within ${EXPORTS_MAX}, exceptions with a reason aside`, () => {
    const crowded = files
      .map((file) => ({
        path: file.path,
        exports: file.tree.statements.filter((each) => isExported(each) && !isKind(each)).length,
      }))
      .filter(({ path, exports }) => exports > EXPORTS_MAX && !(path in CROWDED));
    expect(crowded).toEqual([]);
  });
});

describe("style", () => {
  it("documents every public declaration and every member of a public interface or class", () => {
    expect(PUBLIC.size).toBeGreaterThan(200);
    const isHidden = (node: ts.Node): boolean =>
      ts.canHaveModifiers(node) &&
      (ts.getModifiers(node) ?? []).some(
        ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.OverrideKeyword,
      );
    const isMember = (node: ts.Node): boolean =>
      (ts.isTypeElement(node) || ts.isClassElement(node)) &&
      (ts.isInterfaceDeclaration(node.parent) || ts.isClassDeclaration(node.parent)) &&
      isPublic(node.parent) &&
      !isHidden(node) &&
      !(node.name && ts.isPrivateIdentifier(node.name)) &&
      !ts.isConstructorDeclaration(node) &&
      !ts.isClassStaticBlockDeclaration(node) &&
      !ts.isSetAccessor(node);
    const isStatement = (node: ts.Node): boolean => ts.isSourceFile(node.parent ?? node) && isPublic(node);
    const bare = placesOf((node) => (isStatement(node) || isMember(node)) && !docOf(node));
    expect(bare).toEqual([]);
  });

  it("states the default of every optional property of a public interface", () => {
    const isSilent = (node: ts.Node): boolean =>
      ts.isPropertySignature(node) &&
      node.questionToken !== undefined &&
      ts.isInterfaceDeclaration(node.parent) &&
      isPublic(node.parent) &&
      !docOf(node).includes("@defaultValue");
    expect(placesOf(isSilent)).toEqual([]);
  });

  it("spreads no object literal, which would only keep it on one line", () => {
    const isSpread = (node: ts.Node): boolean =>
      ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression);
    expect(placesOf(isSpread)).toEqual([]);
  });

  it("uses no any, no non-null assertion and no compiler directive", () => {
    expect(
      placesOf((node) => node.kind === ts.SyntaxKind.AnyKeyword || ts.isNonNullExpression(node)),
    ).toEqual([]);
    const directed = files.filter(({ text }) => /@ts-(ignore|expect-error|nocheck)/.test(text));
    expect(directed.map(({ path }) => path)).toEqual([]);
  });
});
