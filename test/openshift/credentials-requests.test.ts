import { describe, expect, it } from "vitest";
import { credentialsRequestsOf } from "../../lib/openshift";
import { refusal } from "../support/refusal";

describe("credentialsRequestsOf", () => {
  it.each([[{ kind: "CredentialsRequest" }], ["text"], [undefined]])(
    "refuses %j, which is not a list",
    (objects) => {
      expect(() => credentialsRequestsOf(objects as unknown as unknown[], { cloud: "aws" })).toThrowError(
        refusal("openshift-invalid: not passed as a list"),
      );
    },
  );
});
