import { IamOpenidConnectProvider } from "@cdktf/provider-aws/lib/iam-openid-connect-provider/index.js";
import {
  Annotations,
  DefaultTokenResolver,
  type ITerraformDependable,
  StringConcat,
  TerraformStack,
  Tokenization,
} from "cdktf";
import { Construct } from "constructs";
import { at, fail, type Problem } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { awsIssuer, clientIds, literalOidcProviderArn, thumbprintList } from "../../rules/aws/provider";
import { partitionOf } from "../../rules/aws/partitions";
import { tagArguments } from "../../rules/aws/names";
import { waitFor } from "../shared/across-stacks";
import { publishersOf } from "../shared/issuer-hosts";
import { keepNames } from "../shared/kept-names";
import {
  AdoptedOidcProvider,
  OidcProviderOfArn,
  conditionPrefixOf,
  oidcProviderOfEksCluster,
} from "./adopted-oidc-provider";
import {
  type EksClusterAttributes,
  type IOidcProvider,
  type KnownAudiences,
  type OidcProviderAttributes,
  type OidcProviderProps,
  type SharedOidcProviderProps,
  EKS_CLUSTER_ATTRIBUTES,
  KNOWN_AUDIENCES,
  OIDC_PROVIDER_ATTRIBUTES,
  OIDC_PROVIDER_PROPS,
  SHARED_OIDC_PROVIDER_PROPS,
} from "./oidc-provider-props";
import { declareInAccount, declaredInAccount, oidcProviderOf } from "./once-per-account";
import { declareOnce, declaredOnce, onceKey, sharedId } from "./once-per-stack";
import { checkGiven, checkProps } from "../../model/shape";

/** What every user of a shared OIDC provider must agree on, where it is stated. */
const AGREED = ["account", "thumbprints"] as const;

/**
 * Makes the issuer of a cluster known to an AWS account, so that IAM roles can trust its service account tokens.
 *
 * AWS has one OIDC provider per issuer and account, so a stack declares it once: take `OidcProvider.forIssuer`
 * where several parts of a stack need it, and a `from…` static where another stack or tool owns it.
 *
 * Thumbprints are left out by default. AWS trusts a public certificate authority, and an invented fingerprint
 * would be worse than none.
 */
export class OidcProvider extends Construct implements IOidcProvider {
  /** The Terraform resource. */
  readonly resource: IamOpenidConnectProvider;
  /** Its ARN; literal where account, region and issuer are known at synth. */
  readonly arn: string;
  /** The issuer that it stands for. */
  readonly issuer: Issuer;
  /** The issuer without `https://`. */
  readonly conditionPrefix: string;
  /** The resource, for roles whose trust names the literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];
  #props: OidcProviderProps;

  /**
   * Throws `issuer-invalid`, `issuer-trailing-slash`, `aws-issuer-unusable`, `aws-client-ids-invalid`,
   * `audience-invalid`, `aws-thumbprints-invalid`, `aws-tags-invalid`, `aws-account-invalid`, `aws-region-unknown`, and
   * `aws-oidc-provider-taken` where the stack, or with `account` another stack of the app, has one of that issuer
   * already; with `adopt`, `late-value` where its ARN is not known at synth.
   */
  constructor(scope: Construct, id: string, props: OidcProviderProps) {
    checkProps(new.target.name, scope, id, OIDC_PROVIDER_PROPS, props);
    super(scope, id);
    const { issuer, arn, key, config } = at(this, () => settingsOf(this, props));

    this.resource = new IamOpenidConnectProvider(this, "Resource", config);
    // IAM asks the issuer's host for its certificate.
    if (!issuer.late) waitFor(this.resource, publishersOf(this, issuer.url));
    if (props.adopt && arn !== undefined) this.resource.importFrom(arn, props.provider);
    keepNames(this.resource, { names: { url: issuer.url }, statedBy: "issuer" });
    declareOnce(this, key);
    declareInAccount(this, oidcProviderOf(issuer, props.account));
    if (lacksThumbprint(props)) Annotations.of(this).addWarning(NO_THUMBPRINT);

    this.issuer = issuer;
    this.conditionPrefix = conditionPrefixOf(issuer);
    this.arn = arn ?? this.resource.arn;
    this.dependencies = [this.resource];
    this.#props = props;
  }

