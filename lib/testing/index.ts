/**
 * For tests of your own stacks, with any test runner: synthesize a stack, and ask what it allows and refuses.
 * The matchers of `./vitest` are these functions.
 *
 * @module testing
 * @packageDocumentation
 */

export { type ExpectedToken, type TokenClaims, allowsAssume, rejectsAssume } from "./matchers";
export { type Finding } from "./matchers";
export { hasNoLateValues } from "./matchers";
export { type ExpectedDenial, type ExpectedPull, allowsPull, deniesPull } from "./matchers";
export { stackText } from "./stack-text";
export { type SynthStackOptions, synthStack } from "./synth-stack";
export { SynthesizedStack } from "./synth-stack";
export { removeSynthesized } from "./synth-stack";
