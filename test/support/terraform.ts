/*
 * Enough of Terraform to read a synthesized configuration without it: which references it holds, whether they point
 * to something declared, and a made-up apply that puts a value in the place of each reference.
 */

import { createHash } from "node:crypto";
import { CA } from "../fixtures/fleet/ca";
import { type Json, list, mapTexts, record, text, texts } from "./json";

/** `${…}` that is not escaped as `$${…}`, the innermost first: expressions of the library hold no other braces. */
const EXPRESSION = /(?<!\$)\$\{([^{}]*)\}/g;
const TRAVERSAL = /(?<![\w."-])([A-Za-z_][\w-]*)\.([\w-]+)(?:\.([\w-]+))?/g;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** First words of references to what is no block of the configuration. */
const BUILT_IN: readonly string[] = ["path", "terraform"];

/** References of the configuration that point to nothing declared, with the place where they stand. */
export function undeclaredReferences(config: Json): readonly string[] {
  const { "//": _, ...blocks } = config;
  return texts(blocks).flatMap(([path, value]) => [
    ...references(value)
      .filter((reference) => !isDeclared(config, reference))
      .map((reference) => `${path}: ${reference.join(".")} is not declared`),
    ...(/\.depends_on\.\d+$/.test(path) && !isDeclared(config, value.split("."))
      ? [`${path}: ${value} is not declared`]
      : []),
    ...(/\.provider$/.test(path) && value.includes(".") && !isConfigured(config, value)
      ? [`${path}: the Terraform provider ${value} is not configured`]
      : []),
  ]);
}

function references(value: string): readonly (readonly string[])[] {
  return [...value.matchAll(EXPRESSION)].flatMap(([, expression = ""]) =>
    [...expression.replace(QUOTED, '""').matchAll(TRAVERSAL)].map(([, ...parts]) =>
      parts.filter((part): part is string => part !== undefined),
    ),
  );
}

function isDeclared(config: Json, [first = "", second = "", third = ""]: readonly string[]): boolean {
  if (BUILT_IN.includes(first)) return true;
  const singles: Readonly<Record<string, string>> = { var: "variable", local: "locals", module: "module" };
  const single = singles[first];
  if (single !== undefined) return second in record(config[single]);
  if (first === "data") return third in record(record(config["data"])[second]);
  return second in record(record(config["resource"])[first]);
}

function isConfigured(config: Json, provider: string): boolean {
  const [name = "", alias] = provider.split(".");
  return list(record(config["provider"])[name]).some((entry) => record(entry)["alias"] === alias);
}

const ACCOUNT = "111122223333";
const TENANT = "11111111-2222-4333-8444-555555555555";

/** What a cloud would answer, by type and attribute; everything else is told apart by its reference. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, (block: Json, seed: string) => string>>>> = {
  aws_iam_openid_connect_provider: {
    arn: ({ url }) => `arn:aws:iam::${ACCOUNT}:oidc-provider/${text(url).replace("https://", "")}`,
  },
  aws_cloudfront_distribution: { domain_name: () => "d111111abcdef8.cloudfront.net" },
  aws_iam_role: {
    arn: ({ name, path }) => `arn:aws:iam::${ACCOUNT}:role${text(path) || "/"}${text(name)}`,
  },
  // Without https://, as Google answers.
  google_container_cluster: { endpoint: () => "203.0.113.7" },
  azurerm_user_assigned_identity: {
    id: ({ name }) =>
      `/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${text(name)}`,
    tenant_id: () => TENANT,
    client_id: (_, seed) => madeUpId(`client ${seed}`),
    principal_id: (_, seed) => madeUpId(`principal ${seed}`),
  },
};

const SIMPLE = /^((?:data\.)?)([a-z_][\w-]*)\.([\w-]+)\.([\w-]+)$/;
const LOCAL = /^local\.([\w-]+)$/;
const LITERAL = /^"([^"\\]*)"$/;
/** Certificate authorities of clusters, read or given as a variable. */
const AUTHORITY = /\.(?:certificate_authority\[0\]\.data|cluster_ca_certificate|\w+_ca)$/;
const WITHOUT_PREFIX = /^trimprefix\((.+), "(.+)"\)$/;

/**
 * The configuration after a made-up apply: every reference replaced by a value, the same in every run, and the
 * attributes that clouds answer added to their blocks.
 */
export function applied(config: Json): Json {
  const blocksOf = (kind: string, type: string): Json => record(record(config[kind])[type]);
  // A value may hold references itself: the ARN of an OIDC provider holds its URL.
  const value = (expression: string): string => {
    const [, trimmed, prefix = ""] = WITHOUT_PREFIX.exec(expression) ?? [];
    if (trimmed !== undefined) return value(trimmed).replace(prefix, "");
    const literal = LITERAL.exec(expression)?.[1];
    if (literal !== undefined) return literal;
    const [, local] = LOCAL.exec(expression) ?? [];
    if (local !== undefined) return resolve(text(record(config["locals"])[local]));
    const [, data, type = "", name = "", attribute = ""] = SIMPLE.exec(expression) ?? [];
    const block = record(blocksOf(data ? "data" : "resource", type)[name]);
    const stated = block[attribute];
    if (typeof stated === "string") return resolve(stated);
    const answer = ANSWERS[type]?.[attribute];
    if (answer) return answer(mapTexts(block, resolve) as Json, name);
    if (AUTHORITY.test(expression)) return CA;
    // Whatever else Terraform would look up is taken for an issuer, the one such value that is compared as a URL.
    return `https://late.example.com/${madeUpId(expression)}`;
  };
  const fill = (whole: string): string => {
    const filled = whole.replace(EXPRESSION, (_, expression: string) => value(expression.trim()));
    return filled === whole ? whole : fill(filled);
  };
  const resolve = (whole: string): string => fill(whole).replaceAll("$${", "${");
  const answered = (kind: string): Json =>
    Object.fromEntries(
      Object.entries(record(config[kind])).map(([type, blocks]) => [
        type,
        Object.fromEntries(
          Object.entries(record(blocks)).map(([name, block]) => {
            const finished = record(mapTexts(block, resolve));
            const answers = Object.entries(ANSWERS[type] ?? {}).map(([key, answer]) => [
              key,
              answer(finished, name),
            ]);
            return [name, { ...finished, ...Object.fromEntries(answers) }];
          }),
        ),
      ]),
    );
  return {
    ...(mapTexts({ output: config["output"] ?? {} }, resolve) as Json),
    resource: answered("resource"),
    data: answered("data"),
  };
}

/** The outputs after a made-up apply, as `terraform output -json` prints them. */
export function madeUpOutputs(config: Json): Record<string, unknown> {
  const outputs = record(applied(config)["output"]);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [
      name,
      { sensitive: false, type: "string", value: record(output)["value"] },
    ]),
  );
}

/** The resources of a type. */
export function resources(config: Json, type: string): readonly Json[] {
  return Object.values(record(record(config["resource"])[type])).map(record);
}

function madeUpId(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}
