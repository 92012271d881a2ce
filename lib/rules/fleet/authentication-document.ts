/*
 * Whether kube-apiserver starts with an AuthenticationConfiguration. Source:
 * kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go (`ValidateAuthenticationConfiguration`).
 */

import { isRecord } from "../../model/record";
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
    ...issuers.flatMap((issuer) => issuerProblems(issuer, isOpen)),
    ...list(jwt).flatMap((entry) => usernameProblems(record(entry))),
    ...twice(issuers, "url"),
    ...twice(issuers, "discoveryURL"),
  ];
}

type Json = Readonly<Record<string, unknown>>;

function issuerProblems(issuer: Json, isOpen: (text: string) => boolean): readonly string[] {
  const [url, discovery, authority] = ["url", "discoveryURL", "certificateAuthority"].map((key) =>
    text(issuer[key]),
  ) as [string, string, string];
  const audiences = list(issuer["audiences"]).filter((each) => text(each) !== "");
  const several = audiences.length > 1 && text(issuer["audienceMatchPolicy"]) !== "MatchAny";
  const bad = authority === "" || isOpen(authority) ? undefined : certificateProblem(authority);
  return [
    ...(isOpen(url) || url.startsWith("https://") ? [] : [`has an issuer ${url} without https`]),
    ...(discovery === "" || isOpen(discovery) || discovery.startsWith("https://")
      ? []
      : [`has a discoveryURL ${discovery} without https`]),
    ...(discovery !== "" && discovery === url ? ["has a discoveryURL that is the issuer's own URL"] : []),
    ...(audiences.length === 0 ? [`has no audience for the issuer ${url}`] : []),
    ...(several ? [`has several audiences for the issuer ${url} without audienceMatchPolicy MatchAny`] : []),
    ...(bad === undefined ? [] : [`has a certificateAuthority that ${bad}`]),
  ];
}

/** A claim needs a prefix, be it an empty one; an expression takes none. */
function usernameProblems(entry: Json): readonly string[] {
  const username = record(record(entry["claimMappings"])["username"]);
  const { claim, expression, prefix } = username;
  if (text(claim) === "" && text(expression) === "") return ["has an entry that makes no user name"];
  if (text(claim) !== "" && text(expression) !== "")
    return ["has an entry with both claim and expression for the user name"];
  return text(claim) !== "" && prefix === undefined
    ? [`has no prefix for user names of the claim ${text(claim)}`]
    : [];
}

function twice(issuers: readonly Json[], key: string): readonly string[] {
  const values = issuers.map((issuer) => text(issuer[key])).filter((value) => value !== "");
  const again = values.find((value, index) => values.indexOf(value) < index);
  return again === undefined ? [] : [`has the ${key} ${again} twice`];
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
