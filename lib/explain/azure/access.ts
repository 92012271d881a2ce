/*
 * Access to Azure other than pulls: components use the client id in their Secret (openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go), workloads the annotation and the label that the pod
 * identity webhook reads (Azure/azure-workload-identity, pkg/webhook).
 */

import { tenantOfIssuer } from "../../model/aks-issuer";
import {
  type Known,
  is,
  isAbsent,
  isBlank,
  joined,
  known,
  map,
  orElse,
  same,
  shown,
} from "../../model/known";
import { WEBHOOK_CLIENT_ID_ANNOTATION, WEBHOOK_TENANT_ID_ANNOTATION } from "../../rules/azure/pod";
import { AZURE_PROVIDER_KIND } from "../../rules/azure/provider-spec";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { AccessIdentity, AccountQuestion, AccountReading, CloudAccess } from "../cloud";
import { obstacle } from "../obstacle";
import type { SecretFact } from "../read/component-facts";
import type { PodFact } from "../read/pods";
import { below } from "../read/source";
import type { Issuers } from "../shared/object-store";
import { lowered } from "../shared/references";
import { named } from "../shared/words";
import { actingAs, heldRoles } from "./held";
import { type Identities, type Identity, foreignTenant, isGuid, notInOne, sameTenant } from "./identity";
import type { IdentityBindings } from "./identity-binding";
import { holds, resourceId } from "./ids";
import { anyRoleGranted, meantRoles, operationsGranted } from "./rights";
import { WEBHOOK_AUDIENCE, clientOfPods, labelledPods, webhookPods } from "./pods";
import { entraTrust, issuersOf, tokenOf } from "./trust";

const CLIENT_ID = "azure_client_id";
const TENANT_ID = "azure_tenant_id";
const SUBSCRIPTION_ID = "azure_subscription_id";
const TOKEN_FILE = "azure_federated_token_file";
const IDS: readonly string[] = [CLIENT_ID, TENANT_ID, SUBSCRIPTION_ID];
const KEYS: readonly string[] = [...IDS, "azure_region", TOKEN_FILE];
/** The key of a long-lived credential, which components prefer to a token. */
const CLIENT_SECRET = "azure_client_secret";
/** Keys that clusters in other credential modes have; components with short-term credentials do not need them. */
const HARMLESS: readonly string[] = ["azure_resource_prefix", "azure_resourcegroup"];
const AS_OTHERS =
  "write the cluster's tenant and subscription into every Secret; `bind` writes those from the outputs";

/** Components by their Secrets, and workloads by the annotations that the webhook reads. */
export function azureAccess(
  identities: Identities,
  issuers: Issuers,
  bindings: IdentityBindings,
): CloudAccess {
  const identityOf = (client: Known<string | undefined>): AccessIdentity | undefined =>
    isBlank(client) ? undefined : accessIdentity(client, identities, issuers);
  return {
    providerKind: AZURE_PROVIDER_KIND,
    // The webhook's own Secret has only the tenant.
    recognizes: ({ keys }) => keys.includes(TOKEN_FILE),
    secret: (secret, tokenPath, beside) => {
      const client = secret.value(CLIENT_ID);
      const written = secretAnswer(secret, tokenPath);
      const home = written.status === "pass" ? homeAnswer(secret, beside, identities.of(client)) : undefined;
      return { answer: home ?? written, identity: identityOf(client) };
    },
    account: (question) => accountReading(question, identities, identityOf, bindings),
  };
}

function accessIdentity(
  client: Known<string | undefined>,
  identities: Identities,
  issuers: Issuers,
): AccessIdentity {
  const identity = identities.of(client);
  const missing = identities.missing(client);
  return {
    label: actingAs(client, identity ?? { label: `client id ${shown(client)}` }),
    id: identity?.id,
    found: identity ? pass(`${identity.label} is declared`, seen("identity", identity.source)) : missing,
    trust: (token) => {
      const claims = tokenOf(token);
      return entraTrust(identity ?? identities.missing(client, claims.subject), claims, issuers);
    },
    trusted: () => identity && issuersOf(identity.trusts),
    understood: (cluster) => identity?.understood(cluster) ?? missing,
    permissions: (asked) => {
      if (!identity) return missing;
      return identity.given ?? (asked ? operationsGranted(identity, asked) : anyRoleGranted(identity));
    },
    held: () => (identity ? heldRoles(identity) : []),
    meant: (asked) => (identity ? meantRoles(identity, asked) : []),
  };
}

