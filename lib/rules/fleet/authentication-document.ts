/*
 * Whether kube-apiserver starts with an AuthenticationConfiguration. Source:
 * kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go (`ValidateAuthenticationConfiguration`).
 */

import { type Json, list, record, text } from "../../model/parsed";
import { certificateProblem } from "./certificate-authority";

const VERSIONS: readonly string[] = ["v1", "v1beta1", "v1alpha1"].map(
  (version) => `apiserver.config.k8s.io/${version}`,
);

/** What is wrong with a parsed configuration, ends of sentences; values for which `isOpen` holds are left out. */
export function authenticationProblems(
  document: unknown,
  isOpen: (text: string) => boolean = () => false,
): readonly string[] {
  const { apiVersion, jwt } = record(document);
  const issuers = list(jwt).map((entry) => record(record(entry)["issuer"]));
  return [
    ...(VERSIONS.includes(text(apiVersion))
      ? []
      : [`has the apiVersion ${text(apiVersion)}, which no API server knows`]),
    ...unknownKeys(document, FIELDS),
    ...issuers.flatMap((issuer) => issuerProblems(issuer, isOpen)),
    ...list(jwt).flatMap((entry) => [...mappingProblems(record(entry)), ...ruleProblems(record(entry))]),
    ...twice(issuers, "url"),
    ...twice(issuers, "discoveryURL"),
  ];
}

/** Fields of an object, or of the objects of a list; empty for one that has no fields of its own. */
interface Fields {
  readonly [key: string]: Fields;
}

const NONE: Fields = {};
const CLAIM: Fields = { claim: NONE, expression: NONE, prefix: NONE };
const FIELDS: Fields = {
  apiVersion: NONE,
  kind: NONE,
  anonymous: NONE,
  jwt: {
    issuer: {
      url: NONE,
      discoveryURL: NONE,
      certificateAuthority: NONE,
      audiences: NONE,
      audienceMatchPolicy: NONE,
      egressSelectorType: NONE,
    },
    claimMappings: { username: CLAIM, groups: CLAIM, uid: { claim: NONE, expression: NONE }, extra: NONE },
    claimValidationRules: { claim: NONE, requiredValue: NONE, expression: NONE, message: NONE },
    userValidationRules: { expression: NONE, message: NONE },
  },
};

/** Kube-apiserver decodes strictly. */
function unknownKeys(value: unknown, fields: Fields): readonly string[] {
  if (Object.keys(fields).length === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => unknownKeys(item, fields));
  return Object.entries(record(value)).flatMap(([key, part]) => {
    const below = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return below ? unknownKeys(part, below) : [`has the key ${key}, which no API server knows`];
  });
}

function issuerProblems(issuer: Json, isOpen: (text: string) => boolean): readonly string[] {
  const [url, discovery, authority] = ["url", "discoveryURL", "certificateAuthority"].map((key) =>
    text(issuer[key]),
  ) as [string, string, string];
  const bad = authority === "" || isOpen(authority) ? undefined : authorityProblem(authority);
  const isSame = discovery !== "" && withoutSlash(discovery) === withoutSlash(url);
  return [
    ...(isOpen(url) ? [] : urlProblems("an issuer", url)),
    ...(discovery === "" || isOpen(discovery) ? [] : urlProblems("a discoveryURL", discovery)),
    ...(isSame ? ["has a discoveryURL that is the issuer's own URL"] : []),
    ...audienceProblems(issuer, url),
    ...(bad === undefined ? [] : [`has a certificateAuthority that ${bad}`]),
  ];
}

const URL_PARTS: readonly (readonly [string, RegExp])[] = [
  ["a user", /^https:\/\/[^/?#]*@/i],
  ["a query", /^[^#]*\?[^#]/],
  ["a fragment", /#./],
];

function urlProblems(what: string, url: string): readonly string[] {
  if (!/^https:\/\//i.test(url)) return [`has ${what} ${url} without https`];
  const found = URL_PARTS.find(([, pattern]) => pattern.test(url));
  return found ? [`has ${what} with ${found[0]}`] : [];
}

function audienceProblems(issuer: Json, url: string): readonly string[] {
  const audiences = list(issuer["audiences"]).map(text);
  const policy = text(issuer["audienceMatchPolicy"]);
  if (audiences.length === 0) return [`has no audience for the issuer ${url}`];
  const again = audiences.find((audience, index) => audiences.indexOf(audience) < index);
  return [
    ...(audiences.includes("") ? [`has an empty audience for the issuer ${url}`] : []),
    ...(again === undefined ? [] : [`has the audience ${again} twice for the issuer ${url}`]),
    ...(audiences.length > 1 && policy !== "MatchAny"
      ? [`has several audiences for the issuer ${url} without audienceMatchPolicy MatchAny`]
      : []),
    ...(audiences.length === 1 && policy !== "" && policy !== "MatchAny"
      ? [`has the audienceMatchPolicy ${policy}, which is not known`]
      : []),
  ];
}

/** Other blocks than certificates are passed over. */
function authorityProblem(pem: string): string | undefined {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return certificateProblem(certificates.join("\n"));
}

function mappingProblems(entry: Json): readonly string[] {
  const mappings = record(entry["claimMappings"]);
  const username = record(mappings["username"]);
  const isNamed = text(username["claim"]) !== "" || text(username["expression"]) !== "";
  return [
    ...(isNamed ? [] : ["has an entry that makes no user name"]),
    ...claimProblems("user names", username),
    ...claimProblems("groups", record(mappings["groups"])),
  ];
}

/** A claim needs a prefix, be it an empty one; an expression takes none. */
function claimProblems(what: string, { claim, expression, prefix }: Json): readonly string[] {
  if (text(expression) !== "") {
    if (text(claim) !== "") return [`has an entry with both claim and expression for ${what}`];
    return prefix === undefined || prefix === null
      ? []
      : [`has an entry with both prefix and expression for ${what}`];
  }
  return text(claim) !== "" && (prefix === undefined || prefix === null)
    ? [`has no prefix for ${what} of the claim ${text(claim)}`]
    : [];
}

function ruleProblems(entry: Json): readonly string[] {
  const claims = list(entry["claimValidationRules"]).map(record);
  const users = list(entry["userValidationRules"]).map(record);
  return [
    ...claims.flatMap(({ claim, expression, message, requiredValue }) => {
      if ((text(claim) === "") === (text(expression) === ""))
        return ["has a rule for claims without either claim or expression"];
      const other = text(claim) === "" ? requiredValue : message;
      return text(other) === "" ? [] : ["has a rule for claims with what the other kind of rule takes"];
    }),
    ...(users.some(({ expression }) => text(expression) === "")
      ? ["has a rule for users without expression"]
      : []),
    ...twice(claims, "claim"),
    ...twice(claims, "expression"),
    ...twice(users, "expression"),
  ];
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function twice(entries: readonly Json[], key: string): readonly string[] {
  const values = entries.map((entry) => text(entry[key])).filter((value) => value !== "");
  const again = values.find((value, index) => values.indexOf(value) < index);
  return again === undefined ? [] : [`has the ${key} ${again} twice`];
}
