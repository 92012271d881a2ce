/*
 * As whom the plugin asks Entra, and which one. Variables are above flags, unless the plugin is told to leave them
 * alone. Source: Azure/kubelogin, pkg/internal/token/options.go, `UpdateFromEnv`; argoproj/argo-cd,
 * cmd/argocd-k8s-auth/commands/azure.go reads the same variables.
 */

import { type AzureCloud, azureCloud, azureClouds } from "../../../rules/azure/clouds";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../../rules/azure/pod-identity-webhook";
import { type Answer, broken, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { isLateText } from "../../facts/terraform";
import type { SpokeQuestion } from "../cloud-spokes";
import { flagOf } from "../plugin-flags";
import { MOUNTED_TOKEN } from "./webhook-pods";

const AUTHORITY = "AZURE_AUTHORITY_HOST";
const LOGIN = "AAD_LOGIN_METHOD";
const FEDERATED = "workloadidentity";
const IGNORES = "--disable-environment-override";
const TERRAFORM_NAMES = "--use-azurerm-env-vars";
const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";

/** What makes the plugin ask for another token than was judged; `undefined` where nothing does. */
export function otherCall(question: SpokeQuestion, clientId: string): Answer | undefined {
  if (isOn(question.args, IGNORES)) return otherFlags(question, clientId);
  return (
    otherLogin(question) ??
    obstacle([otherIdentity(question, clientId), otherTenant(question), otherEntra(question)])
  );
}

function isOn(args: readonly string[], flag: string): boolean {
  return args.some((each) => each === flag || each === `${flag}=true`);
}

function otherLogin({ args, env }: SpokeQuestion): Answer | undefined {
  const login = env.get(LOGIN);
  if (isOn(args, TERRAFORM_NAMES))
    return unknown(
      "the plugin takes the variables of Terraform's provider, and whose token these name is not judged here",
      `remove ${TERRAFORM_NAMES}`,
    );
  if (login === undefined || login === FEDERATED) return undefined;
  const remedy = `remove ${LOGIN}`;
  return login === ""
    ? unknown(`the value of ${LOGIN} is known only in the cluster`, remedy)
    : broken(`${LOGIN} is ${login}, so that the plugin takes no token of the pod`, remedy, UNAUTHORIZED);
}

/** The token was judged for the identity that the webhook gives; the plugin may be told another one. */
function otherIdentity({ args, env }: SpokeQuestion, clientId: string): Answer | undefined {
  const used = env.get("AZURE_CLIENT_ID") ?? flagOf(args, "--client-id") ?? clientId;
  return used === clientId
    ? undefined
    : unknown(
        "the plugin is told another client id than the service account, and whose token that one takes is not judged here",
        `give the service account the annotation ${WEBHOOK_CLIENT_ID_ANNOTATION} with the id that enters`,
      );
}

function otherTenant({ args, env, annotations }: SpokeQuestion): Answer | undefined {
  const tenant = annotations.get(WEBHOOK_TENANT_ID_ANNOTATION);
  const told = env.get("AZURE_TENANT_ID") ?? flagOf(args, "--tenant-id", "-t");
  return tenant === undefined || told === undefined || told === tenant
    ? undefined
    : unknown(
        "the plugin is told another tenant than the service account",
        `give the service account the annotation ${WEBHOOK_TENANT_ID_ANNOTATION} with the tenant of the identity`,
      );
}

/** Without variables the plugin knows what its flags say, and nothing else. */
function otherFlags(question: SpokeQuestion, clientId: string): Answer | undefined {
  const { args, env, annotations } = question;
  const wanted: readonly (readonly [readonly string[], string | undefined])[] = [
    [["--client-id"], clientId],
    [["--tenant-id", "-t"], annotations.get(WEBHOOK_TENANT_ID_ANNOTATION)],
    [["--federated-token-file"], env.get("AZURE_FEDERATED_TOKEN_FILE") ?? MOUNTED_TOKEN],
  ];
  const missing = wanted.find(([flags]) => (flagOf(args, ...flags) ?? "") === "")?.[0][0];
  if (missing !== undefined)
    return broken(
      `the plugin is told to leave variables alone, and has no ${missing}`,
      `remove ${IGNORES}, or give ${missing}`,
      `${missing.slice("--".length).replaceAll("-", " ")} cannot be empty`,
    );
  const isOther = wanted.some(([flags, value]) => value !== undefined && flagOf(args, ...flags) !== value);
  const host = flagOf(args, "--authority-host") ?? hostOf(flagOf(args, "--environment", "-e"));
  return obstacle([
    isOther ? OTHER_FLAGS : undefined,
    otherEntra({ ...question, env: new Map([[AUTHORITY, host]]) }),
  ]);
}

const OTHER_FLAGS = unknown(
  "the flags of the plugin name another identity or token than service account and pod, which is not judged here",
  `remove ${IGNORES}`,
);

/** Of a name that kubelogin does not know, and of none, it takes the public cloud. */
function hostOf(environment: string | undefined): string {
  const wanted = (environment ?? "").toLowerCase();
  const named = ({ configNames }: AzureCloud): boolean =>
    configNames.some((name) => name.toLowerCase() === wanted);
  const { entraHosts } = azureClouds.find(named) ?? azureCloud("AzurePublicCloud");
  return `https://${entraHosts[0] ?? ""}/`;
}

const SPOKES: Readonly<Record<string, string>> = {
  AzurePublicCloud: ".azmk8s.io",
  AzureUSGovernmentCloud: ".azmk8s.us",
  AzureChinaCloud: ".azmk8s.cn",
};

/** An Entra that the spoke's is not, as far as it can be told. */
function otherEntra({ env, server }: SpokeQuestion): Answer | undefined {
  const host = env.get(AUTHORITY);
  const remedy = `leave ${AUTHORITY} to the webhook, or write that of the spoke's cloud`;
  if (host === undefined || isLateText(host)) return undefined;
  if (host === "") return unknown(`the value of ${AUTHORITY} is known only in the cluster`, remedy);
  const cloud = azureClouds.find(({ entraHosts }) => entraHosts.some((each) => hostIs(host, each)));
  const spoke = Object.entries(SPOKES).find(([, suffix]) => addressOf(server).endsWith(suffix))?.[0];
  if (cloud === undefined || (spoke !== undefined && spoke !== cloud.name))
    return broken(`${AUTHORITY} is ${host}, which is no Entra of ${spoke ?? "Azure"}`, remedy, UNAUTHORIZED);
  return spoke === undefined && cloud.name !== "AzurePublicCloud"
    ? unknown(`whether the spoke is of ${cloud.name} is not known`, remedy)
    : undefined;
}

function hostIs(url: string, host: string): boolean {
  return addressOf(url).toLowerCase() === host;
}

/** The host of a URL. */
function addressOf(url: string): string {
  return url.replace(/^https:\/\//i, "").replace(/(?::\d+)?(?:\/.*)?$/, "");
}
