import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { DataAwsIamOpenidConnectProvider } from "@cdktf/provider-aws/lib/data-aws-iam-openid-connect-provider/index.js";
import { DataAwsIamRole } from "@cdktf/provider-aws/lib/data-aws-iam-role/index.js";
import {
  Fn,
  type ITerraformDependable,
  TerraformLocal,
  type TerraformProvider,
  TerraformResource,
  TerraformStack,
} from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { IExistingIdentity } from "../../model/identity";
import { type GivenIssuer, Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { stateFact } from "../../model/stated-facts";
import { parseOidcProviderArn, accountId, parseRoleArn, roleArn } from "../../rules/aws/arn";
import { roleName, rolePath } from "../../rules/aws/names";
import { otherPartition, partitionOf } from "../../rules/aws/partitions";
import { awsIssuer, clientIds, literalOidcProviderArn } from "../../rules/aws/provider";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { accessAnnotations } from "../../rules/aws/workload";
import { withinStack } from "../shared/across-stacks";
import { declaredInAccount, oidcProviderOf } from "./once";
import type {
  EksClusterAttributes,
  IOidcProvider,
  KnownAudiences,
  OidcProviderAttributes,
  OidcProviderFacts,
} from "./provider-props";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import type { AccountRolesProps, IWorkloadRole } from "./role-props";

const SCHEME = "https://";

export class AdoptedOidcProvider extends Construct implements IOidcProvider {
  /** Its ARN; late if Terraform looks it up. */
  readonly arn: string;
  readonly issuer: Issuer;
  readonly conditionPrefix: string;
  readonly audiences: readonly string[] | undefined;
  /** Empty for an existing one; if the app declares it, perhaps in another stack, its resource. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, attributes: OidcProviderAttributes) {
    super(scope, id);
    const { provider, account, region } = attributes;
    this.audiences = knownAudiences(attributes);
    this.issuer = awsIssuer(attributes.issuer);
    this.conditionPrefix = conditionPrefixOf(this, this.issuer);
    this.dependencies = declaredResource(this, this.issuer, account);
    const order = withinStack(this, this.dependencies);
    this.arn =
      literalOidcProviderArn(this.issuer, account, region) ??
      new DataAwsIamOpenidConnectProvider(this, "Resource", {
        url: this.issuer.url,
        ...(order.length > 0 ? { dependsOn: [...order] } : {}),
        provider,
      }).arn;
    stateAudiences(this);
  }
}

/** Returns the resource if the app declares this OIDC provider elsewhere, so that roles wait for it. */
function declaredResource(
  scope: Construct,
  issuer: Issuer,
  account: string | undefined,
): readonly TerraformResource[] {
  const resource = declaredInAccount(scope, oidcProviderOf(issuer, account))?.node.defaultChild;
  return resource && TerraformResource.isTerraformResource(resource) ? [resource] : [];
}

export class OidcProviderOfArn extends Construct implements IOidcProvider {
  readonly arn: string;
  readonly issuer: Issuer;
  readonly conditionPrefix: string;
  readonly audiences: readonly string[] | undefined;
  readonly dependencies: readonly ITerraformDependable[] = [];

  constructor(scope: Construct, id: string, arn: string, facts: OidcProviderFacts) {
    super(scope, id);
    this.audiences = knownAudiences(facts);
    this.arn = arn;
    this.issuer = awsIssuer(at(this, () => issuerOfArn(arn, facts.issuer)));
    this.conditionPrefix = conditionPrefixOf(this, this.issuer);
    stateAudiences(this);
  }
}

function issuerOfArn(arn: string, stated: GivenIssuer | undefined): Issuer {
  const statedIssuer = stated === undefined ? undefined : Issuer.of(stated);
  if (isLate(arn))
    return (
      statedIssuer ??
      fail("aws-missing", {
        problem:
          "the ARN of the OIDC provider is known only after apply, so its issuer cannot be read from it",
        allowed: "a literal ARN, or a late one with `issuer`",
        remedy: "state the issuer: OidcProvider.fromArn(…, { issuer })",
      })
    );
  const issuer = Issuer.exactly(`https://${parseOidcProviderArn(arn).hostPath}`);
  if (statedIssuer && !statedIssuer.late && !statedIssuer.equals(issuer))
    fail("aws-mismatch", {
      problem: "the ARN of the OIDC provider is that of another issuer",
      value: arn,
      allowed: statedIssuer.url,
      remedy: "correct the ARN, or leave `issuer` out",
    });
  return issuer;
}

/**
 * The issuer without `https://`, as a literal or a plain reference: a policy is JSON, which the quotes of a function
 * call would end. Where the scheme itself is late, a local removes it.
 */
export function conditionPrefixOf(scope: Construct, issuer: Issuer): string {
  if (!issuer.late || issuer.url.startsWith(SCHEME)) return issuer.url.slice(SCHEME.length);
  return new TerraformLocal(scope, "IssuerHost", Fn.trimprefix(issuer.url, SCHEME)).asString;
}

/** Records literal audiences, so that `explain` can check them without the OIDC provider's own Terraform. */
function stateAudiences({ node, arn, audiences }: IOidcProvider & Construct): void {
  const stack = node.scopes.find((each) => TerraformStack.isStack(each));
  if (stack && audiences && !isLate(arn)) stateFact(stack, "aws", "oidcProviders", { arn, audiences });
}

function knownAudiences({ audiences }: KnownAudiences): readonly string[] | undefined {
  return audiences === undefined ? undefined : clientIds(audiences);
}

/** The OIDC provider of an EKS cluster, both looked up by Terraform; its ARN and issuer are late. */
export function oidcProviderOfEksCluster(
  scope: Construct,
  id: string,
  { clusterName, region, provider, audiences }: EksClusterAttributes,
): IOidcProvider {
  const cluster = new DataAwsEksCluster(scope, `${id}-cluster`, {
    name: clusterName,
    region,
    provider,
  });
  return new AdoptedOidcProvider(scope, id, {
    issuer: Issuer.of(cluster.identity.get(0).oidc.get(0).issuer),
    provider,
    audiences,
  });
}

/** An existing role; `annotationsOf` returns what a service account needs to use it. */
export class AdoptedRole extends Construct implements IWorkloadRole {
  readonly cloud: string = "aws";
  readonly arn: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dependencies: readonly ITerraformDependable[] = [];

  constructor(
    scope: Construct,
    id: string,
    arn: (scope: Construct) => string,
    annotationsOf: (arn: string) => Readonly<Record<string, string>>,
  ) {
    super(scope, id);
    this.arn = at(this, () => arn(this));
    this.annotations = annotationsOf(this.arn);
  }
}

export function adoptedWorkloadRole(scope: Construct, id: string, arn: string): IWorkloadRole {
  const annotationsOf = (own: string) => accessAnnotations(own, defaultAwsAudience);
  return new AdoptedRole(scope, id, () => givenArn(arn), annotationsOf);
}

/** Returns the role that a line states in `as`; refuses one that is not of the stated account and partition. */
export function existingRole(
  existing: IExistingIdentity,
  { account, region }: Pick<AccountRolesProps, "account" | "region">,
): IWorkloadRole {
  if (!isRole(existing))
    return fail("aws-foreign", {
      problem: "an existing identity of cloud aws is not an IAM role of this library",
      value: existing.cloud,
      allowed: "WorkloadRole.fromArn(…), PullRole.fromArn(…), or a role that is declared",
      remedy: "adopt the role with one of these",
    });
  if (isLate(existing.arn)) return existing;
  const role = parseRoleArn(existing.arn);
  if (account !== undefined && role.account !== account)
    fail("aws-mismatch", {
      problem: "the existing IAM role is in another account than the one that is stated",
      value: existing.arn,
      allowed: `a role of account ${account}`,
      remedy: "correct the ARN, or leave `account` out if roles of several accounts are meant",
    });
  if (region !== undefined && role.partition !== partitionOf(region).name)
    fail("aws-mismatch", otherPartition("the existing IAM role", role.partition, partitionOf(region).name));
  return existing;
}

function isRole(existing: IExistingIdentity): existing is IWorkloadRole {
  return existing.cloud === "aws" && "arn" in existing && "dependencies" in existing;
}

export function givenArn(arn: string): string {
  return isLate(arn) ? arn : roleArn(parseRoleArn(arn));
}

/** Identifies an existing role. */
export interface PullRoleAttributes {
  /** Name of the role, without path. */
  readonly roleName: string;
  /**
   * Its account, 12 digits.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly account?: string;
  /**
   * Any region of the partition.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly region?: string;
  /**
   * Path of the role.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * Terraform provider of the lookup.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const PULL_ROLE_ATTRIBUTES: ObjectKind<PullRoleAttributes> = object({
  roleName: text,
  account: optional(text),
  region: optional(text),
  path: optional(text),
  provider: optional(PROVIDER),
});

/** The ARN of a named role: literal with account and region, looked up by Terraform otherwise. */
export function arnOfRoleName(scope: Construct, attributes: PullRoleAttributes): string {
  const { account, region, provider } = attributes;
  const name = roleName(attributes.roleName);
  const path = rolePath(attributes.path ?? "/");
  if (account !== undefined && region !== undefined)
    return roleArn({ partition: partitionOf(region).name, account: accountId(account), path, name });
  return new DataAwsIamRole(scope, "Resource", { name, provider }).arn;
}
