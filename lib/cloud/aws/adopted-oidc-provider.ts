import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { DataAwsIamOpenidConnectProvider } from "@cdktf/provider-aws/lib/data-aws-iam-openid-connect-provider/index.js";
import { Fn, type ITerraformDependable, TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { stateFact } from "../../model/stated-facts";
import { parseOidcProviderArn, awsIssuer, clientIds, literalOidcProviderArn } from "../../rules/aws/provider";
import { withinStack } from "../shared/across-stacks";
import type {
  EksClusterAttributes,
  IOidcProvider,
  KnownAudiences,
  OidcProviderAttributes,
} from "./oidc-provider-props";
import { declaredInAccount, oidcProviderOf } from "./once-per-account";

/** An OIDC provider that exists already; made by the `from…` statics of `OidcProvider`. */
export class AdoptedOidcProvider extends Construct implements IOidcProvider {
  /** Its ARN; late where Terraform looks it up. */
  readonly arn: string;
  /** The issuer that it stands for. */
  readonly issuer: Issuer;
  /** The issuer without `https://`. */
  readonly conditionPrefix: string;
  /** The audiences as stated; `undefined` where they are not known. */
  readonly audiences: readonly string[] | undefined;
  /** Nothing, since it exists; the declared one, where the app declared it before, in another stack say. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, attributes: OidcProviderAttributes) {
    super(scope, id);
    const { provider, account, region } = attributes;
    this.audiences = knownAudiences(attributes);
    this.issuer = awsIssuer(attributes.issuer);
    this.conditionPrefix = conditionPrefixOf(this.issuer);
    this.dependencies = declaredResource(this, this.issuer, account);
    const order = withinStack(this, this.dependencies);
    this.arn =
      literalOidcProviderArn(this.issuer, account, region) ??
      new DataAwsIamOpenidConnectProvider(this, "Resource", {
        url: this.issuer.url,
        ...(order.length > 0 ? { dependsOn: [...order] } : {}),
        ...(provider ? { provider } : {}),
      }).arn;
    stateAudiences(this);
  }
}

/** What another part of the app declares for the issuer in that account: whoever trusts it comes after. */
function declaredResource(
  scope: Construct,
  issuer: Issuer,
  account: string | undefined,
): readonly TerraformResource[] {
  const resource = declaredInAccount(scope, oidcProviderOf(issuer, account))?.node.defaultChild;
  return resource && TerraformResource.isTerraformResource(resource) ? [resource] : [];
}

/** The OIDC provider of a literal ARN; throws `aws-arn-invalid`, `aws-client-ids-invalid`, `audience-invalid` or `late-value`. */
export class OidcProviderOfArn extends Construct implements IOidcProvider {
  /** The ARN as given. */
  readonly arn: string;
  /** The issuer, read from the ARN. */
  readonly issuer: Issuer;
  /** The issuer without `https://`. */
  readonly conditionPrefix: string;
  /** The audiences as stated; `undefined` where they are not known. */
  readonly audiences: readonly string[] | undefined;
  /** Nothing: it exists. */
  readonly dependencies: readonly ITerraformDependable[] = [];

  constructor(scope: Construct, id: string, arn: string, attributes: KnownAudiences = {}) {
    super(scope, id);
    this.audiences = knownAudiences(attributes);
    const { hostPath } = parseOidcProviderArn(arn);
    this.arn = arn;
    this.issuer = awsIssuer(Issuer.exactly(`https://${hostPath}`));
    this.conditionPrefix = conditionPrefixOf(this.issuer);
    stateAudiences(this);
  }
}

/** The issuer without `https://`, taken off by Terraform where the issuer is known only after apply. */
export function conditionPrefixOf(issuer: Issuer): string {
  return issuer.late ? Fn.trimprefix(issuer.url, "https://") : issuer.hostPath;
}

/** Where both are literal, `explain` can judge the audience without the Terraform that declares the OIDC provider. */
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
    ...(region === undefined ? {} : { region }),
    ...(provider ? { provider } : {}),
  });
  return new AdoptedOidcProvider(scope, id, {
    issuer: Issuer.of(cluster.identity.get(0).oidc.get(0).issuer),
    ...(provider ? { provider } : {}),
    ...(audiences ? { audiences } : {}),
  });
}
