/*
 * One error class and a closed set of codes. The sentence is written where the mistake is found, and says, in
 * this order: what is wrong, the value, what is allowed, what to do.
 */

import type { Area, MistakeKind, SPECIAL } from "./error-kinds";

/** The four parts of a refusal: lower case, no full stop. */
export interface Problem {
  /** What is wrong, in the caller's terms. */
  readonly problem: string;
  /**
   * The refused value.
   *
   * @defaultValue - the message shows no value
   */
  readonly value?: unknown;
  /**
   * What would have been accepted.
   *
   * @defaultValue - left out if it cannot be said in a line
   */
  readonly allowed?: string;
  /** What to do. */
  readonly remedy: string;
}

/** What {@link WorkloadIdentityError.code} can hold: area and kind of a mistake, or a special code. */
export type ErrorCode = `${Area}-${MistakeKind}` | keyof typeof SPECIAL;

const ERROR = Symbol.for("cdktf-workload-identity/error");

/**
 * The one error that this library throws for input that it refuses.
 *
 * The message reads: `<what is wrong>, got <value>; allowed: <what is allowed>; <what to do>`. Identifiers such as
 * issuers, audiences and subjects are public and are shown; key material never is.
 */
export class WorkloadIdentityError extends Error {
  /** Which refusal this is; stable across releases, unlike the text. */
  readonly code: ErrorCode;
  /** What is wrong, without the value. */
  readonly problem: string;
  /** The refused value, if there is one that may be shown. */
  readonly value: unknown;
  /** What would have been accepted, if that can be said in a line. */
  readonly allowed: string | undefined;
  /** What to do. */
  readonly remedy: string;

  constructor(code: ErrorCode, problem: Problem, where?: string) {
    super((where ? `${where}: ` : "") + sentence(problem));
    this.name = "WorkloadIdentityError";
    this.code = code;
    this.problem = problem.problem;
    this.value = problem.value;
    this.allowed = problem.allowed;
    this.remedy = problem.remedy;
    // The message contains them all; Node would print them again below the stack.
    for (const part of ["problem", "value", "allowed", "remedy"])
      Object.defineProperty(this, part, { enumerable: false });
    Object.defineProperty(this, ERROR, { value: true });
  }
}

/** True for an error of this library, even if another copy of the package threw it. */
export function isWorkloadIdentityError(error: unknown): error is WorkloadIdentityError {
  return typeof error === "object" && error !== null && ERROR in error;
}

/** Returns the error of that code instead of throwing it, for rules that list everything they refuse. */
export function refusal(code: ErrorCode, problem: Problem): WorkloadIdentityError {
  return new WorkloadIdentityError(code, problem);
}

/** Throws the error of that code. */
export function fail(code: ErrorCode, problem: Problem): never {
  throw refusal(code, problem);
}

/** Throws the first refusal of a list, if there is one. */
export function throwFirst(refusals: readonly WorkloadIdentityError[]): void {
  const [first] = refusals;
  if (first) throw first;
}

/** A construct, whose path is put before messages. The path is read only when something fails. */
export interface Located {
  /** The construct's node. */
  readonly node: { readonly path: string };
}

/**
 * Runs a function and puts a construct's path before the message of an error of this library. Keeps what already
 * precedes the message, such as the file of a request, and the stack and the cause.
 */
export function at<T>(construct: Located, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const { path } = construct.node;
    if (!isWorkloadIdentityError(error) || isBelow(error.message, path)) throw error;
    const inner = error.message.slice(0, Math.max(0, error.message.indexOf(error.problem) - ": ".length));
    throw located(error, inner ? `${path}: ${inner}` : path);
  }
}

/** True for a message that begins with the path, or with that of something below it. */
function isBelow(message: string, path: string): boolean {
  return [": ", "/"].some((end) => message.startsWith(path + end));
}

/** The same error with a place before its message; its stack still leads to where it was thrown. */
function located(error: WorkloadIdentityError, where: string): WorkloadIdentityError {
  const moved = new WorkloadIdentityError(error.code, error, where);
  const { stack, cause } = error;
  if (stack !== undefined) moved.stack = stack.replace(error.message, () => moved.message);
  if (cause !== undefined) Object.defineProperty(moved, "cause", { value: cause });
  return moved;
}

const SHOWN_CHARACTERS = 300;

function sentence({ problem, value, allowed, remedy }: Problem): string {
  const got = value === undefined ? "" : `, got ${show(value)}`;
  return `${problem}${got}${allowed ? `; allowed: ${allowed}` : ""}; ${remedy}`;
}

function show(value: unknown): string {
  const text = asText(value);
  return text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)`;
}

/** JSON if the value has a JSON form; otherwise its kind and, for a construct, its path. */
function asText(value: unknown): string {
  if (typeof value === "function") return describe(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  const hasForm = Array.isArray(value) || nameOf(value) === "Object";
  return (hasForm ? jsonOf(value) : describe(value)) ?? `${describe(value)} without a JSON form`;
}

/** What kind of value it is, in words; for a construct with its path. Shows no text, which may be a secret. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = nameOf(value);
  const kind = name === "Object" ? "object" : name;
  return `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}${isLocated(value) ? ` at ${value.node.path}` : ""}`;
}

function nameOf(value: object): string {
  return value.constructor?.name ?? "Object";
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Circular, or with a member such as a bigint that JSON has no form for.
    return undefined;
  }
}

function isLocated(value: object): value is Located {
  return "node" in value && typeof (value as Partial<Located>).node?.path === "string";
}
