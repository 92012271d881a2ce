/*
 * A pool provider that was handed keys verifies tokens by these alone.
 * Source: cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes; RFC 7517 section 4.2.
 */

import { expect, it } from "vitest";
import { INGRESS, WORKLOAD, accessArtefacts, resultOf, withTerraform } from "../fixtures/explain/access";

const artefacts = accessArtefacts("google");
const COMPONENTS = "openshift";

type Jwks = { keys: Record<string, string>[] };

/** The status of `issuer-trusted` with the key set of the components' pool provider changed. */
function trusted(change: (jwks: Jwks) => void, account = INGRESS): readonly (string | undefined)[] {
  const changed = withTerraform(artefacts, ({ resource }) => {
    const providers = Object.values(resource["google_iam_workload_identity_pool_provider"] ?? {});
    for (const { attribute_condition: condition, oidc } of providers as {
      attribute_condition: string;
      oidc: { jwks_json: string };
    }[]) {
      if (!condition.includes(COMPONENTS)) continue;
      const jwks = JSON.parse(oidc.jwks_json) as Jwks;
      change(jwks);
      oidc.jwks_json = JSON.stringify(jwks);
    }
  });
  const check = resultOf(changed, account).checks.find(({ id }) => id === "issuer-trusted");
  return [check?.status, check?.reason];
}

function second(jwks: Jwks): void {
  jwks.keys.push({ kty: "RSA", kid: "other", use: "sig" });
}

function emptied(jwks: Jwks): void {
  jwks.keys = [];
}

function encryption(jwks: Jwks): void {
  jwks.keys.push({ kty: "RSA", kid: "e", use: "enc" });
}

it.each([
  ["as handed over", () => undefined, "pass", "trusts"],
  ["use enc", ({ keys: [key] }: Jwks) => Object.assign(key ?? {}, { use: "enc" }), "fail", "use is not sig"],
  ["no keys", emptied, "fail", "are an empty list"],
  [
    "a kid of someone else's",
    ({ keys: [key] }: Jwks) => Object.assign(key ?? {}, { kid: "k1" }),
    "unknown",
    "k1 is not the id",
  ],
  ["one of two for encryption", encryption, "unknown", "e is no key to verify signatures"],
  ["another set than that of the other pool provider", second, "unknown", "another one for the same issuer"],
] as const)("%s", (_why, change, status, reason) => {
  expect(trusted(change)).toEqual([status, expect.stringContaining(reason)]);
});

it("puts the other pool provider of the issuer in doubt as well", () => {
  expect(trusted(second, WORKLOAD)[0]).toBe("unknown");
});
