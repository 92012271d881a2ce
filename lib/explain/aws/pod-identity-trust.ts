/*
 * The trust that EKS Pod Identity needs from the role of an association, and from the target role that it assumes with the
 * credentials of the first.
 *
 * Sources: EKS user guide, "Create IAM role with trust policy required by EKS Pod Identity", "Enable or disable session
 * tags" and "Access AWS Resources using EKS Pod Identity Target IAM Roles". The source of the request is the cluster:
 * terraform-aws-modules/terraform-aws-eks#3743 compares its ARN, and that of an association is refused
 * (awslabs/mountpoint-s3-csi-driver#781).
 */

import { type Known, type Ternary, is, joined, same, shown } from "../../model/known";
import { SERVICE_ACCOUNT_PREFIX } from "../../model/namespaced-name";
import { POD_IDENTITY_ACTIONS, POD_IDENTITY_SERVICE } from "../../rules/aws/pod-identity";
import { resourceOf } from "../../rules/aws/policy/asked-resource";
import { type ContextKeys, ofRoles } from "../../rules/aws/policy/context";
import { admitsEveryone, decidePodIdentity } from "../../rules/aws/policy/trust";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TrustAnswer } from "../cloud";
import { obstacle } from "../obstacle";
import type { Resource } from "../read/block";
import { sameAnswers } from "../shared/same-answers";
import { ASK_AGAIN } from "../shared/words";
import { unreadRemedy } from "./attachments";
import { type NamedRole, type Role, misplaced } from "./identity";
import { accountOf, regionOf } from "./place";
import { RoleJudge } from "./role-judge";
import { type TrustQuestion, trustPolicyOf } from "./trust-links";

const DENIED = "AccessDeniedException";
const [ASSUME, TAG] = POD_IDENTITY_ACTIONS;

/** Judges whether a service account may assume a role. */
export interface RoleTrusts {
  /** The role whose credentials are used to assume it; absent if the service account's own token is. */
  readonly via?: NamedRole;
  of(question: TrustQuestion): TrustAnswer;
  isWide?(question: TrustQuestion): boolean;
  /** As in {@link AccessIdentity}. */
  issuersOf?(role: Role): readonly Known<string>[] | undefined;
}

/** `namespace/name`. */
export function keyOf(association: Resource): Known<string> {
  return joined(association.stated("namespace"), "/", association.stated("service_account"));
}

/** One of the two roles that EKS assumes, and how. */
interface Assumed {
  readonly question: TrustQuestion;
  /** Who assumes it, for people. */
  readonly by: string;
  readonly keys: ContextKeys;
  /** The role that assumes it; absent if the service does. */
  readonly role?: NamedRole;
  /** Why the trust policy has no effect or cannot be judged. */
  readonly before?: Answer | undefined;
  /** Why it is not for the service account, whatever the trust policy says. */
  readonly notFor?: Answer | undefined;
}

/** The trust of the role as which pods act: in EKS itself, or in the role of which EKS has the credentials. */
export class AssociationTrust implements RoleTrusts {
  readonly via?: NamedRole;
  readonly #association: Resource;
  readonly #hasTags: Ternary;

  constructor(association: Resource, via: NamedRole | undefined) {
    this.#association = association;
    this.#hasTags = is(association.flag("disable_session_tags"), false);
    if (via) this.via = via;
  }

  /** EKS hands out the role, and no issuer's token is exchanged for it. */
  issuersOf(): readonly Known<string>[] {
    return [];
  }

  of(question: TrustQuestion): TrustAnswer {
    return this.via ? this.#ofTarget(question, this.via) : this.#ofFirst(question);
  }