  /** An existing OIDC provider; throws `aws-arn-invalid`, or `late-value` since the issuer is read from the ARN. */
  static fromArn(scope: Construct, id: string, arn: string, attributes: KnownAudiences = {}): IOidcProvider {
    checkProps("OidcProvider.fromArn()", scope, id, KNOWN_AUDIENCES, attributes);
    return new OidcProviderOfArn(scope, id, arn, attributes);
  }

  /**
   * An existing OIDC provider: its ARN is literal with account and region, and looked up by Terraform otherwise.
   *
   * Throws `issuer-invalid`, `issuer-trailing-slash`, `aws-issuer-unusable`, `issuer-cluster-internal`,
   * `aws-account-invalid` or `aws-region-unknown`.
   */
  static fromIssuer(scope: Construct, id: string, attributes: OidcProviderAttributes): IOidcProvider {
    checkProps("OidcProvider.fromIssuer()", scope, id, OIDC_PROVIDER_ATTRIBUTES, attributes);
    return new AdoptedOidcProvider(scope, id, attributes);
  }

  /** The existing OIDC provider of an EKS cluster, both looked up by Terraform. */
  static fromEksCluster(scope: Construct, id: string, attributes: EksClusterAttributes): IOidcProvider {
    checkProps("OidcProvider.fromEksCluster()", scope, id, EKS_CLUSTER_ATTRIBUTES, attributes);
    return oidcProviderOfEksCluster(scope, id, attributes);
  }

  /**
   * The stack's OIDC provider of an issuer, declared at the first call; every call adds its audience.
   *
   * Tags of all calls are joined. Throws `aws-oidc-provider-conflict` where a later call states another account, other
   * thumbprints, or another value of a tag.
   */
  static forIssuer(scope: Construct, props: SharedOidcProviderProps): OidcProvider {
    checkGiven("OidcProvider.forIssuer()", SHARED_OIDC_PROVIDER_PROPS, props);
    const { audience, ...rest } = props;
    const stack = TerraformStack.of(scope);
    const issuer = awsIssuer(props.issuer);
    const issuerName = nameOf(stack, issuer);
    const known = declaredOnce(scope, onceKey(props.provider, "oidc-provider", issuerName));
    if (!(known instanceof OidcProvider)) {
      const id = sharedId("oidc-provider", props.provider, issuer.late ? issuerName : issuer.hostPath);
      return new OidcProvider(stack, id, { ...rest, issuer, audiences: [audience] });
    }
    known.#agree(props);
    known.#take(props);
    known.addAudience(audience);
    return known;
  }

  /** The audiences that it accepts, sorted. */
  get audiences(): readonly string[] {
    return this.resource.clientIdListInput ?? [];
  }

  /** Adds an audience; nothing happens where it is there. Throws `audience-invalid` or `aws-client-ids-invalid`. */
  addAudience(audience: string): void {
    const ids = [...this.audiences, audience];
    this.resource.clientIdList = at(this, () => clientIds(ids));
  }

