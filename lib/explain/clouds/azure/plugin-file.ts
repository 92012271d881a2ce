/*
 * The acr plugin's configuration file on the nodes, azure.json.
 */

import { azureJsonCloud, clientAnswered, validateAzureJson } from "../../../rules/azure/azure-json";
import { azureClouds } from "../../../rules/azure/clouds";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../../answer";
import { own, text } from "../../facts/access";
import { firstYamlDocument } from "../../facts/embedded";
import type { NodeConfiguration, ProviderEntry } from "../../facts/node-configuration";
import { configurationPath } from "./plugin-arguments";

/** Every service account is asked about the same few files. */
const parsedFiles = new WeakMap<object, unknown>();

/** Whether the file lets the plugin use the token for a registry. */
export function fileAnswer(entry: ProviderEntry, node: NodeConfiguration, host: string): Answer {
  const path = configurationPath(entry);
  const arguments_ = seen("args of the entry", entry.source);
  if (path === undefined)
    return broken(
      "the entry names no configuration file",
      "give the path of azure.json as the one argument",
      "config file is not specified",
      arguments_,
    );
  const document = azureJson(path, node);
  if (document === undefined)
    return unknown(
      `the plugin's file ${path} is not among what was read`,
      "its useManagedIdentityExtension must be true and its tenantId that of the registry; a file of one's own says so",
      arguments_,
    );
  const where = seen(path, node.file(path)?.source);
  const [finding] = validateAzureJson(document);
  if (finding)
    return broken(
      `${path}: ${finding.field}: ${finding.message}`,
      "write it into the plugin's file",
      SILENT,
      where,
    );
  return otherCloud(document, path, host, where) ?? pass(`${path} lets the plugin use the token`, where);
}

/** What becomes of the pull where the plugin answers without the token; `undefined` where it does not answer so. */
export function answeredAnyway(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined {
  const path = configurationPath(entry) ?? "";
  const client = clientAnswered(azureJson(path, node));
  if (client === undefined) return undefined;
  const reason = `the plugin succeeds with the client ID and secret of ${path}, ${client === "some" ? "which may pull" : "which are empty; with credentials there is no anonymous attempt"}`;
  const where = seen(path, node.file(path)?.source);
  return client === "some"
    ? unknown(reason, "do not take such a pull for success of the chain", where)
    : broken(reason, "mend provider-on-node", "event 401 of the registry", where);
}

/** The tenant that the plugin sends to the registry; empty where it is not known. */
export function pluginTenant(entry: ProviderEntry, node: NodeConfiguration): string {
  return text(own(azureJson(configurationPath(entry) ?? "", node), "tenantId"));
}

/** The plugin takes tokens of its own cloud's Entra, which registries of other clouds do not take. */
function otherCloud(document: unknown, path: string, host: string, where: Evidence): Answer | undefined {
  const cloud = azureJsonCloud(document);
  if (cloud === undefined || !host.includes(".azurecr.") || host.endsWith(`.${cloud.acrSuffix}`))
    return undefined;
  const home = azureClouds.find(({ acrSuffix }) => host.endsWith(`.${acrSuffix}`));
  const remedy = `write the cloud of ${host} into the plugin's file`;
  if (home === undefined || text(own(document, "resourceManagerEndpoint")) !== "")
    return unknown(
      `whether ${host} is a registry of the cloud that ${path} tells is not known`,
      remedy,
      where,
    );
  return broken(
    `${path} has the plugin take tokens of ${cloud.name}, and ${host} is a registry of ${home.name}`,
    remedy,
    undefined,
    where,
  );
}

function azureJson(path: string, node: NodeConfiguration): unknown {
  const file = node.file(path);
  if (file?.content === undefined) return undefined;
  if (!parsedFiles.has(file)) parsedFiles.set(file, firstYamlDocument(file.content).value ?? {});
  return parsedFiles.get(file);
}
