import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { createHash } from "node:crypto";
import { fail } from "../errors";
import { kueueConfiguration } from "../rules/fleet/kueue-configuration";
import { type AccessProvider, accessProviderDocument } from "../rules/fleet/provider-file";
import {
  type ProviderEntriesProps,
  PROVIDER_ENTRIES_PROPS,
  providerEntries,
  providerWarnings,
} from "./provider-entries";
import { type ObjectKind, checkProps, object, optional, text } from "../model/shape";

/** What an {@link AccessProvidersFile} holds. */
export interface AccessProvidersFileProps extends ProviderEntriesProps {
  /**
   * For MultiKueue: `controller_manager_config.yaml` of the installed release, to which the list is added.
   *
   * @defaultValue - none; needed for MultiKueue, and only there
   */
  readonly kueueConfiguration?: string;
}

const ACCESS_PROVIDERS_FILE_PROPS: ObjectKind<AccessProvidersFileProps> = object({
  ...PROVIDER_ENTRIES_PROPS.shape,
  kueueConfiguration: optional(text),
});

const KUEUE = { name: "kueue-manager-config", key: "controller_manager_config.yaml" } as const;
const INDENTATION = 2;

/**
 * The consumer's list of access providers in a ConfigMap: the provider file, or Kueue's configuration with the list in
 * it. Consumers read it at start; {@link AccessProvidersFile.hash} in an annotation of the pods rolls them.
 */
export class AccessProvidersFile extends Construct {
  /** The entries in their order; of two that a profile has, the first one is used. */
  readonly providers: readonly AccessProvider[];
  /** The ConfigMap. */
  readonly resource: ApiObject;
  /** Name of the ConfigMap. */
  readonly configMap: string;
  /** Key in the ConfigMap. */
  readonly key: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
  /** What the person who applies it should know. */
  readonly warnings: readonly string[];

  /**
   * Throws what the entries throw (see `ProviderEntriesProps`), and `kueue-configuration-invalid` where the
   * configuration of Kueue is missing, given to another consumer, or not usable.
   */
  constructor(scope: Construct, id: string, props: AccessProvidersFileProps) {
    checkProps(new.target.name, scope, id, ACCESS_PROVIDERS_FILE_PROPS, props);
    super(scope, id);
    const { consumer } = props;
    this.providers = providerEntries(props);
    const text = textOf(this.providers, props);
    const place =
      consumer.form.kind === "kueue" ? KUEUE : { name: consumer.form.configMap, key: consumer.form.key };
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: consumer.reader.namespace, name: place.name },
      data: { [place.key]: text },
    });
    this.configMap = place.name;
    this.key = place.key;
    this.hash = createHash("sha256").update(text).digest("hex");
    this.warnings = providerWarnings(this.providers);
  }
}

function textOf(providers: readonly AccessProvider[], props: AccessProvidersFileProps): string {
  const { form } = props.consumer;
  const base = props.kueueConfiguration;
  if (form.kind === "kueue") {
    if (base === undefined) return fail("kueue-configuration-invalid", "is missing");
    return kueueConfiguration(base, form.field, providers, form.gateByFlag);
  }
  if (base !== undefined) return fail("kueue-configuration-invalid", "is given to another consumer");
  return `${JSON.stringify({ providers: providers.map(accessProviderDocument) }, undefined, INDENTATION)}\n`;
}
