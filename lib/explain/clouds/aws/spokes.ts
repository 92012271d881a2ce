/*
 * Who may enter an EKS cluster, and what for: access entries and access policies. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access.
 */

import { authenticationModeIssues } from "../../../rules/fleet/access-checks";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { blocks, own, text, texts } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { boundAnswer } from "../bound-names";
import type { CloudSpokes, FleetWarning, SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { flagOf } from "../plugin-flags";
import type { NamedRole } from "./named-role";

const ENTRY = "aws_eks_access_entry";
const POLICY = "aws_eks_access_policy_association";
const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";
const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";
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

  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading {
    const cluster = clusterOf(question);
    const arn = roleOf(question);
    if (cluster === undefined || cluster.includes("{{") || arn === "") return open(notKnown(cluster, arn));
    const [entry, perhaps] = this.#matching(ENTRY, cluster, arn);
    if (!entry) return open(this.#refused(cluster, arn, perhaps));
    const { label } = this.#roleOf(arn);
    const mode = this.#modeAnswer(cluster);
    const admitted =
      mode ??
      pass(`EKS cluster ${cluster} has an access entry for ${label}`, seen("access entry", entry.source));
    return {
      admitted,
      authorized: this.#authorized(question, entry, cluster, arn),
      warnings: this.#warnings(entry, cluster, arn),
    };
  }

  #authorized(question: SpokeQuestion, entry: TerraformResource, cluster: string, arn: string): Answer {
    const policies = this.#policies(cluster, arn);
    if (policies.length > 0)
      return pass(
        `access policies of the entry: ${policies.map((each) => this.#policyName(each)).join(", ")}`,
        ...policies.map((each) => seen("access policy", each.source)),
      );
    const written = own(entry.values, "kubernetes_groups");
    const groups = texts(written).map((group) => this.#terraform.resolve(group, entry.scope));
    if (groups.length > 0) return boundAnswer(question.spoke, groups, question.rbac);
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

  /** Entry and policies may be declared with one provider for another account's cluster of equal name; EKS keys by both. */
  #matching(type: string, cluster: string, arn: string): readonly [TerraformResource | undefined, boolean] {
    const index = this.#index(type);
    const here = index.get(cluster) ?? [];
    const outcomes = here.map((each) => [each, this.#isRole(each, arn)] as const);
    const found = outcomes.find(([, outcome]) => outcome === true)?.[0];
    const late = [...index.keys()].some(isLateText);
    return [found, late || outcomes.some(([, outcome]) => outcome === undefined)];
  }

  #policies(cluster: string, arn: string): readonly TerraformResource[] {
    return (this.#index(POLICY).get(cluster) ?? []).filter((each) => this.#isRole(each, arn) === true);
  }

  #isRole(resource: TerraformResource, arn: string): boolean | undefined {
    const principal = this.#terraform.text(resource, "principal_arn");
    if (principal === arn) return true;
    const [one, other] = [this.#roleOf(principal).role, this.#roleOf(arn).role];
    if (one && other) return one.source.path === other.source.path && one.source.file === other.source.file;
    return isLateText(principal) || isLateText(arn) ? undefined : false;
  }

  #refused(cluster: string, arn: string, perhaps: boolean): Answer {
    const { label } = this.#roleOf(arn);
    const declared = this.#cluster(cluster);
    const here = this.#index(ENTRY).get(cluster) ?? [];
    const evidence = here.map((each) =>
      seen(`entry for ${this.#roleOf(this.#terraform.text(each, "principal_arn")).label}`, each.source),
    );
    const known = (declared && !declared.adopted) || here.length > 0;
    if (perhaps || !known)
      return unknown(`no access entry for ${label} in EKS cluster ${cluster} was read`, NAME_IT, ...evidence);
    return broken(
      `EKS cluster ${cluster} has no access entry for ${label}`,
      "declare an aws_eks_access_entry of type STANDARD for the role",
      UNAUTHORIZED,
      ...evidence,
    );
  }

  /** A cluster that takes no entries; `undefined` where nothing speaks against it: EKS refuses to make an entry there. */
  #modeAnswer(cluster: string): Answer | undefined {
    const resource = this.#cluster(cluster);
    const [access] = blocks(own(resource?.values, "access_config"));
    const mode = text(own(access, "authentication_mode"));
    if (!resource || mode === "") return undefined;
    const [issue] = authenticationModeIssues(cluster, this.#terraform.resolve(mode, resource.scope));
    if (!issue || isLateText(this.#terraform.resolve(mode, resource.scope))) return undefined;
    return broken(`${issue.problem}: ${mode}`, issue.remedy, UNAUTHORIZED, seen("cluster", resource.source));
  }

  #cluster(name: string): TerraformResource | undefined {
    return this.#terraform
      .ofType("aws_eks_cluster")
      .find((each) => this.#terraform.text(each, "name") === name);
  }

  #warnings(entry: TerraformResource, cluster: string, arn: string): readonly FleetWarning[] {
    const evidence = [seen("access entry", entry.source)];
    const triggers = blocks(own(entry.values, "lifecycle")).flatMap((each) =>
      own(each, "replace_triggered_by"),
    );
    const isTied = entry.adopted || triggers.flat().some((each) => typeof each === "string");
    const { role } = this.#roleOf(arn);
    const wide = this.#policies(cluster, arn).filter(
      (each) => this.#policyName(each) === "AmazonEKSClusterAdminPolicy",
    );
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
      ...wide.map((each) => ({
        id: "wide-policy",
        reason: `AmazonEKSClusterAdminPolicy lets the controller do everything in EKS cluster ${cluster}`,
        evidence: [seen("access policy", each.source)],
        remedy: "take a narrower policy, or groups with RBAC",
      })),
    ];
  }

  #policyName(association: TerraformResource): string {
    const arn = this.#terraform.text(association, "policy_arn");
    return arn.slice(arn.lastIndexOf("/") + 1);
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

/** The cluster's name, as the plugin is told it: EKS checks that the signed request names it. */
function clusterOf({ args, env }: SpokeQuestion): string | undefined {
  return (
    flagOf(args, "--cluster-name", "--cluster-id", "-i") ?? env.get("KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID")
  );
}

/** The role that enters: one that the plugin assumes, else the controller's own. */
function roleOf({ args, env, annotations }: SpokeQuestion): string {
  const assumed = flagOf(args, "--role-arn", "--role", "-r") ?? env.get("DEFAULT_ROLE");
  return assumed ?? annotations.get(ROLE_ANNOTATION) ?? "";
}

function notKnown(cluster: string | undefined, arn: string): Answer {
  const what = arn === "" ? "the role that enters" : "the name of the EKS cluster";
  return unknown(
    `${what} is not known${cluster === undefined ? "" : `, the plugin is told the cluster ${cluster}`}`,
    "see the checks before",
  );
}

function open(answer: Answer): SpokeReading {
  return {
    admitted: answer,
    authorized: unknown("who enters is not known", "see the check before"),
    warnings: [],
  };
}
