import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { Subject, SUBJECT } from "../model/subject";
import { nodeNeedsServiceAccountGet } from "../rules/kubelet/feature-gates";
import { clusterObject } from "./metadata";
import {
  type ObjectKind,
  boolean,
  checkProps,
  choice,
  list,
  object,
  optional,
  record,
  text,
} from "../model/shape";
import { literal } from "../model/late";
import { fail } from "../errors";
import { validateAudience } from "../model/audience";
import { namespaceName } from "../model/kubernetes-name";
import { stableHash } from "../rules/names";
import { TOKEN_AUDIENCE_VERB } from "../rules/rbac/evaluate";

/** Properties of a {@link TokenAudienceGrant}. */
export interface TokenAudienceGrantProps {
  /** The audience in the kubelet's `tokenAttributes`, for example `sts.amazonaws.com`. */
  readonly audience: string;
  /** Minor version of the kube-apiserver, for example `1.35`; decides whether nodes must also read service accounts. */
  readonly apiServer: string;
  /**
   * Feature gates of the kube-apiserver that differ from the defaults of its version.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Namespaces whose pods pull with this audience.
   *
   * @defaultValue - those of `serviceAccounts`
   */
  readonly namespaces?: readonly string[];
  /**
   * Limits the grant to these service accounts, `namespace/name`.
   *
   * With the scope `cluster` only the names are used: the rule then applies to service accounts of these names in every
   * namespace.
   *
   * @defaultValue - all service accounts of the namespaces
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * `namespaces` binds the role in each namespace; `cluster` binds it for all namespaces, including future ones. An
   * entry with `requireServiceAccount: false` needs `cluster`: the kubelet then requests tokens of all that pull.
   *
   * @defaultValue "namespaces"
   */
  readonly scope?: "namespaces" | "cluster";
  /**
   * Name of the roles and of their bindings; names of built-in roles are refused.
   *
   * @defaultValue - derived from the audience: `token-audience:<audience>`
   */
  readonly roleName?: string;
}

const TOKEN_AUDIENCE_GRANT_PROPS: ObjectKind<TokenAudienceGrantProps> = object({
  audience: text,
  apiServer: text,
  featureGates: optional(record(boolean)),
  namespaces: optional(list(text)),
  serviceAccounts: optional(list(SUBJECT)),
  scope: optional(choice(["namespaces", "cluster"])),
  roleName: optional(text),
});

const RBAC = "rbac.authorization.k8s.io";

/**
 * Allows nodes (Group `system:nodes`) to request service account tokens for one audience.
 *
 * Since Kubernetes 1.33 the API server refuses a node's request for an audience that is not in a volume of the pod,
 * unless RBAC allows it (gate `ServiceAccountNodeAudienceRestriction`). The grant covers every token request of a node
 * for the audience; the API server cannot tell image pulls from other uses.
 *
 * To apply it you need the same verb on that audience, or `escalate`; cluster administrators have both.
 */
export class TokenAudienceGrant extends Construct {
  /** The audience for which nodes may request tokens. */
  readonly audience: string;
  /** The ClusterRole, or with `serviceAccounts` one Role per namespace. */
  readonly roles: readonly ApiObject[];
  /** One RoleBinding per namespace, or one ClusterRoleBinding. */
  readonly bindings: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: TokenAudienceGrantProps) {
    checkProps(new.target.name, scope, id, TOKEN_AUDIENCE_GRANT_PROPS, props);
    super(scope, id);
    const { audience } = props;
    const { namespaces, subjects } = extentOf(props);
    const name = checkedRoleName(props.roleName ?? tokenAudienceRoleName(audience, subjects !== undefined));
    const readServiceAccounts = nodeNeedsServiceAccountGet(
      props.apiServer,
      literal(props.featureGates ?? {}, "featureGates"),
    );
    const rules = (limited: readonly Subject[] | undefined): readonly object[] =>
      tokenAudienceRules(
        audience,
        limited?.map((subject) => subject.name),
        readServiceAccounts,
      );
    const shared = namespaces === undefined || subjects === undefined;
    const clusterWide = (id: string, kind: string, content: object): ApiObject =>
      clusterObject(this, id, { ...rbac(kind), metadata: { name }, ...content });
    const within = (id: string, kind: string, namespace: string, content: object): ApiObject =>
      new ApiObject(this, `${id}-${namespace}`, { ...rbac(kind), metadata: { name, namespace }, ...content });
    const binding = {
      roleRef: { apiGroup: RBAC, kind: shared ? "ClusterRole" : "Role", name },
      subjects: [{ apiGroup: RBAC, kind: "Group", name: "system:nodes" }],
    };
    this.audience = audience;
    this.roles = shared
      ? [clusterWide("Resource", "ClusterRole", { rules: rules(subjects) })]
      : namespaces.map((each) =>
          within("role", "Role", each, {
            rules: rules(subjects.filter(({ namespace }) => namespace === each)),
          }),
        );
    this.bindings = namespaces?.map((each) => within("binding", "RoleBinding", each, binding)) ?? [
      clusterWide("binding", "ClusterRoleBinding", binding),
    ];
  }
}