  /** What the first user left open and a later one states: tags, thumbprints, and that it exists. */
  #take({ tags, thumbprints, adopt, account, region, provider }: SharedOidcProviderProps): void {
    const all = tags && { ...this.#props.tags, ...tags };
    const tagged = tagArguments(all);
    const fingerprints = thumbprints && thumbprintList(thumbprints);
    const arn = adopt && !this.#props.adopt ? arnToAdopt(this.issuer, account, region) : undefined;
    if (tagged) this.resource.tags = tagged;
    if (fingerprints) this.resource.thumbprintList = fingerprints;
    if (arn !== undefined) this.resource.importFrom(arn, provider);
    this.#props = {
      ...this.#props,
      ...(all ? { tags: all } : {}),
      ...(thumbprints ? { thumbprints } : {}),
      ...(adopt ? { adopt } : {}),
    };
  }

  #agree(props: SharedOidcProviderProps): void {
    for (const property of AGREED) {
      const [stated, known] = [props[property], this.#props[property]];
      const both = stated !== undefined && known !== undefined;
      const differs = both && JSON.stringify(stated) !== JSON.stringify(known);
      if (differs) fail("aws-conflict", declaredOtherwise(property, stated, this.node.path));
    }
    const known = this.#props.tags ?? {};
    const twice = Object.entries(props.tags ?? {}).find(
      ([key, value]) => Object.hasOwn(known, key) && known[key] !== value,
    );
    if (twice) fail("aws-conflict", declaredOtherwise(`tag ${twice[0]}`, twice[1], this.node.path));
  }
}

const NO_THUMBPRINT =
  "the OIDC provider has no thumbprint; the documentation of partition aws-cn still asks for one: give `thumbprints`";

function lacksThumbprint({ region, thumbprints }: OidcProviderProps): boolean {
  return !thumbprints && region !== undefined && partitionOf(region).name === "aws-cn";
}

/** A late issuer is told apart by the Terraform expression that it stands for: equal text, equal value. */
function nameOf(stack: TerraformStack, issuer: Issuer): string {
  if (!issuer.late) return issuer.url;
  const resolver = new DefaultTokenResolver(new StringConcat());
  return String(Tokenization.resolve(issuer.url, { scope: stack, resolver, preparing: false }));
}

interface Settings {
  readonly issuer: Issuer;
  readonly arn: string | undefined;
  readonly key: string;
  readonly config: ConstructorParameters<typeof IamOpenidConnectProvider>[2];
}

function settingsOf(construct: Construct, props: OidcProviderProps): Settings {
  const { provider, thumbprints } = props;
  const tags = tagArguments(props.tags);
  const issuer = awsIssuer(props.issuer);
  const name = nameOf(TerraformStack.of(construct), issuer);
  const key = onceKey(provider, "oidc-provider", name);
  const known =
    declaredOnce(construct, key) ?? declaredInAccount(construct, oidcProviderOf(issuer, props.account));
  if (known)
    fail("aws-conflict", {
      problem: `OIDC provider of this issuer is already declared by ${known.node.path}`,
      value: name,
      allowed: "one OIDC provider per issuer and account",
      remedy:
        "use that one, as `oidcProvider` of a trust, of pullRoles(), componentRoles() or workloadRoles(), in another stack too; within a stack OidcProvider.forIssuer shares it, elsewhere OidcProvider.fromIssuer adopts it, and the declared one must accept the audiences of all",
    });
  const arn = props.adopt
    ? arnToAdopt(issuer, props.account, props.region)
    : literalOidcProviderArn(issuer, props.account, props.region);
  return {
    issuer,
    arn,
    key,
    config: {
      url: issuer.url,
      clientIdList: clientIds(props.audiences),
      ...(thumbprints ? { thumbprintList: thumbprintList(thumbprints) } : {}),
      ...(tags ? { tags } : {}),
      ...(provider ? { provider } : {}),
    },
  };
}

/** The ARN of what exists; throws `late-value` where it is not known at synth. */
function arnToAdopt(issuer: Issuer, account: string | undefined, region: string | undefined): string {
  return (
    literalOidcProviderArn(issuer, account, region) ??
    fail("late-value", "ARN of the OIDC provider to adopt (issuer, account and region)")
  );
}

/** What is wrong with … */
function declaredOtherwise(property: string, value: unknown, by: string): Problem {
  return {
    problem: `an OIDC provider of this issuer is already declared with another ${property}, by ${by}`,
    value,
    remedy: "AWS has one OIDC provider per issuer and account: state the property once",
  };
}
