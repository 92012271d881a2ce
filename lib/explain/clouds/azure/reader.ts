import { readRepositoryCondition } from "../../../rules/azure/repository-condition";
import { azureCloud } from "../../../rules/azure/clouds";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ServiceAccountFact } from "../../facts/kubernetes-facts";
import type { NodeConfiguration, ProviderEntry } from "../../facts/node-configuration";
import { type Terraform, isLateText, sameText } from "../../facts/terraform";
import type {
  Cloud,
  CloudIdentity,
  CloudReader,
  PermissionAnswer,
  ReachedRepositories,
  Repository,
  TrustAnswer,
  TrustQuestion,
} from "../cloud";
import type { CloudAccess } from "../cloud-access";
import type { CloudSpokes } from "../cloud-spokes";
import { handedOver } from "../handed-over";
import type { PublishedIssuers } from "../published-issuers";
import { AzureAccess } from "./access";
import { applicationsByClientId } from "./applications";
import type { IdentityFact } from "./entra";
import type { RoleDefinitions } from "./granted-operations";
import { identitiesByClientId } from "./identities";
import { issuerContainers } from "./issuer-containers";
import { acrPermission, registryHome, scopedRegistry } from "./permission";
import { argumentProblem } from "./plugin-arguments";
import { answeredAnyway, fileAnswer, pluginTenant } from "./plugin-file";
import { type RegistryFact, registries } from "./registries";
import { RoleAssignments } from "./role-assignments";
import { roleDefinitions } from "./role-definitions";
import { AzureSpokes } from "./spokes";
import { foreignTenant } from "./tenants";
import { NO_KEYS, entraTrust } from "./trust";

const CLIENT_ID = "kubernetes.azure.com/acr-client-id";
const TENANT_ID = "kubernetes.azure.com/acr-tenant-id";

/** ACR, by acr-credential-provider. Source: kubernetes-sigs/cloud-provider-azure, pkg/credentialprovider. */
export const azureReader: CloudReader = {
  computed: [],
  stores: issuerContainers,
  read: (terraform, issuers) => new Azure(terraform, issuers),
};

class Azure implements Cloud {
  readonly plugin = "acr";
  readonly annotationKeys: readonly string[] = [CLIENT_ID, TENANT_ID];
  readonly #identities: ReadonlyMap<string, IdentityFact>;
  readonly #registries: readonly RegistryFact[];
  readonly #byKey = new Map<string, AskedIdentity>();
  readonly #definitions: RoleDefinitions;
  readonly #terraform: Terraform;
  readonly #issuers: PublishedIssuers;
  #access: CloudAccess | undefined;
  #spokes: CloudSpokes | undefined;

