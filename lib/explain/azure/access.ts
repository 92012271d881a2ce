/*
 * Who acts in Azure other than by pulling: components by the client id in their Secret (openshift/
 * cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go), workloads by the annotation and the
 * label that the pod identity webhook reads (Azure/azure-workload-identity, pkg/webhook).
 */

import { type Known, is, known, map, match, orElse, same, shown, whyNot } from "../../model/known";
import type { TreeObject } from "../../model/tree";
import {
  WEBHOOK_CLIENT_ID_ANNOTATION,
  WEBHOOK_TENANT_ID_ANNOTATION,
} from "../../rules/azure/pod-identity-webhook";
import { AZURE_PROVIDER_KIND } from "../../rules/azure/provider-spec";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity, AccessReading, AccountQuestion, AccountReading, CloudAccess } from "../cloud";
import { obstacle } from "../obstacle";
import type { SecretFact } from "../read/component-facts";
import { below } from "../read/source";
import type { Issuers } from "../shared/object-store";
import { anyRoleGranted, operationsGranted, wantedOf } from "./granted";
import { keyOf } from "../shared/references";
import { type Scopes } from "./scopes";
import { type Identities, type Identity, foreignTenant, isGuid } from "./identity";
import { WEBHOOK_AUDIENCE, webhookPods } from "./pods";
import { NO_IDENTITY, entraTrust, tokenOf } from "./trust";

const CLIENT_ID = "azure_client_id";
const TENANT_ID = "azure_tenant_id";
const SUBSCRIPTION_ID = "azure_subscription_id";
const TOKEN_FILE = "azure_federated_token_file";
const IDS: readonly string[] = [CLIENT_ID, TENANT_ID, SUBSCRIPTION_ID];
const KEYS: readonly string[] = [...IDS, "azure_region", TOKEN_FILE];
/** The key of credentials that do not expire for a long time, which components prefer. */
const CLIENT_SECRET = "azure_client_secret";
/** Written by clusters with other modes; components on short-term credentials do not need them. */
const HARMLESS: readonly string[] = ["azure_resource_prefix", "azure_resourcegroup"];
const AS_OTHERS =
  "write the cluster's tenant and subscription into every Secret; `bind` writes those of the outputs";

/** Components and workloads in Azure. */
export class AzureAccess implements CloudAccess {
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string = AZURE_PROVIDER_KIND;
  readonly #identities: Identities;
  readonly #scopes: Scopes;
  readonly #issuers: Issuers;

  constructor(identities: Identities, scopes: Scopes, issuers: Issuers) {
    this.#identities = identities;
    this.#scopes = scopes;
    this.#issuers = issuers;
  }

  /** Operations, and roles with their scope where one is written. */
  inWords(rights: TreeObject): readonly string[] {
    return wantedOf(rights).map(({ name }) => name);
  }

  /** True for a Secret that leads an SDK to a token; the webhook's own has the tenant alone. */
  recognizes({ keys }: SecretFact): boolean {
    return keys.includes(TOKEN_FILE);
  }

