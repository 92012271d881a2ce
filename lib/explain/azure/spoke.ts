/*
 * Who may enter an AKS cluster, and with what rights. A cluster that is integrated with Entra admits every principal of
 * the tenant; Azure roles or the cluster's RBAC decide what it may do. Source: learn.microsoft.com, "Use Microsoft
 * Entra ID and Azure RBAC for Kubernetes authorization", and "Azure built-in roles for Containers".
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isKnown,
  known,
  not,
  or,
  anyOf,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { AKS_SERVER_ID, type AzureCloud, azureCloud, azureClouds } from "../../rules/azure/clouds";
import { WEBHOOK_CLIENT_ID_ANNOTATION, WEBHOOK_TENANT_ID_ANNOTATION } from "../../rules/azure/pod";
import { type RolePermissions, lists } from "../../rules/azure/roles";
import { matchesPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { CloudSpokes, SpokeCall, SpokeQuestion } from "../cloud";
import type { FleetWarning } from "../result";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { flagOf } from "../shared/plugin-arguments";
import { mentionsType } from "../shared/references";
import { UNAUTHORIZED, boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import { type Assignment, roleLabel } from "./assignments";
import type { Identities, Identity } from "./identity";
import { type ResourceId, holds, idOf } from "./ids";

const CLUSTER = "azurerm_kubernetes_cluster";
const ENTRA = "azure_active_directory_role_based_access_control";
const NAME_IT = "also give explain the Terraform that declares the cluster and its role assignments";
/** Only data actions on managed clusters grant rights at the Kubernetes API. */
const OF_CLUSTERS = "microsoft.containerservice/managedclusters/";
/** Segments of a cluster's id; those of its namespaces have more. */
const DEPTH = 8;

export function aksSpokes(terraform: Terraform, identities: Identities, world: ClosedWorld): CloudSpokes {
  return {
    called: serverProblem,
    read: (question) => {
      const client = question.account?.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION) ?? known("");
      const identity = identities.of(client);
      const cluster =
        servedCluster(question.server, terraform) ?? namedCluster(terraform, question, identity);
      const kind = otherKindOfCluster(cluster, CLUSTER, "AKS");
      if (kind) return { admitted: kind, authorized: kind, warnings: [] };
      const admitted = admittedBy(cluster, question);
      const other = otherCall(question, client);
      if (other) return { admitted: obstacle([other, admitted]) ?? other, authorized: other, warnings: [] };
      if (!identity) return { admitted, authorized: identities.missing(client), warnings: [] };
      const unanswered =
        identity.given ?? (cluster && world.answer(cluster.address, [cluster], [idOf(cluster).text]));
      const counts = (each: Assignment): Ternary => countsAt(each, cluster, question);
      const { held, possible } = identity.roles;
      const certain = held.filter((each) => counts(each) === "yes" && !each.limit);
      const isOpen = [...possible, ...held.filter((each) => !certain.includes(each))].some(
        (each) => counts(each) !== "no",
      );
      return {
        admitted,
        authorized: unanswered ?? authorizedBy(cluster, question, { ...identity, certain, isOpen }),
        warnings: certain.filter((each) => /Cluster Admin$/i.test(roleLabel(each))).map(wide),
      };
    },
  };
}

/**
 * Whether an assigned role allows anything in the cluster, even under a condition. Its scope is the cluster, one of the
 * cluster's namespaces, or contains the cluster, which inherits roles.
 */
function countsAt(assignment: Assignment, cluster: Resource | undefined, question: SpokeQuestion): Ternary {
  const { scope } = assignment;
  const allows = allowsAtCluster(assignment);
  if (!cluster) return and(allows, isNamedAs(assignment, question));
  const isNamespace = scope.segments === undefined || scope.segments.length > DEPTH;
  const within = isNamespace ? holds(idOf(cluster), scope) : "no";
  return and(allows, or(holds(scope, idOf(cluster)), within));
}

