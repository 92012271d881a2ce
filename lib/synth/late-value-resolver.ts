import type { IResolver, ResolutionContext } from "cdk8s";
import { Token } from "cdktf";
import type { Construct } from "constructs";
import { isLate } from "../model/late";
import { PLACEHOLDER_START } from "../artefact/placeholder";
import { objectTitle, propertyPath } from "../model/property-path";
import { isLateObject, isLateResolvable, type LateValues } from "./late-values";
import { Manifests } from "./manifests";
import { refuseLateIdentity, refuseLateKind, refuseLateKey } from "./problems";

/** cdk8s gives paths that begin with these keys without the leading `metadata`. */
const METADATA_KEYS: readonly string[] = ["annotations", "labels", "finalizers", "ownerReferences"];

const IDENTITY: readonly string[] = ["apiVersion", "kind", "name", "namespace"];

/**
 * Replaces late values in the charts of your own cdk8s `App` by placeholders.
 *
 * Write `new App({ resolvers: [new LateValueResolver(stack)] })`, and synthesize the cdk8s app before the cdktf app,
 * because it declares the Terraform outputs. `cdktf-workload-identity bind --manifests <folder>` finishes the files.
 */
export class LateValueResolver implements IResolver {
  readonly #late: LateValues;
  /** Texts that this resolver returned: cdk8s passes a replaced value to the resolvers again. */
  readonly #issued = new Set<string>();

  /** Takes the stack whose outputs will fill the placeholders, or a construct in it. */
  constructor(scope: Construct) {
    this.#late = Manifests.of(scope).late;
  }

  /** Called by cdk8s for each value. */
  resolve(context: ResolutionContext): void {
    const value: unknown = context.value;
    if (typeof value === "string") this.text(context, value);
    else if (typeof value === "number" && isLate(value)) refuseLateKind(placeOf(context), "number");
    else if (typeof value !== "object" || value === null) return;
    else if (isLateObject(value))
      this.replace(
        context,
        this.#late.text(value, () => placeOf(context)),
      );
    else if (isLateResolvable(value)) this.text(context, Token.asString(value));
    else if (!Array.isArray(value)) refuseKeys(context, value);
  }

  private text(context: ResolutionContext, value: string): void {
    if (!isLate(value) && !value.includes(PLACEHOLDER_START) && !value.includes("e+298")) return;
    if (this.#issued.has(value)) return;
    if (IDENTITY.includes(identityKey(context.key)) && isLate(value)) refuseLateIdentity(placeOf(context));
    const text = this.#late.text(value, () => placeOf(context));
    if (text !== value) this.replace(context, text);
  }

  private replace(context: ResolutionContext, text: string): void {
    this.#issued.add(text);
    context.replaceValue(text);
  }
}

function identityKey(key: readonly string[]): string {
  const path = key[0] === "metadata" ? key.slice(1) : key;
  return path.length === 1 ? (path[0] ?? "") : "";
}

function refuseKeys(context: ResolutionContext, value: object): void {
  const late = Object.keys(value).find((key) => key.includes("TfToken["));
  if (late === undefined) return;
  if (late.includes("&{TfToken[")) refuseLateKind(placeOf(context), "map");
  refuseLateKey(placeOf(context), late);
}

function placeOf({ obj, key }: ResolutionContext): string {
  const path = METADATA_KEYS.includes(key[0] ?? "") ? ["metadata", ...key] : key;
  const keys = path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return objectTitle(obj.kind, obj.metadata.namespace, obj.name) + propertyPath(keys);
}
