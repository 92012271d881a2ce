/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization".
 */

import { WEBHOOK_CLIENT_ID_ANNOTATION } from "../../../rules/azure/pod-identity-webhook";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeCall, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { otherKindOfCluster, servedCluster } from "../server-reference";
import type { AssignmentFact, IdentityFact } from "./entra";
import { otherCall } from "./spoke-call";
import { NAME_IT, admittedBy, entraOf } from "./spoke-cluster";
import { allowsAtCluster } from "./spoke-roles";
import { reachesCluster } from "./spoke-scope";
import { serverProblem } from "./spoke-server";

const CLUSTER_ID = /^(\/subscriptions\/.+\/managedClusters\/([^/]+))(\/namespaces\/[^/]+)?$/i;

/** Roles of the identity. */
interface HeldRoles {
  /** Those that count at the cluster. */
  readonly held: readonly AssignmentFact[];
  /** True where others may. */
  readonly isOpen: boolean;
}

/** AKS clusters as spokes. */
export class AzureSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #identityOf: (clientId: string) => IdentityFact | undefined;

  /** `identityOf` finds an identity by the client id as written. */
  constructor(terraform: Terraform, identityOf: (clientId: string) => IdentityFact | undefined) {
    this.#terraform = terraform;
    this.#identityOf = identityOf;
  }

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const clientId = question.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION) ?? "";
    const served = servedCluster(question.server, this.#terraform);
    const kind = otherKindOfCluster(served, "azurerm_kubernetes_cluster", "AKS");
    if (kind) return { admitted: kind, authorized: kind, warnings: [] };
    const admitted = admittedBy(served, question);
    const other = otherCall(question, clientId);
    if (other) return { admitted: obstacle([other, admitted]) ?? other, authorized: other, warnings: [] };
    const identity = this.#identityOf(clientId);
    if (!identity) {
      const answer = unknown("the identity is not among what was read", NAME_IT);
      return { admitted, authorized: answer, warnings: [] };
    }
    const counting = identity.assignments
      .map((each) => ({ each, counts: this.#counts(each, served, question) }))
      .filter(({ counts }) => counts !== false);
    const held = counting
      .filter(({ each, counts }) => counts && each.condition === "")
      .map(({ each }) => each);
    const isOpen =
      counting.length > held.length ||
      identity.possible.some((each) => this.#counts(each, served, question) !== false);
    return {
      admitted,
      authorized: this.#authorized(question, identity, served, { held, isOpen }),
      warnings: held.filter(({ role }) => /Cluster Admin$/i.test(role)).map(wide),
    };
  }

  /** What AKS does not take of a call. */
  called(call: SpokeCall, where: readonly Evidence[]): Answer | undefined {
    return serverProblem(call, where);
  }

  /** Whether an assigned role allows anything at the cluster, be it under a condition. */
  #counts(
    assignment: AssignmentFact,
    cluster: TerraformResource | undefined,
    question: SpokeQuestion,
  ): boolean | undefined {
    const outcomes = [allowsAtCluster(assignment), this.#isOn(assignment.scope, cluster, question)];
    return outcomes.includes(false) ? false : outcomes.includes(undefined) ? undefined : true;
  }

  #authorized(
    question: SpokeQuestion,
    identity: IdentityFact,
    cluster: TerraformResource | undefined,
    { held, isOpen }: HeldRoles,
  ): Answer {
    const evidence = identity.assignments.map(({ role, scope, source }) =>
      seen(`${role || "a role"} at ${isLateText(scope) ? "a scope that Terraform tells" : scope}`, source),
    );
    const { isOn, hasGroups } = entraOf(cluster, this.#terraform);
    if (held.length > 0 && isOn)
      return pass(
        `the identity is ${held.map(({ role }) => role || "of a custom role").join(", ")} of the cluster`,
        ...held.map(({ role, source }) => seen(role || "a custom role", source)),
      );
    const user = this.#principal(identity);
    const bound = boundAnswer(question.spoke, { users: [user], groups: [] }, question.rbac);
    if (bound.status === "pass" || (isOn === false && !hasGroups)) return bound;
    const isDeclared = cluster?.adopted === false && !identity.adopted;
    if (!isDeclared || isOpen || isOn === undefined || hasGroups)
      return unknown(
        hasGroups
          ? `${bound.reason}, and whether the identity is in an admin group of the cluster is not judged here`
          : `no role of the identity on the cluster of ${question.spoke} was read`,
        NAME_IT,
        ...evidence,
      );
    return broken(
      `the identity has no role of the Kubernetes API on the cluster of ${question.spoke}`,
      "assign it a role Azure Kubernetes Service RBAC … at the cluster, or bind its object id on the spoke",
      "is forbidden: User does not have access to the resource in Azure",
      ...evidence,
    );
  }

  #principal({ source }: IdentityFact): string {
    const resource = this.#terraform
      .ofType("azurerm_user_assigned_identity")
      .find((each) => each.source.path === source.path && each.source.file === source.file);
    return resource ? this.#terraform.attribute(resource, "principal_id") : "";
  }

  /** A scope is the cluster's, one of its namespaces', or holds the cluster. */
  #isOn(
    scope: string,
    cluster: TerraformResource | undefined,
    { spoke, server, recorded }: SpokeQuestion,
  ): boolean | undefined {
    if (cluster) return reachesCluster(scope, cluster, this.#terraform);
    const [, , name = ""] = CLUSTER_ID.exec(scope) ?? [];
    const host = /^https:\/\/([^.:/]+)/.exec(server)?.[1] ?? "";
    if (name === "") return false;
    // The first label of an AKS cluster's address is its DNS prefix, which is its name where nobody chose one, and a hash.
    const rest = host.startsWith(name) ? host.slice(name.length) : undefined;
    return (recorded && name === spoke) || (rest !== undefined && /^(?:-[a-z0-9]{8})?$/.test(rest));
  }
}

function wide({ role, scope, source }: AssignmentFact): FleetWarning {
  return {
    id: "wide-role",
    reason: `${role} lets the controller do everything at ${isLateText(scope) ? "the cluster" : scope}`,
    evidence: [seen(role, source)],
    remedy: "take a narrower role, or a namespace as scope",
  };
}
