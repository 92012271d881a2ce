import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { DataAwsIamOpenidConnectProvider } from "@cdktf/provider-aws/lib/data-aws-iam-openid-connect-provider/index.js";
import { DataAwsIamRole } from "@cdktf/provider-aws/lib/data-aws-iam-role/index.js";
import { Fn, type ITerraformDependable, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { stateFact } from "../../model/stated-facts";
import { parseOidcProviderArn, accountId, parseRoleArn, roleArn } from "../../rules/aws/arn";
import { roleName, rolePath } from "../../rules/aws/names";
import { partitionOf } from "../../rules/aws/partitions";
import { awsIssuer, clientIds, literalOidcProviderArn } from "../../rules/aws/provider";
import { pullAnnotations } from "../../rules/aws/pull";
import { withinStack } from "../shared/across-stacks";
import { declaredInAccount, oidcProviderOf } from "./once";
import type {
  EksClusterAttributes,
  IOidcProvider,
  KnownAudiences,
  OidcProviderAttributes,
} from "./provider-props";
import type { PullRoleAttributes } from "./pull-props";
import type { IPullRole } from "./role-props";

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

  constructor(scope: Construct, id: string, arn: string, attributes: KnownAudiences = {}) {
    super(scope, id);
    this.audiences = knownAudiences(attributes);
    const { hostPath } = parseOidcProviderArn(arn);
    this.arn = arn;
    this.issuer = awsIssuer(Issuer.exactly(`https://${hostPath}`));
    this.conditionPrefix = conditionPrefixOf(this, this.issuer);
    stateAudiences(this);
  }
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

export class AdoptedPullRole extends Construct implements IPullRole {
  readonly arn: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dependencies: readonly ITerraformDependable[] = [];

  constructor(scope: Construct, id: string, arn: (scope: Construct) => string) {
    super(scope, id);
    this.arn = arn(this);
    this.annotations = pullAnnotations(this.arn);
  }
}

export function givenArn(arn: string): string {
  return isLate(arn) ? arn : roleArn(parseRoleArn(arn));
}

/** The ARN of a named role: literal with account and region, looked up by Terraform otherwise. */
export function arnOfRoleName(scope: Construct, attributes: PullRoleAttributes): string {
  const { account, region, provider } = attributes;
  const name = roleName(attributes.roleName);
  const path = rolePath(attributes.path ?? "/");
  if (account !== undefined && region !== undefined)
    return roleArn({ partition: partitionOf(region).name, account: accountId(account), path, name });
  return new DataAwsIamRole(scope, "Resource", { name, provider }).arn;
}
