/*
 * Access to AWS other than pulls: components use the role in their Secret, which holds an SDK configuration file
 * (openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go), workloads the annotation that the
 * pod identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 */

import {
  type Known,
  is,
  isAbsent,
  isKnown,
  known,
  map,
  orElse,
  same,
  shown,
  whyNot,
} from "../../model/known";
import { unmarkedText } from "../../model/tree";
import { readArnOf } from "../../rules/aws/arn";
import { awsProviderKind } from "../../rules/aws/component";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type { AccessIdentity, AccountQuestion, AccountReading, CloudAccess, TokenQuestion } from "../cloud";
import type { SecretFact } from "../read/component-facts";
import { below } from "../read/source";
import { sameAnswers } from "../shared/same-answers";
import { plainAnswer } from "../shared/words";
import { heldRights } from "./held";
import { type NamedRole, type Roles, isRoleArn, misplaced } from "./identity";
import { markedParts } from "./place";
import type { PodIdentities } from "./pod-identity";
import type { RoleTrusts } from "./pod-identity-trust";
import { ROLE_VARIABLE, roleOfPods, webhookPods } from "./pods";
import type { ResourcePolicies } from "./resource-policies";
import { anythingGranted, meantRights, rightsGranted } from "./rights";
import { type Trust, askedOf } from "./trust";

export const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";
const AUDIENCE = "eks.amazonaws.com/audience";

export function roleAccess(
  roles: Roles,
  trust: Trust,
  podIdentities: PodIdentities,
  policies: ResourcePolicies,
): CloudAccess {
  const identityOf = (named: NamedRole, trusts: RoleTrusts = trust): AccessIdentity =>
    roleIdentity(named, trusts, policies, roles);
  return {
    providerKind: awsProviderKind,
    recognizes: isAwsSecret,
    secret: (secret, tokenPath, beside) => {
      const { answer: written, arn } = readAwsSecret(secret, tokenPath);
      const named = arn !== undefined && is(arn, "") !== "yes" ? roles.named(arn) : undefined;
      const home = written.status === "pass" && named ? homeAnswer(secret, named, beside) : undefined;
      return { answer: home ?? written, identity: named && identityOf(named) };
    },
    account: (question) => {
      const isAnnotated = question.account.annotations.has(ROLE_ANNOTATION);
      const associated = question.native && podIdentities.reading(question, isAnnotated);
      if (!associated) return annotatedReading(question, (arn) => identityOf(roles.named(arn)));
      const { role, ...reading } = associated;
      return { ...reading, identity: role && identityOf(role.named, role.trusts) };
    },
  };
}

/** Reads a workload whose role an annotation, its pods or the asking program name. */
function annotatedReading(
  question: AccountQuestion,
  identityOf: (arn: Known<string>) => AccessIdentity,
): AccountReading | undefined {
  const { account, declared, program } = question;
  const ofProgram = program.get(ROLE_VARIABLE);
  const annotated = account.annotations.get(ROLE_ANNOTATION);
  const ofPods = annotated === undefined ? roleOfPods(question.pods) : undefined;
  const written = ofProgram ?? annotated ?? ofPods;
  const isOfPods = ofProgram === undefined && ofPods !== undefined;
  if (written === undefined && !declared) return undefined;
  const [place, where] =
    ofProgram === undefined && !isOfPods
      ? [ROLE_ANNOTATION, seen("annotations of the service account", account.source)]
      : [ROLE_VARIABLE, seen(`${ROLE_VARIABLE} of the ${isOfPods ? "pods" : "program"}`, undefined)];
  const arn = written ?? known("");
  const audience = account.annotations.get(AUDIENCE) ?? known(defaultAwsAudience);
  return {
    answer: contested([arn, audience], where) ?? roleAnswer(place, arn, where),
    identity: is(arn, "") === "yes" ? undefined : identityOf(arn),
    ...webhookPods(question, arn, isOfPods ? [] : [audience]),
  };
}

