import type { NodeStage } from "./chain";
import type { Repository } from "./clouds/cloud";
import type { ClusterArtefacts } from "./facts/facts";

/** The nodes' pools, and in each the entries that match an image. */
export type Pools = readonly (readonly NodeStage[])[];

/** Images that many service accounts share are far fewer; one that only one account pulls is asked about once. */
const IMAGES_KEPT = 1024;

/**
 * What was judged of images before anybody asks who pulls them.
 *
 * Where entries match by host alone and nothing tells the runtime more of registries, the links end alike for all images of a registry.
 */
export class ImageStages {
  readonly #byImage = new Map<string, Pools>();
  readonly #byRegistry = new Map<string, Pools>();
  readonly #isByRegistry: boolean;

  /** The images of one cluster. */
  constructor({ nodes, mirrors, registrySources, imagePolicies }: ClusterArtefacts) {
    this.#isByRegistry =
      mirrors.length + registrySources.length + imagePolicies.length === 0 &&
      nodes.every(
        ({ entries, runtimeFiles }) =>
          runtimeFiles.size === 0 &&
          entries.every(({ matchImages }) => matchImages.every((pattern) => !pattern.includes("/"))),
      );
  }

  /** What was judged of the image. */
  get(image: string): Pools | undefined {
    return this.#byImage.get(image);
  }

  /** What was judged of another image of the registry whose links hold, or cannot be told. */
  ofRegistry(host: string): Pools | undefined {
    return this.#byRegistry.get(host);
  }

  /** Remembers what was judged of an image. */
  set(image: string, repository: Repository | undefined, pools: Pools): void {
    if (this.#byImage.size === IMAGES_KEPT) this.#byImage.clear();
    this.#byImage.set(image, pools);
    if (!this.#isByRegistry || !repository || this.#byRegistry.has(repository.host)) return;
    const holds = ({ entry, judged }: NodeStage): boolean =>
      entry !== undefined && judged.failed === undefined;
    if (pools.every((stages) => stages.every(holds))) this.#byRegistry.set(repository.host, pools);
  }
}
