/*
 * Who may get tokens of service accounts, by RBAC: nodes for the audiences of their plugins, whoever may create
 * `serviceaccounts/token`, and whoever may act as another who may.
 */

import type { Power } from "../../rules/powers";
import { ALL_OF_CLUSTER } from "../../rules/rbac/powers";
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
    const rights = known.flatMap((rule) => rightsOf(rule, namespace, source));
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

const SOMEONE = "service account";
/** Who can be impersonated, by resource. Source: kubernetes.io, "User impersonation". */
const IMPERSONATED: Readonly<Record<string, string>> = {
  "*": "user, group and service account",
  groups: "group",
  serviceaccounts: SOMEONE,
  users: "user",
};

/** A rule about an audience names it as the resource. */
function rightsOf(rule: PolicyRule, namespace: string, source: Source | undefined): readonly HeldRight[] {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  if (!apiGroups.some((group) => group === "" || group === "*")) return [];
  const may = (verb: string): boolean => verbs.includes(verb) || verbs.includes("*");
  const names = resourceNames.length > 0 ? resourceNames : ["*"];
  const where = namespace === "" ? "every namespace" : `namespace ${namespace}`;
  const isAll = [verbs, resources].every((each) => each.includes("*")) && namespace === "";
  const right = (action: string, under: string, what: string, whom = SOMEONE): readonly HeldRight[] =>
    names.map((name) => ({
      text: shownNames(`${what} ${name === "*" ? `every ${whom}` : name} in ${where}`),
      covers: { action, on: `${namespace || "*"}/${name}`, under },
      power: under === TOKEN_AUDIENCE_VERB ? undefined : isAll ? ALL_OF_CLUSTER : ACTS_AS,
      source,
    }));
  const isOfAny = resources.some((resource) => TOKENS.includes(resource));
  const audiences = verbs.includes(TOKEN_AUDIENCE_VERB)
    ? resources
    : resources.filter((each) => each === "*");
  return [
    ...(may("create") && isOfAny ? right("*", "create", "create tokens of") : []),
    ...(may(TOKEN_AUDIENCE_VERB)
      ? audiences.flatMap((each) =>
          right(
            each,
            TOKEN_AUDIENCE_VERB,
            `get nodes' tokens for ${each === "*" ? "any audience" : each} of`,
          ),
        )
      : []),
    // Whoever may do everything may create tokens, which says as much.
    ...(may("impersonate") && !isAll
      ? resources.flatMap((each) =>
          Object.hasOwn(IMPERSONATED, each)
            ? right(each, "impersonate", "impersonate", IMPERSONATED[each])
            : [],
        )
      : []),
  ];
}
