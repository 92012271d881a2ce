import { describe, expect, it } from "vitest";
import { credentialsRequestsOf } from "../../lib/openshift";

describe("credentialsRequestsOf", () => {
  it.each([[{ kind: "CredentialsRequest" }], ["text"], [undefined]])(
    "refuses %j, which is not a list",
    (objects) => {
      expect(() => credentialsRequestsOf(objects as unknown as unknown[], { cloud: "aws" })).toThrowError(
        expect.objectContaining({
          code: "openshift-invalid",
          problem: expect.stringContaining("not passed as a list"),
        }),
      );
    },
  );
});