interface Entering extends Identity {
  readonly certain: readonly Assignment[];
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
      certain.map((each) => seen(roleLabel(each), each.source)),
    );
  const bound = boundAnswer(spoke, { users: principals, groups: [] }, rbac);
  if (bound.status === "pass" || (isOn === "no" && !hasGroups)) return bound;
  const evidence = roles.held.map((each) =>
    seen(`${roleLabel(each)} at ${shown(each.scope.text)}`, each.source),
  );
  if (hasGroups)
    return unknown(
      `${bound.reason}, and explain does not judge whether the identity is in an admin group of the cluster`,
      NAME_IT,
      evidence,
    );
  if (cluster?.adopted !== false || hasMoreRoles || isOpen || isOn === "unknown")
    return unknown(`no role of the identity on the cluster of ${spoke} was read`, NAME_IT, evidence);
  return broken(
    `the identity has no role for the Kubernetes API on the cluster of ${spoke}`,
    "assign it one of the roles Azure Kubernetes Service RBAC … on the cluster, or bind its object id by RBAC of the spoke",
    "is forbidden: User does not have access to the resource in Azure",
    evidence,
  );
}

/** Whether a scope names a cluster that was not read: by its recorded name, or the DNS prefix of its address. */
function isNamedAs({ scope }: Assignment, { spoke, server, recorded }: SpokeQuestion): Ternary {
  const [type = known(""), id = known("")] = (scope.segments ?? []).slice(DEPTH - 2, DEPTH);
  const name = orElse(id, () => "");
  if (is(type, "managedclusters") !== "yes" || name === "") return "no";
  if (recorded && name === spoke.toLowerCase()) return "yes";
  const host = /^https:\/\/([^.:/]+)/.exec(orElse(server, () => ""))?.[1] ?? "";
  // The first label of an AKS cluster's address is its DNS prefix, by default its name, followed by a hash.
  const isServed = host.startsWith(name) && /^(?:-[a-z0-9]{8})?$/.test(host.slice(name.length));
  return isServed ? "yes" : "no";
}

/** The cluster to which an address belongs by a role that names the spoke, if it was read. */
function namedCluster(
  terraform: Terraform,
  question: SpokeQuestion,
  identity: Identity | undefined,
): Resource | undefined {
  const named = identity?.roles.held.filter((each) => isNamedAs(each, question) === "yes") ?? [];
  const isOf = (id: ResourceId, { scope }: Assignment): boolean =>
    or(holds(scope, id), holds(id, scope)) === "yes";
  return terraform.ofType(CLUSTER).find((cluster) => named.some((each) => isOf(idOf(cluster), each)));
}

/** Whether a role allows anything in a cluster, whatever its scope. */
function allowsAtCluster({ builtIn, definition }: Assignment): Ternary {
  if (builtIn) return builtIn.kubernetes ? "yes" : "no";
  if (!definition) return "unknown";
  return whether(definition.permissions, (permissions) => anyOf(permissions.map(allowsAny)));
}

function allowsAny({ dataActions, notDataActions }: RolePermissions): Ternary {
  const allows = (action: string): Ternary => {
    const wanted = action.toLowerCase();
    const covers = matchesPattern(patternOf(wanted), `${OF_CLUSTERS}pods/read`);
    const isOfClusters = wanted.startsWith(OF_CLUSTERS) || covers === true;
    return and(isOfClusters ? "yes" : "no", not(lists(notDataActions, action)));
  };
  return whether(dataActions, (actions) => anyOf(actions.map((action) => whether(action, allows))));
}

/** How a cluster authorizes Entra principals; one that was not read is assumed to use Azure RBAC. */
function entraOf(cluster: Resource | undefined): { readonly isOn: Ternary; readonly hasGroups: boolean } {
  if (cluster?.adopted !== false) return { isOn: "yes", hasGroups: false };
  const block = orElse(cluster.block(ENTRA), () => undefined);
  if (!block) return { isOn: "unknown", hasGroups: false };
  return {
    isOn: whether(block.flag("azure_rbac_enabled"), (isOn) => isOn),
    hasGroups: orElse(block.list("admin_group_object_ids"), () => [block]).length > 0,
  };
}

/** Whether a cluster admits the principals of its tenant. */
function admittedBy(cluster: Resource | undefined, { recorded, spoke }: SpokeQuestion): Answer {
  const where = cluster ? [seen("cluster", cluster.source)] : [];
  if (cluster?.adopted !== false && recorded)
    return pass(
      `${spoke} is recorded as an AKS cluster, and is assumed to be integrated with Entra and so to admit every principal of its tenant`,
      where,
    );
  const isIntegrated =
    cluster?.adopted === false ? whether(cluster.block(ENTRA), (block) => block !== undefined) : "unknown";
  if (isIntegrated === "yes") return pass("the cluster is integrated with Entra", where);
  return isIntegrated === "unknown"
    ? unknown(`whether the cluster of ${spoke} is integrated with Entra was not read`, NAME_IT)
    : broken(
        "the cluster is not integrated with Entra, so it refuses the tokens of identities",
        `declare ${ENTRA} on the cluster`,
        UNAUTHORIZED,
        where,
      );
}

