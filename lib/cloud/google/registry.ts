import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { IPullIdentities, IPullSource } from "../../model/pulls";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  made,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { projectId } from "../../rules/google/names";
import {
  type GcrHost,
  dockerHost,
  gcrLocation,
  imagePatterns,
  projectPath,
  repositoryName,
} from "../../rules/google/registry";
import { type RegistryStack, REGISTRY_STACK } from "../shared/registry-stack";

/** An Artifact Registry repository that is declared elsewhere. */
export interface ArtifactRegistryProps {
  /** Id of the repository's project; domain-scoped ids (`example.com:project`) are accepted. */
  readonly project: string;
  /** Region (`europe-west1`) or multi-region (`europe`). */
  readonly location: string;
  /** Name of the repository. */
  readonly repository: string;
  /**
   * Images in the repository that the service account pulls, `*` for any text. The permission still covers the whole
   * repository: Artifact Registry has none for a single image.
   *
   * @defaultValue - all images
   */
  readonly images?: readonly string[];
  /**
   * The owner's stack, in which bindings on the repository are declared for pulls of clusters in other stacks.
   *
   * @defaultValue - bindings are declared with the pulls
   */
  readonly owner?: RegistryStack;
}

const ARTIFACT_REGISTRY_PROPS: ObjectKind<ArtifactRegistryProps> = object({
  project: text,
  location: text,
  repository: text,
  images: optional(list(text)),
  owner: optional(REGISTRY_STACK),
});

/** A repository that serves a gcr.io host. */
export interface GcrRepositoryProps {
  /** Id of the repository's project. */
  readonly project: string;
  /** The host in image names. */
  readonly host: GcrHost;
  /**
   * Images below the project that the service account pulls, `*` for any text.
   *
   * @defaultValue - all images
   */
  readonly images?: readonly string[];
  /**
   * The owner's stack, in which bindings on the repository are declared for pulls of clusters in other stacks.
   *
   * @defaultValue - bindings are declared with the pulls
   */
  readonly owner?: RegistryStack;
}

const GCR_REPOSITORY_PROPS: ObjectKind<GcrRepositoryProps> = object({
  project: text,
  host: text,
  images: optional(list(text)),
  owner: optional(REGISTRY_STACK),
});

/** A repository to pull from, returned by {@link artifactRegistry} and {@link gcrRepository}. */
export class ArtifactRegistryRepository implements IPullSource<Construct> {
  /** Always `google`. */
  readonly cloud: string = "google";
  /** Id of the repository's project. */
  readonly project: string;
  /** Location of the repository. */
  readonly location: string;
  /** Name of the repository. */
  readonly repository: string;
  /** Registry host in image names. */
  readonly host: string;
  /** `<host>/<path>/<image>`, sorted. */
  readonly images: readonly string[];
  /** The owner's stack for bindings; `undefined` if they are declared with the pulls. */
  readonly owner: RegistryStack | undefined;

  private constructor(
    project: string,
    location: string,
    repository: string,
    host: string,
    images: readonly string[],
    owner: RegistryStack | undefined,
  ) {
    this.project = project;
    this.location = location;
    this.repository = repository;
    this.host = host;
    this.images = images;
    this.owner = owner;
  }

  /** A Docker repository at `<location>-docker.pkg.dev`; see {@link artifactRegistry}. */
  static docker(props: ArtifactRegistryProps): ArtifactRegistryRepository {
    checkGiven("artifactRegistry()", ARTIFACT_REGISTRY_PROPS, props);
    const project = projectId(props.project);
    const host = dockerHost(props.location);
    const repository = repositoryName(props.repository);
    const images = imagePatterns(host, props.images).map(
      (image) => `${host}/${projectPath(project)}/${repository}/${image}`,
    );
    return new ArtifactRegistryRepository(project, props.location, repository, host, images, props.owner);
  }

  /** A repository behind a gcr.io host; see {@link gcrRepository}. */
  static gcr(props: GcrRepositoryProps): ArtifactRegistryRepository {
    checkGiven("gcrRepository()", GCR_REPOSITORY_PROPS, props);
    const project = projectId(props.project);
    const location = gcrLocation(props.host);
    const images = imagePatterns(props.host, props.images).map(
      (image) => `${props.host}/${projectPath(project)}/${image}`,
    );
    return new ArtifactRegistryRepository(project, location, props.host, props.host, images, props.owner);
  }

  /** Throws: a workload identity pool needs a project and its number. */
  defaultIdentities(): IPullIdentities<Construct> {
    return fail("google-missing", {
      problem:
        "pulling from Artifact Registry needs a project for the workload identity pool, and none is stated",
      value: this.images[0] ?? this.host,
      remedy: "add pullPrincipals({ project, projectNumber, … }) to the identities",
    });
  }
}

/** Returns a Docker repository to pull from, `<location>-docker.pkg.dev/<project>/<repository>`. */
export function artifactRegistry(props: ArtifactRegistryProps): ArtifactRegistryRepository {
  return ArtifactRegistryRepository.docker(props);
}

/**
 * Returns a gcr.io host to pull from. Artifact Registry serves it from a repository named after the host, in location
 * `us` (gcr.io, us.gcr.io), `europe` (eu.gcr.io) or `asia` (asia.gcr.io); the permission is granted on that repository,
 * not on a storage bucket.
 */
export function gcrRepository(props: GcrRepositoryProps): ArtifactRegistryRepository {
  return ArtifactRegistryRepository.gcr(props);
}

export const ARTIFACT_REGISTRY_REPOSITORY: Kind<ArtifactRegistryRepository> = made(
  "artifactRegistry(…) or gcrRepository(…)",
  "artifactRegistry(…)",
  { project: text, location: text, repository: text },
);