  /** Reads the Secret of a component. */
  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading {
    const client = secret.value(CLIENT_ID);
    const written = secretAnswer(secret, tokenPath);
    const home =
      written.status === "pass" ? homeAnswer(secret, beside, this.#identities.of(client)) : undefined;
    return { answer: home ?? written, identity: this.#identity(client) };
  }

  /** Reads a workload. */
  account(question: AccountQuestion): AccountReading | undefined {
    const { account, declared } = question;
    const written = account.annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION);
    if (written === undefined && !declared) return undefined;
    const client: Known<string | undefined> = written ?? known(undefined);
    const tenant: Known<string | undefined> =
      account.annotations.get(WEBHOOK_TENANT_ID_ANNOTATION) ?? known(undefined);
    const where = seen("annotations of the service account", account.source);
    const contested = [client, tenant].map(whyNot).find((why) => why?.kind === "contested");
    const remedy = `write the tenant of the identity into ${WEBHOOK_TENANT_ID_ANNOTATION}`;
    const named = clientAnswer(client, where);
    return {
      answer:
        contested && contested.kind !== "apply"
          ? unknown(contested.what, "keep the annotation in one document", where)
          : (obstacle([
              named,
              foreignTenant(this.#identities.of(client), WEBHOOK_TENANT_ID_ANNOTATION, tenant, remedy, where),
            ]) ?? named),
      identity: this.#identity(client),
      pods: webhookPods(question, { client, tenant }),
      audiences: [known(WEBHOOK_AUDIENCE)],
    };
  }

  #identity(client: Known<string | undefined>): AccessIdentity | undefined {
    if (orElse(client, () => "late") === undefined || is(client, "") === "yes") return undefined;
    const identity = this.#identities.of(client);
    return {
      label: match(
        client,
        (id) => `client id ${id}`,
        () => identity?.label ?? `client id ${shown(client)}`,
      ),
      found: identity
        ? pass(`${identity.label} is declared`, seen("identity", identity.source))
        : NO_IDENTITY,
      trust: (token) => entraTrust(identity, tokenOf(token), this.#issuers),
      permissions: (asked) => {
        if (!identity) return NO_IDENTITY;
        return asked ? operationsGranted(identity, asked, this.#scopes) : anyRoleGranted(identity);
      },
    };
  }
}

function clientAnswer(client: Known<string | undefined>, where: Evidence): Answer {
  if (isGuid(client)) return pass(`the webhook is given the client id ${shown(client)}`, where);
  const text = shown(client);
  return broken(
    text === "" || text === "undefined"
      ? `the service account has no ${WEBHOOK_CLIENT_ID_ANNOTATION}, or an empty one`
      : `${WEBHOOK_CLIENT_ID_ANNOTATION} is ${text}, which is no GUID`,
    `annotate it with ${WEBHOOK_CLIENT_ID_ANNOTATION}`,
    SILENT,
    where,
  );
}

function secretAnswer(secret: SecretFact, tokenPath: string | undefined): Answer {
  const { key, keys, value, source } = secret;
  const where = seen(`Secret ${key}`, below(source, "stringData"));
  const wrong = (problem: string): Answer =>
    broken(problem, `write the five keys ${KEYS.join(", ")}`, undefined, where);
  if (keys.includes(CLIENT_SECRET))
    return wrong(`the Secret has ${CLIENT_SECRET}, which components prefer to a token`);
  const missing = KEYS.find((each) => (orElse(value(each), () => "late") ?? "") === "");
  if (missing !== undefined) return wrong(`the Secret has no ${missing}, or an empty or unreadable one`);
  const other = keys.find((each) => !KEYS.includes(each) && !HARMLESS.includes(each));
  if (other !== undefined) return wrong(`the Secret has ${other} besides what a token needs`);
  const odd = IDS.find((each) => !isGuid(value(each)));
  if (odd !== undefined) return wrong(`${odd} ${shown(value(odd))} is no GUID`);
  const contested = KEYS.map((each) => whyNot(value(each))).find((why) => why && why.kind !== "apply");
  if (contested && contested.kind !== "apply")
    return unknown(contested.what, "keep the Secret in one document", where);
  const path = value(TOKEN_FILE);
  const isAtPath = tokenPath === undefined ? "yes" : is(path, tokenPath);
  if (isAtPath === "no")
    return wrong(`${TOKEN_FILE} is ${shown(path)}, the component's token is at ${tokenPath ?? ""}`);
  if (isAtPath === "unknown")
    return unknown(`${TOKEN_FILE} is known only after apply`, `write ${tokenPath ?? ""} into it`, where);
  return pass(
    `the Secret names the client id ${shown(value(CLIENT_ID))} and the token ${shown(path)}`,
    where,
  );
}

/**
 * What speaks against tenant and subscription of a component's Secret; `undefined` where nothing does. They are those of
 * its identity, and those of the Secrets beside it: a cluster is of one tenant and one subscription.
 */
function homeAnswer(
  secret: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  identity: Identity | undefined,
): Answer | undefined {
  const where = seen(`Secret ${secret.key}`, secret.source);
  const foreign = foreignTenant(identity, TENANT_ID, secret.value(TENANT_ID), AS_OTHERS, where);
  const scopes = identity && scopesAnswer(secret, identity, where);
  if (scopes !== "confirmed") {
    const problem = obstacle([foreign, scopes]);
    if (problem) return problem;
  }
  return (
    foreign ??
    othersAnswer(secret, beside, TENANT_ID) ??
    (scopes === "confirmed" ? undefined : othersAnswer(secret, beside, SUBSCRIPTION_ID))
  );
}

/** Without rights in its subscription a component can do nothing there. */
function scopesAnswer(
  secret: SecretFact,
  { roles: { held, possible }, hasMoreRoles, label }: Identity,
  where: Evidence,
): Answer | "confirmed" | undefined {
  const subscription = map(secret.value(SUBSCRIPTION_ID), (text = "") => text.toLowerCase());
  const found = held.map(({ scope: { segments = [] }, source }) => {
    const isOfOne = segments[0] !== undefined && is(segments[0], "subscriptions") === "yes";
    return { id: isOfOne ? segments[1] : undefined, source };
  });
  const outcomes = found.map(({ id }) => (id ? same(id, subscription) : "unknown"));
  if (outcomes.includes("yes")) return "confirmed";
  if (!outcomes.includes("no")) return undefined;
  const others = found.filter((_, place) => outcomes[place] === "no");
  const ids = [...new Set(others.flatMap(({ id }) => (id ? shown(id) : [])))].join(", ");
  const reason = `${SUBSCRIPTION_ID} is ${shown(subscription)}, and the roles of ${label} are assigned in ${ids}`;
  const places = [
    where,
    ...others.slice(0, 1).map(({ source }) => seen("scope of a role assignment", source)),
  ];
  // A scope that only apply tells, or that of a management group, may have it.
  return hasMoreRoles || possible.length > 0 || others.length < found.length
    ? unknown(reason, AS_OTHERS, ...places)
    : broken(reason, AS_OTHERS, "AuthorizationFailed", ...places);
}

/** Where more of the other Secrets agree on another value than on this one. */
function othersAnswer(
  secret: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  key: string,
): Answer | undefined {
  const own = keyOf(secret.value(key));
  const counts = new Map<ReturnType<typeof keyOf>, SecretFact[]>();
  for (const other of beside.values()) {
    const id = other.key === secret.key || !other.keys.includes(key) ? undefined : keyOf(other.value(key));
    if (typeof id === "string" && id !== "") counts.set(id, [...(counts.get(id) ?? []), other]);
  }
  if (typeof own !== "string" || own === "") return undefined;
  const alike = counts.get(own)?.length ?? 0;
  counts.delete(own);
  const [rival] = [...counts].sort(([, one], [, other]) => other.length - one.length);
  if (rival === undefined || rival[1].length <= alike) return undefined;
  return unknown(
    `${key} is ${own}, and that of ${rival[1].length === 1 ? "another Secret" : `${rival[1].length} other Secrets`} is ${String(rival[0])}`,
    AS_OTHERS,
    seen(`Secret ${secret.key}`, secret.source),
    ...rival[1].slice(0, 1).map((other) => seen(`Secret ${other.key}`, other.source)),
  );
}
