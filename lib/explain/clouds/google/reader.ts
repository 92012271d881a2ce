import { projectPath } from "../../../rules/google/repository";
import { OPT_IN_ANNOTATION, OPT_IN_VALUE } from "../../../rules/google/pull-plugin";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../../facts/node-configuration";
import type { Source } from "../../facts/source";
import type { Terraform } from "../../facts/terraform";
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
import { GoogleAccess } from "./access";
import { Authorities } from "./authorities";
import { googleComputed } from "./computed";
import { type Exchange, poolProviderOf } from "./exchange";
import { GrantIndex } from "./grant-index";
import { downloadDenials } from "./denials";
import { holdsDownload } from "./download-roles";
import { type GrantFact, grantsOf } from "./grants";
import { issuerObjects } from "./issuer-objects";
import { customRoles } from "./member-grants";
import { exchangeOf, pluginArguments } from "./plugin-arguments";
import { type PoolProviderFact, poolProviders } from "./workload-identity";
import { otherFormats } from "./repository-formats";
import { type Granted, type PullPolicies, repositoryPermitted } from "./repository-permission";
import { placeOf } from "./repository-place";
import { GoogleSpokes } from "./spokes";
import { type Members, type Token, attributesOf, managedMembers, membersOf } from "./token";
import { exchangeTrust } from "./trust";

/** Artifact Registry, by auth-provider-gcp. Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential. */
export const googleReader: CloudReader = {
  computed: googleComputed,
  stores: issuerObjects,
  read: (terraform, issuers) => new Google(terraform, issuers),
};

class Google implements Cloud {
  readonly plugin = "gcp";
  readonly annotationKeys: readonly string[] = [OPT_IN_ANNOTATION];
  readonly #poolProviders: readonly PoolProviderFact[];
  readonly #grants: GrantIndex<GrantFact>;
  readonly #policies: PullPolicies;
  readonly #byKey = new Map<string, Granted>();
  readonly #terraform: Terraform;
  #access: CloudAccess | undefined;
  #spokes: CloudSpokes | undefined;

  constructor(terraform: Terraform, issuers: PublishedIssuers) {
    this.#terraform = terraform;
    this.#poolProviders = poolProviders(terraform, issuers);
    this.#grants = new GrantIndex(grantsOf(terraform));
    this.#policies = {
      roles: customRoles(terraform),
      formats: otherFormats(terraform),
      denials: downloadDenials(terraform),
      authorities: new Authorities(terraform),
    };
  }

  get access(): CloudAccess {
    return (this.#access ??= new GoogleAccess(this.#terraform, this.#poolProviders));
  }

  get spokes(): CloudSpokes {
    return (this.#spokes ??= new GoogleSpokes(this.#terraform));
  }

  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[] {
    return exchangeOf(entry)?.kind === "custom" ? ["tokens", "custom-pools"] : ["tokens"];
  }

  arguments(
    entry: ProviderEntry,
    _node: NodeConfiguration,
    _repository: Repository,
    cluster: ClusterRecord,
  ): Answer {
    return pluginArguments(entry, cluster);
  }

  annotations({ entry, account }: TrustQuestion): Answer {
    const where = seen("annotations of the service account", account.source);
    const value = handedOver(entry, account, OPT_IN_ANNOTATION);
    if (value === OPT_IN_VALUE) return pass("the service account opts in", where);
    return broken(
      `the plugin needs ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}" to the letter, it is handed ${value ?? "nothing"}`,
      account.annotations.get(OPT_IN_ANNOTATION) === OPT_IN_VALUE
        ? "list the key in requiredServiceAccountAnnotationKeys"
        : `annotate the service account with ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`,
      `${SILENT}: at verbosity 4 of the plugin "Standard flow active: Workload Identity is disabled, using Node Service Account for image: …"`,
      where,
      seen("tokenAttributes", entry.source),
    );
  }

  trust({ cluster, entry, namespace, name }: TrustQuestion): TrustAnswer {
    const exchange = exchangeOf(entry);
    if (exchange === undefined) {
      const answer = unknown("the plugin is told no pool", "see provider-on-node");
      return { issuer: answer, audience: answer, subject: answer, identity: undefined };
    }
    const token: Token = {
      claims: { subject: `system:serviceaccount:${namespace}:${name}`, namespace, name },
      issuer: cluster.issuer,
      audience: entry.tokenAttributes?.audience ?? "",
    };
    const poolProvider = this.#poolProviderOf(exchange);
    const [issuer, audience, subject] = exchangeTrust({ ...token, exchange, poolProvider });
    const members = this.#members(exchange, poolProvider, token);
    return {
      issuer,
      audience,
      subject,
      identity: this.#identity(members, poolProvider?.source ?? entry.source),
    };
  }

  permission({ permissionKey }: CloudIdentity, repository: Repository): PermissionAnswer {
    const login = pass("Artifact Registry takes the federated token itself; there is no login to permit");
    const place = placeOf(repository);
    if (place === undefined)
      return {
        login,
        repository: unknown(`${repository.name} names no repository of Artifact Registry`, "check the image"),
      };
    const granted = this.#byKey.get(permissionKey) ?? { certain: [], possible: [] };
    return { login, repository: repositoryPermitted(granted, place, this.#policies) };
  }

  reach({ permissionKey }: CloudIdentity): readonly ReachedRepositories[] {
    const grants = this.#byKey.get(permissionKey)?.certain ?? [];
    return grants
      .filter(({ role }) => holdsDownload(role, this.#policies.roles))
      .map(({ place, project, location, repository }) =>
        place === "repository"
          ? {
              pattern: `${location}-docker.pkg.dev/${projectPath(project)}/${repository}/*`,
              comparable: true,
            }
          : { pattern: `every repository of ${REACH[place]} ${project}`, comparable: false },
      );
  }

  #poolProviderOf(exchange: Exchange): PoolProviderFact | undefined {
    if (exchange.kind === "managed") return undefined;
    return poolProviderOf(exchange, this.#poolProviders);
  }

  #members(exchange: Exchange, poolProvider: PoolProviderFact | undefined, token: Token): Members {
    return exchange.kind === "managed"
      ? managedMembers(exchange, token.claims, (ending) => this.#grants.membersEnding(ending))
      : membersOf(
          exchange,
          attributesOf(poolProvider?.mapping, token),
          token.claims,
          this.#otherNumber(poolProvider?.poolNumber),
        );
  }

  #otherNumber(number: string | undefined): string | undefined {
    return number !== undefined && this.#grants.namesProject(number) ? number : undefined;
  }

  #identity({ label, known, open }: Members, source: Source): CloudIdentity {
    const { key, ...granted } = this.#grants.of(known, open);
    this.#byKey.set(key, granted);
    return { label, permissionKey: key, source: granted.certain[0]?.source ?? source };
  }
}

const REACH = { project: "the project", above: "every project in" } as const;
