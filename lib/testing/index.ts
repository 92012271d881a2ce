/**
 * For tests of your own stacks, with any test runner: synthesize a stack, and ask what it allows and refuses.
 * The matchers of `./vitest` are these functions.
 *
 * @module testing
 * @packageDocumentation
 */

export { type ExpectedToken, type TokenClaims, allowsAssume, rejectsAssume } from "./assume";
export { type Finding } from "./finding";
export { hasNoLateValues } from "./late-values";
export { type ExpectedDenial, type ExpectedPull, allowsPull, deniesPull } from "./pulls";
export { stackText } from "./stack-text";
export { type SynthStackOptions, synthStack } from "./synth-stack";
export { SynthesizedStack } from "./synthesized-stack";
export { removeSynthesized } from "./temporary-folders";
