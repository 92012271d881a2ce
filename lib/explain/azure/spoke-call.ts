/*
 * As whom the plugin asks Entra, which Entra, and for which application. Variables are above flags, unless the plugin is
 * called to leave them alone. Source: Azure/kubelogin, pkg/internal/token/options.go, `UpdateFromEnv`; argoproj/argo-cd,
 * cmd/argocd-k8s-auth/commands/azure.go reads the same variables.
 */

import { type Known, is, isKnown, known, map, match, or, orElse, same, shown } from "../../model/known";
import { azureCloud, azureClouds } from "../../rules/azure/clouds";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../rules/azure/pod-identity-webhook";
import { AKS_SERVER_ID } from "../../rules/fleet/plugin-exec";
import { type Answer, type Evidence, broken, unknown } from "../answer";
import type { SpokeCall, SpokeQuestion } from "../cloud";
import { obstacle } from "../obstacle";
import { flagOf } from "../shared/plugin-flags";
import { mentionsType } from "../shared/references";
import { MOUNTED_TOKEN } from "./pods";

const AUTHORITY = "AZURE_AUTHORITY_HOST";
const LOGIN = "AAD_LOGIN_METHOD";
const FEDERATED = "workloadidentity";
const IGNORES = "--disable-environment-override";
const TERRAFORM_NAMES = "--use-azurerm-env-vars";
const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";

/** What makes the plugin ask for another token than was judged; `undefined` where nothing does. */
export function otherCall(question: SpokeQuestion, client: Known<string>): Answer | undefined {
  const { args, env, account } = question;
  if (isOn(args, IGNORES)) return otherFlags(question, client);
  const tenant = account?.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION);
  const used = env.get("AZURE_CLIENT_ID") ?? flagOf(args, "--client-id");
  const asked = env.get("AZURE_TENANT_ID") ?? flagOf(args, "--tenant-id", "-t");
  return (
    otherLogin(question) ??
    obstacle([
      isOther(used, client)
        ? unknown(
            "the plugin is given another client id than the service account, and whose token that one takes is not judged here",
            `give the service account the annotation ${WEBHOOK_CLIENT_ID_ANNOTATION} with the id that enters`,
          )
        : undefined,
      isOther(asked, tenant)
        ? unknown(
            "the plugin is given another tenant than the service account",
            `give the service account the annotation ${WEBHOOK_TENANT_ID_ANNOTATION} with the tenant of the identity`,
          )
        : undefined,
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
      const cloud = azureClouds.find(({ entraHosts }) => entraHosts.includes(addressOf(host).toLowerCase()));
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
export function serverProblem(
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
