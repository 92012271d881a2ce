import type { ErrorCode } from "../../lib/errors";
import type { World } from "./world";

/** Settings as a caller without a compiler may give them. */
export type Given = unknown;

/** How a public function or constructor is called, and with which settings. */
export interface Entry {
  /** Settings that are accepted, nested ones among them. */
  readonly settings: (world: World) => object;
  /** The settings that must not be left out. */
  readonly required: readonly string[];
  /** Calls it; the settings are `undefined` where it is called without. */
  readonly call: (given: Given, world: World) => unknown;
  /**
   * Nested objects that may be made by others: what else they have, and hold, is not looked at.
   *
   * @defaultValue - none
   */
  readonly open?: readonly string[];
  /**
   * The refusal of good settings, where a test cannot have what else is needed.
   *
   * @defaultValue - none
   */
  readonly refuses?: ErrorCode;
  /**
   * Declares what a maker makes, for the test of `provider`.
   *
   * @defaultValue - the call declares everything itself
   */
  readonly declare?: (made: unknown, world: World) => unknown;
}

/** A class, of which a test makes instances with arguments that no compiler saw. */
export type Class = new (...args: never[]) => unknown;

/** A constructor in the stack. */
export function inStack(type: Class, required: readonly string[], settings: Entry["settings"]): Entry {
  return {
    settings,
    required,
    call: (given, world) => make(type, world.stack, world.id, ...asArguments(given)),
  };
}

/** A constructor in a chart of cdk8s. */
export function inChart(type: Class, required: readonly string[], settings: Entry["settings"]): Entry {
  return {
    settings,
    required,
    call: (given, world) => make(type, world.chart, world.id, ...asArguments(given)),
  };
}

/** A function of its settings alone. */
export function of(
  run: (...args: never[]) => unknown,
  required: readonly string[],
  settings: Entry["settings"],
): Entry {
  return { settings, required, call: (given) => apply(run, ...asArguments(given)) };
}

export function make(type: Class, ...args: readonly unknown[]): unknown {
  return Reflect.construct(type, args);
}

export function apply(run: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown {
  return Reflect.apply(run, undefined, args);
}

function asArguments(given: Given): readonly unknown[] {
  return given === undefined ? [] : [given];
}
