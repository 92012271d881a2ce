/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization", and "Azure built-in roles for Containers".
 */

import { type Known, type Ternary, and, is, known, match, not, or, orElse, shown } from "../../model/known";
import { WEBHOOK_CLIENT_ID_ANNOTATION } from "../../rules/azure/pod-identity-webhook";
import { type RolePermissions, lists } from "../../rules/azure/role-permissions";
import { matchesPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { CloudSpokes, FleetWarning, SpokeCall, SpokeQuestion, SpokeReading } from "../cloud";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Unread } from "../shared/not-read";
import { whether } from "../shared/references";
import { boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import type { Assignment } from "./assignments";
import type { Identities, Identity } from "./identity";
import { type Scopes, idOf } from "./ids";
import { roleLabel } from "./roles";
import { otherCall, serverProblem } from "./spoke-call";

const CLUSTER = "azurerm_kubernetes_cluster";
const ENTRA = "azure_active_directory_role_based_access_control";
const NAME_IT = "name the Terraform that declares the cluster and its role assignments as well";
/** Data actions on managed clusters alone count at the Kubernetes API. */
const OF_CLUSTERS = "microsoft.containerservice/managedclusters/";
/** Segments of a cluster's id; those of its namespaces have more. */
const DEPTH = 8;

/** AKS clusters as spokes. */
export class AksSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #identities: Identities;
  readonly #scopes: Scopes;
  readonly #unread: Unread;

  constructor(terraform: Terraform, identities: Identities, scopes: Scopes, unread: Unread) {
    this.#terraform = terraform;
    this.#identities = identities;
    this.#scopes = scopes;
    this.#unread = unread;
  }

  read(question: SpokeQuestion): SpokeReading {
    const cluster = servedCluster(question.server, this.#terraform);
    const kind = otherKindOfCluster(cluster, CLUSTER, "AKS");
    if (kind) return { admitted: kind, authorized: kind, warnings: [] };
    const admitted = admittedBy(cluster, question);
    const client = question.account?.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION) ?? known("");
    const other = otherCall(question, client);
    if (other) return { admitted: obstacle([other, admitted]) ?? other, authorized: other, warnings: [] };
    const identity = this.#identities.of(client);
    if (!identity)
      return {
        admitted,
        authorized: unknown("the identity is not among what was read", NAME_IT),
        warnings: [],
      };
    const given =
      identity.given ?? (cluster && this.#unread.answer(cluster.address, [cluster], [idOf(cluster).text]));
    const counts = (each: Assignment): Ternary => this.#counts(each, cluster, question);
    const { held, possible } = identity.roles;
    const certain = held.filter((each) => counts(each) === "yes" && !each.limit);
    const isOpen =
      possible.some((each) => counts(each) !== "no") ||
      held.some((each) => counts(each) === "unknown" || (counts(each) === "yes" && each.limit));
    return {
      admitted,
      authorized: given ?? authorizedBy(cluster, question, { ...identity, certain, isOpen }),
      warnings: certain.filter((each) => /Cluster Admin$/i.test(roleLabel(each))).map(wide),
    };
  }

  called(call: SpokeCall, where: readonly Evidence[]): Answer | undefined {
    return serverProblem(call, where);
  }

  /**
   * Whether an assigned role allows anything at the cluster, be it under a condition. A scope is the cluster's, one of its
   * namespaces', or holds the cluster: roles are inherited from above.
   */
  #counts(assignment: Assignment, cluster: Resource | undefined, question: SpokeQuestion): Ternary {
    const { isRefused, scope } = assignment;
    if (isRefused) return "no";
    const allows = allowsAtCluster(assignment);
    if (!cluster) return and(allows, isNamedAs(assignment, question));
    const isNamespace = scope.segments === undefined || scope.segments.length > DEPTH;
    const within = isNamespace ? this.#scopes.holds(idOf(cluster), scope) : "no";
    return and(allows, or(this.#scopes.holds(scope, idOf(cluster)), within));
  }
}

/** An identity, and its roles that count at a cluster. */
interface Entering extends Identity {
  readonly certain: readonly Assignment[];
  /** True where others may count. */
  readonly isOpen: boolean;
}

function authorizedBy(
  cluster: Resource | undefined,
  { spoke, rbac }: SpokeQuestion,
  { certain, isOpen, principals, hasMoreRoles, roles }: Entering,
): Answer {
  const { isOn, hasGroups } = entraOf(cluster);
  if (certain.length > 0 && isOn === "yes")
    return pass(
      `the identity is ${certain.map((each) => (each.builtIn ? roleLabel(each) : "of a custom role")).join(", ")} of the cluster`,
      ...certain.map((each) => seen(roleLabel(each), each.source)),
    );
  const bound = boundAnswer(spoke, { users: principals, groups: [] }, rbac);
  if (bound.status === "pass" || (isOn === "no" && !hasGroups)) return bound;
  const evidence = roles.held.map((each) =>
    seen(`${roleLabel(each)} at ${shown(each.scope.text)}`, each.source),
  );
  if (hasGroups)
    return unknown(
      `${bound.reason}, and whether the identity is in an admin group of the cluster is not judged here`,
      NAME_IT,
      ...evidence,
    );
  if (cluster?.adopted !== false || hasMoreRoles || isOpen || isOn === "unknown")
    return unknown(`no role of the identity on the cluster of ${spoke} was read`, NAME_IT, ...evidence);
  return broken(
    `the identity has no role of the Kubernetes API on the cluster of ${spoke}`,
    "assign it a role Azure Kubernetes Service RBAC … at the cluster, or bind its object id on the spoke",
    "is forbidden: User does not have access to the resource in Azure",
    ...evidence,
  );
}

/** Whether a scope names a cluster that was not read: by its recorded name, or the DNS prefix of its address. */
function isNamedAs({ scope }: Assignment, { spoke, server, recorded }: SpokeQuestion): Ternary {
  const [type = known(""), id = known("")] = (scope.segments ?? []).slice(DEPTH - 2, DEPTH);
  const name = orElse(id, () => "");
  if (is(type, "managedclusters") !== "yes" || name === "") return "no";
  if (recorded && name === spoke.toLowerCase()) return "yes";
  const host = /^https:\/\/([^.:/]+)/.exec(orElse(server, () => ""))?.[1] ?? "";
  // The first label of an AKS cluster's address is its DNS prefix, which is its name where none was chosen, and a hash.
  const isServed = host.startsWith(name) && /^(?:-[a-z0-9]{8})?$/.test(host.slice(name.length));
  return isServed ? "yes" : "no";
}

/** Whether a role allows anything there, wherever it counts. */
function allowsAtCluster({ builtIn, definition }: Assignment): Ternary {
  if (builtIn) return builtIn.kubernetes ? "yes" : "no";
  if (!definition) return "unknown";
  return match(
    definition.permissions,
    (permissions) => or(...permissions.map(allowsAny)),
    () => "unknown",
  );
}

function allowsAny({ dataActions, notDataActions }: RolePermissions): Ternary {
  const allows = (action: Known<string>): Ternary =>
    match(
      action,
      (text) => {
        const wanted = text.toLowerCase();
        const covers = matchesPattern(patternOf(wanted), `${OF_CLUSTERS}pods/read`);
        const isOfClusters = wanted.startsWith(OF_CLUSTERS) || covers === true;
        return and(isOfClusters ? "yes" : "no", not(lists(notDataActions, text)));
      },
      () => "unknown",
    );
  return match(
    dataActions,
    (actions) => or(...actions.map(allows)),
    () => "unknown",
  );
}

/** How a cluster judges what principals of Entra may do; one that was not read is taken for one that asks Azure. */
function entraOf(cluster: Resource | undefined): { readonly isOn: Ternary; readonly hasGroups: boolean } {
  if (cluster?.adopted !== false) return { isOn: "yes", hasGroups: false };
  const block = orElse(cluster.block(ENTRA), () => undefined);
  if (!block) return { isOn: "unknown", hasGroups: false };
  return {
    isOn: whether(block.flag("azure_rbac_enabled"), (isOn) => isOn),
    hasGroups: orElse(block.list("admin_group_object_ids"), () => [block]).length > 0,
  };
}

/** Whether a cluster lets principals of its tenant in. */
function admittedBy(cluster: Resource | undefined, { recorded, spoke }: SpokeQuestion): Answer {
  const where = cluster ? [seen("cluster", cluster.source)] : [];
  if (cluster?.adopted !== false && recorded)
    return pass(
      `${spoke} is recorded as an AKS cluster, and is taken for one that is integrated with Entra, which lets every principal of its tenant in`,
      ...where,
    );
  const isIntegrated =
    cluster?.adopted === false ? whether(cluster.block(ENTRA), (block) => block !== undefined) : "unknown";
  if (isIntegrated === "yes") return pass("the cluster is integrated with Entra", ...where);
  return isIntegrated === "unknown"
    ? unknown(`whether the cluster of ${spoke} is integrated with Entra was not read`, NAME_IT)
    : broken(
        "the cluster is not integrated with Entra, so that it takes no token of an identity",
        `declare ${ENTRA} on the cluster`,
        "Unauthorized: the server has asked for the client to provide credentials",
        ...where,
      );
}

function wide(assignment: Assignment): FleetWarning {
  const { scope, source } = assignment;
  return {
    id: "wide-role",
    reason: `${roleLabel(assignment)} lets the controller do everything at ${shown(scope.text)}`,
    evidence: [seen(roleLabel(assignment), source)],
    remedy: "take a narrower role, or a namespace as scope",
  };
}
