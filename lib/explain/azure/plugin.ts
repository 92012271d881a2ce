/*
 * The ACR plugin, acr-credential-provider: its arguments and configuration file, and the annotations with the identity.
 *
 * Source: kubernetes-sigs/cloud-provider-azure, cmd/acr-credential-provider/main.go and pkg/credentialprovider/
 * azure_credentials.go (`NewAcrProvider`, `processImageWithRegistryMirror`).
 */

import { type Known, isAbsent, isBlank, isKnown, known, orElse, shown, whyNot } from "../../model/known";
import { once, remembered } from "../../model/once";
import { type Tree, childOf, optionalText, treeOf } from "../../model/tree";
import {
  CLIENT_ID_ANNOTATION,
  TENANT_ID_ANNOTATION,
  azureJsonCloud,
  azureJsonFindings,
  clientAnswered,
} from "../../rules/azure/plugin";
import { azureClouds } from "../../rules/azure/clouds";
import { certainRefusal, parsedArguments } from "../../rules/plugin-arguments";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { RegistryPlugin, PullIdentity, PullQuestion, PullRights } from "../cloud";
import { obstacle } from "../obstacle";
import type { ClusterFacts } from "../read/cluster-record";
import { type FirstDocument, firstDocument } from "../read/documents";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import type { NodeFileFact } from "../read/node-files";
import { LIST_IT, handedOver, notListed } from "../shared/handed-annotations";
import type { Issuers } from "../shared/object-store";
import { noRights } from "../shared/same-answers";
import { actingAs } from "./held";
import { type Identities, type Identity, foreignTenant, notInOne, sameTenant } from "./identity";
import { acrRights } from "./permission";
import type { Registries } from "./registry";
import { entraTrust, tokenOf } from "./trust";

/** Flags that make the plugin log in elsewhere, or use AKS identity bindings. */
const NOT_JUDGED: readonly string[] = [
  "registry-mirror",
  "ib-sni-name",
  "ib-default-client-id",
  "ib-default-tenant-id",
  "ib-apiserver-ip",
];
const KEYS: readonly string[] = [CLIENT_ID_ANNOTATION, TENANT_ID_ANNOTATION];
const ONE_FILE = "give the path of azure.json as the only argument";
const EMPTY = known("");

export function acrPlugin(identities: Identities, registries: Registries, issuers: Issuers): RegistryPlugin {
  const rightsOf = once((_: Identity) => new Map<ClusterFacts["registries"], PullRights>());
  return {
    plugin: "acr",
    annotationKeys: KEYS,
    needs: () => ["tokens"],
    arguments: argumentsAnswer,
    answersAnyway,
    annotations: (question) => annotationsAnswer(question, identities),
    readByAll: ({ host }) => registries.readByAll(host),
    puller: (question): PullIdentity => {
      const { registries: recorded } = question.cluster;
      const client = annotation(question, CLIENT_ID_ANNOTATION);
      const identity = identities.of(client);
      const token = tokenOf(question.token);
      const missing = identities.missing(client, token.subject);
      const trust = entraTrust(identity ?? missing, token, issuers);
      if (identity === undefined) {
        const rights = noRights(missing);
        return { trust, label: undefined, source: undefined, understood: () => missing, rights };
      }
      return {
        trust,
        label: actingAs(client, identity),
        id: identity.id,
        source: identity.source,
        understood: identity.understood,
        rights: remembered(rightsOf(identity), recorded, () => acrRights(identity, registries, recorded)),
      };
    },
  };
}

function argumentsAnswer(
  entry: ProviderEntry,
  node: NodeConfiguration,
  host: string,
  { plugins = {} }: ClusterFacts,
): Answer {
  const where = seen("args of the entry", entry.source);
  if (!entry.args.every(isKnown))
    return unknown("the arguments of the entry are not all known", "write them into the file", where);
  const { values, words, rest, refusal: refused } = argumentsOf(entry);
  const refusal = certainRefusal("acr", plugins["acr"] ?? {}, argumentsOf(entry));
  if (refusal) return broken(refusal.reason, refusal.remedy, refusal.log, where);
  const operands = [...words, ...rest];
  if (operands.length !== 1)
    return broken(
      `the plugin takes one argument, the configuration file, but is given ${operands.length === 0 ? "none" : operands.join(", ")}`,
      ONE_FILE,
      operands.length === 0
        ? "config file is not specified"
        : "expected exactly one argument (config file); Got arguments",
      where,
    );
  const file = fileAnswer(entry, node, host);
  const unjudged = NOT_JUDGED.find((each) => values.has(each));
  const flag = refused?.flag ?? (unjudged && `--${unjudged}`);
  return file.status === "pass" && flag !== undefined
    ? unknown(`explain does not judge what the plugin does with ${flag}`, refused?.remedy ?? ONE_FILE, where)
    : file;
}

/** Remembered, since all service accounts share the same few entries. */
const argumentsOf = once((entry: ProviderEntry) => parsedArguments("acr", entry.args.map(shown)));

function pathOf(entry: ProviderEntry): string {
  const { words, rest } = argumentsOf(entry);
  return [...words, ...rest][0] ?? "";
}

const documentIn = once(({ content }: NodeFileFact) => firstDocument(content));

/** The plugin's configuration file; `undefined` if it was not read. */
function azureJson(path: string, node: NodeConfiguration): FirstDocument | undefined {
  const file = node.files.get(path);
  return file && documentIn(file);
}

