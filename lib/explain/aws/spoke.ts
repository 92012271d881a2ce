/*
 * Who may enter an EKS cluster, and with what rights: access entries and access policies. Source:
 * awsdocs/amazon-eks-user-guide, latest/ug/manage-access (k8s-access, setting-up-access-entries.adoc,
 * pod-identities.adoc). The Terraform provider leaves the authentication mode to EKS, which defaults to CONFIG_MAP.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  and,
  andThen,
  is,
  isBlank,
  isKnown,
  known,
  match,
  or,
  orElse,
  same,
  shown,
  Reference,
  partsOf,
} from "../../model/known";
import { remembered } from "../../model/once";
import { withoutAccessEntries } from "../../rules/aws/spoke";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { CloudSpokes, SpokeQuestion, SpokeReading } from "../cloud";
import type { FleetWarning } from "../result";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { flagOf } from "../shared/plugin-arguments";
import { UNAUTHORIZED, boundAnswer, otherKindOfCluster, servedCluster } from "../shared/spokes";
import { ROLE_ANNOTATION } from "./access";
import { ROLE_VARIABLE } from "./pods";
import { isStandard, isTied, judgedPolicies, policyWarnings, refusedEntry } from "./access-entry";
import type { NamedRole, Roles } from "./identity";
import { regionOf } from "./place";

const ENTRY = "aws_eks_access_entry";
const POLICY = "aws_eks_access_policy_association";
const CLUSTER = "aws_eks_cluster";
const REGION_OF_SERVER = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/;
/** Endpoints of EKS clusters, including those for both address families. */
const HOST =
  /^https:\/\/[^/]+(?:\.eks\.amazonaws\.com(?:\.cn)?|\.eks-cluster\.[a-z0-9-]+\.(?:api\.aws|api\.amazonwebservices\.com\.cn))(?::443)?\/?$/i;
const NAME_IT = "also give explain the Terraform of the cluster's account";

interface Asked {
  readonly question: SpokeQuestion;
  readonly cluster: Known<string>;
  readonly role: NamedRole;
}

