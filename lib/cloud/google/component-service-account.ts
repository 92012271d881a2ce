import { Construct } from "constructs";
import { fail } from "../../errors";
import {
  type ComponentGrant,
  type ComponentSecret,
  COMPONENT_AUDIENCE,
  COMPONENT_TOKEN_PATH,
} from "../../model/components";
import { encode } from "../../model/late";
import { externalAccountFile } from "../../rules/google/workload";
import { type ComponentPlan, planComponent } from "./component-plan";
import {
  type ComponentServiceAccountProps,
  COMPONENT_SERVICE_ACCOUNT_PROPS,
} from "./component-service-account-props";
import { FederatedServiceAccount } from "./federated-service-account";
import { OidcProvider } from "./oidc-provider";
import type { IOidcProvider } from "./oidc-provider-props";
import { ProjectRole } from "./project-role";
import { RoleBinding } from "./role-binding";
import { universeIn } from "./universe";
import { checkProps } from "../../model/shape";

/** Key in the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";

/**
 * What one OpenShift component acts as on Google Cloud: a service account that its Kubernetes service accounts may
 * act as, a custom role of exactly its permissions, bindings on the project, and the Secret with the credential file.
 *
 * The Secret is final at synthesis where the project number is literal.
 */
export class ComponentServiceAccount extends Construct {
  /** The service account, and who may act as it. */
  readonly account: FederatedServiceAccount;
  /** The custom role; `undefined` where the request has no permissions of its own, or shares a role declared elsewhere. */
  readonly role: ProjectRole | undefined;
  /** The roles on the project. */
  readonly bindings: readonly RoleBinding[];
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /** Request, e-mail address and Secret together. */
  readonly grant: ComponentGrant;

  /**
   * Throws what {@link FederatedServiceAccount}, {@link ProjectRole} and {@link RoleBinding} throw,
   * `audience-mismatch`, `google-universe-invalid`, `google-universe-mismatch`, and for the request
   * `google-request-kind`, `google-request-field`, `google-request-list`, `google-request-brokered`,
   * `google-request-empty`, `google-adopt-condition`, `google-setting-contradicts`; `cluster-name-invalid`.
   */
  constructor(scope: Construct, id: string, props: ComponentServiceAccountProps) {
    checkProps(new.target.name, scope, id, COMPONENT_SERVICE_ACCOUNT_PROPS, props);
    const { oidcProvider, request, project, provider } = props;
    const plan = planComponent(props);
    const universe = universeIn(scope, props);
    checkComponentAudience(oidcProvider);
    ComponentServiceAccount.check(scope, plan, props);
    super(scope, id);
    this.role = plan.role && new ProjectRole(this, "role", plan.role);
    this.account = new FederatedServiceAccount(this, "account", {
      ...plan.account,
      project,
      principals: oidcProvider,
      serviceAccounts: request.subjects,
      adopt: props.adopt,
      provider,
    });
    this.node.defaultChild = this.account;
    this.bindings = this.#bind(plan, props);
    const file = externalAccountFile({
      stsAudience: oidcProvider.stsAudience,
      tokenPath: request.cloudTokenPath ?? COMPONENT_TOKEN_PATH,
      impersonate: this.account.email,
      universeDomain: universe,
    });
    this.secret = { ...request.secret, data: { [SECRET_KEY]: encode("base64", file) } };
    this.grant = {
      request,
      identity: this.account.email,
      secret: this.secret,
      places: [`projects/${project}`],
      ...(plan.intends && { intends: plan.intends }),
    };
  }

  /** Throws where an object of the plan cannot be declared in the scope: a name that is taken, a policy that is full. */
  static check(
    scope: Construct,
    plan: ComponentPlan,
    { project }: Pick<ComponentServiceAccountProps, "project">,
  ): void {
    FederatedServiceAccount.check(scope, { ...plan.account, project });
    if (plan.role) ProjectRole.check(scope, plan.role);
    RoleBinding.checkRoom(scope, plan.grants);
  }

  #bind(plan: ComponentPlan, { provider }: ComponentServiceAccountProps): readonly RoleBinding[] {
    return plan.grants.map(({ role, target, condition, reason }) => {
      const own = this.role?.name === role ? this.role : undefined;
      const id = own ? "grant_custom" : `grant_${role.replace(/[^a-zA-Z0-9]+/g, "_")}`;
      return RoleBinding.once(this, id, {
        role,
        project: target,
        member: this.account.member,
        dependencies: [...this.account.dependencies, ...(own?.dependencies ?? [])],
        condition,
        reason,
        provider,
      });
    });
  }
}

/** Components ask for tokens of one audience only. Throws `audience-mismatch`. */
export function checkComponentAudience(oidcProvider: IOidcProvider): void {
  const allowed = oidcProvider instanceof OidcProvider ? oidcProvider.audiences : [oidcProvider.audience];
  if (!allowed.includes(COMPONENT_AUDIENCE))
    fail(
      "audience-mismatch",
      `pool provider ${oidcProvider.providerId}`,
      allowed.join(", "),
      COMPONENT_AUDIENCE,
      "let the pool provider allow openshift too (`audiences`, or `audience` of an adopted one), or leave oidcProvider out to have one declared",
    );
}
