/*
 * Messages in the forms in which programs print them, and what is concluded. Sources: those of the tables in
 * `lib/doctor/messages`, and issues that quote them.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MESSAGES, messagesIn, secretIn } from "../../lib/doctor/messages";
import { CHECK_HELP } from "../../lib/explain/check-help";
import { ROOT } from "../support/markdown";

const KUBELET = "I1101 10:00:00.000000 1234";
/** As programs print it, and the rows that are found, those that leave fewest links open first. */
const PRINTED: readonly (readonly [message: string, ...found: readonly string[]])[] = [
  [
    `${KUBELET} plugin.go:388] "Failed to get service account token" err="serviceaccounts \\"web\\" is forbidden: audience \\"sts.amazonaws.com\\" not found in pod spec volume, system:node:a is not authorized to request tokens for this audience"`,
    'audience "…" not found in pod spec volume',
  ],
  [
    'serviceaccounts "web" is forbidden: system:node:a is not authorized to request tokens for audience "sts.amazonaws.com"',
    'is not authorized to request tokens for audience "…"',
  ],
  [
    `${KUBELET} plugin.go:375] "Failed to get service account data" err="required annotation eks.amazonaws.com/ecr-role-arn not found"`,
    "required annotation … not found",
  ],
  [
    'failed to get service account: serviceaccounts "web" is forbidden: User "system:node:a" cannot get resource',
    'failed to get service account: serviceaccounts "…" is forbidden',
  ],
  [
    'E1101 kuberuntime_manager.go:306] "Failed to register CRI auth plugins" err="plugin binary executable /opt/bin/ecr-credential-provider did not exist"',
    "Failed to register CRI auth plugins",
  ],
  [
    "error execing credential provider plugin acr-credential-provider for image a.azurecr.io/b: fork/exec /usr/local/bin/acr-credential-provider: no such file or directory",
    "fork/exec …: no such file or directory",
    "error execing credential provider plugin",
  ],
  ["fork/exec /opt/bin/p: permission denied", "fork/exec …: permission denied"],
  ["fork/exec /opt/bin/p: exec format error", "fork/exec …: exec format error"],
  [
    'Failed to pull image "r.example.com/a:v1": unexpected status from HEAD request: 401 Unauthorized',
    "401 Unauthorized",
  ],
  [
    "An error occurred (InvalidIdentityToken) when calling the AssumeRoleWithWebIdentity operation: No OpenIDConnect provider found in your account for https://oidc.example.com",
    "No OpenIDConnect provider found in your account",
  ],
  [
    "WebIdentityErr: failed to retrieve credentials\ncaused by: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
    "WebIdentityErr: failed to retrieve credentials",
    "Not authorized to perform sts:AssumeRoleWithWebIdentity",
  ],
  [
    "AADSTS700213: No matching federated identity record found for presented assertion subject 'system:serviceaccount:a:b'.",
    "AADSTS700213",
  ],
  ["AADSTS70021: No matching federated identity record found for presented assertion.", "AADSTS70021"],
  [
    "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
    "Permission 'iam.serviceAccounts.getAccessToken' denied",
  ],
  [
    '{"error":"invalid_grant","error_description":"The audience in ID Token [a] does not match the expected audience b."}',
    "The audience in ID Token … does not match the expected audience",
  ],
  ["Back-off pulling image", ...[]],
];

test.each(PRINTED)("%s", (message, ...found) => {
  expect(messagesIn(message).map(({ row }) => row.text)).toEqual(found);
});

test.each(["is not authorized to perform: ecr:BatchGetImage", "AuthorizationFailed", "403 Forbidden"])(
  "%s proves nothing of tokens: the identity may be the node's",
  (message) => {
    expect(messagesIn(message).flatMap(({ row }) => row.holds.filter((id) => id !== "image-parses"))).toEqual(
      [],
    );
  },
);

test("a log: lines are counted, and the first of each is shown", () => {
  const log = [
    "starting",
    "InvalidImageName",
    "x",
    "InvalidImageName",
    "AADSTS700016: no such application",
  ].join("\r\n");
  expect(messagesIn(log).map(({ row, line, text, count }) => [row.text, line, text, count])).toEqual([
    ["InvalidImageName", 2, "InvalidImageName", 2],
    ["AADSTS700016", 5, "AADSTS700016: no such application", 1],
  ]);
});

/** States and codes that prove nothing alone. */
const SAYS_NOTHING: readonly string[] = ["ErrImagePull", "ImagePullBackOff", "409 Conflict", "alreadyExists"];