function rbac(kind: string): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: `${RBAC}/v1`, kind };
}

/**
 * kube-apiserver asks the authorizer, as the node, for the verb `request-serviceaccounts-token-audience` on a resource
 * of the core group whose name is the audience, unchanged, with the service account as name and namespace
 * (kubernetes/kubernetes, plugin/pkg/admission/noderestriction/admission.go). `create serviceaccounts/token` is not
 * granted: the node authorizer already allows it, for pods of the node only.
 */
function tokenAudienceRules(
  audience: string,
  serviceAccounts: readonly string[] | undefined,
  readServiceAccounts: boolean,
): readonly object[] {
  const limit = serviceAccounts ? { resourceNames: [...new Set(serviceAccounts)].sort() } : {};
  const request = { apiGroups: [""], resources: [audience], verbs: [TOKEN_AUDIENCE_VERB], ...limit };
  const read = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"], ...limit };
  return readServiceAccounts ? [request, read] : [request];
}

const READABLE = /[^A-Za-z0-9.-]+/g;
const NAME_MAX = 253;

/**
 * A name for the role of an audience: readable, a valid path segment as RBAC requires, and different for different
 * audiences (a hash is added if characters were replaced; the number of colons distinguishes the two forms).
 *
 * Limited roles get other names: a binding's roleRef cannot be changed once it exists, and a limited role must not
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

/** The role of openshift/hypershift#8397, the only name under `system:` that may be used. */
const HYPERSHIFT_ROLE = "system:node:credential-provider-token-audience";

/**
 * Built-in roles of clusters, whose rules a role of the same name would replace. Source: kubernetes,
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go; openshift/apiserver bootstrap policy and `oc adm policy`;
 * openshift/machine-config-operator, install/0000_80_machine-config_00_rbac.yaml.
 */
const RESERVED: readonly string[] = [
  ...["admin", "basic-user", "cluster-admin", "cluster-debugger", "cluster-reader", "cluster-status", "edit"],
  ...["node-credential-providers", "registry-admin", "registry-editor", "registry-viewer"],
  ...["self-access-reviewer", "self-provisioner", "storage-admin", "sudoer", "view"],
];

/**
 * Returns a caller's role name after checking it.
 *
 * Source: apimachinery, pkg/api/validation/path (ValidatePathSegmentName), which RBAC uses instead of DNS names.
 */
export function checkedRoleName(name: string): string {
  literal(name, "role name");
  const reason =
    name === "" || name.length > NAME_MAX
      ? "is empty or too long"
      : name === "." || name === ".." || /[/%]/.test(name)
        ? "is not valid in a URL path"
        : RESERVED.includes(name) || (name.startsWith("system:") && name !== HYPERSHIFT_ROLE)
          ? "belongs to a role that is built in or reserved"
          : undefined;
  if (reason === undefined) return name;
  return fail("kubernetes-invalid", {
    problem: `name of an RBAC role ${reason}`,
    value: name,
    allowed: `1 to 253 characters without / and %, neither . nor .., not system: (except ${HYPERSHIFT_ROLE}), not a built-in role`,
    remedy: "leave `roleName` out to get a name derived from the audience",
  });
}

interface Extent {
  /** Sorted, each once; `undefined` for the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  /** Sorted by namespace and name; `undefined` for all service accounts. */
  readonly subjects: readonly Subject[] | undefined;
}

function extentOf({ audience, scope, namespaces, serviceAccounts }: TokenAudienceGrantProps): Extent {
  validateAudience(audience);
  if (namespaces && (scope === "cluster" || serviceAccounts))
    return fail("kubernetes-conflict", {
      problem: `the grant of the audience ${audience} ${scope === "cluster" ? "is for the whole cluster and for namespaces" : "names both namespaces and service accounts"}`,
      allowed: '`namespaces` alone, `serviceAccounts` alone, or scope "cluster" without `namespaces`',
      remedy: "leave one of them out; service accounts include their namespaces",
    });
  const subjects = serviceAccounts?.map(Subject.of).sort(byNamespaceAndName);
  const named = subjects?.map(({ namespace }) => namespace) ?? namespaces ?? [];
  if (subjects?.length === 0 || (scope !== "cluster" && named.length === 0))
    return fail("kubernetes-missing", {
      problem: `the grant of the audience ${audience} names no namespace and no service account`,
      allowed: '`namespaces`, `serviceAccounts`, or scope "cluster"',
      remedy: "name the namespaces whose pods pull with this audience",
    });
  const checked = scope === "cluster" ? undefined : [...new Set(named.map(namespaceName))].sort();
  return { namespaces: checked, subjects };
}

function byNamespaceAndName(a: Subject, b: Subject): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1;
}
