import { Token, Tokenization, type IResolvable } from "cdktf";
import type { IResolver, ResolutionContext } from "cdk8s";
import { LateEncoding, LateText } from "../model/late";

const MARKER_START = "${TfToken[workload-identity.";

/**
 * Takes late objects through cdk8s as texts, so that the placeholders can be made from cdk8s's result.
 *
 * cdk8s asks the resolvers about a replaced value again, twice for metadata, and wraps their errors. Working on its
 * result keeps our errors whole, and tells a literal text from a placeholder of ours with certainty.
 */
export class LateMarkers implements IResolver {
  readonly #markers = new Map<LateEncoding | LateText, string>();
  readonly #objects = new Map<string, LateEncoding | LateText>();

  /** Called by cdk8s for each value. */
  resolve(context: ResolutionContext): void {
    const value: unknown = context.value;
    if (typeof value !== "object" || value === null) return;
    if (isLateObject(value)) context.replaceValue(this.marker(value));
    else if (isLateResolvable(value)) context.replaceValue(Token.asString(value));
  }

  /** The late object that a text stands for, or the text itself. */
  objectOf(text: string): string | LateEncoding | LateText {
    return text.startsWith(MARKER_START) ? (this.#objects.get(text) ?? text) : text;
  }

  private marker(object: LateEncoding | LateText): string {
    const known = this.#markers.get(object);
    if (known !== undefined) return known;
    const marker = `${MARKER_START}${this.#objects.size}]}`;
    this.#markers.set(object, marker);
    this.#objects.set(marker, object);
    return marker;
  }
}

/** True for this library's own late objects. */
export function isLateObject(value: unknown): value is LateEncoding | LateText {
  return value instanceof LateEncoding || value instanceof LateText;
}

/** True for a late object of cdktf. cdk8s has objects with a `resolve` of its own; only cdktf's know where they come from. */
export function isLateResolvable(value: object): value is IResolvable {
  return "creationStack" in value && Tokenization.isResolvable(value);
}