describe("rows", () => {
  const ids = CHECK_HELP.map(({ id }) => id);
  const page = readFileSync(join(ROOT, "docs/doctor.md"), "utf8");
  const cells = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));

  test.each(MESSAGES.map((row) => [row.text, row] as const))("%s", (text, { broken, holds, means, fix }) => {
    expect([...broken, ...holds].filter((id) => !ids.includes(id))).toEqual([]);
    expect(broken.filter((id) => holds.includes(id))).toEqual([]);
    expect([means, fix].every((each) => /^\S.*\.$/s.test(each))).toBe(true);
    expect(messagesIn(text.replaceAll("…", "x")).map(({ row }) => row.text)).toContain(text);
  });

  test("are those of the documentation", () => {
    const [, , ...rows] = cells;
    const expected = MESSAGES.map(({ text, by, broken, fix }) => [
      `\`${text}\``,
      by,
      broken.map((id) => `\`${id}\``).join(", "),
      fix.replaceAll("|", "\\|"),
    ]);
    expect(rows).toEqual(expected);
  });

  test("cover the messages in the headings of the page on troubleshooting", () => {
    const text = readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8");
    const titles = [...text.matchAll(/^### (.*)$/gm)].map(([, title = ""]) => title);
    const quoted = titles.flatMap((title) => [...title.matchAll(/`([^`]+)`/g)].map(([, each = ""]) => each));
    const missing = quoted.filter(
      (each) => !SAYS_NOTHING.includes(each) && messagesIn(each.replaceAll("…", "x")).length === 0,
    );
    expect(quoted.length).toBeGreaterThan(25);
    expect(missing).toEqual([]);
  });
});

const NAMED = "a value whose name says that it is a secret";
const VARIABLE = "a variable whose name says that it is a secret";
const base64 = (plain: string): string => Buffer.from(plain).toString("base64");

test.each([
  ["a token", `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0abcdef.${"s".repeat(40)}`, "a token"],
  ["claims alone", '{"iss":"https://oidc.example.com","sub":"system:serviceaccount:a:b"}', undefined],
  ["a key", "-----BEGIN RSA PRIVATE KEY-----", "a private key"],
  ["a public key", "-----BEGIN PUBLIC KEY-----", undefined],
  ["a header", `Authorization: Bearer ${"a".repeat(30)}`, "a header with credentials"],
  ["a challenge", 'Www-Authenticate: Bearer realm="https://a.azurecr.io/oauth2/token"', undefined],
  ["a pull secret", '{"auths":{"a":{"auth":"dXNlcjpwYXNzd29yZA=="}}}', "credentials of a registry"],
  ["a secret key", `AWS_SECRET_ACCESS_KEY=${"a".repeat(40)}`, "a secret key of AWS"],
  ["a created key", `"SecretAccessKey": "${"a".repeat(40)}"`, "a secret key of AWS"],
  ["a token of GitHub", `fatal: ghp_${"a".repeat(36)}`, "a token of a service"],
  ["a header, short", "Authorization: Basic dXNlcjpwYXNz", "a header with credentials"],
  ["a password in a URL", "https://user:hunter22@registry.example.com/v2/", "a URL with a password"],
  ["a password that Go left out", "https://user:xxxxx@registry.example.com/v2/", undefined],
  ["a URL with a port", "https://registry.example.com:443/v2/a@sha256:0", undefined],
  ["a signature", `https://a.blob.core.windows.net/c?sv=1&sig=${"a".repeat(43)}%3D`, "a signed URL"],
  ["a session", `aws_session_token = ${"a".repeat(40)}`, NAMED],
  ["a client secret", `"aadClientSecret": "Abc8Q~${"a".repeat(34)}"`, NAMED],
  ["a key of storage", `AccountName=a;AccountKey=${"a".repeat(86)}==;EndpointSuffix=x`, NAMED],
  ["a password in quoted JSON", String.raw`msg="{\"dbPassword\":\"pa$$word\"}"`, NAMED],
  ["a password in YAML", "    password: s3cr3tpass", NAMED],
  ["a sentence about one", "    password: not set for this user", undefined],
  ["the path of one", "    password: /var/run/secrets/password", undefined],
  ["a token of a kubeconfig", `    token: ${"4f6c8e2f".repeat(5)}`, NAMED],
  ["the end of a kind of volume", '"path": "token", "serviceAccountToken": {', undefined],
  ["a key in base64", `tls.key: ${base64("-----BEGIN RSA PRIVATE KEY-----\nMIIEv")}`, "a private key"],
  ["a certificate", `caBundle: ${base64("-----BEGIN CERTIFICATE-----\nMIIEvwIBADANBg")}`, undefined],
  [
    "a pull secret in base64",
    base64('{"auths":{"a.io":{"username":"u","auth":"dXNlcjpwYXNz"}}}'),
    "credentials of a registry",
  ],
  ["a variable in one line", '{"env":[{"name":"DB_PASSWORD","value":"pa$$word"}]}', VARIABLE],
  ["a variable, its value first", "- value: pa$$word\n  name: DB_PASSWORD", VARIABLE],
  ["a field whose value is a reference", "    password:\n      secretKeyRef:", undefined],
  ["a variable left out", '"name": "DB_PASSWORD",\n"value": "left out"', undefined],
  ["a variable of a Secret", "- name: DB_PASSWORD\n  valueFrom:", undefined],
])("secrets: %s", (_, text, what) => {
  expect(secretIn(`first line\n${text}`)).toEqual(what === undefined ? undefined : { line: 2, what });
});
