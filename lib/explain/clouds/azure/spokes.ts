/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization".
 */

import { WEBHOOK_CLIENT_ID_ANNOTATION } from "../../../rules/azure/pod-identity-webhook";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { blocks, own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { otherKindOfCluster, servedCluster } from "../server-reference";
import type { AssignmentFact, IdentityFact } from "./entra";
import { otherCall } from "./spoke-call";

const CLUSTER_ID = /^(\/subscriptions\/.+\/managedClusters\/([^/]+))(\/namespaces\/[^/]+)?$/i;
const ENTRA = "azure_active_directory_role_based_access_control";
const RBAC_ROLE = /^Azure Kubernetes Service RBAC (?:Cluster Admin|Admin|Reader|Writer)$/i;
const NAME_IT = "name the Terraform that declares the cluster and its role assignments as well";

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
    const other =
      otherKindOfCluster(served, "azurerm_kubernetes_cluster", "AKS") ?? otherCall(question, clientId);
    if (other) return { admitted: other, authorized: other, warnings: [] };
    const identity = this.#identityOf(clientId);
    const admitted = admittedBy(served, question);
    if (!identity) {
      const answer = unknown("the identity is not among what was read", NAME_IT);
      return { admitted, authorized: answer, warnings: [] };
    }
    const roles = identity.assignments.filter(({ role }) => RBAC_ROLE.test(role));
    const held = roles.filter(({ scope }) => this.#isOn(scope, served, question));
    return {
      admitted,
      authorized: this.#authorized(question, identity, served, held),
      warnings: held.filter(({ role }) => /Cluster Admin$/i.test(role)).map(wide),
    };
  }

  #authorized(
    question: SpokeQuestion,
    identity: IdentityFact,
    cluster: TerraformResource | undefined,
    held: readonly AssignmentFact[],
  ): Answer {
    const evidence = identity.assignments.map(({ role, scope, source }) =>
      seen(`${role || "a role"} at ${isLateText(scope) ? "a scope that Terraform tells" : scope}`, source),
    );
    const plain = held.filter(({ condition }) => condition === "");
    const [entra] = blocks(own(cluster?.values, ENTRA));
    const isOff = cluster?.adopted === false && entra && own(entra, "azure_rbac_enabled") !== true;
    if (plain.length > 0 && !isOff)
      return pass(
        `the identity is ${plain.map(({ role }) => role).join(", ")} of the cluster`,
        ...plain.map(({ role, source }) => seen(role, source)),
      );
    const user = this.#principal(identity);
    const bound = boundAnswer(question.spoke, { users: [user], groups: [] }, question.rbac);
    if (isOff || bound.status === "pass") return bound;
    const isDeclared = cluster?.adopted === false && !identity.adopted;
    const isOpen = identity.assignments.some(({ role, condition }) => role === "" || condition !== "");
    if (!isDeclared || isOpen)
      return unknown(
        `no role of the identity on the cluster of ${question.spoke} was read`,
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
  #isOn(scope: string, cluster: TerraformResource | undefined, question: SpokeQuestion): boolean {
    const { spoke, server, recorded } = question;
    if (cluster) {
      const id = this.#terraform.attribute(cluster, "id");
      return scope === id || scope.startsWith(`${id}/namespaces/`);
    }
    const [, , name = ""] = CLUSTER_ID.exec(scope) ?? [];
    const host = /^https:\/\/([^.:/]+)/.exec(server)?.[1] ?? "";
    if (name === "") return false;
    // The first label of an AKS cluster's address is its DNS prefix, which is its name where nobody chose one, and a hash.
    const rest = host.startsWith(name) ? host.slice(name.length) : undefined;
    return (recorded && name === spoke) || (rest !== undefined && /^(?:-[a-z0-9]{8})?$/.test(rest));
  }
}

function admittedBy(cluster: TerraformResource | undefined, { recorded, spoke }: SpokeQuestion): Answer {
  const isUnseen = cluster === undefined || cluster.adopted;
  if (isUnseen && recorded)
    return pass(
      `${spoke} is recorded as an AKS cluster, and is taken for one that is integrated with Entra, which lets every principal of its tenant in`,
      ...(cluster ? [seen("cluster", cluster.source)] : []),
    );
  if (isUnseen)
    return unknown(`whether the cluster of ${spoke} is integrated with Entra was not read`, NAME_IT);
  const where = seen("cluster", cluster.source);
  return blocks(own(cluster.values, ENTRA)).length > 0
    ? pass("the cluster is integrated with Entra", where)
    : broken(
        "the cluster is not integrated with Entra, so that it takes no token of an identity",
        `declare ${ENTRA} on the cluster`,
        "Unauthorized: the server has asked for the client to provide credentials",
        where,
      );
}

function wide({ role, scope, source }: AssignmentFact): FleetWarning {
  return {
    id: "wide-role",
    reason: `${role} lets the controller do everything at ${isLateText(scope) ? "the cluster" : scope}`,
    evidence: [seen(role, source)],
    remedy: "take a narrower role, or a namespace as scope",
  };
}
