import { ApiObject, type ApiObjectProps } from "cdk8s";
import { Construct } from "constructs";
import { type Subject, SUBJECT } from "../model/subject";
import { nodeNeedsServiceAccountGet } from "../rules/kubelet/service-account-get";
import { clusterObject } from "./metadata";
import {
  type PolicyRule,
  checkedRoleName,
  grantExtent,
  tokenAudienceRoleName,
  tokenAudienceRules,
} from "./token-audience-rules";
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

/** What a {@link TokenAudienceGrant} allows, and where. */
export interface TokenAudienceGrantProps {
  /** The audience in the kubelet's `tokenAttributes`, for example `sts.amazonaws.com`. */
  readonly audience: string;
  /** Minor of the kube-apiserver, `1.35`; decides whether nodes must also be allowed to read service accounts. */
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
   * With the scope `cluster` only the names count: the rule then holds for service accounts of these names in every
   * namespace.
   *
   * @defaultValue - all service accounts of the namespaces
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * `namespaces` binds in each namespace; `cluster` binds once for all, also for namespaces still to come, which an
   * entry with `requireServiceAccount: false` needs: the kubelet requests the tokens of all who pull.
   *
   * @defaultValue "namespaces"
   */
  readonly scope?: "namespaces" | "cluster";
  /**
   * Name of the roles and of their bindings; none that clusters come with.
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
 * Since Kubernetes 1.33 the API server refuses a node's request for an audience that the pod does not mount, unless
 * RBAC allows it (gate `ServiceAccountNodeAudienceRestriction`). The grant covers every token request of a node for
 * the audience; the API server cannot tell an image pull from another purpose.
 *
 * Applying it needs the verb on that audience or `escalate`: a cluster administrator has both.
 */
export class TokenAudienceGrant extends Construct {
  /** The audience that it allows. */
  readonly audience: string;
  /** The ClusterRole, or with `serviceAccounts` one Role per namespace. */
  readonly roles: readonly ApiObject[];
  /** One RoleBinding per namespace, or one ClusterRoleBinding. */
  readonly bindings: readonly ApiObject[];

  /**
   * Throws `audience-invalid`, `audience-grant-empty`, `audience-grant-ambiguous`, `role-name-invalid`,
   * `version-unknown`, `version-invalid`, `late-value`, and for bad names of namespaces and service accounts.
   */
  constructor(scope: Construct, id: string, props: TokenAudienceGrantProps) {
    checkProps(new.target.name, scope, id, TOKEN_AUDIENCE_GRANT_PROPS, props);
    super(scope, id);
    const { audience, namespaces, serviceAccounts } = props;
    const extent = grantExtent(audience, props.scope ?? "namespaces", namespaces, serviceAccounts);
    const limited = extent.serviceAccounts !== undefined;
    const name = checkedRoleName(props.roleName ?? tokenAudienceRoleName(audience, limited));
    const readServiceAccounts = nodeNeedsServiceAccountGet(
      props.apiServer,
      literal(props.featureGates ?? {}, "featureGates"),
    );
    const shared = extent.scope === "cluster" || !limited;
    const rules = (names: readonly string[] | undefined): readonly PolicyRule[] =>
      tokenAudienceRules(audience, names, readServiceAccounts);
    this.audience = audience;
    this.roles = shared
      ? [this.clusterRole(name, rules(extent.serviceAccounts?.map((subject) => subject.name)))]
      : [...namesByNamespace(extent.serviceAccounts)].map(([ns, names]) => this.role(name, ns, rules(names)));
    this.bindings =
      extent.scope === "cluster"
        ? [this.clusterRoleBinding(name)]
        : extent.namespaces.map((ns) => this.roleBinding(name, ns, shared ? "ClusterRole" : "Role"));
  }

  private clusterRole(name: string, rules: readonly PolicyRule[]): ApiObject {
    const metadata = { name };
    return clusterObject(this, "Resource", {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRole",
      metadata,
      rules,
    });
  }

  private role(name: string, namespace: string, rules: readonly PolicyRule[]): ApiObject {
    const metadata = { name, namespace };
    return new ApiObject(this, `role-${namespace}`, {
      apiVersion: `${RBAC}/v1`,
      kind: "Role",
      metadata,
      rules,
    });
  }

  private clusterRoleBinding(name: string): ApiObject {
    return clusterObject(this, "binding", {
      ...binding("ClusterRoleBinding", name, "ClusterRole"),
      metadata: { name },
    });
  }

  private roleBinding(name: string, namespace: string, roleKind: string): ApiObject {
    return new ApiObject(this, `binding-${namespace}`, {
      ...binding("RoleBinding", name, roleKind),
      metadata: { name, namespace },
    });
  }
}

/** Names by namespace; sorted, since the subjects are. */
function namesByNamespace(subjects: readonly Subject[] = []): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { namespace, name } of subjects) {
    const known = names.get(namespace);
    if (known) known.push(name);
    else names.set(namespace, [name]);
  }
  return names;
}

function binding(kind: string, roleName: string, roleKind: string): ApiObjectProps {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    roleRef: { apiGroup: RBAC, kind: roleKind, name: roleName },
    subjects: [{ apiGroup: RBAC, kind: "Group", name: "system:nodes" }],
  };
}
