import { projectPath } from "../../../rules/google/repository";
import { parseGoogleRegistryHost } from "../../../rules/google/registry-host";
import { OPT_IN_ANNOTATION, OPT_IN_VALUE } from "../../../rules/google/pull-plugin";
import { managedPoolId } from "../../../rules/google/workload-identity-names";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { NodeConfiguration, ProviderEntry } from "../../facts/node-configuration";
import { type Terraform, isLateText } from "../../facts/terraform";
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
import { handedOver } from "../handed-over";
import { type TokenClaims, membersOf } from "./attributes";
import { type Exchange, exchangeTrust } from "./trust";
import { type GrantFact, type PoolProviderFact, grantsByMember, poolProviders } from "./workload-identity";

/** Roles that may download. Source: cloud.google.com/artifact-registry/docs/access-control, "Roles". */
const ROLES: ReadonlySet<string> = new Set(
  ["reader", "writer", "repoAdmin", "admin", "createOnPushWriter", "createOnPushRepoAdmin"].map(
    (name) => `roles/artifactregistry.${name}`,
  ),
);

const STS_AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** Artifact Registry, by auth-provider-gcp. Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential. */
export const googleReader: CloudReader = {
  executables: /^(?:auth-provider-gcp|gcp-credential-provider|gcr-credential-provider)/,
  computed: [],
  read: (terraform) => new Google(terraform),
};

interface Grants {
  readonly label: string;
  readonly grants: readonly GrantFact[];
}

class Google implements Cloud {
  readonly plugin = "gcp";
  readonly annotationKeys: readonly string[] = [OPT_IN_ANNOTATION];
  readonly #poolProviders: readonly PoolProviderFact[];
  readonly #grants: ReadonlyMap<string, readonly GrantFact[]>;
  readonly #byKey = new Map<string, Grants>();

  constructor(terraform: Terraform) {
    this.#poolProviders = poolProviders(terraform);
    this.#grants = grantsByMember(terraform);
  }

  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[] {
    return exchangeOf(entry)?.kind === "custom" ? ["tokens", "custom-pools"] : ["tokens"];
  }

  arguments(entry: ProviderEntry, _node: NodeConfiguration): Answer {
    const where = seen("args of the entry", entry.source);
    if (exchangeOf(entry) !== undefined) return pass("the plugin is told where to exchange the token", where);
    const halfway = flag(entry, "identity-provider") !== undefined;
    return broken(
      halfway
        ? "--identity-provider is given without --project-id"
        : "the plugin is told no pool to exchange the token at",
      "give --identity-provider and --project-id for the pool of GKE and fleet, --sts-audience for one of your own",
      halfway ? "--project-id is required when --identity-provider is set" : undefined,
      where,
    );
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
    const claims = { subject: `system:serviceaccount:${namespace}:${name}`, namespace, name };
    const poolProvider = this.#poolProviderOf(exchange);
    const [issuer, audience, subject] = exchangeTrust({
      exchange,
      poolProvider,
      issuer: cluster.issuer,
      audience: entry.tokenAttributes?.audience ?? "",
      claims,
    });
    return { issuer, audience, subject, identity: this.#identity(exchange, poolProvider, claims, entry) };
  }

  permission({ permissionKey }: CloudIdentity, repository: Repository): PermissionAnswer {
    const login = pass("Artifact Registry takes the federated token itself; there is no login to permit");
    const place = placeOf(repository);
    if (place === undefined)
      return {
        login,
        repository: unknown(`${repository.name} names no repository of Artifact Registry`, "check the image"),
      };
    const grants = this.#byKey.get(permissionKey)?.grants ?? [];
    return { login, repository: repositoryPermitted(grants, place) };
  }

  reach({ permissionKey }: CloudIdentity): readonly ReachedRepositories[] {
    const grants = (this.#byKey.get(permissionKey)?.grants ?? []).filter(({ role }) => ROLES.has(role));
    return grants.map(({ project, location, repository }) =>
      repository === ""
        ? { pattern: `every repository of the project ${project}`, comparable: false }
        : { pattern: `${location}-docker.pkg.dev/${projectPath(project)}/${repository}/*`, comparable: true },
    );
  }

  #poolProviderOf(exchange: Exchange): PoolProviderFact | undefined {
    if (exchange.kind === "managed") return undefined;
    const named = this.#poolProviders.filter(
      ({ poolId, providerId }) => poolId === exchange.poolId && providerId === exchange.providerId,
    );
    // The argument has the project's number, the resource its id: of two projects' pools of one name neither is known.
    return named.length === 1 ? named[0] : undefined;
  }

