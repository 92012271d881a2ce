/*
 * Rules about roles and bindings: who may request which tokens.
 */

import { nearest } from "../explain/shared/near-miss";
import { named } from "../explain/shared/words";
import { titleOf } from "../explain/read/objects";
import { below } from "../explain/read/source";
import { at, record, text } from "../model/parsed";
import { propertyPath } from "../model/property-path";
import { DEFAULT_NODE_GROUPS, type RbacPolicy, TOKEN_AUDIENCE_VERB, readRbac } from "../rules/rbac/evaluate";
import { type PolicyRule, type RbacBinding, type RbacSubject, readRole } from "../rules/rbac/rbac-objects";
import { spotOf, tokenEntries } from "./entries";
import { type LintFacts, isOpen } from "./read";
import type { LintRule, Spot } from "./rule";

/** Objects without a namespace are applied with one, and count as of `default`. */
function policyOf({ rbac }: LintFacts): RbacPolicy {
  const placed = rbac.map(({ value, kind }) =>
    kind.startsWith("Cluster") || text(at(value, "metadata", "namespace")) !== ""
      ? value
      : { ...value, metadata: { ...record(value["metadata"]), namespace: "default" } },
  );
  return readRbac(placed);
}

/** What is found of the rules of roles, one by one. */
function roleRules({ rbac }: LintFacts, find: (rule: PolicyRule) => string | undefined): readonly Spot[] {
  return rbac.flatMap(({ value, kind, source }) =>
    (readRole(value)?.rules ?? []).flatMap((rule, index): readonly Spot[] => {
      const what = find(rule);
      const place = below(source, propertyPath(["rules", index]));
      return what === undefined ? [] : [{ subject: titleOf(value, kind), what, source: place }];
    }),
  );
}

function has(all: readonly string[], one: string): boolean {
  return all.includes(one) || all.includes("*");
}

const OBJECTS: readonly string[] = ["serviceaccounts", "serviceaccounts/token"];

function mistaken({ verbs, apiGroups, resources }: PolicyRule): string | undefined {
  if (!verbs.includes(TOKEN_AUDIENCE_VERB)) return undefined;
  const wrong = resources.filter((each) => OBJECTS.includes(each));
  if (wrong.length > 0) return `the rule names ${named(wrong)} as the audience`;
  return has(apiGroups, "") ? undefined : `the rule is for API groups ${named(apiGroups)}`;
}

function isNode({ kind, name }: RbacSubject): boolean {
  const isUser = kind === "User" && name.startsWith("system:node:");
  return isUser || (kind === "Group" && DEFAULT_NODE_GROUPS.includes(name));
}

/** Bindings with the audiences for which they give the right to request tokens. */
function audienceBindings(facts: LintFacts): readonly (readonly [RbacBinding, readonly string[]])[] {
  return [...policyOf(facts).bound.values()].flat().flatMap(({ binding, rules }) => {
    const audiences = rules
      .filter(({ verbs, apiGroups }) => has(verbs, TOKEN_AUDIENCE_VERB) && has(apiGroups, ""))
      .flatMap(({ resources }) => resources);
    return audiences.length === 0 ? [] : [[binding, audiences] as const];
  });
}

function notGranted(facts: LintFacts): readonly Spot[] {
  const bindings = audienceBindings(facts);
  const ofNodes = bindings.filter(([{ subjects }]) => subjects.some(isNode));
  const granted = ofNodes.flatMap(([, audiences]) => audiences);
  if (facts.rbac.length === 0 || granted.some(isOpen)) return [];
  return tokenEntries(facts)
    .filter(({ audience }) => !has(granted, audience))
    .map((entry) => {
      const { audience } = entry;
      const others = bindings
        .filter(([, audiences]) => audiences.includes(audience))
        .map(([{ kind, name, subjects }]) => `; ${kind} ${name} lets ${named(subjects.map(subjectText))}`);
      const near = others.join("") || nearest(audience, granted);
      const what = `none of ${facts.rbac.length} roles and bindings that were read lets nodes request tokens for ${audience}${near}`;
      return spotOf(entry, what, "tokenAttributes.serviceAccountTokenAudience", audience);
    });
}

function subjectText({ kind, namespace, name }: RbacSubject): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

function createdEverywhere(facts: LintFacts): readonly Spot[] {
  const everywhere = policyOf(facts).bound.get("") ?? [];
  return roleRules(facts, (rule) => {
    const { verbs, apiGroups, resources, resourceNames } = rule;
    const isMeant = resources.some((each) => /^(?:serviceaccounts|\*)\/token$/.test(each));
    if (!isMeant || !has(verbs, "create") || !has(apiGroups, "") || resourceNames.length > 0)
      return undefined;
    const text = JSON.stringify(rule);
    const holders = everywhere
      .filter(({ rules }) => rules.some((each) => JSON.stringify(each) === text))
      .flatMap(({ binding }) => binding.subjects.map(subjectText));
    return holders.length === 0
      ? undefined
      : `${named(holders)} may create tokens of every service account of the cluster`;
  });
}

const COMMON = {
  effect: "the API server refuses the kubelet's request, and the image is pulled without credentials",
  source: "kubernetes:plugin/pkg/admission/noderestriction/admission.go; KEP-4412",
  log: 'audience "…" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience',
};

export const RBAC_RULES: readonly LintRule[] = [
  {
    id: "audience-any",
    severity: "warning",
    question: "Are the audiences listed for which nodes may request tokens?",
    effect: "whoever controls a node gets tokens of its pods for every service that trusts the cluster",
    remedy: "list the audiences of the entries as resources",
    source: COMMON.source,
    run: (facts) =>
      roleRules(facts, ({ verbs, resources }) =>
        verbs.includes(TOKEN_AUDIENCE_VERB) && resources.includes("*")
          ? "the rule is for every audience"
          : undefined,
      ),
  },
  {
    ...COMMON,
    id: "audience-rule-mistaken",
    severity: "error",
    question: "Does a rule for audiences name them as resources of the core API group?",
    remedy: 'write apiGroups: [""] and the audience in resources; resourceNames are service accounts',
    run: (facts) => roleRules(facts, mistaken),
  },
  {
    ...COMMON,
    id: "audience-not-granted",
    severity: "warning",
    question:
      "May nodes request tokens for the audience of each entry? Asked if roles or bindings were read.",
    remedy: `bind a ClusterRole with the verb ${TOKEN_AUDIENCE_VERB} and the audience as resource to the group system:nodes, as which kubelets ask`,
    run: notGranted,
  },
  {
    id: "token-create",
    severity: "warning",
    question: "May anyone create tokens of every service account?",
    effect:
      "whoever has the right acts as any service account, towards every service that trusts the cluster",
    remedy:
      "remove the rule: kubelets need none for the pods of their node; bind others in one namespace, with resourceNames",
    source: "Kubernetes, RBAC good practices; kubernetes:plugin/pkg/auth/authorizer/node",
    run: createdEverywhere,
  },
  {
    id: "object-refused",
    severity: "error",
    question: "Does the API server take each object?",
    effect: "it has no effect in the cluster",
    remedy: "correct the object",
    source: "kubernetes:pkg/apis, validation of each kind",
    run: ({ skipped }) =>
      skipped.flatMap(({ refused, reason, source }) =>
        refused === undefined ? [] : [{ subject: refused, what: reason, source }],
      ),
  },
];
