import type { Construct } from "constructs";
import { at } from "../../errors";
import type { AccountRequest } from "../../model/identity";
import type {
  AccessDeclaration,
  AccessGrant,
  AccessRequest,
  IAccess,
  IWorkloadIdentities,
  PodFragment,
} from "../../model/workloads";
import { podToken } from "../../rules/aws/workload";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { derivedRoleName } from "../../rules/aws/names";
import { awsAccessOf } from "./aws-access";
import type { IOidcProvider } from "./oidc-provider-props";
import { declaredProvider, expectedProvider } from "./trusted-provider";
import { WorkloadRole } from "./workload-role";
import { workloadRolePlan } from "./workload-role-plan";
import type { WorkloadRoleProps } from "./workload-role-props";
import { type WorkloadRolesProps, WORKLOAD_ROLES_PROPS } from "./workload-roles-props";
import { checkGiven } from "../../model/shape";

/** Keeps a service account's role apart from the one that it pulls images as. */
const NAME_END = "access";
const NOTHING: PodFragment = { labels: {}, env: [], volumeMounts: [], volumes: [] };

/**
 * One role per service account, named `<cluster>_<namespace>_<service account>_access`, and the OIDC provider that
 * they trust. The pod identity webhook hands the role to pods whose service account has the annotation.
 *
 * Throws, when the workloads are declared, what `OidcProvider.forIssuer` and `WorkloadRole` throw; besides,
 * `aws-issuer-mismatch` for an OIDC provider of another issuer. Everything is checked before a role is declared.
 */
export function workloadRoles(props: WorkloadRolesProps = {}): IWorkloadIdentities<Construct> {
  checkGiven("workloadRoles()", WORKLOAD_ROLES_PROPS, props);
  return {
    cloud: "aws",
    job: "workloads",
    declare: (scope, request) => declareWorkloads(scope, request, props),
  };
}

function declareWorkloads(
  scope: Construct,
  { clusterName, issuer, accounts, withoutWebhook = false }: AccessRequest<Construct>,
  props: WorkloadRolesProps,
): AccessDeclaration {
  const audience = props.audience ?? defaultAwsAudience;
  const expected = expectedProvider(issuer, [audience], props);
  const planned = accounts.map((account) => roleProps(account, clusterName, expected, props));
  planned.forEach((own, index) =>
    at({ node: { path: `workload ${accounts[index]?.subject.key ?? ""}` } }, () =>
      workloadRolePlan(scope, own),
    ),
  );
  const oidcProvider = declaredProvider(scope, issuer, [audience], props);
  return {
    grants: accounts.map((account): AccessGrant => {
      const { subject } = account;
      // Neither a namespace nor a service account name can hold `_`, so two subjects never share an id.
      const id = `${subject.namespace}_${subject.name}`;
      const role = new WorkloadRole(scope, id, roleProps(account, clusterName, oidcProvider, props));
      return {
        subject,
        identity: role.arn,
        principal: { name: role.arn, dependencies: role.dependencies },
        annotations: role.annotations,
        // The webhook adds volume, mount and environment to the pods.
        pod: withoutWebhook ? podToken({ roleArn: role.arn, audience, ...regionOf(props) }) : NOTHING,
      };
    }),
  };
}

function regionOf({ region }: WorkloadRolesProps): Pick<WorkloadRolesProps, "region"> {
  return region === undefined ? {} : { region };
}

function roleProps(
  { subject, asks }: AccountRequest<IAccess<Construct>>,
  clusterName: string,
  oidcProvider: IOidcProvider,
  { audience = defaultAwsAudience, namePrefix, oidcProvider: _, ...place }: WorkloadRolesProps,
): WorkloadRoleProps {
  return {
    ...place,
    trusts: [{ oidcProvider, serviceAccounts: [subject], audience }],
    access: asks.map(awsAccessOf),
    roleName: derivedRoleName([clusterName, subject.namespace, subject.name, NAME_END], namePrefix),
  };
}
