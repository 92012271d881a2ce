import { describe, expect, it } from "vitest";
import { CA } from "../../fixtures/fleet/ca";
import { Reference, textOf } from "../../../lib/model/known";
import { authenticationProblems } from "../../../lib/rules/fleet/authentication";

const OTHER = "-----BEGIN X-----\nMIIE\n-----END X-----";
const PEM = Buffer.from(CA, "base64").toString();
const ISSUER = { url: "https://hub.example", audiences: ["spoke"] };
const CLAIMS = { username: { claim: "sub", prefix: "hub:" } };
const document = (...jwt: readonly object[]): object => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  jwt,
});
const entry = (issuer: object, username: object = CLAIMS.username, more: object = {}): object => ({
  issuer: { ...ISSUER, ...issuer },
  claimMappings: { username },
  ...more,
});
const claims = (...claimValidationRules: readonly object[]): object =>
  entry({}, CLAIMS.username, { claimValidationRules });
const users = (...userValidationRules: readonly object[]): object =>
  entry({}, CLAIMS.username, { userValidationRules });

/** Source: kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go at v1.35. */
describe("an AuthenticationConfiguration", () => {
  it.each([
    ["one entry", document(entry({}))],
    ["none", document()],
    ["an empty prefix", document(entry({}, { claim: "sub", prefix: "" }))],
    ["an expression", document(entry({}, { expression: "claims.sub" }))],
    ["several audiences", document(entry({ audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" }))],
    ["rules", document(claims({ claim: "a", requiredValue: "b" }, { expression: "c", message: "d" }))],
    [
      "all fields",
      {
        ...document(
          entry({ egressSelectorType: "cluster" }, CLAIMS.username, {
            claimMappings: {
              username: { claim: "sub", prefix: "" },
              groups: { expression: "claims.groups" },
              uid: { claim: "sub" },
              extra: [{ key: "example.org/a", valueExpression: "claims.a" }],
            },
          }),
        ),
        anonymous: { enabled: true, conditions: [{ path: "/livez" }] },
      },
    ],
    ["rules for users", document(users({ expression: "a" }, { expression: "b" }))],
    ["a certificate beside another block", document(entry({ certificateAuthority: `${OTHER}\n${PEM}` }))],
    ["two issuers", document(entry({}), entry({ url: "https://other.example" }))],
  ])("is taken with %s", (_, value) => {
    expect(authenticationProblems(value)).toEqual([]);
  });

  it.each([
    [
      "apiserver.config.k8s.io/v9, which no API server supports",
      { ...document(), apiVersion: "apiserver.config.k8s.io/v9" },
    ],
    ["https://hub.example twice", document(entry({}), entry({}))],
    [
      "twice",
      document(entry({ discoveryURL: "https://d" }), entry({ url: "https://b", discoveryURL: "https://d" })),
    ],
    ["an issuer without URL", document(entry({ url: undefined }))],
    ["an issuer without URL", document(entry({ url: 5 }))],
    ["without https", document(entry({ url: "http://hub.example" }))],
    ["discoveryURL http://d without https", document(entry({ discoveryURL: "http://d" }))],
    ["the issuer's own URL", document(entry({ discoveryURL: ISSUER.url }))],
    ["contains no PEM block", document(entry({ certificateAuthority: "nope" }))],
    ["the key userValidationRule,", document(entry({}, CLAIMS.username, { userValidationRule: [] }))],
    ["the key caBundle,", document(entry({ caBundle: "" }))],
    ["the key metadata,", { ...document(), metadata: {} }],
    ["the issuer's own URL", document(entry({ discoveryURL: `${ISSUER.url}/` }))],
    ["a user", document(entry({ url: "https://user@hub.example" }))],
    ["a query", document(entry({ url: "https://hub.example?a" }))],
    ["a fragment", document(entry({ discoveryURL: "https://hub.example/a#b" }))],
    ["an empty audience", document(entry({ audiences: [""] }))],
    ["the audience a twice", document(entry({ audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" }))],
    ["which is unknown", document(entry({ audienceMatchPolicy: "MatchAll" }))],
    ["both prefix and expression", document(entry({}, { expression: "claims.sub", prefix: "" }))],
    [
      "no prefix for groups",
      document(entry({}, CLAIMS.username, { claimMappings: { ...CLAIMS, groups: { claim: "groups" } } })),
    ],
    ["with neither claim nor expression", document(claims({ claim: "a", expression: "b" }))],
    ["mixes the fields", document(claims({ claim: "a", message: "b" }))],
    ["the claim a twice", document(claims({ claim: "a" }, { claim: "a" }))],
    ["without expression", document(users({ message: "a" }))],
    ["the expression a twice", document(users({ expression: "a" }, { expression: "a" }))],
    ["has no audience", document(entry({ audiences: [] }))],
    ["without audienceMatchPolicy MatchAny", document(entry({ audiences: ["a", "b"] }))],
    ["has no prefix", document(entry({}, { claim: "sub" }))],
    ["does not set a user name", document(entry({}, {}))],
    [
      "both claim and expression",
      document(entry({}, { claim: "sub", prefix: "", expression: "claims.sub" })),
    ],
  ])("is refused: %s", (problem, value) => {
    expect(authenticationProblems(value)).toEqual([expect.stringContaining(problem)]);
  });

  it("says nothing of texts that are open", () => {
    const [url, certificateAuthority] = ["x.issuer", "x.ca"].map((each) => textOf([new Reference(each)]));
    expect(authenticationProblems(document(entry({ url, certificateAuthority })))).toEqual([]);
  });
});
