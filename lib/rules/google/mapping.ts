/*
 * How a pool provider turns the claims of a service account token into attributes that IAM can name.
 * Source of all limits: REST reference of projects.locations.workloadIdentityPools.providers, `attributeMapping`.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import type { Subject } from "../../model/subject";
import { textOfForm } from "./names";

/** Expressions by attribute: `google.subject` and `attribute.<name>`. */
export type AttributeMapping = Readonly<Record<string, string>>;

/** Longest `google.subject`, in bytes. */
export const SUBJECT_MAX_BYTES = 127;
/** Longest expression of a mapping, in characters. */
export const MAPPING_MAX = 2048;
/** How many custom attributes a pool provider may have. */
export const CUSTOM_ATTRIBUTES_MAX = 50;
const CUSTOM_NAME = /^[a-z0-9_]{1,100}$/;
/** The key of a custom attribute, with its name. */
export const CUSTOM_KEY: RegExp = /^attribute\.([a-z0-9_]{1,100})$/;

const SERVICE_ACCOUNT = "assertion['kubernetes.io']['serviceaccount']";

/** Custom attribute that holds the whole `sub` claim where `google.subject` cannot. */
export const SUBJECT_ATTRIBUTE = "subject";

/**
 * Mapped for every service account token. The claims are those of kube-apiserver's bound tokens
 * (kubernetes/kubernetes, pkg/serviceaccount/claims.go), the only kind that the kubelet requests.
 */
const BASE: AttributeMapping = {
  "google.subject": "assertion.sub",
  "attribute.namespace": "assertion['kubernetes.io']['namespace']",
  "attribute.service_account_name": `${SERVICE_ACCOUNT}['name']`,
};

/**
 * Added once a subject is too long. `google.subject` may not exceed its limit for any token, or the exchange fails;
 * long subjects are replaced by the service account's UID, which is unique, and as `uid:` can be no `sub` claim.
 * Short subjects keep their principal, so that adding a long one changes no other binding. `size` counts characters,
 * which for Kubernetes names are bytes.
 */
const WITH_LONG_SUBJECTS: AttributeMapping = {
  ...BASE,
  "google.subject": `size(assertion.sub) <= ${SUBJECT_MAX_BYTES} ? assertion.sub : 'uid:' + ${SERVICE_ACCOUNT}['uid']`,
  [`attribute.${SUBJECT_ATTRIBUTE}`]: "assertion.sub",
};

/** Length of the `sub` claim in bytes. */
export function subjectBytes(subject: Subject): number {
  return Buffer.byteLength(subject.toString(), "utf8");
}

/** True when the `sub` claim of a service account fits into `google.subject`. */
export function fitsGoogleSubject(subject: Subject): boolean {
  return subjectBytes(subject) <= SUBJECT_MAX_BYTES;
}

/** Returns the name of a custom attribute, without `attribute.`. */
export function customAttributeName(name: string): string {
  return textOfForm(name, {
    problem: "subjectAttribute is not the name of a custom attribute",
    pattern: CUSTOM_NAME,
    allowed: "1 to 100 of a-z, 0-9 and _, without `attribute.`",
    remedy:
      "use the name that the pool provider's mapping gives assertion.sub: sub for attribute.sub=assertion.sub",
  });
}

/** The whole mapping, keys sorted; `additional` must have been checked by {@link additionalAttributes}. */
export function attributeMapping(longSubjects: boolean, additional: AttributeMapping = {}): AttributeMapping {
  const mapping = { ...additional, ...(longSubjects ? WITH_LONG_SUBJECTS : BASE) };
  return Object.fromEntries(Object.entries(mapping).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Checks further custom attributes. Those that the library maps itself cannot be replaced: bindings rely on them. */
export function additionalAttributes(additional: AttributeMapping): AttributeMapping {
  for (const [key, expression] of Object.entries(additional)) {
    literal(key, "key of an attribute mapping");
    if (Object.hasOwn(WITH_LONG_SUBJECTS, key)) refuse(key, "replaces one of the library's own");
    if (!CUSTOM_KEY.test(key)) refuse(key, "has a key that is not a custom attribute");
    if (!isLate(expression) && (expression.length === 0 || expression.length > MAPPING_MAX))
      refuse(key, `has an expression of ${expression.length} characters`);
  }
  const custom = Object.keys(attributeMapping(true, additional)).length - 1;
  if (custom > CUSTOM_ATTRIBUTES_MAX)
    refuse(`${custom} custom attributes, those of the library included`, "is too large");
  return additional;
}

function refuse(attribute: string, reason: string): never {
  return fail("google-invalid", {
    problem: `attribute mapping ${reason}`,
    value: attribute,
    allowed:
      "at most 50 keys attribute.<1 to 100 of a-z, 0-9 and _>, each with an expression of 1 to 2048 characters",
    remedy: "correct the additional attributes; the library maps the service account itself",
  });
}
