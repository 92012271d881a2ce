import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { clusterObject } from "../kubernetes/metadata";
import type { SpokeUser } from "../model/fleet";
import { namespaceName } from "../model/kubernetes-name";
import { literal } from "../model/late";

/** Who gets what on a spoke. */
export interface SpokeRoleBindingProps {
  /** Name of the spoke, for refusals. */
  readonly spoke: string;
  /** The hub's controllers as the spoke sees them; those that the cloud itself authorizes are left out. */
  readonly users: readonly SpokeUser[];
  /** Name of an existing ClusterRole of the spoke, no wider than the controller's job. */
  readonly clusterRole: string;
  /**
   * Namespaces in which the role holds.
   *
   * @defaultValue - in all of the cluster
   */
  readonly namespaces?: readonly string[];
  /**
   * Name of the bindings.
   *
   * @defaultValue - `hub:` and the name of the role
   */
  readonly name?: string;
}

const RBAC = "rbac.authorization.k8s.io";
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/%]{1,253}$/;

/**
 * RBAC of a spoke for the hub's controllers, to be applied on the spoke: groups where the cloud gives any, user names
 * otherwise.
 */
export class SpokeRoleBinding extends Construct {
  /** One ClusterRoleBinding, or one RoleBinding per namespace. */
  readonly bindings: readonly ApiObject[];

  /**
   * Throws `spoke-cluster-role-invalid`, `spoke-authorisation-missing` where a controller has neither user nor group or
   * nobody is left to bind, `namespace-invalid` or `late-value`.
   */
  constructor(scope: Construct, id: string, props: SpokeRoleBindingProps) {
    super(scope, id);
    const { clusterRole, spoke, namespaces } = props;
    const name = props.name ?? `hub:${clusterRole}`;
    for (const each of [clusterRole, name])
      if (!PATH_SEGMENT.test(literal(each, "name of a role"))) fail("spoke-cluster-role-invalid", each);
    const subjects = subjectsOf(spoke, props.users);
    const fields = {
      apiVersion: `${RBAC}/v1`,
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: clusterRole },
      subjects,
    };
    const named = namespaces === undefined ? undefined : [...new Set(namespaces.map(namespaceName))].sort();
    this.bindings = named
      ? named.map(
          (namespace) =>
            new ApiObject(this, `binding-${namespace}`, {
              ...fields,
              kind: "RoleBinding",
              metadata: { name, namespace },
            }),
        )
      : [clusterObject(this, "Resource", { ...fields, kind: "ClusterRoleBinding", metadata: { name } })];
  }
}

interface BoundSubject {
  readonly apiGroup: string;
  readonly kind: "Group" | "User";
  readonly name: string;
}

function subjectsOf(spoke: string, users: readonly SpokeUser[]): readonly BoundSubject[] {
  const bound = users
    .filter(({ authorized }) => !authorized)
    .flatMap(({ subject, user, groups }): readonly BoundSubject[] => {
      if (groups.length > 0) return groups.map((name) => ({ apiGroup: RBAC, kind: "Group", name }));
      if (user === undefined) return fail("spoke-authorisation-missing", spoke, subject.key);
      return [{ apiGroup: RBAC, kind: "User", name: user }];
    });
  if (bound.length === 0) return fail("spoke-authorisation-missing", spoke, "nobody");
  const unique = new Map(bound.map((each) => [`${each.kind} ${each.name}`, each]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
