import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { IExistingIdentity } from "../../model/identity";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import type { Subject } from "../../model/subject";
import { customAttributeName, fitsGoogleSubject, subjectBytes } from "../../rules/google/mapping";
import { projectId, textOfForm, workloadIdentityId } from "../../rules/google/names";
import { defaultAudience, renderPrincipal, stsAudience } from "../../rules/google/provider";
import type { GoogleGrantee } from "./access";
import { type AccountUser, admitUser } from "./identity";
import type { IPrincipals, IWorkloadIdentityPool } from "./pool";
import { type DeclaredProps, DECLARED_PROPS } from "./props";
import type { IOidcProvider, OidcProviderAttributes } from "./provider-props";

/** An existing pool provider that maps `google.subject = assertion.sub`, from `OidcProvider.fromProviderId`. */
export class AdoptedOidcProvider extends Construct implements IOidcProvider {
  readonly pool: IWorkloadIdentityPool;
  readonly providerId: string;
  readonly issuer: Issuer | undefined;
  readonly audience: string;
  readonly stsAudience: string;
  /** The resource if the app has declared the pool provider; otherwise the pool's dependencies. */
  readonly dependencies: readonly ITerraformDependable[];
  readonly #subjectAttribute: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    attributes: OidcProviderAttributes,
    dependencies: readonly ITerraformDependable[] = attributes.pool.dependencies,
  ) {
    const { pool, audience, subjectAttribute } = attributes;
    const providerId = workloadIdentityId("pool provider", attributes.providerId);
    const name = { projectNumber: pool.projectNumber, poolId: pool.poolId, providerId };
    const checked = audience === undefined ? defaultAudience(name) : validateAudience(audience);
    const issuer = attributes.issuer === undefined ? undefined : Issuer.of(attributes.issuer);
    if (subjectAttribute !== undefined) customAttributeName(subjectAttribute);
    super(scope, id);
    this.audience = checked;
    this.stsAudience = stsAudience(name);
    this.pool = pool;
    this.providerId = providerId;
    this.issuer = issuer;
    this.dependencies = dependencies;
    this.#subjectAttribute = subjectAttribute;
  }

  /** Checks that the subjects can be bound; the existing condition must admit them. */
  addSubjects(subjects: readonly Subject[]): void {
    const long = subjects.find((subject) => !fitsGoogleSubject(subject));
    if (long && this.#subjectAttribute === undefined)
      fail("google-limit", {
        problem: `subject has ${subjectBytes(long)} bytes, too many for google.subject, and the attribute mapping of an adopted pool provider cannot be changed here`,
        value: long.toString(),
        allowed: "at most 127 bytes",
        remedy:
          "state the subjectAttribute that the adopted pool provider maps assertion.sub to, declare the pool provider here, or use shorter names",
      });
  }

  /** IAM policy member of a service account; by attribute if its subject is too long. */
  principal(subject: Subject): string {
    this.addSubjects([subject]);
    const token = subject.toString();
    const name = this.#subjectAttribute;
    return renderPrincipal(
      this.pool,
      name === undefined || fitsGoogleSubject(subject)
        ? { kind: "subject", subject: token }
        : { kind: "attribute", name, value: token },
    );
  }
}

/** An existing Google service account that workloads act as. */
export interface IWorkloadServiceAccount extends IExistingIdentity, GoogleGrantee {
  /** E-mail address; may be late. */
  readonly email: string;
  /** Lets a Kubernetes service account act as it: `roles/iam.workloadIdentityUser` for its principal. */
  admit(scope: Construct, serviceAccount: Subject, principals: IPrincipals): void;
}

/** Identifies an existing Google service account. */
export interface WorkloadServiceAccountAttributes extends DeclaredProps {
  /** E-mail address; may be late. */
  readonly email: string;
  /**
   * Id of the project of the service account.
   *
   * @defaultValue - read from the address; required if that is late, or `…@developer.gserviceaccount.com`
   */
  readonly project?: string;
  /**
   * Kubernetes service accounts that may act as it already, as `namespace/name`: their bindings are imported.
   *
   * @defaultValue - none: adding an existing member changes nothing
   */
  readonly adoptUsers?: readonly string[];
}

export const WORKLOAD_SERVICE_ACCOUNT_ATTRIBUTES: ObjectKind<WorkloadServiceAccountAttributes> = object({
  ...DECLARED_PROPS.shape,
  email: text,
  project: optional(text),
  adoptUsers: optional(list(text)),
});

/** An existing service account, from `WorkloadServiceAccount.fromEmail`. */
export class AdoptedServiceAccount extends Construct implements IWorkloadServiceAccount {
  readonly cloud: string = "google";
  readonly email: string;
  readonly member: string;
  readonly dependencies: readonly ITerraformDependable[] = [];
  readonly #settings: Pick<AccountUser, "name" | "provider" | "existing">;

  constructor(scope: Construct, id: string, attributes: WorkloadServiceAccountAttributes) {
    super(scope, id);
    const { email, project, provider, adoptUsers: existing } = attributes;
    const owner = at(this, () => projectOfEmail(email, project));
    this.email = email;
    this.member = `serviceAccount:${email}`;
    this.#settings = { name: `projects/${owner}/serviceAccounts/${email}`, provider, existing };
  }

  admit(scope: Construct, subject: Subject, principals: IPrincipals): void {
    admitUser(scope, { ...this.#settings, subject, principals, dependencies: this.dependencies });
  }
}

/** Returns the service account that a line states in `as`. */
export function existingAccount(existing: IExistingIdentity): IWorkloadServiceAccount {
  return isAccount(existing)
    ? existing
    : fail("google-foreign", {
        problem: "an existing identity of cloud google is not a Google service account of this library",
        value: existing.cloud,
        allowed: "WorkloadServiceAccount.fromEmail(…)",
        remedy: "adopt the service account with it",
      });
}

function isAccount(existing: IExistingIdentity): existing is IWorkloadServiceAccount {
  return existing.cloud === "google" && "email" in existing && "admit" in existing;
}

const EMAIL_OF_USERS = /@([a-z0-9-]+)(?:\.([a-z0-9.-]+))?\.iam\.gserviceaccount\.com$/;

/** The project of a service account, which its e-mail address says except for those that Google makes. */
function projectOfEmail(email: string, stated: string | undefined): string {
  if (!isLate(email))
    textOfForm(email, {
      problem: "not the e-mail address of a Google service account",
      pattern: /^[a-z0-9.:-]+@(?:[a-z0-9-]+\.)*gserviceaccount\.com$/,
      allowed: "<id>@<project>.iam.gserviceaccount.com",
      remedy: "use the EMAIL column of `gcloud iam service-accounts list`",
    });
  const [, name, domain] = (!isLate(email) && EMAIL_OF_USERS.exec(email)) || [];
  const project = domain === undefined ? name : `${domain}:${name}`;
  if (stated !== undefined && project !== undefined && stated !== project)
    fail("google-mismatch", {
      problem: "the e-mail address is that of a service account of another project",
      value: email,
      allowed: `an address of project ${stated}`,
      remedy: "correct the address, or leave `project` out",
    });
  return projectId(
    project ??
      stated ??
      fail("google-missing", {
        problem: "the project of the Google service account is not known from its e-mail address",
        value: email,
        remedy: "state `project`",
      }),
  );
}
