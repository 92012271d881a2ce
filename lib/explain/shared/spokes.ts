/*
 * What all clouds ask about a spoke: which cluster in Terraform a profile leads to, and whether the spoke's own RBAC
 * names who enters.
 */

import { type Known, anyOf, isAbsent, isKnown, map, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { CLUSTERS } from "../coverage/closed-world";
import { Resource } from "../read/block";
import type { SpokeFact } from "../read/spoke-facts";
import type { Terraform } from "../read/terraform";
import { resourcesIn } from "./references";

/** Who enters a spoke: names of the user (several if the cloud or the spoke may use any of them), and groups. */
interface SpokeNames {
  readonly users: readonly Known<string>[];
  readonly groups: readonly Known<string>[];
}

const FORBIDDEN = "is forbidden: User cannot list resource at the cluster scope";

/** Whether a binding of the spoke names the user or one of its groups. */
export function boundAnswer(spoke: string, { users, groups }: SpokeNames, fact: SpokeFact): Answer {
  const { bound, isWhole } = fact;
  const named = bound.map((each) => {
    const names = each.kind === "User" ? users : each.kind === "Group" ? groups : [];
    return { each, isNamed: anyOf(names.map((name) => same(name, each.name))) };
  });
  const certain = named.filter(({ isNamed }) => isNamed === "yes").map(({ each }) => each);
  const binding = certain.find(({ rules }) => rules?.isEmpty !== true);
  if (binding)
    return pass(
      `RBAC of ${spoke} binds ${binding.kind.toLowerCase()} ${shown(binding.name)} to ${binding.role}`,
      seen(binding.role, binding.source),
    );
  const [idle] = certain;
  if (idle)
    return broken(
      `RBAC of ${spoke} binds ${idle.kind.toLowerCase()} ${shown(idle.name)} to ${idle.role}, which allows nothing`,
      `give ${idle.role} the rules that the controller needs`,
      FORBIDDEN,
      seen(idle.role, idle.source),
      idle.rules?.refusal ? [seen(idle.rules.refusal.reason, idle.rules.refusal.source)] : [],
    );
  const who = [...users, ...groups].map(shown).join(" or ");
  const remedy = `bind a role to ${who} on the spoke, or name the manifests that do`;
  const [first] = bound;
  if (!first || !isWhole || named.some(({ isNamed }) => isNamed === "unknown"))
    return unknown(
      `no binding for ${who} on the spoke ${spoke} was read`,
      `${remedy}; for manifests that this library did not write, the file or folder must have the spoke's name`,
    );
  const others = [...new Set(bound.map(({ name }) => shown(name)))].slice(0, 5).join(", ");
  return broken(
    `no binding of ${spoke} names ${who}`,
    remedy,
    FORBIDDEN,
    seen(`binds ${others}`, first.source),
  );
}

/** Attributes that hold the address of the API server. */
const ADDRESSES: readonly string[] = ["endpoint", "fqdn", "private_fqdn"];

/** The cluster that has the server's address, by reference or exactly; `undefined` if nothing shows it. */
export function servedCluster(server: Known<string>, terraform: Terraform): Resource | undefined {
  const referred = referredCluster(server);
  if (referred) return referred;
  const served = CLUSTERS.flatMap((type) => terraform.ofType(type)).filter((each) =>
    isServedBy(server, each),
  );
  const [first, ...others] = served;
  // A resource and a data source that reads it are the same cluster; several clusters may share a private address.
  const isOne = others.every(
    (other) => first && other.type === first.type && same(other.text("name"), first.text("name")) === "yes",
  );
  return isOne ? first : undefined;
}

/** The cluster to which a text refers; `undefined` if it refers to none. */
export function referredCluster(text: Known<unknown>): Resource | undefined {
  return resourcesIn(text).find(({ type }) => type.endsWith("_cluster"));
}

function isServedBy(server: Known<string>, cluster: Resource): boolean {
  const host = map(server, hostOf);
  return ADDRESSES.some((attribute) => {
    const address = map(cluster.text(attribute), (text) => text && hostOf(text));
    return isKnown(address) && !isAbsent(address) && same<string | undefined>(address, host) === "yes";
  });
}

function hostOf(server: string): string {
  return server
    .replace(/^https:\/\//i, "")
    .replace(/(?::443)?\/?$/, "")
    .toLowerCase();
}

/** What a client says of an API server that does not accept its token. */
export const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";

/** The answer if the profile's server is a cluster of another type; `undefined` if nothing shows that. */
export function otherKindOfCluster(
  cluster: Resource | undefined,
  type: string,
  title: string,
): Answer | undefined {
  if (cluster === undefined || cluster.type === type) return undefined;
  return broken(
    `the plugin gets credentials for ${title}, but the profile leads to ${cluster.address}`,
    "name the access provider of that cluster in the profile",
    UNAUTHORIZED,
    seen("cluster", cluster.source),
  );
}
