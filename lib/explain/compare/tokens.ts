/*
 * Who may get tokens of service accounts, by RBAC: nodes for the audiences of their plugins, whoever may create
 * `serviceaccounts/token`, and whoever gets the rights of others. Whoever creates pods gets tokens too, which is what
 * service accounts are for, and is not compared.
 */

import type { Power } from "../../rules/powers";
import { ALL_OF_CLUSTER, powerOfRule } from "../../rules/rbac/powers";
import { TOKEN_AUDIENCE_VERB } from "../../rules/rbac/evaluate";
import type { PolicyRule, RbacSubject } from "../../rules/rbac/rbac-objects";
import type { HeldRight } from "../cloud";
import { shownNames } from "../read/late-text";
import type { Source } from "../read/source";
import type { Change } from "./change";
import { rightChanges } from "./right-sets";
import { rightRows } from "./rights";
import type { Pair, Side } from "./sides";

/** The differences of a pair of clusters. */
export function* tokenChanges({ stack, before, after }: Pair): Generator<Change> {
  const [olds, news] = [tokenRights(before), tokenRights(after)];
  for (const subject of new Set([...olds.keys(), ...news.keys()])) {
    const changes = rightChanges(olds.get(subject) ?? [], news.get(subject) ?? [], after.canonical);
    yield* rightRows(changes, { job: "trust", stack, subject });
  }
}

/** By who is bound. */
function tokenRights({ artefacts }: Side): ReadonlyMap<string, readonly HeldRight[]> {
  const rightsBySubject = new Map<string, HeldRight[]>();
  for (const { binding, rules } of [...(artefacts?.rbac.bound.values() ?? [])].flat()) {
    const { kind, namespace, name } = binding;
    const source = artefacts?.rbacSources.get(`${kind} ${namespace}/${name}`);
    const known = rules.length > 0 ? rules : (DEFAULT_ROLES[binding.roleName] ?? []);
    const rights = known.flatMap((rule) => [
      ...rightsOf(rule, namespace, source),
      ...escalations(rule, namespace, source),
    ]);
    if (rights.length === 0) continue;
    for (const subject of binding.subjects) {
      const whom = subjectText(subject, namespace);
      rightsBySubject.set(whom, [...(rightsBySubject.get(whom) ?? []), ...rights]);
    }
  }
  return rightsBySubject;
}

const CORE = { apiGroups: [""], resourceNames: [] };
const CREATES: PolicyRule = { ...CORE, verbs: ["create"], resources: ["serviceaccounts/token"] };

/**
 * ClusterRoles that every cluster has without a manifest, that allow getting tokens. Source: kubernetes/kubernetes,
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
const DEFAULT_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  "cluster-admin": [{ ...CORE, verbs: ["*"], resources: ["*"] }],
  admin: [CREATES],
  edit: [CREATES],
};

function subjectText({ kind, name, namespace }: RbacSubject, ofBinding: string): string {
  const place = kind === "ServiceAccount" ? `${namespace || ofBinding}/` : "";
  return shownNames(`${kind} ${place}${name}`);
}

const ACTS_AS: Power = { danger: "others", says: "it may act as them" };
const TOKENS: readonly string[] = ["*", "*/token", "serviceaccounts/token"];

/** A rule about an audience names it as the resource. */
function rightsOf(rule: PolicyRule, namespace: string, source: Source | undefined): readonly HeldRight[] {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  if (!apiGroups.some((group) => group === "" || group === "*")) return [];
  const may = (verb: string): boolean => verbs.includes(verb) || verbs.includes("*");
  const names = resourceNames.length > 0 ? resourceNames : ["*"];
  const where = namespace === "" ? "every namespace" : `namespace ${namespace}`;
  const isAll = [verbs, resources].every((each) => each.includes("*")) && namespace === "";
  const right = (action: string, under: string, what: string): readonly HeldRight[] =>
    names.map((name) => ({
      text: shownNames(`${what} of ${name === "*" ? "every service account" : name} in ${where}`),
      covers: { action, on: `${namespace || "*"}/${name}`, under },
      power: under !== "create" ? undefined : isAll ? ALL_OF_CLUSTER : ACTS_AS,
      source,
    }));
  const isOfAny = resources.some((resource) => TOKENS.includes(resource));
  const audiences = verbs.includes(TOKEN_AUDIENCE_VERB)
    ? resources
    : resources.filter((each) => each === "*");
  return [
    ...(may("create") && isOfAny ? right("*", "create", "create tokens") : []),
    ...(may(TOKEN_AUDIENCE_VERB)
      ? audiences.flatMap((each) =>
          right(each, TOKEN_AUDIENCE_VERB, `get nodes' tokens for ${each === "*" ? "any audience" : each}`),
        )
      : []),
  ];
}

const RBAC = "rbac.authorization.k8s.io";

/** What gives the rights of others. Source: kubernetes.io/docs/concepts/security/rbac-good-practices. */
const ESCALATIONS: readonly (readonly [verb: string, group: string, resources: readonly string[]])[] = [
  ["impersonate", "", ["users", "groups", "serviceaccounts"]],
  ["bind", RBAC, ["roles", "clusterroles"]],
  ["escalate", RBAC, ["roles", "clusterroles"]],
];

function escalations(rule: PolicyRule, namespace: string, source: Source | undefined): readonly HeldRight[] {
  const has = (all: readonly string[], one: string): boolean => all.includes("*") || all.includes(one);
  // All of this is said by the right to create tokens.
  if (rule.verbs.includes("*") && rule.resources.includes("*") && has(rule.apiGroups, "")) return [];
  const names = rule.resourceNames.length > 0 ? rule.resourceNames : ["*"];
  const where = namespace === "" ? "every namespace" : `namespace ${namespace}`;
  return ESCALATIONS.filter(([verb, group]) => has(rule.verbs, verb) && has(rule.apiGroups, group)).flatMap(
    ([verb, group, resources]) =>
      resources
        .filter((resource) => has(rule.resources, resource))
        .flatMap((resource) =>
          names.map((name) => ({
            text: shownNames(`${verb} ${resource}${name === "*" ? "" : ` ${name}`} in ${where}`),
            covers: { action: resource, on: `${namespace || "*"}/${name}`, under: verb },
            power: powerOfRule(`: ${verb} on ${group}/${resource}`),
            source,
          })),
        ),
  );
}
