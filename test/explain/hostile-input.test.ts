/*
 * Small files with which a reader could be kept busy for hours or out of memory: each gets its answer or its refusal.
 * The sizes are such that reading twice as much for each part, or each part once for every other, would not end.
 */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WorkloadIdentityError } from "../../lib/errors";
import { explain } from "../../lib/explain";
import { heldFolder } from "../fixtures/explain/artefacts";
import { sampleNote, sampleOf } from "../support/sample";

const repeated = (text: string, length: number): string => text.repeat(length / text.length);
const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, make: (index: number) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(numbered(count, (index) => [`n${index}`, make(index)]));

const ROLE = "arn:aws:iam::111122223333:role/web";
const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const ACCOUNT = `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: web
  namespace: shop
  annotations: { eks.amazonaws.com/role-arn: "${ROLE}" }
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec: { serviceAccountName: web, containers: [{ name: web, image: "${HOST}/shop/web:1" }] }
`;

const configuration = (sections: object): string =>
  JSON.stringify({ provider: { aws: [{ region: "eu-west-1" }] }, ...sections });

/** A role whose policies are this expression. */
const roleWith = (value: unknown): object => ({
  aws_iam_role: { web: { name: "web", assume_role_policy: value, managed_policy_arns: value, tags: value } },
});

/** Locals each of which uses the one before, from `n0`. */
function chained(count: number, first: unknown, make: (before: string) => unknown): string {
  const locals = {
    n0: first,
    ...Object.fromEntries(numbered(count, (i) => [`n${i + 1}`, make(`local.n${i}`)])),
  };
  return configuration({ locals, resource: roleWith(`\${local.n${count}}`) });
}

const mime = (part: string, count: number): string =>
  `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="X"\n\n${part.repeat(count)}--X--\n`;

/** The verdicts, or the code of the refusal. */
function outcome(files: Readonly<Record<string, string>>): string {
  try {
    const all = { "account.yaml": ACCOUNT, ...files };
    const folder = heldFolder(all);
    const named = Object.keys(all).filter((name) => !name.endsWith(".tf"));
    const results = explain([folder, ...named.map((name) => join(folder, name))]);
    return [...new Set([...results].map(({ verdict }) => verdict))].sort().join(", ");
  } catch (error) {
    if (error instanceof WorkloadIdentityError) return error.code;
    throw error;
  }
}

/** Roles and policies, each with an action and a resource of its own. */
const policies = (count: number, action: (index: number) => string): object =>
  named(count, (i) => ({
    role: "web",
    policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: action(i), Resource: `arn:aws:s3:::b${i}/*` }],
    }),
  }));

/** A CredentialProviderConfig of which every entry matches the image of another pod. */
const providers = (count: number): string =>
  `apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n${numbered(
    count,
    (i) =>
      `- { name: p${i}, apiVersion: credentialprovider.kubelet.k8s.io/v1, matchImages: ["${HOST}/r${i}"], defaultCacheDuration: 1h }\n`,
  ).join("")}`;

const pods = (count: number): string =>
  numbered(count, (i) =>
    ACCOUNT.replaceAll("name: web", `name: web${i}`)
      .replace("serviceAccountName: web", `serviceAccountName: web${i}`)
      .replace("shop/web:1", `r${i}:1`),
  ).join("---");

const MAIN = configuration({ resource: roleWith("{}") });

