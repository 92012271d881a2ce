/*
 * Who acts in Azure other than by pulling: components by the client id in their Secret, workloads by the annotation
 * and the label that the pod identity webhook reads (Azure/azure-workload-identity, pkg/webhook).
 */

import { azureCloud } from "../../../rules/azure/clouds";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../../rules/azure/pod-identity-webhook";
import { AZURE_PROVIDER_KIND } from "../../../rules/azure/provider-spec";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../../answer";
import { type Json, list, own, text, texts } from "../../facts/access";
import type { SecretFact } from "../../facts/component-facts";
import { isLateText } from "../../facts/terraform";
import type {
  AccessIdentity,
  AccessReading,
  AccessToken,
  AccessTrust,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
} from "../cloud-access";
import { isAzureSecret, isGuid, readAzureSecret } from "./component-secret";
import type { IdentityFact } from "./entra";
import { type RoleDefinitions, anyRoleGranted, operationsGranted } from "./granted-operations";
import { homeAnswer } from "./secret-home";
import { foreignTenant } from "./tenants";
import { NO_KEYS, entraTrust } from "./trust";
import { contestedAnnotation } from "../contested-annotations";
import type { PublishedIssuers } from "../published-issuers";
import { startedWith } from "../pod-containers";
import { webhookOn, webhookPods, withoutClient } from "./webhook-pods";

const ANNOTATIONS: readonly string[] = [WEBHOOK_CLIENT_ID_ANNOTATION, WEBHOOK_TENANT_ID_ANNOTATION];

const NOT_FOUND = unknown(
  "the identity of the client id is not among what was read",
  "name the Terraform that declares it as well",
);

/** Stands in recorded permissions for what only apply tells. */
const LATE = "known after apply";

const NO_AUDIENCE = unknown("the audience of the token is not known", "see the checks before");

/** Components and workloads in Azure. */
export class AzureAccess implements CloudAccess {
  /** Key of the cloud. */
  readonly cloud = "azure";
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string = AZURE_PROVIDER_KIND;
  readonly #identityOf: (clientId: string) => IdentityFact | undefined;
  readonly #definitions: RoleDefinitions;
  readonly #issuers: PublishedIssuers;

  /** `identityOf` finds an identity by the client id as written. */
  constructor(
    identityOf: (clientId: string) => IdentityFact | undefined,
    definitions: RoleDefinitions,
    issuers: PublishedIssuers,
  ) {
    this.#issuers = issuers;
    this.#identityOf = identityOf;
    this.#definitions = definitions;
  }

  /** `<role> at <scope>`, as role bindings. */
  asksFor(words: readonly string[]): Json {
    return {
      roleBindings: words.flatMap((each) => {
        const [, role, scope] = /^(.+) at (\/\S+)$/.exec(each) ?? [];
        return role === undefined || role === LATE ? [] : [{ role, scope }];
      }),
    };
  }

  /** Operations, and roles with their scope where one is written. */
  inWords(rights: Json): readonly string[] {
    return [
      ...texts(rights["permissions"]),
      ...texts(rights["dataPermissions"]),
      ...list(rights["roleBindings"]).map((binding) => {
        const scope = text(own(binding, "scope"));
        return `role ${text(own(binding, "role"))}${scope === "" ? "" : ` at ${scope}`}`;
      }),
    ];
  }

  /** True for a Secret that leads an SDK to a token. */
  recognizes(secret: SecretFact): boolean {
    return isAzureSecret(secret);
  }

  /** Reads the Secret of a component. */
  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading {
    const { answer: written, clientId } = readAzureSecret(secret, tokenPath);
    const home = written.status === "pass" && homeAnswer(secret, beside, this.#identityOf(clientId));
    const answer = home || written;
    return { answer, identity: this.#identity(clientId) };
  }

  /** Reads a workload. */
  account({ account, pods, declared, program, hub }: AccountQuestion): AccountReading | undefined {
    const clientId = account.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION);
    if (clientId === undefined && !declared) return undefined;
    const where = seen("annotations of the service account", account.source);
    const named = clientAnswer(clientId ?? "", where);
    const tenant = account.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION) ?? "";
    const remedy = `write the tenant of the identity into ${WEBHOOK_TENANT_ID_ANNOTATION}`;
    const foreign =
      named.status === "pass" &&
      foreignTenant(this.#identityOf(clientId ?? ""), WEBHOOK_TENANT_ID_ANNOTATION, tenant, remedy, where);
    return {
      answer: contestedAnnotation(account, ANNOTATIONS) ?? (foreign || named),
      identity: this.#identity(clientId ?? ""),
      pods: webhookPods(startedWith(pods, withoutClient(program)), {
        clientId: clientId ?? "",
        tenantId: account.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION),
        webhook: webhookOn(hub),
      }),
      audiences: [azureCloud("AzurePublicCloud").audience],
    };
  }

  #identity(clientId: string): AccessIdentity | undefined {
    if (clientId === "") return undefined;
    const identity = this.#identityOf(clientId);
    const label = isLateText(clientId) && identity ? identity.label : `client id ${clientId}`;
    return {
      label,
      found: identity ? pass(`${identity.label} is declared`, seen("identity", identity.source)) : NOT_FOUND,
      trust: (token) => {
        const trust = trustOf(identity, token);
        return { ...trust, issuer: this.#issuers.judged(trust.issuer, token.issuer, NO_KEYS) };
      },
      permissions: (asked: AskedRights | undefined) => {
        if (!identity) return NOT_FOUND;
        return asked === undefined
          ? anyRoleGranted(identity, this.#definitions)
          : operationsGranted(identity, this.#definitions, asked);
      },
    };
  }
}

function clientAnswer(clientId: string, where: Evidence): Answer {
  if (isGuid(clientId))
    return pass(
      `the webhook is told the client id ${isLateText(clientId) ? "that Terraform tells" : clientId}`,
      where,
    );
  return broken(
    clientId === ""
      ? `the service account has no ${WEBHOOK_CLIENT_ID_ANNOTATION}, or an empty one`
      : `${WEBHOOK_CLIENT_ID_ANNOTATION} is ${clientId}, which is no GUID`,
    `annotate it with ${WEBHOOK_CLIENT_ID_ANNOTATION}`,
    SILENT,
    where,
  );
}

function trustOf(
  identity: IdentityFact | undefined,
  { issuer, audience, namespace, name }: AccessToken,
): AccessTrust {
  if (audience === undefined) return { issuer: NO_AUDIENCE, audience: NO_AUDIENCE, subject: NO_AUDIENCE };
  const subject = `system:serviceaccount:${namespace}:${name}`;
  const [trusted, accepted, admitted] = entraTrust({ identity, issuer, subject, audience });
  return { issuer: trusted, audience: accepted, subject: admitted };
}
