import type { Problem } from "./problem";

/** Refusals of the helpers for users' tests: what would make a test pass or fail for a wrong reason. */
export const testingMessages = {
  "testing-stack-missing": (path: string): Problem => ({
    problem: "the stack that was built is not of the app that it was given",
    value: path,
    allowed: "a TerraformStack whose root is that app",
    remedy: 'build it below the app: synthStack((app) => new MyStack(app, "prod"))',
  }),
  "testing-no-cluster": (stack: string): Problem => ({
    problem: "the stack has no Kubernetes manifests, so nothing can be said of a pull",
    value: stack,
    allowed: "a stack with ImagePulls or Manifests of the /synth subpath",
    remedy: "synthesize the stack that holds the cluster",
  }),
  "testing-claims-invalid": (claim: string, value: unknown): Problem => ({
    problem: `claim ${claim} of the token is no literal text`,
    value,
    allowed: "iss, sub and aud, each one text without white space around it",
    remedy: "write the claim as it stands in the token",
  }),
  "testing-identity-unknown": (identity: string, known: readonly string[]): Problem => ({
    problem: "no identity of that name is declared in the stack",
    value: identity,
    allowed: known.length > 0 ? known.join(", ") : "none is declared",
    remedy: "name one of them, or leave identity out",
  }),
};
