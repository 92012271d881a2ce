/**
 * Matchers and a snapshot serializer for vitest 2.1 and newer, registered by importing this module:
 * `setupFiles: ["cdktf-workload-identity/vitest"]`. An ES module, since vitest cannot be required.
 *
 * @packageDocumentation
 */

import { afterAll, expect } from "vitest";
import {
  type ExpectedDenial,
  type ExpectedPull,
  type ExpectedToken,
  type Finding,
  SynthesizedStack,
  allowsAssume,
  allowsPull,
  deniesPull,
  hasNoLateValues,
  rejectsAssume,
  removeSynthesized,
  stackText,
} from "../testing/index.js";

/** Matchers for the stacks that `synthStack` of `./testing` returns; every failure message shows the chain. */
export interface WorkloadIdentityMatchers<R = unknown> {
  /** Passes if every link of the pull holds; a link that cannot be determined fails the test. */
  toAllowPull(pull: ExpectedPull): R;
  /** Passes if a link of the pull is broken, first `check` if it is given; a pull that is unknown fails the test. */
  toDenyPull(pull: ExpectedDenial): R;
  /** Passes if some role, federated identity credential or pool provider of the stack admits the token. */
  toAllowAssume(token: ExpectedToken): R;
  /** Passes if every role, federated identity credential and pool provider of the stack refuses the token. */
  toRejectAssume(token: ExpectedToken): R;
  /** Passes if the manifests and node files are final at synth. */
  toHaveNoLateValues(): R;
}

declare module "vitest" {
  // vitest 3.2 and newer
  interface Matchers<T> extends WorkloadIdentityMatchers<T> {}
  // vitest before 3.2
  interface Assertion<T> extends WorkloadIdentityMatchers<T> {}
}

/** What vitest takes from a matcher. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

function matcher<E extends readonly unknown[]>(
  name: string,
  find: (stack: SynthesizedStack, ...expected: E) => Finding,
): (received: unknown, ...expected: E) => MatcherResult {
  return (received, ...expected) => {
    if (!(received instanceof SynthesizedStack))
      throw new TypeError(`${name} needs a stack from synthStack of cdktf-workload-identity/testing`);
    const { holds, text } = find(received, ...expected);
    return { pass: holds, message: () => `${holds ? `.not.${name}` : name}: ${text}` };
  };
}

expect.extend({
  toAllowPull: matcher("toAllowPull", allowsPull),
  toDenyPull: matcher("toDenyPull", deniesPull),
  toAllowAssume: matcher("toAllowAssume", allowsAssume),
  toRejectAssume: matcher("toRejectAssume", rejectsAssume),
  toHaveNoLateValues: matcher("toHaveNoLateValues", hasNoLateValues),
});

expect.addSnapshotSerializer({
  test: (value) => value instanceof SynthesizedStack,
  serialize: (value: SynthesizedStack) => stackText(value).trimEnd(),
});

afterAll(removeSynthesized);
