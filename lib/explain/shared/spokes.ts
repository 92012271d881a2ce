/*
 * What all clouds ask of a spoke: which cluster of Terraform a profile leads to, and whether the spoke's own RBAC names
 * who comes in.
 */

import { type Known, type Ternary, is, known, match, or, same, shown } from "../../model/known";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import { Resource } from "../read/block";
import type { SpokeFact } from "../read/spoke-facts";
import type { Terraform } from "../read/terraform";

/** Who enters a spoke. */
export interface SpokeNames {
  /** Names of the user; more than one where cloud and spoke may use either. */
  readonly users: readonly Known<string>[];
  /** Names of its groups. */
  readonly groups: readonly Known<string>[];
}

/** The refusal of a spoke's API server. */
const FORBIDDEN = "is forbidden: User cannot list resource at the cluster scope";

/** Whether a binding of the spoke names the user or one of its groups. */
export function boundAnswer(spoke: string, { users, groups }: SpokeNames, fact: SpokeFact): Answer {
  const { bound, isWhole } = fact;
  const named = bound.map((each) => {
    const names = each.kind === "User" ? users : each.kind === "Group" ? groups : [];
    return { each, isNamed: or(...names.map((name) => same(name, each.name))) };
  });
  const certain = named.filter(({ isNamed }) => isNamed === "yes").map(({ each }) => each);
  const found = certain.find(({ rules }) => rules?.isEmpty !== true);
  if (found)
    return pass(
      `RBAC of ${spoke} binds ${found.kind.toLowerCase()} ${shown(found.name)} to ${found.role}`,
      seen(found.role, found.source),
    );
  const [idle] = certain;
  if (idle)
    return broken(
      `RBAC of ${spoke} binds ${idle.kind.toLowerCase()} ${shown(idle.name)} to ${idle.role}, which allows nothing`,
      `give ${idle.role} the rules that the controller needs`,
      FORBIDDEN,
      seen(idle.role, idle.source),
      ...(idle.rules?.refusal ? [seen(idle.rules.refusal.reason, idle.rules.refusal.source)] : []),
    );
  const who = [...users, ...groups].map(shown).join(" or ");
  const remedy = `bind a role to ${who} on the spoke, or name the manifests that do`;
  const [first] = bound;
  if (!first || !isWhole || named.some(({ isNamed }) => isNamed === "unknown"))
    return unknown(
      `no binding for ${who} was read of ${spoke}`,
      `${remedy}; for manifests that this library did not write, file or folder must have the spoke's name`,
    );
  const others = [...new Set(bound.map(({ name }) => shown(name)))].slice(0, 5).join(", ");
  return broken(
    `no binding of ${spoke} names ${who}`,
    remedy,
    FORBIDDEN,
    seen(`binds ${others}`, first.source),
  );
}

const CLUSTER = /_cluster$/;
/** Attributes in which the providers of the clouds have the address of an API server. */
const ADDRESSES: readonly string[] = ["endpoint", "fqdn", "private_fqdn"];

/** The cluster whose address the server is, by reference or exactly; `undefined` where nothing says it. */
export function servedCluster(server: Known<string>, terraform: Terraform): Resource | undefined {
  const referred = clusterIn(server);
  if (referred) return referred;
  const found = clustersOf(terraform).filter((cluster) => isServedBy(server, cluster) === "yes");
  const [first, ...others] = found;
  // A resource and a data source that reads it are one; private addresses may be of several.
  const isOne = others.every(
    (other) => first && other.type === first.type && same(other.text("name"), first.text("name")) === "yes",
  );
  return isOne ? first : undefined;
}

function clusterIn(server: Known<string>): Resource | undefined {
  return match(
    server,
    () => undefined,
    (why) => {
      const parts = why.kind === "apply" ? why.parts : [];
      const targets = parts.flatMap((part) => (typeof part === "string" ? [] : [part.target]));
      return targets.find((each): each is Resource => each instanceof Resource && CLUSTER.test(each.type));
    },
  );
}

const clusters = new WeakMap<Terraform, readonly Resource[]>();

function clustersOf(terraform: Terraform): readonly Resource[] {
  const before = clusters.get(terraform);
  if (before) return before;
  const found = terraform.scopes.flatMap(({ resources }) =>
    [...resources.values()].filter(({ type }) => CLUSTER.test(type)),
  );
  clusters.set(terraform, found);
  return found;
}

function isServedBy(server: Known<string>, cluster: Resource): Ternary {
  return or(
    ...ADDRESSES.map((attribute) =>
      match(
        cluster.text(attribute),
        (address): Ternary =>
          address === undefined
            ? "no"
            : match(
                server,
                (text) => is(known(hostOf(text)), hostOf(address)),
                (): Ternary => "unknown",
              ),
        (): Ternary => "unknown",
      ),
    ),
  );
}

function hostOf(server: string): string {
  return server
    .replace(/^https:\/\//i, "")
    .replace(/(?::443)?\/?$/, "")
    .toLowerCase();
}

/** The answer where the profile's server is a cluster of another type; `undefined` where nothing says so. */
export function otherKindOfCluster(
  cluster: Resource | undefined,
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
