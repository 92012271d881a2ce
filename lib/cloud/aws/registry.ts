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
  /** Repository names, or patterns with `*` for any text, slashes included: `shop/web`, `base/*`. At least one. */
  readonly repositories: readonly string[];
  /**
   * Whether the repositories are a pull through cache, so that a pull may fetch an image from upstream;
   * `createRepositories` where a pull may also create the repository.
   *
   * @defaultValue false
   */
  readonly pullThroughCache?: boolean | { readonly createRepositories: boolean };
  /**
   * For a registry of another account than the role's: declares the owner's repository policies, here or in the stack of
   * a `SharedRegistry`, or says that they exist.
   *
   * @defaultValue - nothing is declared; with a warning that holds the statement, where the accounts differ
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
   * Region that the plugin calls STS in, since the host of ECR Public names none; of partition aws.
   *
   * @defaultValue - the region of `pullRoles`; needed in one of the two
   */
  readonly region?: string;
  /**
   * Repositories as in `public.ecr.aws/<repository>`. The login is not limited to them: ECR Public knows no
   * permission per repository.
   *
   * @defaultValue ["*"]
   */
  readonly repositories?: readonly string[];
}

const ECR_PUBLIC_PROPS: ObjectKind<EcrPublicProps> = object({
  region: optional(text),
  repositories: optional(list(text)),
});

/** Repositories of a private registry of ECR. */
export function ecr(props: EcrProps): EcrSource {
  checkGiven("ecr()", ECR_PROPS, props);
  const { account, region, ownerPolicy, pullThroughCache = false, fips = false, dualStack = false } = props;
  const host = ecrHost(account, region, { fips, dualStack });
  const repositories = repositoryPatterns(props.repositories);
  const grant: PrivateEcrGrant = {
    kind: "private",
    partition: partitionOf(region),
    account,
    region,
    repositories,
    fips,
    dualStack,
    pullThroughCache: pullThroughCache !== false,
    createRepositories: typeof pullThroughCache === "object" && pullThroughCache.createRepositories,
  };
  if (isRegistryOwner(ownerPolicy)) ownerPolicy.check(grant);
  else ownedRepositories(repositories, ownerPolicy);
  return {
    cloud: "aws",
    images: repositories.map((repository) => `${host}/${repository}`),
    ownerPolicy,
    grant,
    defaultIdentities: () => pullRoles(),
  };
}

/** ECR Public, pulled from with credentials for its higher limits; anonymous pulls need none of this. */
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
