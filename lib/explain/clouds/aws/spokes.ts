/*
 * Who may enter an EKS cluster, and what for: access entries and access policies. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { blocks, own, text, texts } from "../../facts/access";
import type { ServiceAccountFact } from "../../facts/kubernetes-facts";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { servedCluster } from "../server-reference";
import type { NamedRole } from "./named-role";
import { podIdentity } from "./pod-identity";
import { assumption, clusterOf, notKnown, open, otherCredentials, otherServer, roleOf } from "./spoke-call";
import { UNAUTHORIZED, modeAnswer, readsConfigMap, withoutEntry } from "./spoke-cluster";
import { isStandard, judgedPolicies, policyOf, policyWarnings, refusedEntry } from "./spoke-entry";

const ENTRY = "aws_eks_access_entry";
const POLICY = "aws_eks_access_policy_association";
const REGION_OF_SERVER = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/;
const NAME_IT = "name the Terraform of the cluster's account as well";

/** EKS clusters as spokes. */
export class AwsSpokes implements CloudSpokes {
  readonly #terraform: Terraform;
  readonly #roleOf: (arn: string) => NamedRole;
  readonly #byCluster = new Map<string, ReadonlyMap<string, readonly TerraformResource[]>>();

  /** `roleOf` finds a role by the ARN as written. */
  constructor(terraform: Terraform, roleOf: (arn: string) => NamedRole) {
    this.#terraform = terraform;
    this.#roleOf = roleOf;
  }