  #identity(
    exchange: Exchange,
    poolProvider: PoolProviderFact | undefined,
    claims: TokenClaims,
    entry: ProviderEntry,
  ): CloudIdentity {
    const members =
      exchange.kind === "managed"
        ? this.#managedMembers(exchange.project, claims)
        : membersOf(exchange, poolProvider?.mapping ?? new Map(), claims);
    const grants = members.flatMap((member) => this.#grants.get(member) ?? []);
    const [label = claims.subject] = members;
    this.#byKey.set(label, { label, grants });
    return { label, permissionKey: label, source: grants[0]?.source ?? poolProvider?.source ?? entry.source };
  }

  /** The number of the pool's project stands in no argument; the pool's id is unique without it. */
  #managedMembers(project: string, { namespace, name }: TokenClaims): readonly string[] {
    const ending = `/workloadIdentityPools/${managedPoolId(project)}/subject/ns/${namespace}/sa/${name}`;
    this.#byEnding ??= endings(this.#grants);
    return this.#byEnding.get(ending) ?? [`principal:…${ending}`];
  }

  #byEnding: ReadonlyMap<string, readonly string[]> | undefined;
}

function endings(grants: ReadonlyMap<string, unknown>): ReadonlyMap<string, readonly string[]> {
  const members = [...grants.keys()].flatMap((member): (readonly [string, readonly string[]])[] => {
    const at = member.indexOf("/workloadIdentityPools/");
    return member.startsWith("principal://iam.googleapis.com/projects/") && at > 0
      ? [[member.slice(at), [member]]]
      : [];
  });
  return new Map(members);
}

interface Place {
  readonly project: string;
  readonly location: string;
  readonly repository: string;
}

/** Where an image's repository is, by its host and path. */
function placeOf({ host, path }: Repository): Place | undefined {
  const read = parseGoogleRegistryHost(host);
  if (read === undefined) return undefined;
  const parts = path.split("/");
  // The colon of a domain-scoped project is a slash in images: example.com/project.
  const scoped = parts[0]?.includes(".") ? 2 : 1;
  const project = parts.slice(0, scoped).join(":");
  const repository = read.kind === "gcr" ? read.repository : parts[scoped];
  return repository === undefined ? undefined : { project, location: read.location, repository };
}

function repositoryPermitted(grants: readonly GrantFact[], place: Place): Answer {
  const where = `${place.project}/${place.location}/${place.repository}`;
  const covering = grants.filter(
    ({ project, location, repository }) =>
      project === place.project &&
      (repository === "" || (repository === place.repository && location === place.location)),
  );
  const certain = covering.find(({ role, conditional }) => ROLES.has(role) && !conditional);
  if (certain) return pass(`${certain.role} is granted on ${where}`, seen("grant", certain.source));
  const late = grants.filter((grant) => [grant.project, grant.location, grant.repository].some(isLateText));
  const custom = covering.filter(({ role, conditional }) => conditional || !role.startsWith("roles/"));
  const [open] = [...custom, ...late];
  if (open)
    return unknown(
      `whether ${open.role} on ${open.repository || open.project} covers ${where} cannot be judged`,
      "grant roles/artifactregistry.reader on the repository without condition",
      seen("grant", open.source),
    );
  return broken(
    `nothing grants the principal a download from ${where}`,
    "grant roles/artifactregistry.reader on the repository to the principal, with the pool's project number",
    'denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/…"',
    ...grants.map((grant) => seen(`${grant.role} elsewhere`, grant.source)),
  );
}

function exchangeOf(entry: ProviderEntry): Exchange | undefined {
  const [, projectNumber, poolId, providerId] = STS_AUDIENCE.exec(flag(entry, "sts-audience") ?? "") ?? [];
  if (projectNumber !== undefined && poolId !== undefined && providerId !== undefined)
    return { kind: "custom", projectNumber, poolId, providerId };
  const [identityProvider, project] = [flag(entry, "identity-provider"), flag(entry, "project-id")];
  return identityProvider === undefined || project === undefined
    ? undefined
    : { kind: "managed", project, identityProvider };
}

/** The value of a flag, written `--name=value` or as two arguments. */
function flag({ args }: ProviderEntry, name: string): string | undefined {
  const joined = args.find((argument) => argument.startsWith(`--${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 3);
  const index = args.indexOf(`--${name}`);
  return index < 0 ? undefined : args[index + 1];
}
