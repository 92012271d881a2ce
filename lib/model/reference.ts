/*
 * What is in a text in place of a value: that it is known only after apply, or that it must not be shown.
 */

/**
 * A value known only after apply, as a Terraform configuration refers to it. Two references are the same value exactly
 * where they are the same object, so that whoever reads a document makes one for each expression in it.
 */
export class Reference {
  /** As people write it: `aws_iam_role.web.arn`. */
  readonly expression: string;
  /** What it refers to, for who knows the kind of that object: a resource. */
  readonly target: object | undefined;
  /** The attribute of the target; empty where it is no attribute. */
  readonly attribute: string;
  readonly #derived = new Map<string, Reference>();

  constructor(expression: string, target?: object, attribute = "") {
    this.expression = expression;
    this.target = target;
    this.attribute = attribute;
  }

  /** What a function makes of this value: one object for each name, so that two equal calls are the same value. */
  derived(name: string): Reference {
    const known = this.#derived.get(name) ?? new Reference(name);
    this.#derived.set(name, known);
    return known;
  }
}

/**
 * A value that must not be shown. For whoever judges, it is a reference: equal only to itself, and its text cannot be
 * had. Two of equal value are one object, so that they are compared like any references.
 */
export class Sensitive extends Reference {
  static readonly #ofTexts = new Map<unknown, WeakRef<Sensitive>>();
  static readonly #ofReferences = new WeakMap<object, Sensitive>();

  /** What it hides; never shown. */
  readonly #value: unknown;

  private constructor(value: unknown) {
    super("sensitive");
    this.#value = value;
  }

  /** The one for a bare value, or for the reference that will have it. */
  static of(value: unknown): Sensitive {
    const isReference = typeof value === "object" && value !== null;
    const before = isReference ? Sensitive.#ofReferences.get(value) : Sensitive.#ofTexts.get(value)?.deref();
    const sensitive = before ?? new Sensitive(value);
    if (isReference) Sensitive.#ofReferences.set(value, sensitive);
    else Sensitive.#ofTexts.set(value, new WeakRef(sensitive));
    return sensitive;
  }

  override derived(name: string): Reference {
    return Sensitive.of(super.derived(name));
  }

  /** True if it hides a value, and not the reference to one. */
  get isWritten(): boolean {
    return typeof this.#value !== "object" || this.#value === null;
  }

  /** Whether the text that it hides, or the expression that gives it, has a property; for judgements about secrets. */
  holds(test: (text: string) => boolean): boolean {
    const value = this.#value;
    return test(value instanceof Reference ? value.expression : String(value));
  }

  /** True if they hide the same value, or what the same expression gives in two configurations. */
  isAlike(other: Sensitive): boolean {
    const [own, its] = [this.#value, other.#value];
    return own === its || (own instanceof Reference && isAlike(own, its));
  }
}

/** True for equal texts and values, and for the same expression in two configurations. */
export function isAlike(one: string | Reference, other: unknown): boolean {
  if (one instanceof Sensitive) return other instanceof Sensitive && one.isAlike(other);
  return one instanceof Reference && other instanceof Reference
    ? one.expression === other.expression
    : one === other;
}
