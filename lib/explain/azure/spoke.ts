/*
 * Who may enter an AKS cluster, and what for. Every principal of the tenant gets in where the cluster is integrated
 * with Entra; what it may do there roles of Azure or RBAC of the cluster say. Source: learn.microsoft.com, "Use
 * Microsoft Entra ID and Azure RBAC for Kubernetes authorization", and "Azure built-in roles for Containers".
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isKnown,
  known,
  map,
  match,
  not,
  or,
  orElse,
  same,
  shown,
} from "../../model/known";
import { azureCloud, azureClouds } from "../../rules/azure/clouds";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../rules/azure/pod-identity-webhook";
import { type RolePermissions, lists } from "../../rules/azure/role-permissions";
import { AKS_SERVER_ID } from "../../rules/fleet/plugins";
import { matchesPattern, patternOf } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { CloudSpokes, FleetWarning, SpokeCall, SpokeQuestion } from "../cloud";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Unread } from "../shared/not-read";
import { flagOf } from "../shared/plugin-flags";
import { asked, mentionsType, whether } from "../shared/references";
import { boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import { type Assignment, roleLabel } from "./assignments";
import type { Identities, Identity } from "./identity";
import { type Scopes, idOf } from "./ids";
import { MOUNTED_TOKEN } from "./pods";

const CLUSTER = "azurerm_kubernetes_cluster";
const ENTRA = "azure_active_directory_role_based_access_control";
const NAME_IT = "name the Terraform that declares the cluster and its role assignments as well";
/** Data actions on managed clusters alone count at the Kubernetes API. */
const OF_CLUSTERS = "microsoft.containerservice/managedclusters/";
/** Segments of a cluster's id; those of its namespaces have more. */
const DEPTH = 8;

/** AKS clusters as spokes. */
export function aksSpokes(
  terraform: Terraform,
  identities: Identities,
  scopes: Scopes,
  unread: Unread,
): CloudSpokes {
  return {
    called: serverProblem,
    read: (question) => {
      const cluster = servedCluster(question.server, terraform);
      const kind = otherKindOfCluster(cluster, CLUSTER, "AKS");
      if (kind) return { admitted: kind, authorized: kind, warnings: [] };
      const admitted = admittedBy(cluster, question);
      const client = question.account?.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION) ?? known("");
      const other = otherCall(question, client);
      if (other) return { admitted: obstacle([other, admitted]) ?? other, authorized: other, warnings: [] };
      const identity = identities.of(client);
      if (!identity) return { admitted, authorized: UNKNOWN_IDENTITY, warnings: [] };
      const given =
        identity.given ?? (cluster && unread.answer(cluster.address, [cluster], [idOf(cluster).text]));
      const counts = (each: Assignment): Ternary => countsAt(each, cluster, question, scopes);
      const { held, possible } = identity.roles;
      const certain = held.filter((each) => counts(each) === "yes" && !each.limit);
      const isOpen = [...possible, ...held.filter((each) => !certain.includes(each))].some(
        (each) => counts(each) !== "no",
      );
      return {
        admitted,
        authorized: given ?? authorizedBy(cluster, question, { ...identity, certain, isOpen }),
        warnings: certain.filter((each) => /Cluster Admin$/i.test(roleLabel(each))).map(wide),
      };
    },
  };
}

const UNKNOWN_IDENTITY = unknown("the identity is not among what was read", NAME_IT);

/**
 * Whether an assigned role allows anything at the cluster, be it under a condition. A scope is the cluster's, one of its
 * namespaces', or holds the cluster: roles are inherited from above.
 */
function countsAt(
  assignment: Assignment,
  cluster: Resource | undefined,
  question: SpokeQuestion,
  scopes: Scopes,
): Ternary {
  const { isRefused, scope } = assignment;
  if (isRefused) return "no";
  const allows = allowsAtCluster(assignment);
  if (!cluster) return and(allows, isNamedAs(assignment, question));
  const isNamespace = scope.segments === undefined || scope.segments.length > DEPTH;
  const within = isNamespace ? scopes.holds(idOf(cluster), scope) : "no";
  return and(allows, or(scopes.holds(scope, idOf(cluster)), within));
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
  return asked(definition.permissions, (permissions) => or(...permissions.map(allowsAny)));
}

