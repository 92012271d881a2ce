/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization".
 */

import { azureClouds } from "../../../rules/azure/clouds";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../../rules/azure/pod-identity-webhook";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { blocks, own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { flagOf } from "../plugin-flags";
import { otherKindOfCluster } from "../server-reference";
import type { AssignmentFact, IdentityFact } from "./entra";

const CLUSTER = /\$\{(\d+)#((?:module\.[\w-]+\.)*(?:data\.)?azurerm_kubernetes_cluster\.[\w-]+)\./;
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
    const other =
      otherKindOfCluster(question.server, "azurerm_kubernetes_cluster", "AKS") ??
      otherIdentity(question, clientId) ??
      otherTenant(question);
    if (other) return { admitted: other, authorized: other, warnings: [] };
    const identity = this.#identityOf(clientId);
    const cluster = this.#cluster(question.server);
    const admitted = admittedBy(cluster, question);
    if (!identity) {
      const answer = unknown("the identity is not among what was read", NAME_IT);
      return { admitted, authorized: answer, warnings: [] };
    }
    const roles = identity.assignments.filter(({ role }) => RBAC_ROLE.test(role));
    const held = roles.filter(({ scope }) => this.#isOn(scope, cluster, question));
    return {
      admitted,
      authorized: this.#authorized(question, identity, cluster, held),
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

  /** The cluster whose address the profile takes from Terraform; `undefined` for an address that stands as it is. */
  #cluster(server: string): TerraformResource | undefined {
    const [, scope, address = ""] = CLUSTER.exec(server) ?? [];
    return scope === undefined ? undefined : this.#terraform.scopes[Number(scope)]?.resources.get(address);
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

/** The token was judged for the identity that the webhook gives; the plugin may be told another one. */
function otherIdentity({ args, env }: SpokeQuestion, clientId: string): Answer | undefined {
  const override = args.includes("--disable-environment-override") ? undefined : env.get("AZURE_CLIENT_ID");
  const used = override ?? flagOf(args, "--client-id") ?? clientId;
  return used === clientId
    ? undefined
    : unknown(
        "the plugin is told another client id than the service account, and whose token that one takes is not judged here",
        `give the service account the annotation ${WEBHOOK_CLIENT_ID_ANNOTATION} with the id that enters`,
      );
}

const HOSTS: Readonly<Record<string, string>> = {
  AzurePublicCloud: ".azmk8s.io",
  AzureUSGovernmentCloud: ".azmk8s.us",
  AzureChinaCloud: ".azmk8s.cn",
};

/** A tenant or an Entra that the spoke's is not, as far as it can be told. */
function otherTenant({ args, env, annotations, server }: SpokeQuestion): Answer | undefined {
  const tenant = annotations.get(WEBHOOK_TENANT_ID_ANNOTATION);
  const told = flagOf(args, "--tenant-id", "-t") ?? env.get("AZURE_TENANT_ID");
  if (tenant !== undefined && told !== undefined && told !== tenant)
    return unknown(
      "the plugin is told another tenant than the service account",
      `give the service account the annotation ${WEBHOOK_TENANT_ID_ANNOTATION} with the tenant of the identity`,
    );
  const host = env.get("AZURE_AUTHORITY_HOST");
  if (host === undefined || host === "" || isLateText(host)) return undefined;
  const cloud = azureClouds.find(({ entraHosts }) => entraHosts.some((each) => host.includes(`//${each}`)));
  const isHere = (suffix: string): boolean => new RegExp(`\\${suffix}(?::443)?/?$`).test(server);
  const spokes = Object.entries(HOSTS).find(([, suffix]) => isHere(suffix))?.[0];
  if (cloud === undefined || (spokes !== undefined && spokes !== cloud.name))
    return broken(
      `AZURE_AUTHORITY_HOST is ${host}, which is no Entra of ${spokes ?? "Azure"}`,
      "leave AZURE_AUTHORITY_HOST to the webhook, or write that of the spoke's cloud",
      "Unauthorized: the server has asked for the client to provide credentials",
    );
  return spokes === undefined && cloud.name !== "AzurePublicCloud"
    ? unknown(`whether the spoke is of ${cloud.name} is not known`, NAME_IT)
    : undefined;
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
