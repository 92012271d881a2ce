import { isWithin, registriesOf } from "../../rules/plugin-registries";
import { isPluginExecutable } from "../../rules/plugins";
import type { ProviderEntry } from "../facts/node-configuration";
import type { ComputedAttribute, Terraform } from "../facts/terraform";
import { awsReader } from "./aws/reader";
import { azureReader } from "./azure/reader";
import type { Cloud, CloudReader } from "./cloud";
import type { CloudAccess } from "./cloud-access";
import type { CloudSpokes } from "./cloud-spokes";
import { googleReader } from "./google/reader";
import { PublishedIssuers } from "./published-issuers";

/** The clouds; one more is one more line. */
const READERS: readonly CloudReader[] = [awsReader, azureReader, googleReader];

/** What the clouds can compute of attributes that Terraform knows only after apply. */
export const computedAttributes: readonly ComputedAttribute[] = READERS.flatMap(({ computed }) => computed);

/** The clouds over the resources that were read. */
export class Clouds {
  readonly #clouds: readonly (readonly [CloudReader, Cloud])[];
  readonly #byEntry = new WeakMap<ProviderEntry, Cloud>();

  /** The issuers whose documents were read. */
  readonly issuers: PublishedIssuers;

  constructor(terraform: Terraform) {
    this.issuers = new PublishedIssuers(READERS.flatMap((reader) => reader.stores(terraform)));
    this.#clouds = READERS.map((reader) => [reader, reader.read(terraform, this.issuers)]);
  }

  /**
   * The cloud of an entry's plugin, by the executable's name; the cloud of one by another name is told by the annotation
   * keys or the registries, which prove nothing of the plugin. `undefined` for a plugin that is not known.
   */
  ofEntry(entry: ProviderEntry): Cloud | undefined {
    const known = this.#byEntry.get(entry) ?? this.#find(entry);
    if (known) this.#byEntry.set(entry, known);
    return known;
  }

  /** What each cloud knows of components and workloads. */
  get access(): readonly CloudAccess[] {
    return this.#clouds.map(([, cloud]) => cloud.access);
  }

  /** The spokes of a cloud; `undefined` for a cloud that is not known. */
  spokesOf(cloud: string): CloudSpokes | undefined {
    return this.#clouds.find(([, { access }]) => access.cloud === cloud)?.[1].spokes;
  }

  #find(entry: ProviderEntry): Cloud | undefined {
    const { requiredKeys = [], optionalKeys = [] } = entry.tokenAttributes ?? {};
    const keys = [...requiredKeys, ...optionalKeys];
    const found =
      this.#clouds.find(([, { plugin }]) => isPluginExecutable(plugin, entry.name)) ??
      this.#clouds.find(([, cloud]) => cloud.annotationKeys.some((key) => keys.includes(key))) ??
      this.#clouds.find(
        ([, { plugin }]) =>
          entry.matchImages.length > 0 &&
          entry.matchImages.every((pattern) => isWithin(pattern, registriesOf(plugin))),
      );
    return found?.[1];
  }
}