function allowsAny({ dataActions, notDataActions }: RolePermissions): Ternary {
  const allows = (action: string): Ternary => {
    const wanted = action.toLowerCase();
    const covers = matchesPattern(patternOf(wanted), `${OF_CLUSTERS}pods/read`);
    const isOfClusters = wanted.startsWith(OF_CLUSTERS) || covers === true;
    return and(isOfClusters ? "yes" : "no", not(lists(notDataActions, action)));
  };
  return asked(dataActions, (actions) => or(...actions.map((action) => asked(action, allows))));
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

const AUTHORITY = "AZURE_AUTHORITY_HOST";
const LOGIN = "AAD_LOGIN_METHOD";
const FEDERATED = "workloadidentity";
const IGNORES = "--disable-environment-override";
const TERRAFORM_NAMES = "--use-azurerm-env-vars";
const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";

/**
 * What makes the plugin ask for another token than was judged; `undefined` where nothing does. Variables are above flags,
 * unless the plugin is called to leave them alone. Source: Azure/kubelogin, pkg/internal/token/options.go, `UpdateFromEnv`;
 * argoproj/argo-cd, cmd/argocd-k8s-auth/commands/azure.go reads the same variables.
 */
function otherCall(question: SpokeQuestion, client: Known<string>): Answer | undefined {
  const { args, env, account } = question;
  if (isOn(args, IGNORES)) return otherFlags(question, client);
  const tenant = account?.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION);
  const used = env.get("AZURE_CLIENT_ID") ?? flagOf(args, "--client-id");
  const asked = env.get("AZURE_TENANT_ID") ?? flagOf(args, "--tenant-id", "-t");
  const other = (what: string, key: string): Answer =>
    unknown(
      `the plugin is given another ${what} than the service account, and whose token that one takes is not judged here`,
      `give the service account the annotation ${key} of the identity that enters`,
    );
  return (
    otherLogin(question) ??
    obstacle([
      isOther(used, client) ? other("client id", WEBHOOK_CLIENT_ID_ANNOTATION) : undefined,
      isOther(asked, tenant) ? other("tenant", WEBHOOK_TENANT_ID_ANNOTATION) : undefined,
      otherEntra(question, env.get(AUTHORITY)),
    ])
  );
}

/** True for two values that are there, and not certainly one. */
function isOther(one: Known<string> | undefined, other: Known<string> | undefined): boolean {
  return one !== undefined && other !== undefined && same(one, other) !== "yes";
}

function isOn(args: readonly Known<string>[], flag: string): boolean {
  return args.some((each) => or(is(each, flag), is(each, `${flag}=true`)) === "yes");
}

function otherLogin({ args, env }: SpokeQuestion): Answer | undefined {
  const login = env.get(LOGIN);
  if (isOn(args, TERRAFORM_NAMES))
    return unknown(
      "the plugin takes the variables of Terraform's provider, and whose token these name is not judged here",
      `remove ${TERRAFORM_NAMES}`,
    );
  if (login === undefined || is(login, FEDERATED) === "yes") return undefined;
  const remedy = `remove ${LOGIN}`;
  const reason = `${LOGIN} is ${shown(login)}, so that the plugin takes no token of the pod`;
  return isKnown(login)
    ? broken(reason, remedy, UNAUTHORIZED)
    : unknown(`the value of ${LOGIN} is known only in the cluster`, remedy);
}

/** Without variables the plugin knows what its flags say, and nothing else. */
function otherFlags(question: SpokeQuestion, client: Known<string>): Answer | undefined {
  const { args, env, account } = question;
  const flags = [
    { names: ["--client-id"], wanted: client },
    { names: ["--tenant-id", "-t"], wanted: account?.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION) },
    {
      names: ["--federated-token-file"],
      wanted: env.get("AZURE_FEDERATED_TOKEN_FILE") ?? known(MOUNTED_TOKEN),
    },
  ].map(({ names, wanted }) => ({ names, wanted, given: flagOf(args, ...names) ?? known("") }));
  const missing = flags.find(({ given }) => is(given, "") === "yes")?.names[0];
  if (missing !== undefined)
    return broken(
      `the plugin is called to leave variables alone, and has no ${missing}`,
      `remove ${IGNORES}, or give ${missing}`,
      `${missing.slice("--".length).replaceAll("-", " ")} cannot be empty`,
    );
  return obstacle([
    flags.some(({ given, wanted }) => isOther(given, wanted))
      ? unknown(
          "the flags of the plugin name another identity or token than service account and pod, which is not judged here",
          `remove ${IGNORES}`,
        )
      : undefined,
    otherEntra(question, flagOf(args, "--authority-host") ?? hostOf(flagOf(args, "--environment", "-e"))),
  ]);
}

