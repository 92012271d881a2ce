import { fail } from "../../errors";
import {
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  either,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { partitionOf, partitions, otherPartition } from "../../rules/aws/partitions";
import type { PrivateEcrGrant } from "../../rules/aws/permission";
import {
  type EcrHostOptions,
  ECR_HOST_OPTIONS,
  ecrHost,
  ecrPublicHost,
  repositoryPatterns,
} from "../../rules/aws/registry";
import {
  type EcrSource,
  type IRegistryOwner,
  type OwnerPolicy,
  OWNER_POLICY,
  REGISTRY_OWNER,
  isRegistryOwner,
} from "./registry-source";
import { ownedRepositories } from "./owner-policies";
import { pullRoles } from "./pull";

/** Settings of {@link ecr}. */
export interface EcrProps extends EcrHostOptions {
  /** Account of the registry, 12 digits. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  /** Repository names or patterns, at least one: `shop/web`, `base/*`. `*` stands for any text including slashes. */
  readonly repositories: readonly string[];
  /**
   * Whether the repositories are a pull through cache, so that a pull may fetch an image from upstream; with
   * `createRepositories` a pull may also create the repository.
   *
   * @defaultValue false
   */
  readonly pullThroughCache?: boolean | { readonly createRepositories: boolean };
  /**
   * For a registry in another account than the role's: declares the owner's repository policies, here or in the stack
   * of a `SharedRegistry`; `"elsewhere"` states that they exist.
   *
   * @defaultValue - nothing is declared; if the accounts differ, a warning has the missing statement
   */
  readonly ownerPolicy?: OwnerPolicy | IRegistryOwner | "elsewhere";
}

const CACHE: ObjectKind<{ readonly createRepositories: boolean }> = object({ createRepositories: boolean });

const ECR_PROPS: ObjectKind<EcrProps> = object({
  ...ECR_HOST_OPTIONS.shape,
  account: text,
  region: text,
  repositories: list(text),
  pullThroughCache: optional(either(boolean, CACHE)),
  ownerPolicy: optional(either(choice(["elsewhere"]), OWNER_POLICY, REGISTRY_OWNER)),
});

/** Settings of {@link ecrPublic}. */
export interface EcrPublicProps {
  /**
   * Region in which the plugin calls STS, in partition aws; the host of ECR Public does not name one.
   *
   * @defaultValue - the region of `pullRoles`; required in one of the two
   */
  readonly region?: string;
  /**
   * Repositories as in `public.ecr.aws/<repository>`. The login is not limited to them: ECR Public has no permissions
   * per repository.
   *
   * @defaultValue ["*"]
   */
  readonly repositories?: readonly string[];
}

const ECR_PUBLIC_PROPS: ObjectKind<EcrPublicProps> = object({
  region: optional(text),
  repositories: optional(list(text)),
});

/** Returns repositories of a private ECR registry. */
export function ecr(props: EcrProps): EcrSource {
  checkGiven("ecr()", ECR_PROPS, props);
  const { account, region, ownerPolicy, pullThroughCache = false, fips = false, dualStack = false } = props;
  const host = ecrHost(account, region, { fips, dualStack });
  const grant: PrivateEcrGrant = {
    kind: "private",
    partition: partitionOf(region),
    account,
    region,
    repositories: repositoryPatterns(props.repositories),
    fips,
    dualStack,
    pullThroughCache: pullThroughCache !== false,
    createRepositories: typeof pullThroughCache === "object" && pullThroughCache.createRepositories,
  };
  if (!isRegistryOwner(ownerPolicy)) ownedRepositories(grant.repositories, ownerPolicy);
  const repositories = isRegistryOwner(ownerPolicy) ? ownerPolicy.check(grant) : grant.repositories;
  return {
    cloud: "aws",
    images: repositories.map((repository) => `${host}/${repository}`),
    ownerPolicy,
    grant: { ...grant, repositories },
    defaultIdentities: () => pullRoles(),
  };
}

/** Returns repositories of ECR Public, for pulls with credentials, which have higher limits than anonymous pulls. */
export function ecrPublic(props: EcrPublicProps = {}): EcrSource {
  checkGiven("ecrPublic()", ECR_PUBLIC_PROPS, props);
  const { region } = props;
  const partition = region === undefined ? partitions.find(({ ecrPublic: has }) => has) : partitionOf(region);
  if (!partition?.ecrPublic)
    return fail("aws-mismatch", otherPartition("the region for ECR Public", String(partition?.name), "aws"));
  const repositories = repositoryPatterns(props.repositories ?? ["*"]);
  return {
    cloud: "aws",
    images: repositories.map((repository) => `${ecrPublicHost}/${repository}`),
    ownerPolicy: undefined,
    grant: { kind: "public", partition, region },
    defaultIdentities: () => pullRoles(),
  };
}
