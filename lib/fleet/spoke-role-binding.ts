import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { clusterObject } from "../kubernetes/metadata";
import { type SpokeUser, CONTROLLER_WORKLOAD, SPOKE_USER } from "../model/fleet";
import { clusterName, namespaceName } from "../model/kubernetes-name";
import { isLate, literal } from "../model/late";
import type { FleetConsumer } from "../rules/fleet/consumer";
import { derivedName } from "../rules/names";
import { type ObjectKind, checkProps, made, list, object, optional, text } from "../model/shape";

/** The inputs of a {@link SpokeRoleBinding}. */
export interface SpokeRoleBindingProps {
  /** Name of the spoke, for messages. */
  readonly spoke: string;
  /** Name of the hub, with which the bindings' names begin: another hub may enter the spoke too. */
  readonly hub: string;
  /** The controller; its workload is part of the bindings' names, since other controllers may enter too. */
  readonly consumer: Pick<FleetConsumer, "reader">;
  /** The hub's controllers as users of the spoke; those that the cloud itself authorizes are left out. */
  readonly users: readonly SpokeUser[];
  /** Name of an existing ClusterRole of the spoke; choose one no wider than the controller needs. */
  readonly clusterRole: string;
  /**
   * Namespaces in which the role applies.
   *
   * @defaultValue - the whole cluster
   */
  readonly namespaces?: readonly string[];
}

const SPOKE_ROLE_BINDING_PROPS: ObjectKind<SpokeRoleBindingProps> = object({
  spoke: text,
  hub: text,
  consumer: made("a controller, such as argoCd(…)", "argoCd(…)", { reader: CONTROLLER_WORKLOAD }),
  users: list(SPOKE_USER),
  clusterRole: text,
  namespaces: optional(list(text)),
});

const RBAC = "rbac.authorization.k8s.io";
const NAME = { max: 253, allowed: /[^/%]/, separator: ":" } as const;

/**
 * RBAC on a spoke for the hub's controllers, to be applied on the spoke: for groups if the cloud assigns any, otherwise
 * for user names.
 */
export class SpokeRoleBinding extends Construct {
  /** One ClusterRoleBinding, or one RoleBinding per namespace. */
  readonly bindings: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: SpokeRoleBindingProps) {
    checkProps(new.target.name, scope, id, SPOKE_ROLE_BINDING_PROPS, props);
    super(scope, id);
    const { spoke, namespaces } = props;
    const role = pathSegment(props.clusterRole);
    const name = bindingName(props);
    const fields = {
      apiVersion: `${RBAC}/v1`,
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
      subjects: subjectsOf(spoke, props.users),
    };
    const named = namespaces && [...new Set(namespaces.map(namespaceName))].sort();
    if (named?.length === 0) withoutRights(spoke, "namespaces: []");
    const bindingIn = (namespace: string): ApiObject => {
      const metadata = { name, namespace };
      return new ApiObject(this, `binding-${namespace}`, { ...fields, kind: "RoleBinding", metadata });
    };
    this.bindings = named
      ? named.map(bindingIn)
      : [clusterObject(this, "Resource", { ...fields, kind: "ClusterRoleBinding", metadata: { name } })];
  }
}

function pathSegment(name: string): string {
  const given: unknown = literal(name, "name of a role");
  if (typeof given === "string" && /^(?!\.{1,2}$)[^/%]{1,253}$/.test(given)) return given;
  return fail("fleet-invalid", {
    problem: "the name of a ClusterRole cannot be part of a URL path",
    value: given,
    allowed: "1 to 253 characters without / and %, other than . and ..",
    remedy: "name an existing ClusterRole of the spoke",
  });
}

function withoutRights(spoke: string, principal: string): never {
  return fail("fleet-missing", {
    problem: `the controller has no permissions on spoke ${spoke}`,
    value: principal,
    allowed: "a policy or groups of the access entry, a role assignment, an IAM role, or RBAC",
    remedy: "grant what the controller needs",
  });
}

/** `<hub>:<namespace>:<name>:<role>` of the reading workload: unique, or a second apply would replace the subjects. */
function bindingName({ hub, consumer: { reader }, clusterRole }: SpokeRoleBindingProps): string {
  const parts = [clusterName(hub), reader.namespace, reader.name, clusterRole];
  const plain = parts.join(":");
  return plain.length <= NAME.max ? plain : derivedName(parts, NAME);
}

function subjectsOf(spoke: string, users: readonly SpokeUser[]): readonly object[] {
  const bound = users
    .filter(({ authorized }) => !authorized)
    .flatMap(({ subject, user, groups }) =>
      groups.length > 0
        ? groups.map((name) => ({ apiGroup: RBAC, kind: "Group", name }))
        : [{ apiGroup: RBAC, kind: "User", name: user ?? withoutRights(spoke, subject.key) }],
    );
  if (bound.length === 0) return withoutRights(spoke, "no controller");
  const unique = new Map(bound.map((each) => [`${each.kind} ${each.name}`, each]));
  // The text of a late name says how many others were made before it, so these keep their order.
  const rank = ({ kind, name }: { kind: string; name: string }): string =>
    `${kind} ${isLate(name) ? "" : name}`;
  return [...unique.values()].sort((one, other) => byText(rank(one), rank(other)));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
