/*
 * The Secret of a component on AWS: a configuration file of the SDK in the key `credentials`.
 * Source: openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go.
 */

import {
  type Known,
  Reference,
  isKnown,
  known,
  match,
  orElse,
  partsOf,
  same,
  shown,
  textOf,
} from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { SecretFact } from "../read/component-facts";
import { below } from "../read/source";
import { type NamedRole, isRoleArn } from "./identity";
import { arnFields } from "./place";

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
  return contentOf(value(CREDENTIALS_KEY)).some(
    (part) => typeof part === "string" && part.includes(TOKEN_FILE),
  );
}

function contentOf(text: Known<string | undefined>): readonly (string | Reference)[] {
  const parts = partsOf(text as Known<string>) ?? [];
  return parts.filter((part) => (part as unknown) !== undefined);
}

/** The role's ARN that a Secret names; `undefined` where it names none. */
function roleOf(secret: SecretFact): Known<string> | undefined {
  return linesOf(contentOf(secret.value(CREDENTIALS_KEY))).values.get(ROLE);
}

/** What the Secret says, and the role's ARN; `undefined` where it names none. */
export function readAwsSecret(
  secret: SecretFact,
  tokenPath: string | undefined,
): { readonly answer: Answer; readonly arn: Known<string> | undefined } {
  const content = secret.value(CREDENTIALS_KEY);
  const where = seen(`Secret ${secret.key}`, below(secret.source, "stringData"));
  const wrong = (problem: string, remedy = WRITE): Answer => broken(problem, remedy, undefined, where);
  const lasting = secret.keys.find((key) => STATIC_KEYS.includes(key));
  if (lasting !== undefined)
    return {
      answer: wrong(`the Secret has ${lasting}, which does not expire`, `remove it; ${WRITE}`),
      arn: undefined,
    };
  const doubt = match(
    content,
    () => undefined,
    (why) => (why.kind === "apply" ? undefined : why.what),
  );
  if (doubt !== undefined)
    return { answer: unknown(doubt, "keep the Secret in one document", where), arn: undefined };
  if (orElse(content, () => "late") === undefined)
    return {
      answer: wrong(
        `the Secret has no readable key ${CREDENTIALS_KEY}; its keys are ${secret.keys.join(", ") || "none"}`,
      ),
      arn: undefined,
    };
  const lines = linesOf(contentOf(content));
  const problem = problemOf(lines, tokenPath);
  const arn = lines.values.get(ROLE);
  if (problem !== undefined) return { answer: wrong(problem), arn };
  const path = lines.values.get(TOKEN_FILE);
  const words = `the Secret names the role ${arn ? shown(arn) : ""} and the token ${path ? shown(path) : ""}`;
  const older = lines.values.has(REGIONAL)
    ? []
    : [seen("no sts_regional_endpoints: older SDKs ask the global endpoint of STS", secret.source)];
  return { answer: pass(words, where, ...older), arn };
}

interface Lines {
  /** Values of the section `default`. */
  readonly values: ReadonlyMap<string, Known<string>>;
  /** A line that is neither a section nor a setting. */
  readonly stray: string | undefined;
}