function accountReading(
  question: AccountQuestion,
  identities: Identities,
  identityOf: (client: Known<string | undefined>) => AccessIdentity | undefined,
  bindings: IdentityBindings,
): AccountReading | undefined {
  const { annotations, source } = question.account;
  const annotated = annotations.get(WEBHOOK_CLIENT_ID_ANNOTATION);
  const labelled = annotated === undefined ? labelledPods(question) : [];
  const written = annotated ?? clientOfPods(labelled);
  if (written === undefined && !question.declared && labelled.length === 0) return undefined;
  const client: Known<string | undefined> = written ?? known(undefined);
  const tenant: Known<string | undefined> = annotations.get(WEBHOOK_TENANT_ID_ANNOTATION) ?? known(undefined);
  const where = seen("annotations of the service account", source);
  const remedy = `write the tenant of the identity into ${WEBHOOK_TENANT_ID_ANNOTATION}`;
  const isOpen = written === undefined && labelled.length > 0;
  const named = isOpen ? clientElsewhere(labelled) : clientAnswer(client, where);
  const identity = identities.of(client);
  const foreign =
    foreignTenant(identity, WEBHOOK_TENANT_ID_ANNOTATION, tenant, remedy, where) ??
    tenantBesideCluster(question.cluster.issuer, identity, tenant, where);
  const reading = {
    answer: notInOne([client, tenant], "annotation", where) ?? obstacle([named, foreign]) ?? named,
    identity: identityOf(client),
    pods: webhookPods(question, { client, tenant, cloud: identity?.cloud ?? known(undefined) }),
    audiences: [known(WEBHOOK_AUDIENCE)],
  };
  return bindings.applied(question, reading, client as Known<string>, identity);
}

/** Where nothing says in which tenant the identity is, that of the cluster is the only hint. */
function tenantBesideCluster(
  issuer: Known<string> | undefined,
  identity: Identity | undefined,
  tenant: Known<string | undefined>,
  where: Evidence,
): Answer | undefined {
  const own = orElse(map(issuer ?? known(""), tenantOfIssuer), () => undefined);
  const isOther = own !== undefined && !isAbsent(tenant) && sameTenant(tenant, known(own)) === "no";
  if (!identity || !isAbsent(identity.tenant) || !isOther) return undefined;
  return unknown(
    `${WEBHOOK_TENANT_ID_ANNOTATION} is ${shown(tenant)}, the cluster is in the tenant ${own}, and nothing that was read says in which tenant ${identity.label} is`,
    "state tenant_id in the configuration of the identity's Terraform provider, or also give explain the state",
    where,
    seen("identity", identity.source),
  );
}

/** The webhook then sets an empty client id, and a program may have another one. */
function clientElsewhere(labelled: readonly PodFact[]): Answer {
  return unknown(
    `the service account has no ${WEBHOOK_CLIENT_ID_ANNOTATION}, though ${named(labelled.map(({ title }) => title))} asks for a token of Azure's webhook; the client id is that of the program, if it has one`,
    `annotate it with ${WEBHOOK_CLIENT_ID_ANNOTATION}`,
    labelled.map(({ title, source }) => seen(title, source)),
  );
}

function clientAnswer(client: Known<string | undefined>, where: Evidence): Answer {
  if (isGuid(client))
    return pass(`${WEBHOOK_CLIENT_ID_ANNOTATION} names the client id ${shown(client)}`, where);
  return broken(
    isBlank(client)
      ? `the service account has no ${WEBHOOK_CLIENT_ID_ANNOTATION}, or an empty one`
      : `${WEBHOOK_CLIENT_ID_ANNOTATION} is ${shown(client)}, which is not a GUID`,
    `annotate it with ${WEBHOOK_CLIENT_ID_ANNOTATION}`,
    SILENT,
    where,
  );
}

