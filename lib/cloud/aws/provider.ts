import {
  IamOpenidConnectProvider,
  type IamOpenidConnectProviderConfig,
} from "@cdktf/provider-aws/lib/iam-openid-connect-provider/index.js";
import {
  Annotations,
  type ITerraformDependable,
  TerraformElement,
  type TerraformProvider,
  TerraformStack,
  Lazy,
} from "cdktf";
import { Construct } from "constructs";
import { at, fail, type Problem } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { checkGiven, checkProps } from "../../model/shape";
import { tagArguments } from "../../rules/aws/names";
import { partitionOf } from "../../rules/aws/partitions";
import { awsIssuer, clientIds, literalOidcProviderArn, thumbprintList } from "../../rules/aws/provider";
import { stableHash } from "../../rules/names";
import { waitFor } from "../shared/across-stacks";
import { issuerHost, publishersOf } from "../shared/issuer-hosts";
import { keepNames, resolved } from "../shared/kept-names";
import { preventDestroy } from "../shared/prevent-destroy";
import {
  AdoptedOidcProvider,
  OidcProviderOfArn,
  conditionPrefixOf,
  oidcProviderOfEksCluster,
} from "./adopted";
import {
  declareInAccount,
  declaredInAccount,
  oidcProviderOf,
  declareOnce,
  declaredOnce,
  onceKey,
  sharedId,
} from "./once";
import { checkProviderPlace } from "./place";
import {
  type EksClusterAttributes,
  type IOidcProvider,
  type OidcProviderFacts,
  type OidcProviderAttributes,
  type OidcProviderProps,
  type SharedOidcProviderProps,
  EKS_CLUSTER_ATTRIBUTES,
  OIDC_PROVIDER_FACTS,
  OIDC_PROVIDER_ATTRIBUTES,
  OIDC_PROVIDER_PROPS,
  SHARED_OIDC_PROVIDER_PROPS,
} from "./provider-props";
import { lateValue } from "../../model/problems";

/** Properties on which all users of a shared OIDC provider must agree if they state them. */
const AGREED = ["account", "thumbprints"] as const;

/**
 * Makes the issuer of a cluster known to an AWS account, so that IAM roles can trust its service account tokens.
 *
 * AWS has one OIDC provider per issuer and account, so a stack declares it once: use `OidcProvider.forIssuer` if
 * several parts of a stack need it, and a `from…` static if another stack or tool owns it.
 *
 * Thumbprints are left out by default: AWS trusts public certificate authorities, and an invented fingerprint would be
 * worse than none.
 */
export class OidcProvider extends Construct implements IOidcProvider {
  /** The Terraform resource. */
  readonly resource: IamOpenidConnectProvider;
  /** Its ARN; literal if account, region and issuer are known at synth. */
  readonly arn: string;
  /** Its issuer. */
  readonly issuer: Issuer;
  /** The issuer without `https://`. */
  readonly conditionPrefix: string;
  /** The resource, for roles whose trust policy names the literal ARN and which must wait for it. */
  readonly dependencies: readonly ITerraformDependable[];
  #props: OidcProviderProps;

  constructor(scope: Construct, id: string, props: OidcProviderProps) {
    checkProps(new.target.name, scope, id, OIDC_PROVIDER_PROPS, props);
    super(scope, id);
    const { issuer, arn, key, config } = at(this, () => settingsOf(this, props));

    this.resource = new IamOpenidConnectProvider(this, "Resource", config);
    preventDestroy(this.resource);
    // IAM requests the certificate of the issuer's host.
    if (!issuer.late) waitFor(this.resource, publishersOf(this, issuer.url));
    if (props.adopt && arn !== undefined) this.resource.importFrom(arn, props.provider);
    keepNames(this.resource, { names: { url: issuer.url }, statedBy: "issuer" });
    declareOnce(this, key);
    declareInAccount(this, oidcProviderOf(issuer, props.account));
    if (lacksThumbprint(props)) Annotations.of(this).addWarning(NO_THUMBPRINT);

    this.issuer = issuer;
    this.conditionPrefix = conditionPrefixOf(this, issuer);
    this.arn = arn ?? this.resource.arn;
    this.dependencies = [this.resource];
    this.#props = props;
  }

  /** Returns an existing OIDC provider; with `issuer` its ARN may be late. */
  static fromArn(scope: Construct, id: string, arn: string, facts: OidcProviderFacts = {}): IOidcProvider {
    checkProps("OidcProvider.fromArn()", scope, id, OIDC_PROVIDER_FACTS, facts);
    return new OidcProviderOfArn(scope, id, arn, facts);
  }

  /** Returns an existing OIDC provider; its ARN is literal with account and region, otherwise Terraform looks it up. */
  static fromIssuer(scope: Construct, id: string, attributes: OidcProviderAttributes): IOidcProvider {
    checkProps("OidcProvider.fromIssuer()", scope, id, OIDC_PROVIDER_ATTRIBUTES, attributes);
    return new AdoptedOidcProvider(scope, id, attributes);
  }