export class AwsSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #roles: Roles;
  readonly #byCluster = new Map<string, ReadonlyMap<string | undefined, readonly Resource[]>>();

  constructor(terraform: Terraform, roles: Roles) {
    this.#terraform = terraform;
    this.#roles = roles;
  }

  read(question: SpokeQuestion): SpokeReading {
    const { args, env, server } = question;
    // EKS checks that the signed request names the cluster that the plugin is given.
    const cluster =
      flagOf(args, "--cluster-name", "--cluster-id", "-i") ??
      env.get("KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID");
    const arn = assumedBy(question) ?? ownRole(question);
    const isNamed = cluster !== undefined && !orElse(cluster, () => "").includes("{{");
    if (!isNamed || arn === undefined) {
      const what = arn === undefined ? "the role that enters" : "the name of the EKS cluster";
      const clusterGiven = cluster === undefined ? "" : `; the plugin is given the cluster ${shown(cluster)}`;
      return open(unknown(`${what} is not known${clusterGiven}`, "see the earlier checks"));
    }
    const request = { question, cluster, role: this.#roles.named(arn) };
    const served = servedCluster(server, this.#terraform);
    const other = otherServer(question, served) ?? otherCluster(request, served);
    if (other) return open(other);
    if (flagOf(args, "--profile") !== undefined) return open(OTHER_CREDENTIALS);
    const assumes = assumption(question);
    const entries = this.#entries(request);
    const entry = entries.find(([, isIts]) => isIts === "yes")?.[0];
    if (!entry) {
      const refused = this.#withoutEntry(request, entries);
      return open(obstacle([assumes, refused]) ?? refused);
    }
    const mode = this.#mode(request);
    const admitted =
      obstacle([mode, refusedEntry(entry), assumes]) ??
      pass(
        `EKS cluster ${shown(cluster)} has an access entry for ${request.role.label}`,
        seen("access entry", entry.source),
      );
    return {
      admitted,
      authorized: this.#authorized(request, entry),
      warnings: this.#warnings(request, entry),
    };
  }

  #authorized(asked: Asked, entry: Resource): Answer {
    const { question, role, cluster } = asked;
    const granted = judgedPolicies(this.#policies(asked), role.partition);
    if (granted?.status === "pass") return granted;
    const groups = orElse(entry.list("kubernetes_groups"), () => undefined);
    const user = entry.text("user_name");
    const hasUser = isBlank(user) ? [] : [entry.stated("user_name")];
    if ((groups ?? []).length > 0 || hasUser.length > 0)
      return boundAnswer(question.spoke, { users: hasUser, groups: groups ?? [] }, question.rbac);
    if (granted) return granted;
    if (groups === undefined || entry.adopted)
      return unknown(
        "the groups of the access entry are known only after apply",
        NAME_IT,
        seen("access entry", entry.source),
      );
    return broken(
      `the access entry in EKS cluster ${shown(cluster)} has neither access policies nor groups`,
      "associate an access policy, or give the entry groups to which the spoke's RBAC binds roles",
      "is forbidden: User cannot list resource",
      seen("access entry", entry.source),
    );
  }

  /** The entries of the cluster, and whether each admits the role. */
  #entries(asked: Asked): readonly (readonly [entry: Resource, isIts: Ternary])[] {
    return this.#of(ENTRY, asked).map(([each, isThere]) => [
      each,
      and(isThere, same(each.stated("principal_arn"), asked.role.arn), isStandard(each)),
    ]);
  }

  #policies(asked: Asked): readonly Resource[] {
    return this.#of(POLICY, asked)
      .filter(([each, isThere]) => and(isThere, same(each.stated("principal_arn"), asked.role.arn)) === "yes")
      .map(([each]) => each);
  }

  #withoutEntry(asked: Asked, entries: readonly (readonly [Resource, Ternary])[]): Answer {
    const { question, cluster, role } = asked;
    const [name, declared] = [shown(cluster), this.#cluster(asked)];
    const here = this.#of(ENTRY, asked).filter(([, isThere]) => isThere === "yes");
    const evidence = here.map(([each]) =>
      seen(`entry for ${this.#roles.named(each.stated("principal_arn")).label}`, each.source),
    );
    const noEntry = broken(
      `EKS cluster ${name} has no access entry for ${role.label}`,
      "declare an aws_eks_access_entry of type STANDARD for the role",
      UNAUTHORIZED,
      evidence,
    );
    // A role has one entry in a cluster. If the cluster is declared elsewhere, its other entries may be there too.
    const isForNodes = here.some(
      ([each]) => same(each.stated("principal_arn"), role.arn) === "yes" && isStandard(each) === "no",
    );
    if (isForNodes) return noEntry;
    if (entries.some(([, isIts]) => isIts === "unknown") || !declared || declared.adopted)
      return unknown(
        `no access entry for ${role.label} in EKS cluster ${name}, the spoke ${question.spoke}, was read`,
        NAME_IT,
        evidence,
      );
    if (is(modeOf(declared), "API") !== "yes")
      return unknown(
        `EKS cluster ${name} has no access entry for ${role.label}, but also admits roles from the ConfigMap aws-auth, which explain does not judge`,
        "declare an aws_eks_access_entry of type STANDARD for the role, with authentication mode API_AND_CONFIG_MAP or API",
        evidence,
        seen("cluster", declared.source),
      );
    return noEntry;
  }

  /** The answer if the cluster's mode rules out access entries, which EKS then refuses to create; else `undefined`. */
  #mode(asked: Asked): Answer | undefined {
    const declared = this.#cluster(asked);
    const mode = declared && orElse(modeOf(declared), () => undefined);
    if (!declared || !mode || mode === "API" || mode === "API_AND_CONFIG_MAP") return undefined;
    const { problem, remedy } = withoutAccessEntries(shown(asked.cluster), mode);
    return broken(`${problem}: ${mode}`, remedy, UNAUTHORIZED, seen("cluster", declared.source));
  }

  /** The cluster with the given name in the spoke's region, if exactly one is declared. */
  #cluster({ question, cluster }: Asked): Resource | undefined {
    const all = this.#terraform
      .ofType(CLUSTER)
      .filter((each) => same(each.stated("name"), cluster) === "yes" && isIn(each, question) !== "no");
    return all.find(({ adopted }) => !adopted) ?? all[0];
  }

  #warnings(asked: Asked, entry: Resource): readonly FleetWarning[] {
    const { question, cluster, role } = asked;
    const untied = {
      id: "access-entry-untied",
      reason:
        "the access entry is not replaced together with the role: a role that is created again under the same name is not admitted",
      evidence: [seen("access entry", entry.source)],
      remedy: "add the role's unique_id to lifecycle.replace_triggered_by of the entry",
    };
    return [
      ...(isTied(entry) || !role.role ? [] : [untied]),
      ...policyWarnings(this.#policies(asked), shown(cluster), question.impersonates),
    ];
  }

  /** Resources of a type, and whether each belongs to the cluster; those that certainly do not are left out. */
  #of(type: string, { question, cluster }: Asked): readonly (readonly [Resource, Ternary])[] {
    const index = this.#index(type);
    const name = orElse(cluster, () => undefined);
    const named = name === undefined ? [...index.values()] : [index.get(name), index.get(undefined)];
    return named
      .flatMap((near) => near ?? [])
      .flatMap((each) => {
        const isThere = isIn(each, question) === "no" ? "no" : same(each.stated("cluster_name"), cluster);
        return isThere === "no" ? [] : [[each, isThere] as const];
      });
  }

  /** By the cluster's name; `undefined` for a name known only after apply. */
  #index(type: string): ReadonlyMap<string | undefined, readonly Resource[]> {
    return remembered(this.#byCluster, type, () =>
      grouped(this.#terraform.ofType(type), (each) => orElse(each.stated("cluster_name"), () => undefined)),
    );
  }
}

