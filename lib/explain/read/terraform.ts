import { grouped } from "../../model/grouped";
import { type Known, type Ternary, is, referenceOf } from "../../model/known";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Resource, listOf } from "./block";
import { Scope } from "./scope";

/** An attribute that can be computed although Terraform knows it only after apply. */
export interface ComputedAttribute {
  /** Type of the resource, `aws_iam_policy_document`. */
  readonly type: string;
  readonly attribute: string;
  /** The value; `undefined` if it cannot be computed. */
  readonly value: (resource: Resource) => Known<string> | undefined;
}

const REMOTE_STATE = "terraform_remote_state";

/** True for the current workspace, and for the default one that every backend has. */
function isSameWorkspace(name: Known<string | undefined>): boolean {
  return (
    is(name, undefined) === "yes" ||
    is(name, "default") === "yes" ||
    referenceOf(name)?.expression === "terraform.workspace"
  );
}

export class Terraform {
  /** Configurations, plans and states in the order in which they were read. */
  readonly scopes: Scope[] = [];
  readonly #computed: ReadonlyMap<string, ComputedAttribute["value"]>;
  #byType: ReadonlyMap<string, readonly Resource[]> | undefined;

  constructor(computed: readonly ComputedAttribute[]) {
    this.#computed = new Map(computed.map((row) => [`${row.type}.${row.attribute}`, row.value]));
  }

  /** Adds a configuration, or a plan or state (`isLiteral`), to be filled before the first question. */
  scope(place: string, isLiteral = false): Scope {
    const scope = new Scope(this, place, isLiteral);
    this.scopes.push(scope);
    return scope;
  }

  ofType(type: string): readonly Resource[] {
    return this.#sorted.get(type) ?? [];
  }

  /** The types of resources and data sources that were read. */
  get types(): readonly string[] {
    return [...this.#sorted.keys()];
  }

  /** The computed value of an attribute; for {@link Scope}. */
  computed(resource: Resource, attribute: string): Known<string> | undefined {
    return this.#computed.get(`${resource.type}.${attribute}`)?.(resource);
  }

  /**
   * The output of another configuration to which an attribute of `data.terraform_remote_state` refers; `undefined` if
   * that configuration was not read. Source: developer.hashicorp.com/terraform/language/state/remote-state-data.
   */
  remoteOutput(resource: Resource, path: readonly (string | number)[]): Known<string> | undefined {
    const [outputs, name, ...more] = path;
    if (resource.type !== REMOTE_STATE || outputs !== "outputs" || more.length > 0) return undefined;
    if (!isSameWorkspace(resource.text("workspace"))) return undefined;
    const wanted = { type: resource.written(["backend"]), config: listOf(resource.written(["config"]))[0] };
    const scopes = this.scopes.filter(({ backend }) => backend !== undefined && keeps(backend, wanted));
    return scopes.length === 1 ? scopes[0]?.output(String(name)) : undefined;
  }

  get #sorted(): ReadonlyMap<string, readonly Resource[]> {
    return (this.#byType ??= grouped(
      this.scopes.flatMap(({ resources }) => [...resources.values()]),
      ({ type }) => type,
    ));
  }
}

/** Whether a data source means a backend, of which it states only a part; settings for locks are ignored. */
function keeps(
  backend: { readonly type: string; readonly settings: Json },
  asked: { readonly type: unknown; readonly config: unknown },
): boolean {
  const config = isRecord(asked.config) ? Object.entries(asked.config) : [];
  return (
    backend.type === asked.type &&
    config.length > 0 &&
    config.every(([key, value]) => JSON.stringify(backend.settings[key]) === JSON.stringify(value))
  );
}

/** Whether two resources have the same Terraform provider configuration. */
export function sameProvider(one: Resource, other: Resource): Ternary {
  return one.scope === other.scope && one.providerKey === other.providerKey ? "yes" : "unknown";
}
