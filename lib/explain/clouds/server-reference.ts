/*
 * Which cluster of Terraform a profile leads to.
 */

import { type Answer, broken, seen } from "../answer";
import { type Terraform, type TerraformResource, isLateText } from "../facts/terraform";

const REFERENCE = /\$\{(\d+)#((?:module\.[\w-]+\.)*(?:data\.)?\w+_cluster\.[\w-]+)\./;
const CLUSTER = /_cluster$/;
/** Attributes with which the providers of the clouds tell where an API server is. */
const ADDRESSES: readonly string[] = ["endpoint", "fqdn", "private_fqdn"];

const known = new WeakMap<Terraform, ReadonlyMap<string, TerraformResource | undefined>>();

/** The cluster whose address the server is, by reference or to the letter; `undefined` where nothing says it. */
export function servedCluster(server: string, terraform: Terraform): TerraformResource | undefined {
  const [, scope, address = ""] = REFERENCE.exec(server) ?? [];
  if (scope !== undefined) return terraform.scopes[Number(scope)]?.resources.get(address);
  if (isLateText(server)) return undefined;
  const byHost = known.get(terraform) ?? clustersByHost(terraform);
  known.set(terraform, byHost);
  return byHost.get(hostOf(server));
}

/** The answer where the profile's server is a cluster of another type; `undefined` where nothing says so. */
export function otherKindOfCluster(
  cluster: TerraformResource | undefined,
  type: string,
  title: string,
): Answer | undefined {
  if (cluster === undefined || cluster.type === type) return undefined;
  return broken(
    `the plugin gets credentials for ${title}, and the profile leads to ${cluster.address}`,
    "let the profile name the access provider of its own cluster",
    "Unauthorized: the server has asked for the client to provide credentials",
    seen("cluster", cluster.source),
  );
}

/** Private addresses may be of several clusters, and say nothing then. */
function clustersByHost(terraform: Terraform): ReadonlyMap<string, TerraformResource | undefined> {
  const found = new Map<string, TerraformResource | undefined>();
  for (const { resources } of terraform.scopes)
    for (const resource of resources.values())
      for (const host of CLUSTER.test(resource.type) ? hostsOf(resource, terraform) : []) {
        const other = found.get(host);
        const isOne = !found.has(host) || (other !== undefined && isSame(other, resource, terraform));
        found.set(host, isOne ? (other ?? resource) : undefined);
      }
  return found;
}

/** A resource, and a data source that reads it. */
function isSame(one: TerraformResource, other: TerraformResource, terraform: Terraform): boolean {
  return one.type === other.type && terraform.text(one, "name") === terraform.text(other, "name");
}

function hostsOf(resource: TerraformResource, terraform: Terraform): readonly string[] {
  const texts = ADDRESSES.map((attribute) => terraform.text(resource, attribute));
  return [...new Set(texts.filter((text) => text !== "" && !isLateText(text)).map(hostOf))];
}

function hostOf(server: string): string {
  return server
    .replace(/^https:\/\//i, "")
    .replace(/(?::443)?\/?$/, "")
    .toLowerCase();
}
