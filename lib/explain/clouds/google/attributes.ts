/*
 * The members of IAM policies that a service account's token stands for, by the attribute mapping.
 */

import { attributeMapping } from "../../../rules/google/attribute-mapping";
import { renderPrincipal } from "../../../rules/google/principal";

/** Claims of a service account token, as far as mappings speak of them. */
export interface TokenClaims {
  /** `sub`. */
  readonly subject: string;
  /** The service account's namespace. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;
}

/** `google.subject` holds no more. Source: REST reference of workloadIdentityPools.providers, `attributeMapping`. */
const SUBJECT_MAX = 127;

const KUBERNETES = "assertion['kubernetes.io']";

/** Expressions that are read here. */
const EXPRESSIONS: Readonly<Record<string, (claims: TokenClaims) => string | undefined>> = {
  "assertion.sub": ({ subject }) => subject,
  [`${KUBERNETES}['namespace']`]: ({ namespace }) => namespace,
  [`${KUBERNETES}['serviceaccount']['name']`]: ({ name }) => name,
  // The library's own form for subjects that do not fit: those become a UID, which no artefact holds.
  [attributeMapping(true)["google.subject"] ?? ""]: ({ subject }) =>
    Buffer.byteLength(subject) <= SUBJECT_MAX ? subject : undefined,
};

/** The value of an attribute; `undefined` where the mapping's expression has a form that is not read here. */
export function attributeOf(expression: string, claims: TokenClaims): string | undefined {
  const normal = expression.trim().replaceAll('"', "'");
  return Object.hasOwn(EXPRESSIONS, normal) ? EXPRESSIONS[normal]?.(claims) : undefined;
}

/** Why the exchange fails for a subject that is too long; `undefined` where it fits. */
export function subjectTooLong(expression: string, claims: TokenClaims): string | undefined {
  const value = attributeOf(expression, claims);
  const bytes = Buffer.byteLength(value ?? "");
  return bytes > SUBJECT_MAX
    ? `google.subject would have ${bytes} bytes, ${SUBJECT_MAX} are allowed`
    : undefined;
}

/** Every member of the pool that the token stands for. */
export function membersOf(
  pool: { readonly projectNumber: string; readonly poolId: string },
  mapping: ReadonlyMap<string, string>,
  claims: TokenClaims,
): readonly string[] {
  const subject = attributeOf(mapping.get("google.subject") ?? "", claims);
  const attributes = [...mapping].flatMap(([key, expression]) => {
    const value = attributeOf(expression, claims);
    const [, name] = /^attribute\.(.+)$/.exec(key) ?? [];
    return name === undefined || value === undefined ? [] : [{ kind: "attribute", name, value } as const];
  });
  const selectors = [
    ...(subject === undefined ? [] : [{ kind: "subject", subject } as const]),
    ...attributes,
    { kind: "all" } as const,
  ];
  return selectors.map((selector) => renderPrincipal({ ...pool, selector }));
}