function secretAnswer(secret: SecretFact, tokenPath: string | undefined): Answer {
  const { key, value, source } = secret;
  const where = seen(`Secret ${key}`, below(source, "stringData"));
  const path = value(TOKEN_FILE);
  const isAtPath = tokenPath === undefined ? "yes" : is(path, tokenPath);
  const problem =
    keyProblem(secret) ??
    (isAtPath === "no"
      ? `${TOKEN_FILE} is ${shown(path)}, but the component's token is at ${tokenPath}`
      : undefined);
  if (problem !== undefined)
    return broken(problem, `write the five keys ${KEYS.join(", ")}`, undefined, where);
  const open = notInOne(KEYS.map(value), "Secret", where);
  if (open) return open;
  if (isAtPath === "unknown")
    return unknown(`${TOKEN_FILE} is known only after apply`, `write ${tokenPath} into it`, where);
  return pass(
    `the Secret names the client id ${shown(value(CLIENT_ID))} and the token ${shown(path)}`,
    where,
  );
}

function keyProblem({ keys, value }: SecretFact): string | undefined {
  if (keys.includes(CLIENT_SECRET))
    return `the Secret has ${CLIENT_SECRET}, which components prefer to a token`;
  const missing = KEYS.find((each) => isBlank(value(each)));
  if (missing !== undefined) return `the Secret has no ${missing}, or an empty or unreadable one`;
  const other = keys.find((each) => !KEYS.includes(each) && !HARMLESS.includes(each));
  if (other !== undefined) return `the Secret has the key ${other}, which a token does not need`;
  const odd = IDS.find((each) => !isGuid(value(each)));
  return odd && `${odd} ${shown(value(odd))} is not a GUID`;
}

/**
 * What contradicts the tenant and subscription in a component's Secret; `undefined` if nothing does. They must be those
 * of its identity and of the other components' Secrets, since a cluster is in one tenant and one subscription.
 */
function homeAnswer(
  secret: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  identity: Identity | undefined,
): Answer | undefined {
  const where = seen(`Secret ${secret.key}`, secret.source);
  const foreign = foreignTenant(identity, TENANT_ID, secret.value(TENANT_ID), AS_OTHERS, where);
  const scopes = identity && scopesAnswer(secret, identity, where);
  const others = [TENANT_ID, ...(scopes === "confirmed" ? [] : [SUBSCRIPTION_ID])];
  return (
    obstacle([foreign, scopes === "confirmed" ? undefined : scopes]) ??
    obstacle(others.map((key) => othersAnswer(secret, beside, key)))
  );
}

/** A component that has no rights in its subscription can do nothing there. */
function scopesAnswer(
  secret: SecretFact,
  { roles: { held, possible }, hasMoreRoles, label }: Identity,
  where: Evidence,
): Answer | "confirmed" | undefined {
  const subscription = secret.value(SUBSCRIPTION_ID) as Known<string>;
  const subscriptionId = resourceId(joined("/subscriptions/", subscription));
  const isIn = held.map(({ scope }) =>
    is(scope.segments?.[0] ?? known(""), "subscriptions") === "yes"
      ? holds(subscriptionId, scope)
      : "unknown",
  );
  if (isIn.includes("yes")) return "confirmed";
  const other = held[isIn.indexOf("no")];
  if (other === undefined) return undefined;
  const reason = `${SUBSCRIPTION_ID} is ${shown(subscription)}, but ${label} has a role at ${shown(other.scope.text)}`;
  const places = [where, seen("scope of a role assignment", other.source)];
  // A scope that is known only after apply, or is a management group, may contain the subscription.
  return hasMoreRoles || possible.length > 0 || isIn.includes("unknown")
    ? unknown(reason, AS_OTHERS, places)
    : broken(reason, AS_OTHERS, "AuthorizationFailed", places);
}

/** The answer if another Secret has a different value: a cluster is in one place, but no Secret says which is right. */
function othersAnswer(
  { key: name, value, source }: SecretFact,
  beside: ReadonlyMap<string, SecretFact>,
  key: string,
): Answer | undefined {
  const content = lowered(value(key));
  for (const other of beside.values())
    if (!isBlank(other.value(key)) && same<string | undefined>(lowered(other.value(key)), content) === "no")
      return unknown(
        `${key} is ${shown(content)}, while in the Secret ${other.key} it is ${shown(other.value(key))}`,
        AS_OTHERS,
        seen(`Secret ${name}`, source),
        seen(`Secret ${other.key}`, other.source),
      );
  return undefined;
}
