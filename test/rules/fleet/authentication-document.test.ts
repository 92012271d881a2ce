import { describe, expect, it } from "vitest";
import { authenticationProblems } from "../../../lib/rules/fleet/authentication-document";

const ISSUER = { url: "https://hub.example", audiences: ["spoke"] };
const CLAIMS = { username: { claim: "sub", prefix: "hub:" } };
const document = (...jwt: readonly object[]): object => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  jwt,
});
const entry = (issuer: object, username: object = CLAIMS.username): object => ({
  issuer: { ...ISSUER, ...issuer },
  claimMappings: { username },
});

/** Source: kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go at v1.35. */
describe("an AuthenticationConfiguration", () => {
  it.each([
    ["one entry", document(entry({}))],
    ["none", document()],
    ["an empty prefix", document(entry({}, { claim: "sub", prefix: "" }))],
    ["an expression", document(entry({}, { expression: "claims.sub" }))],
    ["several audiences", document(entry({ audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" }))],
    ["two issuers", document(entry({}), entry({ url: "https://other.example" }))],
  ])("is taken with %s", (_, value) => {
    expect(authenticationProblems(value)).toEqual([]);
  });

  it.each([
    [
      "apiserver.config.k8s.io/v9, which no API server knows",
      { ...document(), apiVersion: "apiserver.config.k8s.io/v9" },
    ],
    ["https://hub.example twice", document(entry({}), entry({}))],
    [
      "twice",
      document(entry({ discoveryURL: "https://d" }), entry({ url: "https://b", discoveryURL: "https://d" })),
    ],
    ["without https", document(entry({ url: "http://hub.example" }))],
    ["discoveryURL http://d without https", document(entry({ discoveryURL: "http://d" }))],
    ["the issuer's own URL", document(entry({ discoveryURL: ISSUER.url }))],
    ["holds no PEM block", document(entry({ certificateAuthority: "nope" }))],
    ["has no audience", document(entry({ audiences: [] }))],
    ["without audienceMatchPolicy MatchAny", document(entry({ audiences: ["a", "b"] }))],
    ["has no prefix", document(entry({}, { claim: "sub" }))],
    ["makes no user name", document(entry({}, {}))],
    [
      "both claim and expression",
      document(entry({}, { claim: "sub", prefix: "", expression: "claims.sub" })),
    ],
  ])("is refused: %s", (problem, value) => {
    expect(authenticationProblems(value)).toEqual([expect.stringContaining(problem)]);
  });

  it("says nothing of texts that are open", () => {
    const open = entry({ url: "${0#x.issuer}", certificateAuthority: "${0#x.ca}" });
    expect(authenticationProblems(document(open), (text) => text.startsWith("${"))).toEqual([]);
  });
});