function linesOf(content: readonly (string | Reference)[]): Lines {
  const values = new Map<string, Known<string>>();
  let section = "";
  let stray: string | undefined;
  for (const line of splitLines(content)) {
    const [first = ""] = line;
    const start = typeof first === "string" ? first.trimStart() : "";
    if (line.length === 0 || (line.length === 1 && start.trim() === "") || /^[#;]/.test(start)) continue;
    const [, name] = /^\[(.+)\]\s*$/.exec(line.length === 1 ? start : "") ?? [];
    const [setting, key] = /^([^=\s]+)\s*=\s*/.exec(start) ?? [];
    if (name !== undefined) section = name;
    else if (key === undefined || setting === undefined) stray ??= shown(textOf(line));
    else if (section === "default") values.set(key, trimmed([start.slice(setting.length), ...line.slice(1)]));
  }
  return { values, stray };
}

function splitLines(content: readonly (string | Reference)[]): readonly (string | Reference)[][] {
  const lines: (string | Reference)[][] = [[]];
  for (const part of content) {
    if (part instanceof Reference) lines.at(-1)?.push(part);
    else
      for (const [place, piece] of part.split("\n").entries())
        if (place > 0) lines.push([piece]);
        else lines.at(-1)?.push(piece);
  }
  return lines;
}

function trimmed(parts: readonly (string | Reference)[]): Known<string> {
  const last = parts.at(-1);
  return textOf(typeof last === "string" ? [...parts.slice(0, -1), last.trimEnd()] : parts);
}

function problemOf({ values, stray }: Lines, tokenPath: string | undefined): string | undefined {
  if (stray !== undefined) return `the line ${JSON.stringify(stray)} of credentials is no setting`;
  if (values.size === 0) return "credentials has no section [default]";
  const other = [...values.keys()].find((key) => !KNOWN.includes(key));
  if (other !== undefined) return `credentials has ${other} besides what a token needs`;
  const [arn, path] = [ROLE, TOKEN_FILE].map((key) => values.get(key) ?? known(""));
  if (!arn || shown(arn) === "") return `credentials has no ${ROLE}`;
  if (!path || shown(path) === "") return `credentials has no ${TOKEN_FILE}`;
  if (!isRoleArn(arn)) return `${ROLE} ${shown(arn)} is no ARN of an IAM role`;
  if (tokenPath !== undefined && same(path, known(tokenPath)) === "no")
    return `${TOKEN_FILE} is ${shown(path)}, the component's token is at ${tokenPath}`;
  const endpoints = shown(values.get(REGIONAL) ?? known("regional"));
  return /^(?:regional|legacy)$/.test(endpoints) ? undefined : `${REGIONAL} is ${endpoints}`;
}

const AS_OTHERS = "write the ARN of the role as Terraform has it";

/**
 * What speaks against the account and partition of the role that a Secret names: those of the role as it is declared,
 * and of the Secrets beside it; `undefined` where nothing does.
 */
export function homeAnswer(
  secret: SecretFact,
  { arn, role }: NamedRole,
  beside: ReadonlyMap<string, SecretFact>,
): Answer | undefined {
  const place = placeOf(arn);
  if (role === undefined || place === undefined) return undefined;
  const where = seen(`Secret ${secret.key}`, secret.source);
  const [partition = known("")] = arnFields(arn)?.slice(1) ?? [];
  if (same(role.partition, partition) === "no")
    return broken(
      `the Secret names the role ${shown(arn)} of partition ${shown(partition)}, and Terraform declares it in ${shown(role.partition)}`,
      AS_OTHERS,
      undefined,
      where,
      seen("IAM role", role.resource.source),
    );
  // An account that is known was compared when the role was looked for.
  if (isKnown(role.account)) return undefined;
  const rival = rivalOf(place, secret, beside);
  return (
    rival &&
    unknown(
      `the Secret names the role ${shown(arn)}, and that of ${rival.key} is ${shown(roleOf(rival) ?? known(""))}`,
      `${AS_OTHERS}, or limit its Terraform provider to one account (allowed_account_ids)`,
      where,
      seen(`Secret ${rival.key}`, rival.source),
    )
  );
}

/** Partition and account of a literal ARN. */
function placeOf(arn: Known<string>): string | undefined {
  return /^arn:[a-z-]+:iam::\d{12}:role\//.exec(orElse(arn, () => ""))?.[0];
}

/** One of the other Secrets where more of them agree on another place than on this one. */
function rivalOf(
  own: string,
  { key }: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
): SecretFact | undefined {
  const counts = new Map<string, SecretFact[]>();
  for (const other of beside.values()) {
    if (other.key === key || !isAwsSecret(other)) continue;
    const place = placeOf(roleOf(other) ?? known(""));
    if (place !== undefined) counts.set(place, [...(counts.get(place) ?? []), other]);
  }
  const alike = counts.get(own)?.length ?? 0;
  counts.delete(own);
  const [most = []] = [...counts.values()].sort((one, other) => other.length - one.length);
  return most.length > alike ? most[0] : undefined;
}
