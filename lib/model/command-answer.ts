/*
 * What a cloud's command line printed, in one JSON object by the command that printed it:
 * `{ "sts get-caller-identity": …, "iam get-role": { "<name>": … } }`.
 */

import { fail } from "../errors";
import { isRecord } from "../model/record";

/** A value in an answer, and its path; an absent value is empty. */
export class CommandAnswer {
  readonly #value: unknown;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#value = value ?? undefined;
    this.#path = path;
  }

  get exists(): boolean {
    return this.#value !== undefined;
  }

  /** As the command printed it. */
  get value(): unknown {
    return this.#value;
  }

  get isText(): boolean {
    return typeof this.#value === "string";
  }

  /** The value below these keys. */
  at(...keys: readonly string[]): CommandAnswer {
    return keys.reduce<CommandAnswer>((inner, key) => inner.#member(key), this);
  }

  text(): string | undefined {
    if (this.#value === undefined || typeof this.#value === "string") return this.#value;
    return typeof this.#value === "number" ? String(this.#value) : this.refuse("a text");
  }

  /** Its members; none if it is absent. */
  list(): readonly CommandAnswer[] {
    if (this.#value === undefined) return [];
    if (!Array.isArray(this.#value)) return this.refuse("a list");
    return this.#value.map((member, place) => new CommandAnswer(member, `${this.#path}[${place}]`));
  }

  /** The members of a list, or the one object that is given instead of a list. */
  someMembers(): readonly CommandAnswer[] {
    return this.exists && !Array.isArray(this.#value) ? [this] : this.list();
  }

  /** A text that must be there. */
  stated(): string {
    return this.text() ?? this.refuse("a text");
  }

  /** False if it is absent. */
  flag(): boolean {
    const value = this.#value ?? false;
    return typeof value === "boolean" ? value : this.refuse("true or false");
  }

  /** An object that must be there, as JSON text. */
  json(): string {
    return isRecord(this.#value) ? JSON.stringify(this.#value) : this.refuse("an object");
  }

  texts(): readonly string[] {
    return this.list().flatMap((member) => member.text() ?? []);
  }

  /** One text or several, as IAM writes them in policies. */
  someTexts(): readonly string[] {
    return Array.isArray(this.#value) ? this.texts() : [this.text() ?? []].flat();
  }

  /** Its entries in the order of their keys; none if it is absent. */
  entries(): readonly (readonly [key: string, value: CommandAnswer])[] {
    if (this.#value === undefined) return [];
    if (!isRecord(this.#value)) return this.refuse("an object");
    return Object.keys(this.#value)
      .sort()
      .map((key) => [key, this.#member(key)]);
  }

  /** A stated entry, even if it is null, which says that the object does not exist. */
  entry(key: string): CommandAnswer | undefined {
    return this.entries().find(([each]) => each === key)?.[1];
  }

  #member(key: string): CommandAnswer {
    const value = this.#value;
    if (value !== undefined && !isRecord(value)) return this.refuse("an object");
    const member = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
    return new CommandAnswer(member, this.#path === "" ? key : `${this.#path}: ${key}`);
  }

  /** Says that it is not what is allowed. */
  refuse(allowed: string): never {
    return fail("adopt-invalid", {
      problem: `the answer of ${this.#path} is not what the command prints as JSON`,
      allowed,
      remedy: "collect the answers again with the commands in docs/adopting.md",
    });
  }
}

/** The value that all members have; `undefined` if they differ. */
export function only<T>(values: readonly T[]): T | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