function roleIdentity(
  named: NamedRole,
  trusts: RoleTrusts,
  policies: ResourcePolicies,
  roles: Roles,
): AccessIdentity {
  const { role, label, account, missing } = named;
  const admitsAnyAudience = (token: TokenQuestion): boolean => {
    const question = askedOf(named, token);
    return question !== undefined && trusts.isWide?.(question) === true;
  };
  return {
    label,
    found: role ? pass(`${label} is declared`, seen("IAM role", role.resource.source)) : missing,
    trust: (token) => {
      const question = askedOf(named, token);
      if (question === undefined) return sameAnswers(missing);
      const answers = trusts.of(question);
      return answers.subject.status === "pass" && admitsAnyAudience(token)
        ? { ...answers, audience: wider(answers.audience, named) }
        : answers;
    },
    admitsAnyAudience,
    trusted: () => role && trusts.issuersOf?.(role),
    understood: (cluster) => {
      const [own, { via }] = [roles.understood(named, cluster), trusts];
      return via ? worstOf(own, roles.understood(via, cluster)) : own;
    },
    permissions: (asked) => {
      if (!role) return missing;
      return asked ? rightsGranted(role, asked.rights, account, policies) : anythingGranted(role);
    },
    held: () => (role ? heldRights(role.policies, role.boundary, role.resource, role.session) : []),
    meant: ({ rights }) => (role ? meantRights(role, rights) : []),
  };
}

/** The answer if documents contradict each other about an annotation; `undefined` if they agree. */
function contested(values: readonly Known<string>[], where: Evidence): Answer | undefined {
  const why = values.map(whyNot).find((each) => each?.kind === "contested");
  const remedy =
    "keep the annotation in one document, and let that be the service account's only document, or apply it with kubectl apply --server-side";
  return why?.kind === "contested" ? unknown(why.what, remedy, where) : undefined;
}

function roleAnswer(place: string, arn: Known<string>, where: Evidence): Answer {
  if (isRoleArn(arn)) return pass(`${place} names the role ${shown(arn)}`, where);
  return broken(
    is(arn, "") === "yes"
      ? `the service account has no ${ROLE_ANNOTATION}, or an empty one`
      : `${place} is ${shown(arn)}, which is not an ARN of an IAM role`,
    `annotate it with ${ROLE_ANNOTATION}`,
    "failed to retrieve credentials",
    where,
  );
}

/** Only the OIDC provider's list limits the audience, as for roles that `ccoctl aws create-iam-roles` creates. */
function wider(answer: Answer, { role }: NamedRole): Answer {
  const words =
    "wider than needed: the trust policy does not compare the audience, so it admits a token for any audience of the OIDC provider";
  return { ...plainAnswer(answer), evidence: [...answer.evidence, seen(words, role?.resource.source)] };
}

/** The one key that components read. */
const CREDENTIALS_KEY = "credentials";
/** The keys of credentials that do not expire, found in older clusters. */
const STATIC_KEYS: readonly string[] = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
const ROLE_ARN = "role_arn";
const TOKEN_FILE = "web_identity_token_file";
const REGIONAL = "sts_regional_endpoints";
/** The last two change neither who acts nor where it signs in. Source: AWS SDKs and Tools reference guide, "Settings reference". */
const SETTINGS: readonly string[] = [REGIONAL, ROLE_ARN, TOKEN_FILE, "region", "role_session_name"];
const WRITE = "write the four lines [default], sts_regional_endpoints, role_arn and web_identity_token_file";

/** True for a Secret that leads an SDK to a token. */
function isAwsSecret({ value }: SecretFact): boolean {
  return markedParts(map(value(CREDENTIALS_KEY), (text) => text ?? "")).text.includes(TOKEN_FILE);
}

function roleOf(secret: SecretFact): Known<string> {
  return linesOf(secret.value(CREDENTIALS_KEY)).values.get(ROLE_ARN) ?? known("");
}

/** Whether the Secret is usable, and the role's ARN; `undefined` if it names none. */
function readAwsSecret(
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
  const arn = lines.values.get(ROLE_ARN);
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
  const { text, parts } = markedParts(map(content, (text) => text ?? ""));
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
  const other = [...values.keys()].find((key) => !SETTINGS.includes(key));
  if (other !== undefined) return `credentials has the setting ${other}, which a token does not need`;
  const [arn = known(""), path = known("")] = [ROLE_ARN, TOKEN_FILE].map((key) => values.get(key));
  if (shown(arn) === "") return `credentials has no ${ROLE_ARN}`;
  if (shown(path) === "") return `credentials has no ${TOKEN_FILE}`;
  if (!isRoleArn(arn)) return `${ROLE_ARN} ${shown(arn)} is not an ARN of an IAM role`;
  if (tokenPath !== undefined && same(path, known(tokenPath)) === "no")
    return `${TOKEN_FILE} is ${shown(path)}, but the component's token is at ${tokenPath}`;
  const endpoints = shown(values.get(REGIONAL) ?? known("regional"));
  return /^(?:regional|legacy)$/.test(endpoints) ? undefined : `${REGIONAL} is ${endpoints}`;
}

/**
 * What contradicts the account and partition of the role that a Secret names: the role as Terraform declares it, or the
 * Secrets of other components, since a cluster is in one account; `undefined` if nothing does.
 */
function homeAnswer(
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
