import { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member/index.js";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { SWITCH, oneOf } from "../../model/choice";
import { literal } from "../../model/late";
import { Subject } from "../../model/subject";
import { projectId, shortText } from "../../rules/google/ids";
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  serviceAccountEmail,
  serviceAccountId,
  serviceAccountResource,
} from "../../rules/google/service-account";
import { PerApp } from "../shared/per-app";
import { dependsOn } from "../shared/references";
import type { IPrincipals } from "./principals";

/** Settings of a {@link FederatedServiceAccount}. */
export interface FederatedServiceAccountProps {
  /** Id of the project that the service account belongs to. */
  readonly project: string;
  /** Id: 6 to 30 of a-z, 0-9 and -, starting with a letter. */
  readonly accountId: string;
  /** The pool provider that trusts the cluster, or `WorkloadIdentityPool.fleet(…)`. */
  readonly principals: IPrincipals;
  /** Kubernetes service accounts that may act as it, as `namespace/name`. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * Name for people, at most 100 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
  /**
   * Service account and members exist already: Terraform `import` blocks take them into the state.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Terraform provider of the resources.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The settings of a service account itself. */
type UncheckedServiceAccount = Omit<FederatedServiceAccountProps, "principals" | "serviceAccounts">;

const ROLE = "roles/iam.workloadIdentityUser";

/** The service accounts that an app declares, by project and id. */
const declared = new PerApp<FederatedServiceAccount>();

/**
 * A Google service account that Kubernetes service accounts act as: `roles/iam.workloadIdentityUser` on it for each
 * of their principals, added without touching other members.
 *
 * E-mail address and members are literal where the project number is. A service account that was deleted and made
 * again under its old id is another one: its bindings elsewhere must be made again too, which Terraform does for
 * those it declared.
 */
export class FederatedServiceAccount extends Construct {
  /** `<id>@<project>.iam.gserviceaccount.com`. */
  readonly email: string;
  /** IAM policy member: `serviceAccount:<email>`. */
  readonly member: string;
  /** The declared service account. */
  readonly dependencies: readonly ITerraformDependable[];
  /** The Terraform resource. */
  readonly resource: ServiceAccount;
  /** One for each Kubernetes service account. */
  readonly users: readonly ServiceAccountIamMember[];

  /**
   * Throws `google-project-invalid`, `google-account-id-invalid`, `google-account-taken`, `name-too-long`,
   * `subject-invalid`, `choice-unknown`, `late-value`, and what the principals throw.
   */
  constructor(scope: Construct, id: string, props: FederatedServiceAccountProps) {
    FederatedServiceAccount.check(scope, props);
    const { project, accountId, principals, provider } = props;
    const subjects = props.serviceAccounts.map(Subject.of);
    principals.addSubjects(subjects);
    if (props.adopt === true)
      literal(
        subjects.map((subject) => principals.principal(subject)),
        "projectNumber (part of import ids)",
      );
    super(scope, id);
    this.email = serviceAccountEmail(accountId, project);
    this.member = `serviceAccount:${this.email}`;
    this.resource = new ServiceAccount(this, "Resource", {
      project,
      accountId,
      displayName: props.displayName,
      description: props.description,
      provider,
    });
    const name = serviceAccountResource(project, this.email);
    if (props.adopt === true) this.resource.importFrom(name, provider);
    this.dependencies = [this.resource];
    this.users = subjects.map((subject) => this.#admit(subject, name, props));
    declared.set(this, keyOf(props), this);
  }

  /** Throws what the constructor throws of its own settings, without declaring anything. */
  static check(scope: Construct, props: UncheckedServiceAccount): void {
    projectId(props.project);
    serviceAccountId(props.accountId);
    shortText("display name of a service account", props.displayName, DISPLAY_NAME_MAX);
    shortText("description of a service account", props.description, DESCRIPTION_MAX);
    oneOf("adopt", props.adopt ?? false, SWITCH);
    const holder = declared.get(scope, keyOf(props));
    if (holder) fail("google-account-taken", props.accountId, holder.node.path);
  }

  #admit(subject: Subject, name: string, props: FederatedServiceAccountProps): ServiceAccountIamMember {
    const member = props.principals.principal(subject);
    const user = new ServiceAccountIamMember(this, `user_${subject.namespace}_${subject.name}`, {
      serviceAccountId: name,
      role: ROLE,
      member,
      provider: props.provider,
    });
    dependsOn(user, [this.resource, ...props.principals.dependencies]);
    if (props.adopt === true) user.importFrom(`${name} ${ROLE} ${member}`, props.provider);
    return user;
  }
}

function keyOf({ project, accountId }: UncheckedServiceAccount): string {
  return `${project}/${accountId}`;
}
