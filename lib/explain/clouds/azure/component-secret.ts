/*
 * The Secret of a component on Azure. Source: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go.
 */

import { type Answer, broken, pass, seen } from "../../answer";
import type { SecretFact } from "../../facts/component-facts";
import { below } from "../../facts/source";
import { isLateText } from "../../facts/terraform";

const CLIENT_ID = "azure_client_id";
/** Key of the tenant. */
export const TENANT_ID = "azure_tenant_id";
/** Key of the subscription. */
export const SUBSCRIPTION_ID = "azure_subscription_id";
const REGION = "azure_region";
const TOKEN_FILE = "azure_federated_token_file";

const IDS: readonly string[] = [CLIENT_ID, TENANT_ID, SUBSCRIPTION_ID];
const KEYS: readonly string[] = [...IDS, REGION, TOKEN_FILE];

/** The key of credentials that do not expire for a long time, which components prefer. */
const CLIENT_SECRET = "azure_client_secret";
/** Written by clusters with other modes; components on short-term credentials do not need them. */
const HARMLESS: readonly string[] = ["azure_resource_prefix", "azure_resourcegroup"];

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WRITE = `write the five keys ${KEYS.join(", ")}`;

/** True for a Secret that leads an SDK to a token; the webhook's own has the tenant alone. */
export function isAzureSecret({ keys }: SecretFact): boolean {
  return keys.includes(TOKEN_FILE);
}

/** What the Secret says, and the client id as written; empty where it names none. */
export function readAzureSecret(
  secret: SecretFact,
  tokenPath: string | undefined,
): { readonly answer: Answer; readonly clientId: string } {
  const where = seen(`Secret ${secret.key}`, below(secret.source, "stringData"));
  const problem = problemOf(secret, tokenPath);
  const clientId = secret.value(CLIENT_ID) ?? "";
  return {
    clientId,
    answer: problem
      ? broken(problem, WRITE, undefined, where)
      : pass(
          `the Secret names the client id ${isLateText(clientId) ? "that Terraform tells" : clientId} and the token ${secret.value(TOKEN_FILE) ?? ""}`,
          where,
        ),
  };
}

/** True for a GUID, and for a reference to one. */
export function isGuid(id: string): boolean {
  return isLateText(id) || GUID.test(id);
}

function problemOf({ keys, value }: SecretFact, tokenPath: string | undefined): string | undefined {
  if (keys.includes(CLIENT_SECRET))
    return `the Secret has ${CLIENT_SECRET}, which components prefer to a token`;
  const missing = KEYS.find((key) => (value(key) ?? "") === "");
  if (missing !== undefined) return `the Secret has no ${missing}, or an empty or unreadable one`;
  const other = keys.find((key) => !KEYS.includes(key) && !HARMLESS.includes(key));
  if (other !== undefined) return `the Secret has ${other} besides what a token needs`;
  for (const key of IDS) {
    const id = value(key) ?? "";
    if (!isGuid(id)) return `${key} ${id} is no GUID`;
  }
  const path = value(TOKEN_FILE) ?? "";
  return path === (tokenPath ?? path)
    ? undefined
    : `${TOKEN_FILE} is ${path}, the component's token is at ${tokenPath}`;
}
