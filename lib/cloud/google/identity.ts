import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member/index.js";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { IExistingIdentity } from "../../model/identity";
import { type ObjectKind, checkProps, list, object, optional, text } from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  projectId,
  serviceAccountEmail,
  serviceAccountId,
  refuseTaken,
} from "../../rules/google/names";
import { shortText, utf8Bytes } from "../../rules/google/text";
import { optionalTerraformText } from "../../rules/terraform-text";
import { waitFor } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-scope";
import { type IPrincipals, PRINCIPALS } from "./pool";
import { type AdoptableProps, ADOPTABLE_PROPS } from "./props";

/** Settings of a {@link FederatedServiceAccount}. */
export interface FederatedServiceAccountProps extends AdoptableProps {
  /** Id of the project that the service account belongs to. */
  readonly project: string;
  /** Id: 6 to 30 of a-z, 0-9 and -, starting with a letter. */
  readonly accountId: string;
  /** The pool provider that trusts the cluster, or `WorkloadIdentityPool.fleet(…)`. */
  readonly principals: IPrincipals;
  /** Kubernetes service accounts that may act as it, as `namespace/name`; duplicates are ignored. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * Those that may act as it already, here or by a line with `as`: their bindings are imported.
   *
   * @defaultValue - none: adding an existing member changes nothing
   */
  readonly adoptUsers?: readonly string[];
  /**
   * Name for people, at most 100 bytes of UTF-8.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 bytes of UTF-8.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

const FEDERATED_SERVICE_ACCOUNT_PROPS: ObjectKind<FederatedServiceAccountProps> = object({
  ...ADOPTABLE_PROPS.shape,
  project: text,
  accountId: text,
  principals: PRINCIPALS,
  serviceAccounts: list(SUBJECT),
  adoptUsers: optional(list(text)),
  displayName: optional(text),
  description: optional(text),
});

type UncheckedServiceAccount = Omit<
  FederatedServiceAccountProps,
  "principals" | "serviceAccounts" | "adoptUsers"
>;

const ROLE = "roles/iam.workloadIdentityUser";

/** The service accounts that an app declares, by project and id. */
const declared = new PerApp<FederatedServiceAccount>();

/**
 * A Google service account for Kubernetes service accounts: their principals get `roles/iam.workloadIdentityUser` on
 * it, without changing other members.
 *
 * E-mail address and members are literal if the project number is. A service account that is deleted and recreated with
 * its old id (`terraform apply -replace`) is a different one: IAM marks the bindings of the old one as deleted. Apply
 * twice, because only the next apply recreates the declared bindings; recreate others by hand.
 */
export class FederatedServiceAccount extends Construct implements IExistingIdentity {
  /** Always `google`. */
  readonly cloud: string = "google";
  /** `<id>@<project>.iam.gserviceaccount.com`. */
  readonly email: string;
  /** IAM policy member: `serviceAccount:<email>`. */
  readonly member: string;
  /** The declared service account. */
  readonly dependencies: readonly ITerraformDependable[];
  /** The Terraform resource. */
  readonly resource: ServiceAccount;
  /** The bindings, one per Kubernetes service account. */
  readonly users: readonly ServiceAccountIamMember[];
  readonly #admitted: ReadonlySet<string>;
  readonly #user: Omit<AccountUser, "subject" | "principals">;

  constructor(scope: Construct, id: string, props: FederatedServiceAccountProps) {
    checkProps(new.target.name, scope, id, FEDERATED_SERVICE_ACCOUNT_PROPS, props);
    FederatedServiceAccount.check(scope, props);
    const { project, accountId, principals, provider } = props;
    const subjects = distinctSubjects(props.serviceAccounts);
    principals.addSubjects(subjects);
    super(scope, id);
    this.email = serviceAccountEmail(accountId, project);
    this.member = `serviceAccount:${this.email}`;
    this.resource = new ServiceAccount(this, "Resource", {
      project,
      accountId,
      displayName: optionalTerraformText(props.displayName),
      description: optionalTerraformText(props.description),
      provider,
    });
    keepNames(this.resource, {
      names: { account_id: accountId, project },
      statedBy: "accountId, or accountIds of many; project",
    });
    const name = `projects/${project}/serviceAccounts/${this.email}`;
    if (props.adopt === true) this.resource.importFrom(name, provider);
    this.dependencies = [this.resource];
    const { dependencies } = this;
    this.#user = { name, provider, dependencies, existing: props.adoptUsers ?? [] };
    this.#admitted = new Set(subjects.map(({ key }) => key));
    this.users = subjects.map((subject) => admitUser(this, { ...this.#user, subject, principals }));
    declared.set(this, keyOf(props), this);
  }

  /** What lines with `as` call: lets a Kubernetes service account act as it, unless `serviceAccounts` does. */
  admit(scope: Construct, subject: Subject, principals: IPrincipals): void {
    if (!this.#admitted.has(subject.key)) admitUser(scope, { ...this.#user, subject, principals });
  }

  /** Throws what the constructor throws of its own settings, without declaring anything. */
  static check(scope: Construct, props: UncheckedServiceAccount): void {
    projectId(props.project);
    serviceAccountId(props.accountId);
    shortText("display name of a service account, in UTF-8,", props.displayName, DISPLAY_NAME_MAX, utf8Bytes);
    shortText("description of a service account, in UTF-8,", props.description, DESCRIPTION_MAX, utf8Bytes);
    const holder = declared.get(scope, keyOf(props));
    if (holder)
      refuseTaken(
        "Google service account",
        props.accountId,
        holder.node.path,
        "give one of the two another accountId, or another cluster name",
      );
  }
}

/** Where a principal becomes a user of a service account. */
export interface AccountUser extends Pick<AdoptableProps, "provider"> {
  /** `projects/<project>/serviceAccounts/<email>`. */
  readonly name: string;
  readonly subject: Subject;
  readonly principals: IPrincipals;
  readonly dependencies: readonly ITerraformDependable[];
  /** Those that may act as it already, as `namespace/name`. */
  readonly existing?: readonly string[];
}

/** Lets a Kubernetes service account act as a service account, declared as `user_<namespace>_<name>`. */
export function admitUser(
  scope: Construct,
  { name, subject, principals, provider, dependencies, existing = [] }: AccountUser,
): ServiceAccountIamMember {
  const member = principals.principal(subject);
  const user = new ServiceAccountIamMember(scope, `user_${subject.namespace}_${subject.name}`, {
    serviceAccountId: name,
    role: ROLE,
    member,
    provider,
  });
  if (existing.includes(subject.key)) user.importFrom(`${name} ${ROLE} ${member}`, provider);
  waitFor(user, [...dependencies, ...principals.dependencies]);
  return user;
}

function distinctSubjects(given: readonly (string | Subject)[]): readonly Subject[] {
  return [...new Map(given.map(Subject.of).map((subject) => [subject.key, subject])).values()];
}

function keyOf({ project, accountId }: UncheckedServiceAccount): string {
  return `${project}/${accountId}`;
}
