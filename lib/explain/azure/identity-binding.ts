/*
 * Workloads that get tokens by an AKS identity binding: the webhook gives their pods a token for a proxy of the cluster,
 * which asks RBAC whether the service account may use the identity. Federated credentials of the service account do not
 * matter then. Sources: as in lib/rules/azure/identity-binding.ts.
 */

import { isAksIssuer } from "../../model/aks-issuer";
import {
  type Known,
  type Ternary,
  allOf,
  and,
  anyOf,
  is,
  isAbsent,
  known,
  orElse,
  same,
  unread,
  whether,
} from "../../model/known";
import { textAt, treeAt } from "../../model/tree";
import {
  IDENTITY_BINDING,
  IDENTITY_BINDING_ANNOTATION,
  IDENTITY_BINDING_AUDIENCE,
  USE_IDENTITY,
} from "../../rules/azure/identity-binding";
import { type Answer, pass, seen, unknown, worstOf } from "../answer";
import type { AccountQuestion, AccountReading, TrustAnswer } from "../cloud";
import type { ClosedWorld } from "../coverage/closed-world";
import type { Resource } from "../read/block";
import type { PodFact } from "../read/pods";
import type { Terraform } from "../read/terraform";
import { containersOf } from "../shared/pods";
import { mentionsType } from "../shared/references";
import { sameAnswers } from "../shared/same-answers";
import { notSeen } from "../shared/words";
import type { Identity } from "./identity";
import { idOf, resourceId, sameId } from "./ids";

const CLUSTER = "azurerm_kubernetes_cluster";
/** The webhook overwrites none of them. */
const VARIABLES: readonly string[] = [
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_KUBERNETES_TOKEN_PROXY",
  "AZURE_KUBERNETES_SNI_NAME",
  "AZURE_KUBERNETES_CA_FILE",
  "AZURE_KUBERNETES_CA_DATA",
];
const ANNOTATED = `the annotation ${IDENTITY_BINDING_ANNOTATION}: "true"`;
const SHOW =
  "also give explain the Terraform of the cluster and of the binding, in the form of Azure/azapi 2";

export class IdentityBindings {
  readonly #terraform: Terraform;
  readonly #world: ClosedWorld;

  constructor(terraform: Terraform, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#world = world;
  }

  /** The reading of a workload, as its pods' annotation changes it. */
  applied(
    question: AccountQuestion,
    reading: AccountReading,
    client: Known<string>,
    identity: Identity | undefined,
  ): AccountReading {
    const { pods: read, fragment, cluster } = question;
    const pods = read.length > 0 || !fragment ? read : [fragment];
    const uses = pods.map(isBound);
    // The webhook knows the annotation only on AKS.
    if (uses.every((each) => each === "no") || isOnAks(cluster.issuer) === "no") return reading;
    if (allOf(uses) !== "yes") return { ...reading, pods: worstOf(reading.pods, mixed(pods)), audiences: [] };
    const own = reading.identity;
    const binding = identity && this.#binding(identity, cluster);
    return {
      ...reading,
      pods: boundPods(reading.pods, pods),
      audiences: [known(IDENTITY_BINDING_AUDIENCE)],
      identity: own && {
        ...own,
        trust: () => (binding ? this.#trust(question, client, binding) : sameAnswers(own.found)),
        trusted: () => undefined,
        understood: (names) =>
          worstOf(
            own.understood(names),
            binding?.resource && this.#world.answer("the identity binding", [binding.resource]),
          ),
      },
    };
  }

  #trust({ granted }: AccountQuestion, client: Known<string>, { answer }: FoundBinding): TrustAnswer {
    const right = { ...USE_IDENTITY, resource: client };
    return {
      issuer: answer,
      audience: pass(`the proxy of identity bindings takes tokens for ${IDENTITY_BINDING_AUDIENCE}`),
      subject:
        granted?.(right) ?? unknown("whether RBAC lets a controller use the identity is not judged", SHOW),
    };
  }