  #ofFirst(question: TrustQuestion): TrustAnswer {
    const cluster = this.#cluster(question);
    const keys = {
      "aws:PrincipalIsAWSService": "true",
      "aws:PrincipalServiceName": POD_IDENTITY_SERVICE,
      "aws:SourceAccount": question.account,
      "aws:SourceArn": cluster,
      ...this.#tagKeys("RequestTag", cluster),
    };
    const [before, notFor] = [this.#withoutEffect(question), this.#notFor(question)];
    return this.#judged({ question, by: POD_IDENTITY_SERVICE, keys, before, notFor }, cluster);
  }

  /** The target must admit the first role, which must be allowed to assume it, and admit EKS. */
  #ofTarget(question: TrustQuestion, via: NamedRole): TrustAnswer {
    const { role, arn, account, partition, missing, label } = via;
    if (!role) return sameAnswers(missing);
    const first = this.#ofFirst({ ...question, role, account, partition });
    const cluster = this.#cluster({ account, partition });
    const keys = {
      ...ofRoles,
      "aws:PrincipalAccount": account,
      "aws:PrincipalArn": arn,
      ...this.#tagKeys("RequestTag", cluster),
      // Without session tags, tags of the role count, which are not read.
      ...(this.#hasTags === "yes" && this.#tagKeys("PrincipalTag", cluster)),
      ...this.#externalId(account),
    };
    const then = this.#judged({ question, by: label, keys, role: via }, cluster);
    const [assume, tag] = [ASSUME, TAG].map((action) => this.#refusedTo(via, role, question.account, action));
    return {
      issuer: obstacle([first.issuer, assume, then.issuer]) ?? then.issuer,
      audience: obstacle([first.audience, tag, then.audience]) ?? then.audience,
      subject: obstacle([first.subject, then.subject]) ?? then.subject,
    };
  }

  #judged(assumed: Assumed, cluster: Known<string>): TrustAnswer {
    const { role, subject, partition } = assumed.question;
    const where = trustPolicyOf(role);
    const before = misplaced(role, partition) ?? unreadable(role, where) ?? assumed.before;
    if (before) return sameAnswers(before);
    const refused = (presumes: boolean, action: string): Answer | undefined =>
      this.#refusal(assumed, { presumes, action }, where);
    const tagged = "the trust policy lets EKS tag the session with cluster, namespace and service account";
    const admitted = `the trust policy admits ${shown(subject)} of ${shown(cluster)}`;
    return {
      issuer: refused(true, ASSUME) ?? pass(`the trust policy admits ${assumed.by}`, where),
      audience: refused(true, TAG) ?? pass(tagged, where),
      subject: assumed.notFor ?? refused(false, ASSUME) ?? refused(false, TAG) ?? pass(admitted, where),
    };
  }