  constructor(terraform: Terraform, issuers: PublishedIssuers) {
    this.#terraform = terraform;
    this.#issuers = issuers;
    this.#definitions = roleDefinitions(terraform);
    const roles = new RoleAssignments(terraform, this.#definitions);
    this.#identities = new Map([
      ...applicationsByClientId(terraform, roles),
      ...identitiesByClientId(terraform, roles),
    ]);
    this.#registries = registries(terraform);
  }

  get access(): CloudAccess {
    return (this.#access ??= new AzureAccess(this.#identityOf, this.#definitions, this.#issuers));
  }

  get spokes(): CloudSpokes {
    return (this.#spokes ??= new AzureSpokes(this.#terraform, this.#identityOf));
  }

  needs(): readonly "tokens"[] {
    return ["tokens"];
  }

  arguments(
    entry: ProviderEntry,
    node: NodeConfiguration,
    registry: Pick<Repository, "host">,
    cluster: ClusterRecord,
  ): Answer {
    const problem = argumentProblem(entry, registry, cluster);
    if (problem?.status === "fail") return problem;
    const file = fileAnswer(entry, node, registry.host);
    return file.status === "fail" ? file : (problem ?? file);
  }

  answersAnyway(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined {
    return answeredAnyway(entry, node);
  }

  annotations({ entry, account, node }: TrustQuestion): Answer {
    const where = seen("annotations of the service account", account.source);
    const missing = this.annotationKeys.find((key) => (handedOver(entry, account, key) ?? "") === "");
    if (missing !== undefined) {
      const unlisted = (account.annotations.get(missing) ?? "") !== "";
      return broken(
        unlisted
          ? `the entry does not list ${missing} among its annotation keys, so the kubelet does not hand it on`
          : `the service account has no ${missing}, or an empty one`,
        unlisted ? "list the key in requiredServiceAccountAnnotationKeys" : `annotate it with ${missing}`,
        `${missing === CLIENT_ID ? "client" : "tenant"} id annotation ${missing} is not found or the value is empty`,
        where,
        seen("tokenAttributes", entry.source),
      );
    }
    const told = tenantAnswer(pluginTenant(entry, node), account);
    if (told.status === "fail") return told;
    const [client = "", tenant = ""] = this.annotationKeys.map((key) => handedOver(entry, account, key));
    const remedy = `write the tenant of the identity into ${TENANT_ID} and into the plugin's file`;
    return foreignTenant(this.#identityOf(client), TENANT_ID, tenant, remedy, where) ?? told;
  }

  trust({ cluster, entry, account, namespace, name }: TrustQuestion): TrustAnswer {
    const clientId = handedOver(entry, account, CLIENT_ID) ?? "";
    const identity = this.#identityOf(clientId);
    const [trusted, audience, subject] = entraTrust({
      identity,
      issuer: cluster.issuer,
      subject: `system:serviceaccount:${namespace}:${name}`,
      audience: entry.tokenAttributes?.audience ?? "",
    });
    const issuer = this.#issuers.judged(trusted, cluster.issuer, NO_KEYS);
    if (identity === undefined) return { issuer, audience, subject, identity: undefined };
    const label = isLateText(clientId) ? identity.label : `client id ${clientId}`;
    return {
      issuer,
      audience,
      subject,
      identity: { label, permissionKey: this.#key(identity, cluster), source: identity.source },
    };
  }

  permission({ permissionKey }: CloudIdentity, repository: Repository): PermissionAnswer {
    const asked = this.#byKey.get(permissionKey);
    if (asked) {
      const stated = asked.registries?.[registryHome(repository.host)]?.["roleAssignmentMode"] ?? "";
      return acrPermission(asked.identity, repository, this.#registries, stated);
    }
    const answer = unknown("the identity is not among what was read", "name its Terraform as well");
    return { login: answer, repository: answer };
  }

  reach({ permissionKey }: CloudIdentity): readonly ReachedRepositories[] {
    const identity = this.#byKey.get(permissionKey)?.identity;
    const suffix = azureCloud(identity?.cloud ?? "AzurePublicCloud").acrSuffix;
    return (identity?.assignments ?? []).flatMap(
      ({ scope, condition, role }): readonly ReachedRepositories[] => {
        const name = scopedRegistry(scope);
        const patterns = condition === "" ? ["*"] : readRepositoryCondition(condition);
        if (name === "" || patterns === undefined)
          return [{ pattern: `${role} on ${scope}`, comparable: false }];
        return patterns.map((pattern) => ({
          pattern: `${name}.${suffix}/${pattern}`,
          comparable: true,
        }));
      },
    );
  }

  readonly #identityOf = (clientId: string): IdentityFact | undefined =>
    this.#identities.get(clientId.toLowerCase());

  /** Assignments are made to one identity each, so that each has a key of its own; clusters may state other modes. */
  #key(identity: IdentityFact, { registries: stated }: ClusterRecord): string {
    const key = `${identity.source.file} ${identity.label} ${statedText(stated)}`;
    this.#byKey.set(key, { identity, registries: stated });
    return key;
  }
}

/** An identity, and what the cluster that asks knows of registries. */
interface AskedIdentity {
  readonly identity: IdentityFact;
  readonly registries: ClusterRecord["registries"];
}

/** Every service account of a cluster is asked about with the same few registries. */
const statedTexts = new WeakMap<object, string>();

function statedText(stated: ClusterRecord["registries"]): string {
  if (stated === undefined) return "";
  const known = statedTexts.get(stated) ?? JSON.stringify(stated);
  statedTexts.set(stated, known);
  return known;
}

/** The annotation's tenant against that of the plugin's file, which the exchange with the registry uses. */
function tenantAnswer(tenant: string, account: ServiceAccountFact): Answer {
  const where = seen("annotations of the service account", account.source);
  const annotated = account.annotations.get(TENANT_ID) ?? "";
  const same = tenant === "" ? "same" : sameText(tenant, annotated);
  if (same === "same") return pass("the plugin is told client and tenant", where);
  if (same === "unknown")
    return unknown(
      "whether annotation and plugin's file name one tenant is known only after apply",
      "state the tenant as a literal, or take both from one attribute",
      where,
    );
  return broken(
    `the annotation names the tenant ${annotated}, the plugin's file ${tenant}, which the exchange with the registry uses`,
    "identity and registry must be in the tenant of the plugin's file",
    SILENT,
    where,
  );
}