  /** Returns the existing OIDC provider of an EKS cluster; Terraform looks both up. */
  static fromEksCluster(scope: Construct, id: string, attributes: EksClusterAttributes): IOidcProvider {
    checkProps("OidcProvider.fromEksCluster()", scope, id, EKS_CLUSTER_ATTRIBUTES, attributes);
    return oidcProviderOfEksCluster(scope, id, attributes);
  }

  /**
   * Returns the stack's OIDC provider of an issuer. The first call declares it; every call adds its audience.
   *
   * The tags of all calls are merged.
   */
  static forIssuer(scope: Construct, props: SharedOidcProviderProps): OidcProvider {
    checkGiven("OidcProvider.forIssuer()", SHARED_OIDC_PROVIDER_PROPS, props);
    const { audience, ...rest } = props;
    const stack = TerraformStack.of(scope);
    const issuer = awsIssuer(props.issuer);
    const issuerName = nameOf(stack, issuer);
    const known = declaredOnce(scope, onceKey(props.provider, "oidc-provider", issuerName));
    if (!(known instanceof OidcProvider)) {
      const id = idFor(stack, issuer, issuerName, props.provider);
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

  /** Adds an audience, unless it is already there. */
  addAudience(audience: string): void {
    const ids = [...this.audiences, audience];
    this.resource.clientIdList = at(this, () => clientIds(ids));
  }

  /** Adds what an earlier user left open: tags, thumbprints, and that it exists. */
  #take({ tags, thumbprints, adopt, account, region, provider }: SharedOidcProviderProps): void {
    const allTags = tags && { ...this.#props.tags, ...tags };
    const tagged = tagArguments(allTags);
    const fingerprints = thumbprints && thumbprintList(thumbprints);
    const arn = adopt && !this.#props.adopt ? arnToAdopt(this.issuer, account, region) : undefined;
    if (tagged) this.resource.tags = tagged;
    if (fingerprints) this.resource.thumbprintList = fingerprints;
    if (arn !== undefined) this.resource.importFrom(arn, provider);
    this.#props = {
      ...this.#props,
      ...(allTags && { tags: allTags }),
      ...(thumbprints && { thumbprints }),
      ...(adopt && { adopt }),
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
  "the OIDC provider has no thumbprint, but the documentation of partition aws-cn still requires one: set `thumbprints`";

function lacksThumbprint({ region, thumbprints }: OidcProviderProps): boolean {
  return !thumbprints && region !== undefined && partitionOf(region).name === "aws-cn";
}

/** A late issuer is identified by its Terraform expression: equal expressions have equal values. */
function nameOf(stack: TerraformStack, issuer: Issuer): string {
  return String(resolved(stack, issuer.url));
}

/** Construct id of a shared OIDC provider; two late issuers of one source differ by a hash of their expressions. */
function idFor(
  stack: TerraformStack,
  issuer: Issuer,
  name: string,
  provider: TerraformProvider | undefined,
): string {
  const shared = (...parts: readonly string[]): string => sharedId("oidc-provider", provider, ...parts);
  if (!issuer.late) return shared(issuer.hostPath);
  const source = sourceOf(stack, issuer, name);
  const id = shared(...source);
  return source.length > 0 && !stack.node.tryFindChild(id) ? id : shared(...source, stableHash([name]));
}

/**
 * Where a late issuer comes from, as ids from the stack down: the construct that publishes it, otherwise the resource,
 * data source, variable or local that its expression names.
 */
function sourceOf(stack: TerraformStack, issuer: Issuer, expression: string): readonly string[] {
  const words = new Set(expression.match(/[\w-]+/g));
  const source =
    issuerHost(stack, issuer.url) ??
    stack.node
      .findAll()
      .find((each) => TerraformElement.isTerraformElement(each) && words.has(each.friendlyUniqueId));
  const ids = (source?.node.scopes ?? []).map(({ node }) => node.id);
  return (source && TerraformStack.of(source) === stack ? ids.slice(stack.node.scopes.length) : ids).filter(
    (id) => id !== "" && id !== "Resource",
  );
}

function settingsOf(
  construct: Construct,
  props: OidcProviderProps,
): { issuer: Issuer; arn: string | undefined; key: string; config: IamOpenidConnectProviderConfig } {
  const { provider, thumbprints, account, region } = props;
  const tags = tagArguments(props.tags);
  const issuer = awsIssuer(props.issuer);
  const partition = region === undefined || isLate(region) ? undefined : partitionOf(region).name;
  checkProviderPlace(construct, { partition, account, provider });
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
        "pass that one as `oidcProvider` of a trust, pullRoles(), componentRoles() or workloadRoles(), also in another stack; or share it with OidcProvider.forIssuer in the same stack, or refer to it with OidcProvider.fromIssuer, in which case it must already accept all audiences",
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
      tags,
      provider,
    },
  };
}

function arnToAdopt(issuer: Issuer, account: string | undefined, region: string | undefined): string {
  return (
    literalOidcProviderArn(issuer, account, region) ??
    fail("late-value", lateValue("ARN of the OIDC provider to adopt (issuer, account and region)"))
  );
}

function declaredOtherwise(property: string, value: unknown, by: string): Problem {
  return {
    problem: `an OIDC provider of this issuer is already declared with another ${property}, by ${by}`,
    value,
    remedy:
      "AWS has one OIDC provider per issuer and account: state this property only once, or the same each time",
  };
}

interface TrustedProviderProps extends Omit<OidcProviderProps, "issuer" | "audiences"> {
  /** The OIDC provider of the cluster's issuer; by default declared once per stack. */
  readonly oidcProvider?: IOidcProvider;
}

/** Returns one per issuer of the cluster, by label; a stated OIDC provider is used for its own issuer. */
function ofEachIssuer(
  issuer: Issuer,
  props: TrustedProviderProps,
  of: (issuer: Issuer, props: TrustedProviderProps) => IOidcProvider,
): readonly IOidcProvider[] {
  const { oidcProvider, adopt, ...others } = props;
  if (oidcProvider === undefined && issuer.additionalIssuers.length === 0) return [of(issuer, props)];
  const stated = oidcProvider && (issuer.accepted.find((each) => each.equals(oidcProvider.issuer)) ?? issuer);
  // Resources that existed before the move belong to the issuer without a label.
  return issuer.accepted.map((each) =>
    of(each, { ...others, ...(each === stated ? { oidcProvider } : { adopt: adopt && !each.label }) }),
  );
}

/** Returns a cluster's OIDC providers: the stated one, or the stack's own with the audiences added. */
export function declaredProviders(
  scope: Construct,
  issuer: Issuer,
  audiences: readonly string[],
  props: TrustedProviderProps,
): readonly IOidcProvider[] {
  return ofEachIssuer(issuer, props, (each, own) => declaredProvider(scope, each, audiences, own));
}

/** OIDC providers in the form that the role of a component needs. */
export type TrustedProviders = ReturnType<typeof trustedProviders>;

export function trustedProviders([first, ...others]: readonly IOidcProvider[]): {
  readonly oidcProvider: IOidcProvider;
  readonly additionalOidcProviders: readonly IOidcProvider[];
} {
  return { oidcProvider: first as IOidcProvider, additionalOidcProviders: others };
}

function declaredProvider(
  scope: Construct,
  issuer: Issuer,
  audiences: readonly string[],
  props: TrustedProviderProps,
): IOidcProvider {
  const { oidcProvider, account, region, tags, provider, adopt, thumbprints } = props;
  if (oidcProvider) requireIssuer(oidcProvider, issuer);
  if (oidcProvider instanceof OidcProvider)
    for (const audience of audiences) oidcProvider.addAudience(audience);
  if (oidcProvider) return oidcProvider;
  const [audience = "", ...more] = audiences;
  const stated = { account, region, tags, provider, adopt, thumbprints };
  const declared = OidcProvider.forIssuer(scope, { issuer, audience, ...stated });
  for (const each of more) declared.addAudience(each);
  return declared;
}

/** Returns what {@link declaredProviders} will return, as far as needed to check roles before anything is declared. */
export function expectedProviders(
  issuer: Issuer,
  audiences: readonly string[],
  props: TrustedProviderProps,
): readonly IOidcProvider[] {
  return ofEachIssuer(issuer, props, (each, own) => expectedProvider(each, audiences, own));
}

function expectedProvider(
  issuer: Issuer,
  audiences: readonly string[],
  { oidcProvider, account, region }: Pick<TrustedProviderProps, "oidcProvider" | "account" | "region">,
): IOidcProvider {
  if (oidcProvider) requireIssuer(oidcProvider, issuer);
  const own = oidcProvider instanceof OidcProvider ? oidcProvider : undefined;
  const accepted = clientIds([...audiences, ...(own?.audiences ?? [])]);
  if (own) {
    const { arn, conditionPrefix, dependencies } = own;
    return { arn, issuer: own.issuer, conditionPrefix, dependencies, audiences: accepted };
  }
  if (oidcProvider) return oidcProvider;
  const checked = awsIssuer(issuer);
  return {
    arn: literalOidcProviderArn(checked, account, region) ?? LATE_TEXT,
    issuer: checked,
    conditionPrefix: checked.late ? LATE_TEXT : checked.hostPath,
    audiences: accepted,
    dependencies: [],
  };
}

/** Placeholder for a late ARN or host while roles are checked; never written. */
const LATE_TEXT = Lazy.stringValue({ produce: () => "" });

function requireIssuer(oidcProvider: IOidcProvider, issuer: Issuer): void {
  if (oidcProvider.issuer.late || issuer.late || oidcProvider.issuer.equals(issuer)) return;
  fail("aws-mismatch", {
    problem: "the OIDC provider belongs to another issuer than the cluster",
    value: oidcProvider.issuer.url,
    allowed: issuer.url,
    remedy: "pass the OIDC provider of this cluster's issuer, or leave it out so that one is declared",
  });
}