  /** What keeps EKS from an action; `undefined` if nothing does. */
  #refusal(
    { question, by, keys, role }: Assumed,
    { presumes, action }: { readonly presumes: boolean; readonly action: string },
    where: Evidence,
  ): Answer | undefined {
    const asked = { action, keys, presumes, ...(role && { role }) };
    const { outcome, reason } = decidePodIdentity(question.role.trust, asked);
    if (outcome === "allowed") return undefined;
    if (outcome === "unknown" || this.#isTagless(action))
      return unknown(`whether EKS Pod Identity may ${action} is not known: ${reason}`, ASK_AGAIN, where);
    return broken(
      `the trust policy does not allow ${by} ${action}: ${reason}`,
      `allow ${by} ${POD_IDENTITY_ACTIONS.join(" and ")}, for the cluster, namespace and service account`,
      DENIED,
      where,
    );
  }

  /** What keeps the first role from assuming the target; `undefined` if its own policies let it. */
  #refusedTo(via: NamedRole, role: Role, account: Known<string>, action: string): Answer | undefined {
    const target = this.#association.stated("target_role_arn");
    const outcomeIf = (isGranted: boolean): string =>
      new RoleJudge(role).outcome(action, "", resourceOf(target), isGranted);
    const outcome = outcomeIf(false);
    if (outcome === "allowed") return undefined;
    const where = seen("IAM role", role.resource.source);
    const text = (may: string): string => `${via.label} ${may} ${action} on the target role ${shown(target)}`;
    // Within an account, a trust policy that names the role may suffice.
    const isNeeded = same(via.account, account) === "no" || outcomeIf(true) === "denied";
    return outcome === "denied" && isNeeded && !this.#isTagless(action)
      ? broken(
          `${text("may not")}: its policies do not allow it`,
          `allow the role ${POD_IDENTITY_ACTIONS.join(" and ")} on the target role`,
          DENIED,
          where,
        )
      : unknown(`whether ${text("may")} is not known`, unreadRemedy(role), where);
  }

  /** AWS does not document what EKS requests if sessions are not tagged. */
  #isTagless(action: string): boolean {
    return action === TAG && this.#hasTags !== "yes";
  }

  /** The cluster's ARN; associations, clusters and the roles of associations are in one account. */
  #cluster({ account, partition }: Pick<TrustQuestion, "account" | "partition">): Known<string> {
    const [region, name] = [regionOf(this.#association), this.#association.stated("cluster_name")];
    return joined("arn:", partition, ":eks:", region, ":", account, ":cluster/", name);
  }

  /** The session's tags as condition keys: `null` if there are none. */
  #tagKeys(prefix: string, cluster: Known<string>): ContextKeys {
    const association = this.#association;
    const tags = {
      "eks-cluster-arn": cluster,
      "eks-cluster-name": association.stated("cluster_name"),
      "kubernetes-namespace": association.stated("namespace"),
      "kubernetes-service-account": association.stated("service_account"),
    };
    const absent = this.#hasTags === "no" ? null : association.stated("disable_session_tags");
    const value = (known: Known<string>): Known<string> | null => (this.#hasTags === "yes" ? known : absent);
    return Object.fromEntries(
      Object.entries(tags).map(([tag, each]) => [`aws:${prefix}/${tag}`, value(each)]),
    );
  }

  /** AWS documents it only for sessions without tags. */
  #externalId(account: Known<string>): ContextKeys {
    const association = this.#association;
    if (this.#hasTags === "yes") return {};
    if (this.#hasTags === "unknown") return { "sts:ExternalId": association.stated("disable_session_tags") };
    const [region, cluster] = [regionOf(association), association.stated("cluster_name")];
    return { "sts:ExternalId": joined(region, "/", account, "/", cluster, "/", keyOf(association)) };
  }

  #notFor({ subject }: TrustQuestion): Answer | undefined {
    const association = this.#association;
    const [namespace, name] = [association.stated("namespace"), association.stated("service_account")];
    return same(subject, joined(SERVICE_ACCOUNT_PREFIX, namespace, ":", name)) === "no"
      ? broken(
          `the association is for ${shown(keyOf(association))}`,
          "declare an association for the service account",
          undefined,
          seen("EKS Pod Identity association", association.source),
        )
      : undefined;
  }

  #withoutEffect({ role, account }: TrustQuestion): Answer | undefined {
    if (admitsEveryone(role.trust))
      return unknown(
        "the trust policy admits everyone through *, and AWS does not document whether that covers AWS services",
        `write ${POD_IDENTITY_SERVICE} as the Service principal`,
        trustPolicyOf(role),
      );
    const own = accountOf(this.#association);
    return same(own, account) === "no"
      ? broken(
          `the role is in account ${shown(account)}, the association in ${shown(own)}`,
          "declare the role in the cluster's account; EKS accepts no other, except as the target role",
          undefined,
          trustPolicyOf(role),
        )
      : undefined;
  }
}

function unreadable({ trust }: Role, where: Evidence): Answer | undefined {
  if (trust.kind === "refused")
    return broken(
      `AWS refuses the trust policy: ${trust.why}`,
      "write a trust policy that IAM accepts",
      "MalformedPolicyDocument",
      where,
    );
  return trust.kind === "unread" ? unknown(trust.why, ASK_AGAIN, where) : undefined;
}