function fileAnswer(entry: ProviderEntry, node: NodeConfiguration, host: string): Answer {
  const path = pathOf(entry);
  const read = azureJson(path, node);
  const where = seen(path, node.files.get(path)?.source);
  const why = read && whyNot(read.value);
  if (read === undefined || (why && why.kind !== "malformed"))
    return unknown(
      `the plugin's file ${path} is not among what was read`,
      "check that its useManagedIdentityExtension is true and its tenantId is the registry's, or give explain the file",
      seen("args of the entry", entry.source),
    );
  // The plugin treats a file that it cannot parse like an empty one.
  const document = why ? treeOf({}) : read.value;
  // A tenant that is not known is compared with the annotation's, by which it may be known to be the same.
  const findings = azureJsonFindings(document).filter(
    ({ field, isCertain }) => isCertain || field !== "tenantId",
  );
  const finding = findings.find(({ isCertain }) => isCertain) ?? findings[0];
  if (finding) {
    const reason = `${path}: ${finding.field}: ${finding.message}`;
    const remedy = "write it into the plugin's file";
    return finding.isCertain ? broken(reason, remedy, SILENT, where) : unknown(reason, remedy, where);
  }
  return otherCloud(document, path, host, where) ?? pass(`${path} lets the plugin use the token`, where);
}

/** The plugin gets tokens from the Entra of its own cloud, which registries in other clouds refuse. */
function otherCloud(document: Tree, path: string, host: string, where: Evidence): Answer | undefined {
  const cloud = orElse(azureJsonCloud(document), () => undefined);
  if (cloud === undefined || !host.includes(".azurecr.") || host.endsWith(`.${cloud.acrSuffix}`))
    return undefined;
  const home = azureClouds.find(({ acrSuffix }) => host.endsWith(`.${acrSuffix}`));
  const remedy = `write the cloud of ${host} into the plugin's file`;
  if (home === undefined || !isAbsent(childOf(document, "resourceManagerEndpoint")))
    return unknown(
      `whether ${host} is a registry in the cloud that ${path} names is not known`,
      remedy,
      where,
    );
  const reason = `${path} makes the plugin get tokens from ${cloud.name}, but ${host} is a registry in ${home.name}`;
  return broken(reason, remedy, undefined, where);
}

/** What happens to the pull if the plugin answers without using the token; `undefined` if it does not do so. */
function answersAnyway(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined {
  const path = pathOf(entry);
  const read = azureJson(path, node);
  const client = read && clientAnswered(read.value);
  if (client === undefined) return undefined;
  const succeeds = `the plugin succeeds with the client ID and secret of ${path}, which`;
  const where = seen(path, node.files.get(path)?.source);
  return client === "some"
    ? unknown(`${succeeds} may pull`, "do not take such a pull as proof that the chain works", where)
    : broken(
        `${succeeds} are empty; since there are credentials, no anonymous pull is attempted`,
        "fix what provider-on-node reports",
        "event 401 of the registry",
        where,
      );
}

/** An annotation as the kubelet passes it to the plugin; empty if it does not. */
function annotation(question: PullQuestion, key: string): Known<string> {
  return handedOver(question, key) ?? EMPTY;
}

function annotationsAnswer(question: PullQuestion, identities: Identities): Answer {
  const { entry, account, node } = question;
  const where = seen("annotations of the service account", account.source);
  const missing = KEYS.find((key) => isBlank(annotation(question, key)));
  if (missing !== undefined) return notHanded(missing, question, where);
  const client = annotation(question, CLIENT_ID_ANNOTATION);
  const tenant = annotation(question, TENANT_ID_ANNOTATION);
  const contested = notInOne([client, tenant], "annotation", where);
  if (contested) return contested;
  const remedy = `write the tenant of the identity into ${TENANT_ID_ANNOTATION} and into the plugin's file`;
  const foreign = foreignTenant(identities.of(client), TENANT_ID_ANNOTATION, tenant, remedy, where);
  const read = azureJson(pathOf(entry), node);
  const ownTenant = tenantAnswer(read && optionalText(childOf(read.value, "tenantId")), tenant, where);
  return obstacle([ownTenant, foreign]) ?? ownTenant;
}

function notHanded(key: string, { entry, account }: PullQuestion, where: Evidence): Answer {
  const isUnlisted = !isBlank(account.annotations.get(key) ?? EMPTY);
  return broken(
    isUnlisted ? notListed(key) : `the service account has no ${key}, or an empty one`,
    isUnlisted ? LIST_IT : `annotate it with ${key}`,
    `${key === CLIENT_ID_ANNOTATION ? "client" : "tenant"} id annotation ${key} is not found or the value is empty`,
    where,
    seen("tokenAttributes", entry.source),
  );
}

/** Compares the annotation's tenant with the one in the plugin's file, which the exchange with the registry uses. */
function tenantAnswer(
  tenant: Known<string | undefined> = known(undefined),
  annotated: Known<string>,
  where: Evidence,
): Answer {
  const isSame = isAbsent(tenant) ? "yes" : sameTenant(tenant, annotated);
  if (isSame === "yes") return pass("the plugin is given the client id and the tenant", where);
  return isSame === "unknown"
    ? unknown(
        "whether the annotation and the plugin's file name the same tenant is known only after apply",
        "state the tenant as a literal, or take both from the same attribute",
        where,
      )
    : broken(
        `the annotation names the tenant ${shown(annotated)}, but the plugin's file names ${shown(tenant)}, which the exchange with the registry uses`,
        "use an identity and a registry in the tenant of the plugin's file",
        SILENT,
        where,
      );
}