const ROWS: readonly (readonly [what: string, files: Readonly<Record<string, string>>, expected: string])[] =
  [
    ["locals that double a text", { "a.tf.json": chained(36, "xx", (n) => `\${${n}}\${${n}}`) }, "unknown"],
    [
      "locals that double a reference",
      { "a.tf.json": chained(36, "${aws_iam_role.web.arn}", (n) => `\${${n}}\${${n}}`) },
      "unknown",
    ],
    [
      "locals that double a list",
      { "a.tf.json": chained(36, "x", (n) => [`\${${n}}`, `\${${n}}`]) },
      "unknown",
    ],
    ["locals that double a call", { "a.tf.json": chained(36, "x", (n) => `\${f(${n}, ${n})}`) }, "unknown"],
    [
      "a large local that every role uses",
      {
        "a.tf.json": configuration({
          locals: { big: repeated("x", 400_000) },
          resource: { aws_iam_role: named(5_000, (i) => ({ name: `r${i}`, tags: [`\${local.big}${i}`] })) },
        }),
      },
      "unknown",
    ],
    [
      "a large local that every module uses",
      {
        "a.tf.json": configuration({
          locals: { big: repeated("${aws_iam_role.web.arn}", 230_000) },
          module: named(2_000, () => ({ source: "./m", a: "${local.big}" })),
          resource: roleWith("{}"),
        }),
      },
      "unknown",
    ],
    [
      "templates in templates",
      {
        "a.tf.json": configuration({
          resource: roleWith(`\${${repeated('"${', 300_000)}x${repeated('}"', 200_000)}}`),
        }),
      },
      "unknown",
    ],
    [
      "a thousand instances of each resource",
      { "a.tf.json": configuration({ resource: { aws_iam_role: named(4_000, () => ({ count: 1000 })) } }) },
      "unknown",
    ],
    [
      "a large resource for each of many keys",
      {
        "a.tf.json": configuration({
          resource: {
            aws_iam_role: {
              web: { for_each: numbered(50_000, String), name: "x", description: repeated("y", 300_000) },
            },
          },
        }),
      },
      "unknown",
    ],
    [
      "a role with thousands of policies",
      {
        "a.tf.json": configuration({
          resource: { ...roleWith("{}"), aws_iam_role_policy: policies(5_000, (i) => `s3:*${i}*`) },
        }),
      },
      "unknown",
    ],
    [
      "thousands of service accounts that share a role with thousands of policies",
      {
        "a.tf.json": configuration({
          resource: { ...roleWith("{}"), aws_iam_role_policy: policies(2_500, (i) => `s3:Get${i}`) },
        }),
        "pods.yaml": pods(1_500),
      },
      "unknown",
    ],
    [
      "a provider file with an entry for each of thousands of pods",
      { "a.tf.json": MAIN, "cpc.yaml": providers(1_500), "pods.yaml": pods(600) },
      "denied, unknown",
    ],
    [
      "an Azure identity with thousands of federated credentials",
      {
        "a.tf.json": configuration({
          resource: {
            azurerm_user_assigned_identity: { web: { name: "web", resource_group_name: "rg" } },
            azurerm_federated_identity_credential: named(5_000, (i) => ({
              name: `f${i}`,
              parent_id: "${azurerm_user_assigned_identity.web.id}",
              audience: ["api://AzureADTokenExchange"],
              issuer: "https://issuer.example.com",
              subject: `system:serviceaccount:shop:web${i}`,
            })),
          },
        }),
        "azure.yaml": ACCOUNT.replaceAll("name: web", "name: azure").replace(
          `eks.amazonaws.com/role-arn: "${ROLE}"`,
          'azure.workload.identity/client-id: "${azurerm_user_assigned_identity.web.client_id}"',
        ),
      },
      "unknown",
    ],
    ["HCL of names with minus signs", { "a.tf.json": MAIN, "m.tf": repeated("a-", 400_000) }, "unknown"],
    ["HCL of escaped quotes", { "a.tf.json": MAIN, "m.tf": repeated('\\"', 400_000) }, "unknown"],
    ["a MIME archive of 20,000 parts", { "user-data.yaml": mime("--X\n\n", 20_000) }, "explain-invalid"],
    ["anchors without a value", { "a.yaml": repeated("&a ", 300_000) }, "explain-invalid"],
    [
      "a trail of slashes",
      {
        "a.tf.json": configuration({
          resource: {
            aws_iam_openid_connect_provider: {
              o: { url: `https://a.example.com${repeated("/", 900_000)}x`, client_id_list: ["a"] },
            },
          },
        }),
      },
      "unknown",
    ],
  ];

describe("an answer or a refusal comes for", () => {
  it.each(sampleOf(ROWS, 6, ([what]) => `explain ${what}`))(
    `%s${sampleNote(6)}`,
    { timeout: 120_000 },
    (_, files, expected) => {
      expect(outcome(files)).toBe(expected);
    },
  );
});
