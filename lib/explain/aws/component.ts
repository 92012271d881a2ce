/*
 * The Secrets of OpenShift's components on AWS, which hold an SDK configuration file in the key `credentials`.
 *
 * Source: openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go.
 */

import { type Known, isAbsent, isKnown, known, map, orElse, same, shown, whyNot } from "../../model/known";
import { type MarkedText, marked, unmarkedText } from "../../model/tree";
import { readArnOf } from "../../rules/aws/arn";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { SecretFact } from "../read/component-facts";
import { below } from "../read/source";
import { type NamedRole, isRoleArn, misplaced } from "./identity";

/** The one key that components read. */
const CREDENTIALS_KEY = "credentials";
/** The keys of credentials that do not expire, found in older clusters. */
const STATIC_KEYS: readonly string[] = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
const ROLE = "role_arn";
const TOKEN_FILE = "web_identity_token_file";
const REGIONAL = "sts_regional_endpoints";
const KNOWN: readonly string[] = [REGIONAL, ROLE, TOKEN_FILE];
const WRITE = "write the four lines [default], sts_regional_endpoints, role_arn and web_identity_token_file";

/** True for a Secret that leads an SDK to a token. */
export function isAwsSecret({ value }: SecretFact): boolean {
  return contentOf(value(CREDENTIALS_KEY)).text.includes(TOKEN_FILE);
}

function contentOf(content: Known<string | undefined>): MarkedText {
  return orElse(marked(map(content, (text) => text ?? "")), () => ({ text: "", parts: [] }));
}

function roleOf(secret: SecretFact): Known<string> {
  return linesOf(secret.value(CREDENTIALS_KEY)).values.get(ROLE) ?? known("");
}

/** Whether the Secret is usable, and the role's ARN; `undefined` if it names none. */
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
  const why = whyNot(content);
  if (why && why.kind !== "apply")
    return { answer: unknown(why.what, "keep the Secret in one document", where), arn: undefined };
  if (isAbsent(content)) {
    const keys = secret.keys.join(", ") || "none";
    const problem = `the Secret has no readable key ${CREDENTIALS_KEY}; its keys are ${keys}`;
    return { answer: wrong(problem), arn: undefined };
  }
  const lines = linesOf(content);
  const arn = lines.values.get(ROLE);
  const problem = problemOf(lines, tokenPath);
  if (problem !== undefined) return { answer: wrong(problem), arn };
  const token = shown(lines.values.get(TOKEN_FILE) ?? known(""));
  const words = `the Secret names the role ${shown(arn ?? known(""))} and the token ${token}`;
  const older = lines.values.has(REGIONAL)
    ? []
    : [seen("no sts_regional_endpoints: older SDKs ask the global endpoint of STS", secret.source)];
  return { answer: pass(words, where, older), arn };
}

interface Lines {
  /** Values of the section `default`. */
  readonly values: ReadonlyMap<string, Known<string>>;
  /** A line that is neither a section nor a setting. */
  readonly stray: string | undefined;
}

function linesOf(content: Known<string | undefined>): Lines {
  const { text, parts } = contentOf(content);
  const values = new Map<string, Known<string>>();
  let section = "";
  let stray: string | undefined;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const [, name] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, key, value = ""] = /^([^=\s]+)\s*=\s*([^]*)$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    else if (key === undefined) stray ??= shown(unmarkedText(line, parts));
    else if (section === "default") values.set(shown(unmarkedText(key, parts)), unmarkedText(value, parts));
  }
  return { values, stray };
}

function problemOf({ values, stray }: Lines, tokenPath: string | undefined): string | undefined {
  if (stray !== undefined) return `the line ${JSON.stringify(stray)} of credentials is not a setting`;
  if (values.size === 0) return "credentials has no section [default]";
  const other = [...values.keys()].find((key) => !KNOWN.includes(key));
  if (other !== undefined) return `credentials has the setting ${other}, which a token does not need`;
  const [arn = known(""), path = known("")] = [ROLE, TOKEN_FILE].map((key) => values.get(key));
  if (shown(arn) === "") return `credentials has no ${ROLE}`;
  if (shown(path) === "") return `credentials has no ${TOKEN_FILE}`;
  if (!isRoleArn(arn)) return `${ROLE} ${shown(arn)} is not an ARN of an IAM role`;
  if (tokenPath !== undefined && same(path, known(tokenPath)) === "no")
    return `${TOKEN_FILE} is ${shown(path)}, but the component's token is at ${tokenPath}`;
  const endpoints = shown(values.get(REGIONAL) ?? known("regional"));
  return /^(?:regional|legacy)$/.test(endpoints) ? undefined : `${REGIONAL} is ${endpoints}`;
}

/**
 * What contradicts the account and partition of the role that a Secret names: the role as Terraform declares it, or the
 * Secrets of other components, since a cluster is in one account; `undefined` if nothing does.
 */
export function homeAnswer(
  secret: SecretFact,
  { arn, partition, role }: NamedRole,
  beside: ReadonlyMap<string, SecretFact>,
): Answer | undefined {
  const placeIn = (text: Known<string>): string | undefined => {
    const named = readArnOf(
      orElse(text, () => undefined),
      "iam",
      "role/",
    );
    return named && `${named.partition} ${named.account}`;
  };
  const place = placeIn(arn);
  if (role === undefined || place === undefined) return undefined;
  const elsewhere = misplaced(role, partition);
  if (elsewhere) return elsewhere;
  const where = seen(`Secret ${secret.key}`, secret.source);
  // A known account was compared when the role was looked up.
  const others = isKnown(role.account) ? [] : [...beside.values()].filter(isAwsSecret);
  const rival = others.find((other) => (placeIn(roleOf(other)) ?? place) !== place);
  return (
    rival &&
    unknown(
      `the Secret names the role ${shown(arn)}, while the Secret ${rival.key} names ${shown(roleOf(rival))}`,
      "write the ARN of the role as Terraform declares it, or limit its Terraform provider to one account (allowed_account_ids)",
      where,
      seen(`Secret ${rival.key}`, rival.source),
    )
  );
}