/** The controller's own role: the one in the plugin's variables, else the service account's. */
function ownRole({ env, account }: SpokeQuestion): Known<string> | undefined {
  return [env.get(ROLE_VARIABLE), account?.annotations.get(ROLE_ANNOTATION)].find(
    (each) => each !== undefined && is(each, "") !== "yes",
  );
}

/** The role that the plugin assumes; `undefined` if it assumes none. */
function assumedBy({ args, env }: SpokeQuestion): Known<string> | undefined {
  return flagOf(args, "--role-arn", "--role", "-r") ?? env.get("DEFAULT_ROLE");
}

/** Whether the controller may enter as the role that the plugin assumes; `undefined` if it enters as its own. */
function assumption(question: SpokeQuestion): Answer | undefined {
  const [assumed, own] = [assumedBy(question), ownRole(question)];
  if (assumed === undefined || (own !== undefined && same(assumed, own) === "yes")) return undefined;
  return unknown(
    `the plugin assumes the role ${shown(assumed)}, and explain does not judge whether the controller's own role may assume it`,
    "give the access entry to the controller's own role",
  );
}

/** The answer for a server that is not known to be an EKS cluster's. */
function otherServer(
  { server, recorded, spoke }: SpokeQuestion,
  served: Resource | undefined,
): Answer | undefined {
  const wrongKind = otherKindOfCluster(served, CLUSTER, "EKS");
  // Text after a reference makes it a different host, whatever it refers to.
  const [isHost, isWhole] = match(
    server,
    (text) => [HOST.test(text), true],
    () => [true, partsOf(server)?.at(-1) instanceof Reference],
  );
  if (wrongKind || served || (isWhole && (recorded || isHost))) return wrongKind;
  return unknown(
    `whether the server of ${spoke}, ${shown(server)}, is an EKS cluster's is not known`,
    "write the endpoint of the cluster, or a reference to it, into the ClusterProfile",
  );
}

/** The plugin signs for one cluster, but the ClusterProfile leads to another. */
function otherCluster({ question, cluster }: Asked, served: Resource | undefined): Answer | undefined {
  const name = served?.stated("name");
  if (name === undefined || !isKnown(name) || same(name, cluster) !== "no") return undefined;
  return broken(
    `the plugin asks for a token for EKS cluster ${shown(cluster)}, but the ClusterProfile ${question.spoke} leads to ${shown(name)}`,
    "give the plugin the name of the same cluster",
    UNAUTHORIZED,
    seen("cluster", served?.source),
  );
}

const OTHER_CREDENTIALS = unknown(
  "the plugin uses the credentials of a profile in the AWS configuration files, which explain does not judge",
  "remove --profile",
);

/** The reading of a spoke if it is not known who enters. */
function open(answer: Answer): SpokeReading {
  return {
    admitted: answer,
    authorized: unknown("who enters is not known", "see the check before"),
    warnings: [],
  };
}

/** The authentication mode; `undefined` if none is written. */
function modeOf(cluster: Resource): Known<string | undefined> {
  return andThen(cluster.block("access_config"), (access) =>
    access === undefined ? known(undefined) : access.text("authentication_mode"),
  );
}

/** Clusters of other regions may have the same name. */
function isIn(resource: Resource, { server, env }: SpokeQuestion): Ternary {
  const [, ofServer] = REGION_OF_SERVER.exec(orElse(server, () => "")) ?? [];
  const region = ofServer === undefined ? env.get("AWS_REGION") : known(ofServer);
  return region === undefined || is(region, "") === "yes" ? "unknown" : or(same(regionOf(resource), region));
}
