/*
 * Roles of a spoke, as far as its bindings are judged by them.
 */

import { type Json, at, list, own, record, text, texts } from "./access";
import type { LateReader } from "./late-text";

/** A role that stands among a spoke's objects. */
export interface RoleRules {
  /** `ClusterRole deployer`, or `Role shop/deployer`. */
  readonly key: string;
  /** True where it gives nothing: no rules, and none that are put together from other roles. */
  readonly isEmpty: boolean;
  /** Names of the users whom it lets act as, late ones as references; "any" for all. */
  readonly impersonates: readonly string[] | "any";
}

/** Key of a role; one of a namespace is known there alone. */
export function roleKey(kind: string, name: string, namespace: string): string {
  return kind === "Role" ? `Role ${namespace}/${name}` : `${kind} ${name}`;
}

/** The role that a document is; empty for any other. */
export function readRoles({
  value,
  late,
}: {
  readonly value: unknown;
  readonly late: LateReader;
}): readonly RoleRules[] {
  const kind = text(own(value, "kind"));
  if (kind !== "ClusterRole" && kind !== "Role") return [];
  const rules = list(own(value, "rules"));
  const acting = rules.map(record).filter(letsAct);
  const names = acting.map((rule) => texts(rule["resourceNames"]).map(late));
  return [
    {
      key: roleKey(kind, text(at(value, "metadata", "name")), text(at(value, "metadata", "namespace"))),
      isEmpty: rules.every(givesNothing) && own(value, "aggregationRule") === undefined,
      impersonates: names.some((each) => each.length === 0) ? "any" : names.flat(),
    },
  ];
}

/** A rule without verbs, or for nothing, allows nothing. */
function givesNothing(rule: unknown): boolean {
  const has = (key: string): boolean => texts(own(rule, key)).length > 0;
  return !has("verbs") || !(has("resources") || has("nonResourceURLs"));
}

function letsAct(rule: Json): boolean {
  const has = (key: string, word: string): boolean =>
    texts(rule[key]).some((each) => each === word || each === "*");
  return has("verbs", "impersonate") && has("resources", "users");
}
