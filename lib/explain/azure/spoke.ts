/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization", and "Azure built-in roles for Containers".
 */

import {
  type Known,
  type Ternary,
  and,
  andThen,
  is,
  known,
  match,
  not,
  or,
  orElse,
  shown,
} from "../../model/known";
import { WEBHOOK_CLIENT_ID_ANNOTATION } from "../../rules/azure/pod-identity-webhook";
import { lists } from "../../rules/azure/role-permissions";
import { matchesPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { CloudSpokes, FleetWarning, SpokeCall, SpokeQuestion, SpokeReading } from "../cloud";
import { obstacle } from "../obstacle";
import type { Block, Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Unread } from "../shared/not-read";
import { boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import type { Assignment } from "./assignments";
import { idOf } from "./ids";
import { type Scopes } from "./scopes";
import type { Identities, Identity } from "./identity";
import { roleLabel } from "./roles";
import { otherCall, serverProblem } from "./spoke-call";

const CLUSTER = "azurerm_kubernetes_cluster";
const ENTRA = "azure_active_directory_role_based_access_control";
const NAME_IT = "name the Terraform that declares the cluster and its role assignments as well";
/** Data actions on managed clusters alone count at the Kubernetes API. */
const OF_CLUSTERS = "microsoft.containerservice/managedclusters/";

/** AKS clusters as spokes. */
export class AzureSpokes implements CloudSpokes {
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

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const cluster = servedCluster(question.server, this.#terraform);
    const kind = otherKindOfCluster(cluster, CLUSTER, "AKS");
    if (kind) return { admitted: kind, authorized: kind, warnings: [] };
    const admitted = admittedBy(cluster, question);
    const client = question.account?.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION) ?? known("");
    const other = otherCall(question, client);
    if (other) return { admitted: obstacle([other, admitted]) ?? other, authorized: other, warnings: [] };
    const identity = this.#identities.of(client);
    if (!identity) {
      const answer = unknown("the identity is not among what was read", NAME_IT);
      return { admitted, authorized: answer, warnings: [] };
    }
    const given =
      identity.given ?? (cluster && this.#unread.answer(cluster.address, [cluster], [idOf(cluster).text]));
    const { held, possible } = identity.roles;
    const counting = held.map((each) => ({ each, counts: this.#counts(each, cluster, question) }));
    const certain = counting
      .filter(({ each, counts }) => counts === "yes" && !each.limit)
      .map(({ each }) => each);
    const isOpen =
      counting.some(({ each, counts }) => counts === "unknown" || (counts === "yes" && each.limit)) ||
      possible.some((each) => this.#counts(each, cluster, question) !== "no");
    return {
      admitted,
      authorized: given ?? this.#authorized(question, identity, cluster, certain, isOpen),
      warnings: certain.filter((each) => /Cluster Admin$/i.test(roleLabel(each))).map(wide),
    };
  }

  /** What AKS does not take of a call. */
  called(call: SpokeCall, where: readonly Evidence[]): Answer | undefined {
    return serverProblem(call, where);
  }

  /** Whether an assigned role allows anything at the cluster, be it under a condition. */
  #counts(assignment: Assignment, cluster: Resource | undefined, question: SpokeQuestion): Ternary {
    return and(
      assignment.isRefused ? "no" : allowsAtCluster(assignment),
      cluster ? this.#isOn(assignment, cluster) : isNamedAs(assignment, question),
    );
  }

  /** A scope is the cluster's, one of its namespaces', or holds the cluster: roles are inherited from above. */
  #isOn({ scope }: Assignment, cluster: Resource): Ternary {
    const id = idOf(cluster);
    const isNamespace = scope.segments === undefined || scope.segments.length > DEPTH;
    return or(this.#scopes.holds(scope, id), isNamespace ? this.#scopes.holds(id, scope) : "no");
  }

  #authorized(
    { spoke, rbac }: SpokeQuestion,
    identity: Identity,
    cluster: Resource | undefined,
    certain: readonly Assignment[],
    isOpen: boolean,
  ): Answer {
    const evidence = identity.roles.held.map((each) =>
      seen(`${roleLabel(each)} at ${shown(each.scope.text)}`, each.source),
    );
    const { isOn, hasGroups } = entraOf(cluster);
    if (certain.length > 0 && isOn === "yes")
      return pass(
        `the identity is ${certain.map(labelOf).join(", ")} of the cluster`,
        ...certain.map((each) => seen(roleLabel(each), each.source)),
      );
    const bound = boundAnswer(spoke, { users: identity.principals, groups: [] }, rbac);
    if (bound.status === "pass" || (isOn === "no" && !hasGroups)) return bound;
    const isDeclared = cluster?.adopted === false && !identity.hasMoreRoles;
    if (!isDeclared || isOpen || isOn === "unknown" || hasGroups)
      return unknown(
        hasGroups
          ? `${bound.reason}, and whether the identity is in an admin group of the cluster is not judged here`
          : `no role of the identity on the cluster of ${spoke} was read`,
        NAME_IT,
        ...evidence,
      );
    return broken(
      `the identity has no role of the Kubernetes API on the cluster of ${spoke}`,
      "assign it a role Azure Kubernetes Service RBAC … at the cluster, or bind its object id on the spoke",
      "is forbidden: User does not have access to the resource in Azure",
      ...evidence,
    );
  }
}

/** Segments of a cluster's id; those of its namespaces have more. */
const DEPTH = 8;

function labelOf(assignment: Assignment): string {
  return assignment.builtIn ? roleLabel(assignment) : "of a custom role";
}

/** Whether a scope names a cluster that was not read: by its recorded name, or the DNS prefix of its address. */
function isNamedAs({ scope }: Assignment, { spoke, server, recorded }: SpokeQuestion): Ternary {
  const { segments = [] } = scope;
  const isCluster = is(segments[DEPTH - 2] ?? known(""), "managedclusters") === "yes";
  const name = isCluster ? (orElse(segments[DEPTH - 1] ?? known(""), () => undefined) ?? "") : "";
  if (name === "") return "no";
  const host = /^https:\/\/([^.:/]+)/.exec(orElse(server, () => ""))?.[1] ?? "";
  // The first label of an AKS cluster's address is its DNS prefix, which is its name where none was chosen, and a hash.
  const rest = host.startsWith(name) ? host.slice(name.length) : undefined;
  const isServed = rest !== undefined && /^(?:-[a-z0-9]{8})?$/.test(rest);
  return (recorded && name === spoke.toLowerCase()) || isServed ? "yes" : "no";
}

/** Whether a role allows anything there, wherever it counts. */
function allowsAtCluster({ builtIn, definition }: Assignment): Ternary {
  if (builtIn) return builtIn.kubernetes ? "yes" : "no";
  return match(
    definition?.permissions ?? known(undefined),
    (permissions) =>
      permissions === undefined
        ? "unknown"
        : or(
            ...permissions.map(({ dataActions, notDataActions }) =>
              match(
                dataActions,
                (actions) =>
                  or(
                    ...actions.map((action) =>
                      and(isOfClusters(action), not(takenAway(action, notDataActions))),
                    ),
                  ),
                (): Ternary => "unknown",
              ),
            ),
          ),
    () => "unknown",
  );
}

function isOfClusters(action: Known<string>): Ternary {
  return match(
    action,
    (text) => {
      const wanted = text.toLowerCase();
      const covers = matchesPattern(patternOf(wanted), `${OF_CLUSTERS}pods/read`);
      return wanted.startsWith(OF_CLUSTERS) || covers === true ? "yes" : "no";
    },
    () => "unknown",
  );
}

function takenAway(action: Known<string>, without: Parameters<typeof lists>[0]): Ternary {
  return match(
    action,
    (text) => lists(without, text),
    () => "unknown",
  );
}

/** How a cluster judges what principals of Entra may do; one that was not read is taken for one that asks Azure. */
function entraOf(cluster: Resource | undefined): { readonly isOn: Ternary; readonly hasGroups: boolean } {
  if (cluster?.adopted !== false) return { isOn: "yes", hasGroups: false };
  const block = orElse(cluster.block(ENTRA), () => undefined);
  if (!block) return { isOn: "unknown", hasGroups: false };
  return {
    isOn: isEnabled(block),
    hasGroups: orElse(block.list("admin_group_object_ids"), () => [block]).length > 0,
  };
}

function isEnabled(block: Block): Ternary {
  return match(
    block.flag("azure_rbac_enabled"),
    (isOn) => (isOn ? "yes" : "no"),
    () => "unknown",
  );
}

/** Whether a cluster lets principals of its tenant in. */
function admittedBy(cluster: Resource | undefined, { recorded, spoke }: SpokeQuestion): Answer {
  const isUnseen = cluster === undefined || cluster.adopted;
  if (isUnseen && recorded)
    return pass(
      `${spoke} is recorded as an AKS cluster, and is taken for one that is integrated with Entra, which lets every principal of its tenant in`,
      ...(cluster ? [seen("cluster", cluster.source)] : []),
    );
  const isIn = isUnseen ? undefined : andThen(cluster.block(ENTRA), (block) => known(block !== undefined));
  const isIntegrated = isIn && orElse(isIn, () => undefined);
  if (isUnseen || isIntegrated === undefined)
    return unknown(`whether the cluster of ${spoke} is integrated with Entra was not read`, NAME_IT);
  const where = seen("cluster", cluster.source);
  return isIntegrated
    ? pass("the cluster is integrated with Entra", where)
    : broken(
        "the cluster is not integrated with Entra, so that it takes no token of an identity",
        `declare ${ENTRA} on the cluster`,
        "Unauthorized: the server has asked for the client to provide credentials",
        where,
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