/** Of a name that kubelogin does not know, and of none, it takes the public cloud. */
function hostOf(environment: Known<string> = known("")): Known<string> {
  return map(environment, (name) => {
    const isNamed = (each: string): boolean => each.toLowerCase() === name.toLowerCase();
    const found = azureClouds.find(({ configNames }) => configNames.some(isNamed));
    return `https://${(found ?? azureCloud("AzurePublicCloud")).entraHosts[0] ?? ""}/`;
  });
}

const SPOKES: readonly (readonly [cloud: string, suffix: string])[] = [
  ["AzurePublicCloud", ".azmk8s.io"],
  ["AzureUSGovernmentCloud", ".azmk8s.us"],
  ["AzureChinaCloud", ".azmk8s.cn"],
];

/** An Entra that the spoke's is not, as far as it can be told. */
function otherEntra({ server }: SpokeQuestion, authority: Known<string> | undefined): Answer | undefined {
  if (authority === undefined) return undefined;
  const remedy = `leave ${AUTHORITY} to the webhook, or write that of the spoke's cloud`;
  return match(
    authority,
    (host) => {
      const [, name = ""] = /^https:\/\/([^/]+)\/?$/.exec(host) ?? [];
      const cloud = azureClouds.find(({ entraHosts }) => entraHosts.includes(name.toLowerCase()));
      const address = addressOf(orElse(server, () => ""));
      const [spoke] = SPOKES.find(([, suffix]) => address.endsWith(suffix)) ?? [];
      if (cloud === undefined || (spoke !== undefined && spoke !== cloud.name)) {
        const reason = `${AUTHORITY} is ${host}, which is no Entra of ${spoke ?? "Azure"}`;
        return broken(reason, remedy, UNAUTHORIZED);
      }
      return spoke === undefined && cloud.name !== "AzurePublicCloud"
        ? unknown(`whether the spoke is of ${cloud.name} is not known`, remedy)
        : undefined;
    },
    () => unknown(`the value of ${AUTHORITY} is known only in the cluster`, remedy),
  );
}

/** The host of a URL. */
function addressOf(url: string): string {
  return url.replace(/^https:\/\//i, "").replace(/(?::\d+)?(?:\/.*)?$/, "");
}

const AKS_HOST = /\.azmk8s\.io(?::\d+)?\/?$/;

/**
 * What is wrong with the application that a token is asked for, by kubelogin's flag or argocd-k8s-auth's variable;
 * `undefined` where nothing is, or none is named. Microsoft Entra has one for the API servers of all AKS clusters.
 */
function serverProblem(
  { args, env, server, recorded }: SpokeCall,
  where: readonly Evidence[],
): Answer | undefined {
  const id = flagOf(args, "--server-id") ?? env.get("AAD_SERVER_APPLICATION_ID");
  if (id === undefined || is(id, AKS_SERVER_ID) === "yes") return undefined;
  const reason = `the token is for the application ${shown(id)}, and not for ${AKS_SERVER_ID}, which all AKS clusters take`;
  const remedy = `give the server id ${AKS_SERVER_ID}`;
  const isAks =
    recorded ||
    match(
      server,
      (url) => AKS_HOST.test(url),
      () => mentionsType(server, "azurerm_kubernetes_cluster"),
    );
  return isAks && is(id, AKS_SERVER_ID) === "no"
    ? broken(reason, remedy, "Unauthorized", ...where)
    : unknown(`${reason}; whether the spoke takes it is not known`, remedy, ...where);
}
