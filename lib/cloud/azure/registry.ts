import type { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { IPullIdentities, IPullSource } from "../../model/pulls";
import { type ObjectKind, checkGiven, list, object, optional, text } from "../../model/shape";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { parseRegistryId } from "../../rules/azure/names";
import { type RegistryPull, type RoleAssignmentMode, pullRole } from "../../rules/azure/permission";
import {
  type LoginServer,
  loginServerOf,
  parseLoginServer,
  repositoryPatterns,
} from "../../rules/azure/registry";
import { waitForDeclared } from "../shared/declared-names";
import { type RegistryStack, REGISTRY_STACK } from "../shared/registry-stack";

/** A container registry to pull from. */
export interface AcrProps {
  /**
   * Resource id of the registry, `/subscriptions/…/providers/Microsoft.ContainerRegistry/registries/<name>`.
   *
   * May be late if `loginServer` is given. The registry must be in the tenant of the identity.
   */
  readonly registry: string;
  /**
   * Kind of roles that the registry honours: `az acr show --query roleAssignmentMode`.
   *
   * It has no default, because a wrong guess fails only at the pull: `LegacyRegistryPermissions` honours `AcrPull`,
   * `AbacRepositoryPermissions` ignores it.
   */
  readonly roleAssignmentMode: RoleAssignmentMode;
  /**
   * Host in image names. Needed for a registry with a domain name label (`name-hash.azurecr.io`) and for pulls
   * through a regional host (`name.region.geo.azurecr.io`).
   *
   * @defaultValue - the registry's name in lower case and the cloud's suffix
   */
  readonly loginServer?: string;
  /**
   * Repositories that may be pulled: `shop/web`, or a prefix `shop/*`.
   *
   * Only in mode `AbacRepositoryPermissions`; the other mode cannot limit a pull.
   *
   * @defaultValue - every repository of the registry
   */
  readonly repositories?: readonly string[];
  /**
   * The Azure cloud of the registry.
   *
   * @defaultValue - the cloud of `loginServer`, otherwise `AzurePublicCloud`
   */
  readonly cloud?: AzureCloudName;
  /**
   * The owner's stack, in which role assignments are declared for pulls of clusters in other stacks.
   *
   * @defaultValue - role assignments are declared with the identities
   */
  readonly owner?: RegistryStack;
}

const ACR_PROPS: ObjectKind<AcrProps> = object({
  registry: text,
  roleAssignmentMode: text,
  loginServer: optional(text),
  repositories: optional(list(text)),
  cloud: optional(text),
  owner: optional(REGISTRY_STACK),
});

const SOURCE = Symbol.for("cdktf-workload-identity/azure/acr");

/** A container registry, or some of its repositories, as a pull source, returned by {@link acr}. */
export class AcrSource implements IPullSource<Construct>, RegistryPull {
  /** Always `azure`. */
  readonly cloud: string = "azure";
  /** `<login server>/<repository>` for each pattern, or `<login server>/*`. */
  readonly images: readonly string[];
  /** Resource id of the registry; may be late. */
  readonly registry: string;
  /** The registry's host in its parts. */
  readonly loginServer: LoginServer;
  /** Kind of roles that the registry honours. */
  readonly roleAssignmentMode: RoleAssignmentMode;
  /** Checked patterns; `undefined` for every repository. */
  readonly repositories: readonly string[] | undefined;
  /** The owner's stack for role assignments; `undefined` if they are declared with the identities. */
  readonly owner: RegistryStack | undefined;

  constructor(pull: RegistryPull, owner?: RegistryStack) {
    this.registry = pull.registry;
    this.loginServer = pull.loginServer;
    this.roleAssignmentMode = pull.roleAssignmentMode;
    this.repositories = pull.repositories;
    this.owner = owner;
    this.images = (pull.repositories ?? ["*"]).map((pattern) => `${pull.loginServer.host}/${pattern}`);
    Object.defineProperty(this, SOURCE, { value: true });
  }

  /** Throws: an identity needs a resource group and a location, which have no default. */
  defaultIdentities(): IPullIdentities<Construct> {
    return fail("azure-missing", {
      problem:
        "pulls from a container registry need a managed identity, which has no default resource group and location",
      remedy:
        "set `identities: [pullIdentities({ resourceGroupName, location })]` with the /azure subpath, or `pullIdentities()` if every line has `as`",
    });
  }
}

/** A container registry to pull from. */
export function acr(props: AcrProps): AcrSource {
  checkGiven("acr()", ACR_PROPS, props);
  const { registry, roleAssignmentMode } = props;
  const registryName = isLate(registry) ? undefined : parseRegistryId(registry).name;
  const loginServer = loginServerFor(props, registryName);
  const { limitsRepositories } = pullRole(roleAssignmentMode);
  const repositories = repositoryPatterns(props.repositories);
  if (repositories && !limitsRepositories)
    fail("azure-unsupported", {
      problem:
        "repositories cannot be limited in a registry of mode LegacyRegistryPermissions: AcrPull covers the whole registry",
      value: repositories,
      remedy:
        "leave repositories out to grant the whole registry, or change the registry to AbacRepositoryPermissions",
    });
  return new AcrSource({ registry, loginServer, roleAssignmentMode, repositories }, props.owner);
}

/** Returns a source made by {@link acr}, also by another copy of the package. */
export function acrSource(source: IPullSource<Construct>): AcrSource {
  return isAcrSource(source)
    ? source
    : fail("azure-foreign", {
        problem: "a pull source of cloud azure was not created by acr()",
        value: source.images,
        remedy: "create it with acr() of the /azure subpath",
      });
}

/** Makes a role assignment wait for the registry if its stack declares it; a late id is a reference. */
export function waitForRegistry(assignment: TerraformResource, registry: string): void {
  if (isLate(registry)) return;
  // Unique in all of Azure.
  waitForDeclared(assignment, "azurerm_container_registry", { name: parseRegistryId(registry).name });
}

function isAcrSource(source: IPullSource<Construct>): source is AcrSource {
  return SOURCE in source;
}

function loginServerFor(props: AcrProps, registryName: string | undefined): LoginServer {
  const cloud = props.cloud === undefined ? undefined : azureCloud(props.cloud).name;
  if (props.loginServer === undefined) {
    if (registryName === undefined)
      return fail("azure-missing", {
        problem:
          "the registry's resource id is known only after apply, so its login server cannot be derived",
        allowed: "a literal resource id, or loginServer in addition",
        remedy: "set loginServer, for example myteam.azurecr.io: images and matchImages contain it",
      });
    return parseLoginServer(loginServerOf(registryName, cloud ?? "AzurePublicCloud"));
  }
  const loginServer = parseLoginServer(props.loginServer);
  if (registryName !== undefined && loginServer.registryName !== registryName.toLowerCase())
    fail("azure-mismatch", {
      problem: `login server does not belong to the registry ${registryName}`,
      value: props.loginServer,
      allowed: `a host that begins with ${registryName.toLowerCase()}`,
      remedy: "use the resource id and the login server of the same registry",
    });
  if (cloud !== undefined && cloud !== loginServer.cloud)
    fail("azure-mismatch", {
      problem: "login server is in another Azure cloud than the others",
      value: props.loginServer,
      allowed: azureCloud(cloud).acrSuffix,
      remedy: "pull from one Azure cloud per cluster: the plugin's azure.json names only one",
    });
  return loginServer;
}
