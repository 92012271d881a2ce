import { readRepositoryCondition } from "../../../rules/azure/repository-condition";
import { clientAnswered, validateAzureJson } from "../../../rules/azure/azure-json";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import { own, text } from "../../facts/access";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ServiceAccountFact } from "../../facts/kubernetes-facts";
import type { NodeConfiguration, ProviderEntry } from "../../facts/node-configuration";
import { firstYamlDocument } from "../../facts/embedded";
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
import { type IdentityFact, identitiesByClientId } from "./entra";
import { issuerContainers } from "./issuer-containers";
import { acrPermission, registryHome } from "./permission";
import { type RegistryFact, registries } from "./registries";
import { roleDefinitions } from "./role-definitions";
import { AzureSpokes } from "./spokes";
import { NO_KEYS, entraTrust } from "./trust";

const CLIENT_ID = "kubernetes.azure.com/acr-client-id";
const TENANT_ID = "kubernetes.azure.com/acr-tenant-id";
const REGISTRY = /\/registries\/([^/]+)$/i;

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
  readonly #terraform: Terraform;
  readonly #issuers: PublishedIssuers;
  #access: CloudAccess | undefined;
  #spokes: CloudSpokes | undefined;

  constructor(terraform: Terraform, issuers: PublishedIssuers) {
    this.#terraform = terraform;
    this.#issuers = issuers;
    this.#identities = new Map([...applicationsByClientId(terraform), ...identitiesByClientId(terraform)]);
    this.#registries = registries(terraform);
  }

  get access(): CloudAccess {
    return (this.#access ??= new AzureAccess(
      this.#identityOf,
      roleDefinitions(this.#terraform),
      this.#issuers,
    ));
  }

  get spokes(): CloudSpokes {
    return (this.#spokes ??= new AzureSpokes(this.#terraform, this.#identityOf));
  }

  needs(): readonly "tokens"[] {
    return ["tokens"];
  }

  arguments(entry: ProviderEntry, node: NodeConfiguration): Answer {
    const path = configurationPath(entry);
    if (path === undefined)
      return broken(
        "the entry names no configuration file",
        "give the path of azure.json as the one argument",
        "config file is not specified",
        seen("args of the entry", entry.source),
      );
    const document = azureJson(path, node);
    if (document === undefined)
      return unknown(
        `the plugin's file ${path} is not among what was read`,
        "its useManagedIdentityExtension must be true and its tenantId that of the registry; a file of one's own says so",
        seen("args of the entry", entry.source),
      );
    const [finding] = validateAzureJson(document);
    if (!finding) return pass(`${path} lets the plugin use the token`, seen(path, node.file(path)?.source));
    return broken(
      `${path}: ${finding.field}: ${finding.message}`,
      "write it into the plugin's file",
      SILENT,
      seen(path, node.file(path)?.source),
    );
  }

  answersAnyway(entry: ProviderEntry, node: NodeConfiguration): Answer | undefined {
    const path = configurationPath(entry) ?? "";
    const client = clientAnswered(azureJson(path, node));
    if (client === undefined) return undefined;
    const reason = `the plugin succeeds with the client ID and secret of ${path}, ${client === "some" ? "which may pull" : "which are empty; with credentials there is no anonymous attempt"}`;
    const where = seen(path, node.file(path)?.source);
    return client === "some"
      ? unknown(reason, "do not take such a pull for success of the chain", where)
      : broken(reason, "mend provider-on-node", "event 401 of the registry", where);
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
    return tenantAnswer(text(own(azureJson(configurationPath(entry) ?? "", node), "tenantId")), account);
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
    return (this.#byKey.get(permissionKey)?.identity.assignments ?? []).flatMap(
      ({ scope, condition, role }): readonly ReachedRepositories[] => {
        const [, name] = REGISTRY.exec(scope) ?? [];
        const patterns = condition === "" ? ["*"] : readRepositoryCondition(condition);
        if (name === undefined || patterns === undefined)
          return [{ pattern: `${role} on ${scope}`, comparable: false }];
        return patterns.map((pattern) => ({
          pattern: `${name.toLowerCase()}.azurecr.io/${pattern}`,
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

/** The one positional argument. */
function configurationPath({ args }: ProviderEntry): string | undefined {
  return args.find(
    (argument, index) =>
      !argument.startsWith("-") && !/^(?:--registry-mirror|-r)$/.test(args[index - 1] ?? ""),
  );
}

/** Every service account is asked about the same few files. */
const parsedFiles = new WeakMap<object, unknown>();

function azureJson(path: string, node: NodeConfiguration): unknown {
  const file = node.file(path);
  if (file?.content === undefined) return undefined;
  if (!parsedFiles.has(file)) parsedFiles.set(file, firstYamlDocument(file.content).value ?? {});
  return parsedFiles.get(file);
}