  /** The binding of an identity to a cluster, or one that may be it. */
  #binding({ label, id }: Identity, cluster: AccountQuestion["cluster"]): FoundBinding {
    const bindings = this.#terraform.ofType("azapi_resource").flatMap((resource) => {
      const isIts = and(isOfType(resource), sameId(boundTo(resource), resourceId(id)));
      return isIts === "no" ? [] : [{ resource, isIts: and(isIts, this.#isIn(resource, cluster)) }];
    });
    const binding =
      bindings.find(({ isIts }) => isIts === "yes") ?? bindings.find(({ isIts }) => isIts === "unknown");
    if (!binding) {
      const others = bindings.map(({ resource }) => resource.address).join(", ");
      const near = others === "" ? "" : `; ${others} binds it to another cluster`;
      return { answer: unknown(`no identity binding of ${label} with the cluster was read${near}`, SHOW) };
    }
    const { resource, isIts } = binding;
    const where = seen("identity binding", resource.source);
    if (isIts !== "yes")
      return {
        resource,
        answer: unknown(
          `whether ${resource.address} binds ${label} to the cluster is not known`,
          SHOW,
          where,
        ),
      };
    const answer = pass(`an identity binding lets workloads of the cluster use ${label}`, where);
    return { resource, answer: this.#integrated(cluster) ?? answer };
  }

  /** The clusters whose issuer it is. */
  #clusters({ issuer = unread("") }: AccountQuestion["cluster"]): readonly Resource[] {
    const all = this.#terraform.ofType(CLUSTER);
    return all.filter((each) => same(each.attribute("oidc_issuer_url"), issuer) === "yes");
  }

  /** By the cluster's resource if it was read, otherwise by its recorded name. */
  #isIn(binding: Resource, cluster: AccountQuestion["cluster"]): Ternary {
    const parent = resourceId(binding.stated("parent_id"));
    const clusters = this.#clusters(cluster);
    if (clusters.length > 0) return anyOf(clusters.map((each) => sameId(idOf(each), parent)));
    const name = cluster.cloudName ?? cluster.name;
    const own = parent.segments?.at(-1);
    return name !== undefined && own !== undefined && is(own, name.toLowerCase()) === "yes"
      ? "yes"
      : "unknown";
  }

  /** Source: AKS documentation, "Identity bindings concepts", limitations. */
  #integrated(cluster: AccountQuestion["cluster"]): Answer | undefined {
    const integrated = this.#clusters(cluster).find((each) => {
      const profile = orElse(each.block("api_server_access_profile"), () => undefined);
      return profile && is(profile.flag("virtual_network_integration_enabled"), false) !== "yes";
    });
    return (
      integrated &&
      unknown(
        "AKS does not support identity bindings on clusters with API server VNet integration",
        "use federated identity credentials",
        seen("cluster", integrated.source),
      )
    );
  }
}

interface FoundBinding {
  readonly resource?: Resource;
  readonly answer: Answer;
}

/** `type` is the resource type and the version of its API. */
function isOfType(resource: Resource): Ternary {
  const isIt = (type: string): boolean => type.toLowerCase().startsWith(`${IDENTITY_BINDING.toLowerCase()}@`);
  return whether(resource.stated("type"), isIt);
}

function boundTo(resource: Resource): ReturnType<typeof resourceId> {
  return resourceId(textAt(treeAt(resource.tree("body"), "properties", "managedIdentity", "resourceId")));
}

/** The webhook compares the value in any letter case. */
function isBound({ annotations }: PodFact): Ternary {
  const value = annotations.get(IDENTITY_BINDING_ANNOTATION);
  return value === undefined ? "no" : whether(value, (text) => text.toLowerCase() === "true");
}

function isOnAks(issuer: Known<string> = unread("no issuer is recorded")): Ternary {
  return mentionsType(issuer, CLUSTER) ? "yes" : whether(issuer, isAksIssuer);
}

function mixed(pods: readonly PodFact[]): Answer {
  return unknown(
    `not all pods of the service account are known to have ${ANNOTATED}, so some use an identity binding and others do not`,
    "annotate all pods of the service account, or none",
    pods.map(({ title, source }) => seen(title, source)),
  );
}

/** What the webhook gives annotated pods, unless a container sets a part of it itself. */
function boundPods(byWebhook: Answer, pods: readonly PodFact[]): Answer {
  if (byWebhook.status === "skipped") return notSeen(`its pods need the label and ${ANNOTATED}`);
  if (byWebhook.status !== "pass") return byWebhook;
  for (const { title, spec, source } of pods)
    for (const { name, variable } of containersOf(spec)) {
      const set = VARIABLES.find((each) => !isAbsent(variable(each)));
      if (set !== undefined)
        return unknown(
          `the container ${name} of ${title} sets ${set}, which the webhook does not overwrite`,
          `remove ${set} from the pod: the webhook sets what an identity binding needs`,
          seen(title, source),
        );
    }
  return pass(
    `${byWebhook.reason}, and ${ANNOTATED}; their programs must use the token proxy, which Azure's SDKs do on request`,
    byWebhook.evidence,
  );
}