  /** The answer for a controller with an association of EKS Pod Identity. */
  native(account: ServiceAccountFact): Answer | undefined {
    return podIdentity(account, this.#terraform);
  }

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const cluster = clusterOf(question);
    const arn = roleOf(question);
    if (cluster === undefined || cluster.includes("{{") || arn === "") return open(notKnown(cluster, arn));
    const served = servedCluster(question.server, this.#terraform);
    const other =
      otherServer(question, served) ??
      this.#otherCluster(question, served, cluster) ??
      otherCredentials(question);
    if (other) return open(other);
    const assumes = assumption(question);
    const [entry, perhaps] = this.#matching(question, cluster, arn);
    if (!entry) {
      const refused = this.#refused(question, cluster, arn, perhaps);
      return open(obstacle([assumes, refused]) ?? refused);
    }
    const { label } = this.#roleOf(arn);
    const admitted =
      obstacle([
        modeAnswer(this.#cluster(question, cluster), cluster, this.#terraform),
        refusedEntry(entry, this.#terraform),
        assumes,
      ]) ??
      pass(`EKS cluster ${cluster} has an access entry for ${label}`, seen("access entry", entry.source));
    return {
      admitted,
      authorized: this.#authorized(question, entry, cluster, arn),
      warnings: this.#warnings(question, entry, cluster, arn),
    };
  }

  #authorized(question: SpokeQuestion, entry: TerraformResource, cluster: string, arn: string): Answer {
    const policies = this.#policies(question, cluster, arn);
    const granted = judgedPolicies(
      policies.map((each) => policyOf(each, this.#terraform)),
      this.#roleOf(arn).partition,
    );
    if (granted?.status === "pass") return granted;
    const written = own(entry.values, "kubernetes_groups");
    const groups = texts(written).map((group) => this.#terraform.resolve(group, entry.scope));
    const user = this.#terraform.text(entry, "user_name");
    const names = { users: user === "" ? [] : [user], groups };
    if (groups.length > 0 || user !== "") return boundAnswer(question.spoke, names, question.rbac);
    if (granted) return granted;
    if (typeof written === "string" || entry.adopted)
      return unknown(
        "the groups of the access entry are known only after apply",
        NAME_IT,
        seen("access entry", entry.source),
      );
    return broken(
      `the access entry in EKS cluster ${cluster} has neither an access policy nor a group`,
      "associate an access policy, or give the entry groups that RBAC of the spoke binds",
      "is forbidden: User cannot list resource",
      seen("access entry", entry.source),
    );
  }

  /** The entry, and whether there may be one that is known only after apply. */
  #matching(
    question: SpokeQuestion,
    cluster: string,
    arn: string,
  ): readonly [TerraformResource | undefined, boolean] {
    const index = this.#index(ENTRY);
    const here = (index.get(cluster) ?? []).filter((each) => this.#isIn(each, question));
    const outcomes = here.map((each) => [each, this.#isEntryOf(each, arn)] as const);
    const found = outcomes.find(([, outcome]) => outcome === true)?.[0];
    const late = [...index.keys()].some(isLateText);
    return [found, late || outcomes.some(([, outcome]) => outcome === undefined)];
  }

  /** Whether an entry lets a role in; `undefined` where only apply tells it. */
  #isEntryOf(entry: TerraformResource, arn: string): boolean | undefined {
    const isRole = this.#isRole(entry, arn);
    const standard = isStandard(this.#terraform.text(entry, "type"));
    return isRole === false || standard === false ? false : isRole && standard;
  }

  #policies(question: SpokeQuestion, cluster: string, arn: string): readonly TerraformResource[] {
    return (this.#index(POLICY).get(cluster) ?? []).filter(
      (each) => this.#isIn(each, question) && this.#isRole(each, arn) === true,
    );
  }

  /** Clusters of other regions may have the same name. */
  #isIn(resource: TerraformResource, { server, env }: SpokeQuestion): boolean {
    const stated = this.#terraform.text(resource, "region") || text(providerOf(resource)["region"]);
    const region = REGION_OF_SERVER.exec(server)?.[1] ?? env.get("AWS_REGION") ?? "";
    return stated === "" || region === "" || isLateText(stated) || isLateText(region) || stated === region;
  }

  /** The plugin signs for one cluster, and the profile leads to another. */
  #otherCluster(
    { spoke }: SpokeQuestion,
    resource: TerraformResource | undefined,
    cluster: string,
  ): Answer | undefined {
    const name = resource ? this.#terraform.text(resource, "name") : cluster;
    if (name === cluster || name === "" || isLateText(name) || isLateText(cluster)) return undefined;
    return broken(
      `the plugin asks for a token for EKS cluster ${cluster}, and the profile ${spoke} leads to ${name}`,
      "name the same cluster to the plugin",
      UNAUTHORIZED,
      ...(resource ? [seen("cluster", resource.source)] : []),
    );
  }

  #isRole(resource: TerraformResource, arn: string): boolean | undefined {
    const principal = this.#terraform.text(resource, "principal_arn");
    if (principal === arn) return true;
    const [one, other] = [this.#roleOf(principal).role, this.#roleOf(arn).role];
    if (one && other) return one.source.path === other.source.path && one.source.file === other.source.file;
    return isLateText(principal) || isLateText(arn) ? undefined : false;
  }

  #refused(question: SpokeQuestion, cluster: string, arn: string, perhaps: boolean): Answer {
    const { label } = this.#roleOf(arn);
    const declared = this.#cluster(question, cluster);
    const here = (this.#index(ENTRY).get(cluster) ?? []).filter((each) => this.#isIn(each, question));
    const evidence = here.map((each) =>
      seen(`entry for ${this.#roleOf(this.#terraform.text(each, "principal_arn")).label}`, each.source),
    );
    // A role has one entry in a cluster; others of a cluster that stands elsewhere may stand there too.
    const isForNodes = here.some(
      (each) => this.#isRole(each, arn) === true && isStandard(this.#terraform.text(each, "type")) === false,
    );
    if (isForNodes) return withoutEntry(cluster, label, evidence);
    if (perhaps || !declared || declared.adopted)
      return unknown(`no access entry for ${label} in EKS cluster ${cluster} was read`, NAME_IT, ...evidence);
    if (readsConfigMap(declared, this.#terraform))
      return unknown(
        `EKS cluster ${cluster} has no access entry for ${label}, and takes roles of the ConfigMap aws-auth as well, which is not judged here`,
        "declare an aws_eks_access_entry of type STANDARD for the role, with authentication mode API_AND_CONFIG_MAP or API",
        ...evidence,
        seen("cluster", declared.source),
      );
    return withoutEntry(cluster, label, evidence);
  }

  /** The cluster of a name in the spoke's region, where one is declared that one. */
  #cluster(question: SpokeQuestion, name: string): TerraformResource | undefined {
    const all = this.#terraform
      .ofType("aws_eks_cluster")
      .filter((each) => this.#terraform.text(each, "name") === name && this.#isIn(each, question));
    return all.find(({ adopted }) => !adopted) ?? all[0];
  }

  #warnings(
    question: SpokeQuestion,
    entry: TerraformResource,
    cluster: string,
    arn: string,
  ): readonly FleetWarning[] {
    const evidence = [seen("access entry", entry.source)];
    const triggers = blocks(own(entry.values, "lifecycle")).flatMap((each) =>
      own(each, "replace_triggered_by"),
    );
    const isTied = entry.adopted || triggers.flat().some((each) => typeof each === "string");
    const { role } = this.#roleOf(arn);
    return [
      ...(isTied || !role
        ? []
        : [
            {
              id: "access-entry-untied",
              reason:
                "the access entry is not replaced with the role: a role that is made again under the same name is not let in",
              evidence,
              remedy: "add the role's unique_id to lifecycle.replace_triggered_by of the entry",
            },
          ]),
      ...policyWarnings(
        this.#policies(question, cluster, arn).map((each) => policyOf(each, this.#terraform)),
        cluster,
        question.impersonates,
      ),
    ];
  }

  #index(type: string): ReadonlyMap<string, readonly TerraformResource[]> {
    const known = this.#byCluster.get(type);
    if (known) return known;
    const made = new Map<string, TerraformResource[]>();
    for (const each of this.#terraform.ofType(type)) {
      const name = this.#terraform.text(each, "cluster_name");
      const same = made.get(name);
      if (same) same.push(each);
      else made.set(name, [each]);
    }
    this.#byCluster.set(type, made);
    return made;
  }
}
