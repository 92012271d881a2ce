/*
 * Members of IAM policies that stand for identities of a workload identity pool.
 * Source: https://cloud.google.com/iam/docs/principal-identifiers, "workload identity pool".
 */

import { fail } from "../../errors";
import { isDnsLabel, isDnsSubdomain } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import { Subject } from "../../model/subject";
import { poolPath } from "./workload-identity-names";

/** Which identities of the pool: one subject, all with an attribute or group, or all of the pool. */
export type PrincipalSelector =
  | { readonly kind: "subject"; readonly subject: string }
  | { readonly kind: "attribute"; readonly name: string; readonly value: string }
  | { readonly kind: "group"; readonly group: string }
  | { readonly kind: "all" };

/** One or several identities of a workload identity pool. */
export interface PoolPrincipal {
  /** Number of the pool's project, as text; may be late when rendered. */
  readonly projectNumber: string;
  /** Id of the pool, `<project>.svc.id.goog` for the one of GKE and fleet. */
  readonly poolId: string;
  /** Which identities of the pool. */
  readonly selector: PrincipalSelector;
}

const HOST = "iam.googleapis.com";
const MEMBER =
  /^(principal|principalSet):\/\/iam\.googleapis\.com\/projects\/([1-9][0-9]*)\/locations\/global\/workloadIdentityPools\/([^/]+)\/(.+)$/;
const MANAGED_SUBJECT = /^ns\/([^/]+)\/sa\/([^/]+)$/;
const CUSTOM_SUBJECT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** IAM policy member of a principal; late when the project number is. */
export function renderPrincipal({ projectNumber, poolId, selector }: PoolPrincipal): string {
  const scheme = selector.kind === "subject" ? "principal" : "principalSet";
  return `${scheme}://${HOST}/${poolPath(projectNumber, poolId)}/${renderSelector(selector)}`;
}

/** Reads an IAM policy member; throws `google-principal-invalid` or `late-value`. */
export function parsePrincipal(member: string): PoolPrincipal {
  const match = MEMBER.exec(literal(member, "IAM member"));
  const [, scheme, projectNumber, poolId, rest] = match ?? [];
  const selector = rest === undefined ? undefined : parseSelector(scheme === "principal", rest);
  if (projectNumber === undefined || poolId === undefined || selector === undefined)
    return fail("google-principal-invalid", member);
  return { projectNumber, poolId, selector };
}

/**
 * `google.subject` of a service account in the pool of GKE and fleet: `ns/<namespace>/sa/<name>`, another form than
 * the `sub` claim that custom pools use.
 */
export function managedSubject(subject: Subject): string {
  return `ns/${subject.namespace}/sa/${subject.name}`;
}

/**
 * The service account that a principal stands for; `undefined` when it stands for something else.
 *
 * Reads both subject forms, and an attribute whose value is a whole `sub` claim.
 */
export function principalSubject({ selector }: PoolPrincipal): Subject | undefined {
  if (selector.kind === "attribute") return serviceAccount(CUSTOM_SUBJECT.exec(selector.value));
  if (selector.kind !== "subject") return undefined;
  return serviceAccount(CUSTOM_SUBJECT.exec(selector.subject) ?? MANAGED_SUBJECT.exec(selector.subject));
}

function serviceAccount(match: RegExpExecArray | null): Subject | undefined {
  const [, namespace, name] = match ?? [];
  return isDnsLabel(namespace) && isDnsSubdomain(name) ? Subject.of(`${namespace}/${name}`) : undefined;
}

function renderSelector(selector: PrincipalSelector): string {
  if (selector.kind === "subject") return `subject/${selector.subject}`;
  if (selector.kind === "attribute") return `attribute.${selector.name}/${selector.value}`;
  return selector.kind === "group" ? `group/${selector.group}` : "*";
}

function parseSelector(single: boolean, rest: string): PrincipalSelector | undefined {
  if (single) {
    return rest.startsWith("subject/") && rest.length > "subject/".length
      ? { kind: "subject", subject: rest.slice("subject/".length) }
      : undefined;
  }
  if (rest === "*") return { kind: "all" };
  const [, name, value] = /^attribute\.([a-z0-9_]+)\/(.+)$/.exec(rest) ?? [];
  if (name !== undefined && value !== undefined) return { kind: "attribute", name, value };
  const [, group] = /^group\/(.+)$/.exec(rest) ?? [];
  return group === undefined ? undefined : { kind: "group", group };
}
