/*
 * The attribute condition of a pool provider: which tokens of the issuer are exchanged at all.
 *
 * Bindings name each service account anyway. The condition keeps every other token of the cluster from becoming
 * an identity of the pool, which `principalSet://…/*` and grants to all authenticated principals would include.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { SERVICE_ACCOUNT_PREFIX } from "../../model/namespaced-name";
import type { Subject } from "../../model/subject";
import { celString } from "./cel";
import { admitsEveryToken } from "./cel-evaluation";

/** How exact a condition is: each service account, their namespaces, any service account, or none yet. */
export type AttributeConditionForm = "subjects" | "namespaces" | "any-service-account" | "none";

/** A condition and how exact it is. */
export interface AttributeCondition {
  /** How exact the condition is. */
  readonly form: AttributeConditionForm;
  /** The CEL expression, 1 to 4096 characters. */
  readonly expression: string;
}

/** REST reference of workloadIdentityPools.providers, `attributeCondition`. */
export const CONDITION_MAX = 4096;

const SEPARATOR = ", ";
const SUBJECT = "assertion.sub";
const NAMESPACE = "assertion['kubernetes.io']['namespace']";

class Listed {
  readonly #claim: string;
  readonly #texts = new Set<string>();
  #length: number;

  constructor(claim: string) {
    this.#claim = claim;
    this.#length = `${claim} in []`.length;
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    if (this.#texts.size > 0) this.#length += SEPARATOR.length;
    this.#texts.add(text);
    this.#length += celString(text).length;
  }

  get fits(): boolean {
    return this.#length <= CONDITION_MAX;
  }

  get expression(): string {
    return `${this.#claim} in [${[...this.#texts].sort().map(celString).join(SEPARATOR)}]`;
  }
}

/**
 * The subjects that a pool provider admits. Knows at every moment how exact their condition will be, so that
 * thousands can be added one by one without the list being written for each.
 */
export class AdmittedSubjects {
  readonly #subjects = new Listed(SUBJECT);
  readonly #namespaces = new Listed(NAMESPACE);
  #isEmpty = true;

  /** Adds a subject; one that is there already changes nothing. */
  add(subject: Subject): void {
    this.#isEmpty = false;
    this.#subjects.add(subject.toString());
    this.#namespaces.add(subject.namespace);
  }

  /** How exact the condition is. */
  get form(): AttributeConditionForm {
    if (this.#isEmpty) return "none";
    if (this.#subjects.fits) return "subjects";
    return this.#namespaces.fits ? "namespaces" : "any-service-account";
  }

  /** The most exact condition that fits, sorted and without duplicates; without a subject no token is admitted. */
  get condition(): AttributeCondition {
    const { form } = this;
    const expressions: Readonly<Record<AttributeConditionForm, () => string>> = {
      none: () => "false",
      subjects: () => this.#subjects.expression,
      namespaces: () => this.#namespaces.expression,
      "any-service-account": () => `${SUBJECT}.startsWith(${celString(SERVICE_ACCOUNT_PREFIX)})`,
    };
    return { form, expression: expressions[form]() };
  }
}

/** Returns a condition that a caller wrote, a late one as it is; one that plainly admits every token is refused. */
export function ownAttributeCondition(expression: string): string {
  if (isLate(expression)) return expression;
  if (expression.trim() === "" || expression.length > CONDITION_MAX)
    return fail("google-limit", {
      problem: "attribute condition has a length that Google does not accept",
      value: expression.length,
      allowed: "1 to 4096 characters",
      remedy:
        "leave it out: the library then writes the exact list of service accounts while it fits, and namespaces after that",
    });
  if (!admitsEveryToken(expression)) return expression;
  return fail("google-unsafe", {
    problem: "attribute condition admits every token of the issuer",
    value: expression,
    allowed: "a condition that names the service accounts or namespaces it admits",
    remedy:
      "leave it out: the library then writes the exact list of service accounts; a condition of your own must refuse the others",
  });
}
