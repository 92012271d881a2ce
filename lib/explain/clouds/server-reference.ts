/*
 * Which cluster of Terraform a profile leads to.
 */

import { type Answer, broken } from "../answer";

const ADDRESS = /\$\{(\d+)#((?:module\.[\w-]+\.)*(?:data\.)?(\w+_cluster)\.[\w-]+)\./;

/** The answer where the profile's server is a cluster of another type; `undefined` where nothing says so. */
export function otherKindOfCluster(server: string, type: string, title: string): Answer | undefined {
  const [, , address = "", found = type] = ADDRESS.exec(server) ?? [];
  if (found === type) return undefined;
  return broken(
    `the plugin gets credentials for ${title}, and the profile leads to ${address}`,
    "let the profile name the access provider of its own cluster",
    "Unauthorized: the server has asked for the client to provide credentials",
  );
}