function wide(assignment: Assignment): FleetWarning {
  const { scope, source } = assignment;
  return {
    id: "wide-role",
    reason: `${roleLabel(assignment)} lets the controller do everything at ${shown(scope.text)}`,
    evidence: [seen(roleLabel(assignment), source)],
    remedy: "assign a narrower role, or a namespace as its scope",
  };
}

/** Flags that make the plugin read other variables, or none. */
const OTHER_WAYS = /^--(?:disable-environment-override|use-azurerm-env-vars)(?:=true)?$/;

/**
 * What makes the plugin request a token other than the one judged; `undefined` if nothing does. Variables override
 * flags. Source: Azure/kubelogin, pkg/internal/token/options.go, `UpdateFromEnv`; argoproj/argo-cd,
 * cmd/argocd-k8s-auth/commands/azure.go reads the same variables.
 */
function otherCall({ args, env, account, server }: SpokeQuestion, client: Known<string>): Answer | undefined {
  const tenant = account?.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION);
  const { entraHosts } = azureClouds.find((cloud) => isOfCloud(server, cloud)) ?? PUBLIC;
  const remedy = "let the webhook set it, and annotate the service account with the identity that enters";
  const differing = (
    what: string,
    value: Known<string> | undefined,
    ...allowed: readonly Known<string>[]
  ): Answer | undefined => {
    if (value === undefined || anyOf(allowed.map((each) => same(value, each))) === "yes") return undefined;
    return unknown(
      `the plugin is given a different ${what}, ${shown(value)}, and explain does not judge whose token it then uses`,
      remedy,
    );
  };
  const login = env.get("AAD_LOGIN_METHOD") ?? known("workloadidentity");
  const way = args.find((each) => whether(each, (text) => OTHER_WAYS.test(text)) === "yes");
  return obstacle([
    way === undefined
      ? undefined
      : unknown(`explain does not judge whose token the plugin uses with ${shown(way)}`, "remove it"),
    isKnown(login) && is(login, "workloadidentity") === "no"
      ? broken(`the plugin logs in by ${shown(login)}, not with the pod's token`, remedy, UNAUTHORIZED)
      : differing("login", login, known("workloadidentity")),
    differing("client id", env.get("AZURE_CLIENT_ID") ?? flagOf(args, "--client-id"), client),
    tenant === undefined
      ? undefined
      : differing("tenant", env.get("AZURE_TENANT_ID") ?? flagOf(args, "--tenant-id", "-t"), tenant),
    differing(
      "authority",
      env.get("AZURE_AUTHORITY_HOST"),
      ...entraHosts.flatMap((host) => [known(`https://${host}`), known(`https://${host}/`)]),
    ),
  ]);
}

const PUBLIC = azureCloud("AzurePublicCloud");

/** Whether an address is one that AKS assigns in a cloud. */
function isOfCloud(server: Known<string>, { aksSuffix }: AzureCloud): boolean {
  const [, host = ""] = /^(?:https:\/\/)?([^:/]+)/i.exec(orElse(server, () => "")) ?? [];
  return host.endsWith(`.${aksSuffix}`);
}

/**
 * What is wrong with the application for which kubelogin's flag or argocd-k8s-auth's variable requests a token;
 * `undefined` if nothing is, or none is named. Microsoft Entra has one application for all AKS API servers.
 */
function serverProblem(
  { args, env, server, recorded }: SpokeCall,
  where: readonly Evidence[],
): Answer | undefined {
  const id = flagOf(args, "--server-id") ?? env.get("AAD_SERVER_APPLICATION_ID");
  if (id === undefined || is(id, AKS_SERVER_ID) === "yes") return undefined;
  const reason = `the token is for the application ${shown(id)}, not for ${AKS_SERVER_ID}, which all AKS clusters accept`;
  const remedy = `set the server id to ${AKS_SERVER_ID}`;
  const isAks = recorded || (isKnown(server) ? isOfCloud(server, PUBLIC) : mentionsType(server, CLUSTER));
  return isAks && is(id, AKS_SERVER_ID) === "no"
    ? broken(reason, remedy, "Unauthorized", where)
    : unknown(`${reason}; whether the spoke accepts it is not known`, remedy, where);
}
