import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { Issuer } from "../../model/issuer";
import type { Subject } from "../../model/subject";
import { customAttributeName, fitsGoogleSubject, subjectBytes } from "../../rules/google/mapping";
import { workloadIdentityId } from "../../rules/google/names";
import { defaultAudience, renderPrincipal, stsAudience } from "../../rules/google/provider";
import type { IWorkloadIdentityPool } from "./pool";
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
    const text = subject.toString();
    const name = this.#subjectAttribute;
    return renderPrincipal(
      this.pool,
      name === undefined || fitsGoogleSubject(subject)
        ? { kind: "subject", subject: text }
        : { kind: "attribute", name, value: text },
    );
  }
}
