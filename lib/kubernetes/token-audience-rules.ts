/*
 * RBAC for the audiences of service account tokens that the kubelet requests for image pulls.
 *
 * kube-apiserver asks the authorizer, as the node, for the verb `request-serviceaccounts-token-audience` on a
 * resource of the core group whose name is the audience, verbatim, with the service account as name and namespace
 * (kubernetes/kubernetes, plugin/pkg/admission/noderestriction/admission.go). `create serviceaccounts/token` is not
 * granted: the node authorizer already allows it, for pods of the node only.
 */

import { fail } from "../errors";
import { validateAudience } from "../model/audience";
import { namespaceName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { Subject } from "../model/subject";
import { stableHash } from "../rules/names";
import { TOKEN_AUDIENCE_VERB } from "../rules/rbac/node-audience";

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  /** `""` is the core group. */
  readonly apiGroups: readonly string[];
  /** The audience, or `serviceaccounts`. */
  readonly resources: readonly string[];
  /** What may be done. */
  readonly verbs: readonly string[];
  /**
   * Names of service accounts.
   *
   * @defaultValue - all of them
   */
  readonly resourceNames?: readonly string[];
}

const READABLE = /[^A-Za-z0-9.-]+/g;
const NAME_MAX = 253;

/**
 * The rules for one audience; `serviceAccounts` are names that limit them, without they hold for all.
 *
 * `readServiceAccounts` adds `get serviceaccounts`, which the node authorizer of older API servers does not allow.
 */
export function tokenAudienceRules(
  audience: string,
  serviceAccounts: readonly string[] | undefined,
  readServiceAccounts: boolean,
): readonly PolicyRule[] {
  const limit = serviceAccounts ? { resourceNames: [...new Set(serviceAccounts)].sort() } : {};
  const core = { apiGroups: [""] };
  const request = {
    ...core,
    resources: [audience],
    verbs: [TOKEN_AUDIENCE_VERB],
    ...limit,
  };
  const read = { ...core, resources: ["serviceaccounts"], verbs: ["get"], ...limit };
  return readServiceAccounts ? [request, read] : [request];
}

/**
 * A name for the role of an audience: readable, a path segment as RBAC wants it, and different for different
 * audiences (a hash is added where characters were replaced; the number of colons tells both forms apart).
 *
 * Limited roles are named apart: a binding's roleRef cannot be changed once it exists, and a limited role must not
 * overwrite an unlimited one that another configuration applied.
 */
export function tokenAudienceRoleName(audience: string, limited: boolean): string {
  const prefix = limited ? "token-audience-limited:" : "token-audience:";
  const readable = audience.replace(READABLE, "-");
  const room = NAME_MAX - prefix.length;
  if (readable === audience && audience.length <= room) return prefix + audience;
  const suffix = `:${stableHash([audience])}`;
  return prefix + readable.slice(0, room - suffix.length) + suffix;
}

/** The role of openshift/hypershift#8397, the only one under `system:` that is ours to write. */
const HYPERSHIFT_ROLE = "system:node:credential-provider-token-audience";

/**
 * Roles that clusters come with, which applying a role of the same name would empty. Source: kubernetes,
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go; openshift/apiserver bootstrap policy and `oc adm policy`;
 * openshift/machine-config-operator, install/0000_80_machine-config_00_rbac.yaml.
 */
const RESERVED: readonly string[] = [
  "admin",
  "basic-user",
  "cluster-admin",
  "cluster-debugger",
  "cluster-reader",
  "cluster-status",
  "edit",
  "node-credential-providers",
  "registry-admin",
  "registry-editor",
  "registry-viewer",
  "self-access-reviewer",
  "self-provisioner",
  "storage-admin",
  "sudoer",
  "view",
];

/**
 * Returns a role name that a caller gave; throws `role-name-invalid` or `late-value`.
 *
 * Source: apimachinery, pkg/api/validation/path (ValidatePathSegmentName), which RBAC uses instead of DNS names.
 */
export function checkedRoleName(name: string): string {
  literal(name, "role name");
  if (name === "" || name.length > NAME_MAX) return fail("role-name-invalid", name, "is empty or too long");
  if (name === "." || name === ".." || /[/%]/.test(name))
    return fail("role-name-invalid", name, "cannot stand in a URL path");
  if (RESERVED.includes(name) || (name.startsWith("system:") && name !== HYPERSHIFT_ROLE))
    return fail("role-name-invalid", name, "is that of a role that the cluster comes with or reserves");
  return name;
}

/** Where a grant holds, as its caller stated it. */
export interface GrantExtent {
  /** The audience. */
  readonly audience: string;
  /** In the named namespaces, or in all. */
  readonly scope: "namespaces" | "cluster";
  /** Sorted, each once; empty with the scope `cluster`. */
  readonly namespaces: readonly string[];
  /** Sorted by namespace and name, or `undefined` for all service accounts. */
  readonly serviceAccounts: readonly Subject[] | undefined;
}

/**
 * Checks a caller's statement; throws `audience-invalid`, `audience-grant-empty`,
 * `audience-grant-ambiguous` and of bad names.
 */
export function grantExtent(
  audience: string,
  scope: "namespaces" | "cluster",
  namespaces: readonly string[] | undefined,
  serviceAccounts: readonly (string | Subject)[] | undefined,
): GrantExtent {
  validateAudience(audience);
  if (scope === "cluster" && namespaces)
    return fail("audience-grant-ambiguous", audience, "is for the whole cluster and for namespaces");
  if (serviceAccounts && namespaces)
    return fail("audience-grant-ambiguous", audience, "names both namespaces and service accounts");
  const subjects = serviceAccounts?.map(Subject.of).sort(byNamespaceAndName);
  const named = subjects ? subjects.map(({ namespace }) => namespace) : (namespaces ?? []);
  if (subjects?.length === 0 || (scope === "namespaces" && named.length === 0))
    return fail("audience-grant-empty", audience);
  return {
    audience,
    scope,
    namespaces: scope === "cluster" ? [] : [...new Set(named.map(namespaceName))].sort(),
    serviceAccounts: subjects,
  };
}

function byNamespaceAndName(a: Subject, b: Subject): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}
