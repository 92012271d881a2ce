/*
 * The Secret of a component on AWS: a configuration file of the SDK in the key `credentials`.
 * Source: openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go.
 */

import { type Answer, broken, pass, seen } from "../../answer";
import type { SecretFact } from "../../facts/component-facts";
import { isLateText } from "../../facts/terraform";
import { below } from "../../facts/source";
import { isRoleArn } from "./named-role";

/** The one key that components read. */
const CREDENTIALS_KEY = "credentials";

/** The keys of credentials that do not expire, which older clusters have. */
const STATIC_KEYS: readonly string[] = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];

const ROLE = "role_arn";
const TOKEN_FILE = "web_identity_token_file";
const REGIONAL = "sts_regional_endpoints";
const KNOWN: readonly string[] = [REGIONAL, ROLE, TOKEN_FILE];

const WRITE = "write the four lines [default], sts_regional_endpoints, role_arn and web_identity_token_file";

/** True for a Secret that leads an SDK to a token. */
export function isAwsSecret({ value }: SecretFact): boolean {
  return value(CREDENTIALS_KEY)?.includes(TOKEN_FILE) ?? false;
}

/** The role's ARN that a Secret names; empty where it names none. */
export function roleArnOf({ value }: SecretFact): string {
  return linesOf(value(CREDENTIALS_KEY) ?? "").values.get(ROLE) ?? "";
}

/** What the Secret says, and the role's ARN as written; empty where it names none. */
export function readAwsSecret(
  secret: SecretFact,
  tokenPath: string | undefined,
): { readonly answer: Answer; readonly roleArn: string } {
  const content = secret.value(CREDENTIALS_KEY);
  const where = seen(`Secret ${secret.key}`, below(secret.source, "stringData"));
  const lasting = secret.keys.find((key) => STATIC_KEYS.includes(key));
  if (lasting !== undefined)
    return {
      answer: broken(
        `the Secret has ${lasting}, which does not expire`,
        `remove it; ${WRITE}`,
        undefined,
        where,
      ),
      roleArn: "",
    };
  if (content === undefined)
    return {
      answer: broken(
        `the Secret has no readable key ${CREDENTIALS_KEY}; its keys are ${secret.keys.join(", ") || "none"}`,
        WRITE,
        undefined,
        where,
      ),
      roleArn: "",
    };
  const lines = linesOf(content);
  const problem = problemOf(lines, tokenPath);
  const roleArn = lines.values.get(ROLE) ?? "";
  return {
    answer: problem
      ? broken(problem, WRITE, undefined, where)
      : pass(
          `the Secret names the role ${isLateText(roleArn) ? "that Terraform tells" : roleArn} and the token ${lines.values.get(TOKEN_FILE) ?? ""}`,
          where,
          ...(lines.values.has(REGIONAL)
            ? []
            : [seen("no sts_regional_endpoints: older SDKs ask the global endpoint of STS", secret.source)]),
        ),
    roleArn,
  };
}

interface Lines {
  /** Values of the section `default`. */
  readonly values: ReadonlyMap<string, string>;
  /** A line that is neither a section nor a setting. */
  readonly stray: string | undefined;
}

function linesOf(content: string): Lines {
  const values = new Map<string, string>();
  let section = "";
  let stray: string | undefined;
  for (const line of content.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const [, name] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, key, value] = /^([^=\s]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    else if (key === undefined || value === undefined) stray ??= line;
    else if (section === "default") values.set(key, value);
  }
  return { values, stray };
}

function problemOf({ values, stray }: Lines, tokenPath: string | undefined): string | undefined {
  if (stray !== undefined) return `the line ${JSON.stringify(stray)} of credentials is no setting`;
  if (values.size === 0) return "credentials has no section [default]";
  const other = [...values.keys()].find((key) => !KNOWN.includes(key));
  if (other !== undefined) return `credentials has ${other} besides what a token needs`;
  for (const key of [ROLE, TOKEN_FILE])
    if ((values.get(key) ?? "") === "") return `credentials has no ${key}`;
  const arn = values.get(ROLE) ?? "";
  if (!isRoleArn(arn)) return `${ROLE} ${arn} is no ARN of an IAM role`;
  const path = values.get(TOKEN_FILE) ?? "";
  if (path !== (tokenPath ?? path))
    return `${TOKEN_FILE} is ${path}, the component's token is at ${tokenPath}`;
  const endpoints = values.get(REGIONAL) ?? "regional";
  return /^(?:regional|legacy)$/.test(endpoints) ? undefined : `${REGIONAL} is ${endpoints}`;
}
