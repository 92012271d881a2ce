/*
 * The document that makes a self-managed spoke's API server trust the hub's service account tokens (structured
 * authentication configuration), and whether kube-apiserver starts with it. Source: KEP-3331;
 * kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver (v1 from 1.34, v1beta1 from 1.30) and its validation,
 * verified by running it (0.35.3).
 */

import { type WorkloadIdentityError, fail, refusal, throwFirst } from "../../errors";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { clusterName } from "../../model/kubernetes-name";
import { isLate, literal } from "../../model/late";
import { type Known, isBlank, map, orElse, same, shown } from "../../model/known";
import { type Json, at } from "../../model/parsed";
import { holdsPrivateKey } from "../../model/private-key";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import { fieldsOf, shownAt, wordAt } from "../../model/parsed-tree";
import { type Tree, type TreeList, childOf, itemsAt, treeOf } from "../../model/tree";
import { compareVersions, minorOf } from "../../model/version";
import { certificateProblem } from "./endpoint";
import { secretIssues, secretMaterial } from "./secret-material";
import { spokeAudience } from "./spoke-tokens";
import { issuerClusterInternal, versionUnsupported } from "../../model/problems";

/** Whose tokens a spoke accepts, and as which users. */
export interface HubAuthenticationProps {
  /** Name of the spoke, for messages. */
  readonly spoke: string;
  /** Kubernetes version of the spoke, `1.34`. */
  readonly apiServer: string;
  /**
   * Issuer of the hub's tokens; the spoke must be able to reach it, or `discoveryUrl`. May be late. While the hub moves
   * to another issuer, each of its `additionalIssuers` gets an entry, unless `additionalAuthenticators` has one.
   */
  readonly issuer: GivenIssuer;
  /** Name of the hub, with which the names of its service accounts on the spoke begin. */
  readonly hub: string;
  /** Audience of the tokens. Use a separate one per spoke, so that a leaked token is useless elsewhere. */
  readonly audience: string;
  /** The hub's service accounts that may sign in, `namespace/name`; no other may. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * Prefix of the user names on the spoke, ending with a colon, so that they differ from the spoke's own users and from
   * those of other hubs.
   *
   * @defaultValue - the name of the hub and a colon
   */
  readonly userPrefix?: string;
  /**
   * Where the spoke reads the signing issuer's discovery document, if not at the issuer: exactly this URL, so include
   * `/.well-known/openid-configuration` if the document is there.
   *
   * @defaultValue - at the issuer
   */
  readonly discoveryUrl?: string;
  /**
   * PEM certificates of the authority for the web server with the discovery document; as text, not in base64, and not
   * late: kube-apiserver does not start with a damaged one.
   *
   * @defaultValue - the spoke's system certificates
   */
  readonly certificateAuthority?: string;
  /**
   * Further entries of `jwt`, as they are in the spoke's file; not late.
   *
   * @defaultValue - none
   */
  readonly additionalAuthenticators?: readonly Readonly<Record<string, unknown>>[];
}

export const HUB_AUTHENTICATION_PROPS: ObjectKind<HubAuthenticationProps> = object({
  spoke: text,
  apiServer: text,
  issuer: ISSUER,
  hub: text,
  audience: text,
  serviceAccounts: list(SUBJECT),
  userPrefix: optional(text),
  discoveryUrl: optional(text),
  certificateAuthority: optional(text),
  additionalAuthenticators: optional(list(anyObject)),
});

/** How a hub's service accounts are named on a spoke. */
export type HubUsers = Pick<HubAuthenticationProps, "hub" | "userPrefix">;

const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?:$/;

/** Names that every cluster uses for its own API server, or a host for itself; other private names may be reachable. */
const OWN_NAMES =
  /^https:\/\/(?:kubernetes(?:\.default(?:\.svc\.[^/:]+)?)?|[^/:]+\.svc(?:\.cluster\.local)?|localhost|127(?:\.\d+)+|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * True for an issuer that means a different server in each cluster, as kubeadm's and OpenShift's defaults: a spoke
 * would look for the keys at itself, and does not start if it has the same issuer (`URL must not overlap with
 * disallowed issuers`).
 */
export function isOwnInEachCluster(issuer: string): boolean {
  return OWN_NAMES.test(issuer);
}

/** The prefix of user names, by default that of the hub. */
export function userPrefix({ hub, userPrefix: given }: HubUsers): string {
  const prefix = literal(given ?? `${clusterName(hub)}:`, "userPrefix");
  if (typeof prefix === "string" && PREFIX.test(prefix) && !prefix.startsWith("system:")) return prefix;
  return fail("fleet-invalid", {
    problem: "with this prefix, the hub's user names could be mistaken for the spoke's own users",
    value: prefix,
    allowed: "1 to 63 of a-z, 0-9, - and ., followed by a colon; not system:",
    remedy: "use the name of the hub, for example prod-hub:",
  });
}

/** User names of the hub's service accounts on the spoke, sorted. */
export function spokeUserNames(
  serviceAccounts: readonly (string | Subject)[],
  users: HubUsers,
): readonly string[] {
  const start = userPrefix(users);
  const names = serviceAccounts.map((each) => `${start}${Subject.of(each).toString()}`);
  return [...new Set(names)].sort();
}

/** The `AuthenticationConfiguration` of the spoke's API servers; throws if they would not start with it. */
export function authenticationConfiguration(props: HubAuthenticationProps): Json {
  const { spoke, additionalAuthenticators = [] } = props;
  const minor = minorOf(`version of spoke ${spoke}`, props.apiServer);
  const what = `spoke ${spoke}`;
  if (compareVersions(minor, "1.30") < 0)
    return fail(
      "version-unsupported",
      versionUnsupported(what, minor, "1.30 or newer", "no structured authentication"),
    );
  const users = spokeUserNames(props.serviceAccounts, props);
  if (users.length === 0)
    return fail("fleet-missing", {
      problem: "the spoke would not trust any controller",
      value: spoke,
      allowed: "at least one service account of the hub",
      remedy: "name the service accounts that open connections",
    });
  const others = literal(additionalAuthenticators, "additionalAuthenticators");
  throwFirst(secretIssues("additionalAuthenticators", others));
  const document = {
    apiVersion: `apiserver.config.k8s.io/${compareVersions(minor, "1.34") >= 0 ? "v1" : "v1beta1"}`,
    kind: "AuthenticationConfiguration",
    jwt: [...hubEntries(props, users, others), ...others],
  };
  throwFirst(authenticationProblems(document).map((problem) => notStarting(spoke, `the file ${problem}`)));
  return document;
}

/** An entry for each issuer of the hub, except issuers that additional authenticators cover. */
function hubEntries(
  props: HubAuthenticationProps,
  users: readonly string[],
  others: readonly unknown[],
): readonly Json[] {
  const rule = {
    expression: `user.username in [${users.map((user) => `'${user}'`).join(", ")}]`,
    message: "only the named controllers of the hub may sign in",
  };
  const signing = Issuer.of(props.issuer);
  const isStated = ({ url }: Issuer): boolean => others.some((each) => at(each, "issuer", "url") === url);
  return signing.accepted
    .filter((each) => each.equals(signing) || !isStated(each))
    .map((each) => ({
      issuer: issuerFields(each, each.equals(signing) ? props : { ...props, ...ASKED_ITSELF }),
      claimMappings: { username: { claim: "sub", prefix: userPrefix(props) } },
      userValidationRules: [rule],
    }));
}

function notStarting(spoke: string, reason: string): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `kube-apiserver of spoke ${spoke} would not start: ${reason}`,
    allowed: "entries of `jwt` that kube-apiserver accepts, each issuer and each discovery URL once",
    remedy: "correct the entry; this library writes the hub's own entry, so do not add it again",
  });
}

/** Keys of a further issuer are read at the issuer itself. */
const ASKED_ITSELF = { discoveryUrl: undefined, certificateAuthority: undefined } as const;

type IssuerSource = Pick<HubAuthenticationProps, "spoke" | "audience"> & {
  readonly discoveryUrl?: string | undefined;
  readonly certificateAuthority?: string | undefined;
};

function issuerFields(
  issuer: Issuer,
  { spoke, audience, discoveryUrl, certificateAuthority }: IssuerSource,
): Json {
  if (!issuer.late && isOwnInEachCluster(issuer.url)) {
    if (discoveryUrl === undefined)
      return fail("issuer-unsupported", issuerClusterInternal(issuer.url, "a spoke"));
    throw notStarting(
      spoke,
      `${issuer.url} is the default issuer of most clusters, so it may be the spoke's own`,
    );
  }
  const discoveryURL = discoveryUrl === undefined ? undefined : Issuer.exactly(discoveryUrl).url;
  // The rule for documents skips late URLs.
  if (discoveryURL === issuer.url) throw notStarting(spoke, "discoveryUrl is the issuer's own URL");
  return {
    url: issuer.url,
    ...(discoveryURL !== undefined && { discoveryURL }),
    ...(certificateAuthority !== undefined && {
      certificateAuthority: certificates(spoke, certificateAuthority),
    }),
    audiences: [spokeAudience(audience, issuer)],
  };
}

/** A PEM text has several lines, so it cannot be filled into the file later. */
function certificates(spoke: string, pem: string): string {
  const given: unknown = literal(pem, "certificateAuthority");
  if (typeof given === "string" && holdsPrivateKey(given)) throw secretMaterial("certificateAuthority");
  const problem = typeof given === "string" ? certificateProblem(given) : "is not a string";
  if (problem === undefined) return pem;
  return fail("fleet-invalid", {
    problem: `the certificate authority of the issuer, for spoke ${spoke}, ${problem}`,
    allowed: "one or several PEM blocks CERTIFICATE, as text and not in base64",
    remedy: "use the certificate file of the CA that signed the certificate of the issuer's web server",
  });
}

const VERSIONS: readonly string[] = ["v1", "v1beta1", "v1alpha1"].map(
  (version) => `apiserver.config.k8s.io/${version}`,
);

/** What is wrong with a parsed configuration, as ends of sentences; texts that are not known are skipped. */
export function authenticationProblems(document: unknown): readonly string[] {
  const tree = treeOf(document);
  const version = shownAt(tree, "apiVersion");
  const entries = itemsAt(tree, "jwt");
  const issuers = entries.map((entry) => childOf(entry, "issuer"));
  return [
    ...(VERSIONS.includes(version) ? [] : [`has the apiVersion ${version}, which no API server supports`]),
    ...unknownKeys(tree, FIELDS),
    ...issuers.flatMap(issuerProblems),
    ...entries.flatMap((entry) => [...mappingProblems(entry), ...ruleProblems(entry)]),
    ...twice(issuers, "url"),
    ...twice(issuers, "discoveryURL"),
  ];
}

/** Fields of an object, or of the objects of a list; empty for a value without fields. */
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

/** kube-apiserver decodes strictly. */
function unknownKeys(tree: Tree, fields: Fields): readonly string[] {
  if (Object.keys(fields).length === 0) return [];
  const keys = fieldsOf(tree).flatMap(([name, part]) => {
    const below = Object.hasOwn(fields, shown(name)) ? fields[shown(name)] : undefined;
    return below ? unknownKeys(part, below) : [`has the key ${shown(name)}, which no API server knows`];
  });
  return [...keys, ...itemsAt(tree).flatMap((item) => unknownKeys(item, fields))];
}

function literalAt(tree: Tree, key: string): string | undefined {
  const value = orElse(wordAt(tree, key), () => "");
  return value === "" || isLate(value) ? undefined : value;
}

function issuerProblems(issuer: Tree): readonly string[] {
  const url = wordAt(issuer, "url");
  const discoveryUrl = wordAt(issuer, "discoveryURL");
  const [discovery, authority] = [
    literalAt(issuer, "discoveryURL"),
    literalAt(issuer, "certificateAuthority"),
  ];
  const bad = authority === undefined ? undefined : authorityProblem(authority);
  const isSame = !isBlank(discoveryUrl) && same(withoutSlash(discoveryUrl), withoutSlash(url)) === "yes";
  return [
    ...(isBlank(url) || literalAt(issuer, "url") !== undefined ? urlProblems("an issuer", shown(url)) : []),
    ...(discovery === undefined ? [] : urlProblems("a discoveryURL", discovery)),
    ...(isSame ? ["has a discoveryURL that is the issuer's own URL"] : []),
    ...audienceProblems(issuer, shown(url)),
    ...(bad === undefined ? [] : [`has a certificateAuthority that ${bad}`]),
  ];
}

const URL_PARTS: readonly (readonly [string, RegExp])[] = [
  ["a user", /^https:\/\/[^/?#]*@/i],
  ["a query", /^[^#]*\?[^#]/],
  ["a fragment", /#./],
];

function urlProblems(what: string, url: string): readonly string[] {
  if (url === "") return [`has ${what} without URL`];
  if (!/^https:\/\//i.test(url)) return [`has ${what} ${url} without https`];
  const found = URL_PARTS.find(([, pattern]) => pattern.test(url));
  return found ? [`has ${what} with ${found[0]}`] : [];
}

function audienceProblems(issuer: Tree, url: string): readonly string[] {
  const audiences = itemsAt(issuer, "audiences").map((each) => shownAt(each));
  const policy = shownAt(issuer, "audienceMatchPolicy");
  if (audiences.length === 0) return [`has no audience for the issuer ${url}`];
  const again = audiences.find((audience, index) => audiences.indexOf(audience) < index);
  return [
    ...(audiences.includes("") ? [`has an empty audience for the issuer ${url}`] : []),
    ...(again === undefined ? [] : [`has the audience ${again} twice for the issuer ${url}`]),
    ...(audiences.length > 1 && policy !== "MatchAny"
      ? [`has several audiences for the issuer ${url} without audienceMatchPolicy MatchAny`]
      : []),
    ...(audiences.length === 1 && policy !== "" && policy !== "MatchAny"
      ? [`has the audienceMatchPolicy ${policy}, which is unknown`]
      : []),
  ];
}

/** Skips blocks other than certificates. */
function authorityProblem(pem: string): string | undefined {
  const certificates =
    pem.match(/-----BEGIN CERTIFICATE-----(?:[^-]*-(?!----BEGIN))*?----END CERTIFICATE-----/g) ?? [];
  return certificateProblem(certificates.join("\n"));
}

function isStated(tree: Tree, key: string): boolean {
  return !isBlank(wordAt(tree, key));
}

function mappingProblems(entry: Tree): readonly string[] {
  const username = childOf(entry, "claimMappings", "username");
  const isNamed = isStated(username, "claim") || isStated(username, "expression");
  return [
    ...(isNamed ? [] : ["has an entry that does not set a user name"]),
    ...claimProblems("user names", username),
    ...claimProblems("groups", childOf(entry, "claimMappings", "groups")),
  ];
}

/** A claim needs a prefix, which may be empty; an expression must not have one. */
function claimProblems(what: string, mapping: Tree): readonly string[] {
  const hasPrefix = (orElse(childOf(mapping, "prefix"), () => "") ?? undefined) !== undefined;
  const both = isStated(mapping, "claim") ? "claim" : hasPrefix && "prefix";
  if (isStated(mapping, "expression"))
    return both === false ? [] : [`has an entry with both ${both} and expression for ${what}`];
  return isStated(mapping, "claim") && !hasPrefix
    ? [`has no prefix for ${what} of the claim ${shownAt(mapping, "claim")}`]
    : [];
}

function ruleProblems(entry: Tree): readonly string[] {
  const claims = itemsAt(entry, "claimValidationRules");
  const users = itemsAt(entry, "userValidationRules");
  return [
    ...claims.flatMap((rule) => {
      if (isStated(rule, "claim") === isStated(rule, "expression"))
        return ["has a rule for claims with neither claim nor expression"];
      return isStated(rule, isStated(rule, "claim") ? "message" : "requiredValue")
        ? ["has a rule for claims that mixes the fields of claim and expression"]
        : [];
    }),
    ...(users.every((rule) => isStated(rule, "expression"))
      ? []
      : ["has a rule for users without expression"]),
    ...twice(claims, "claim"),
    ...twice(claims, "expression"),
    ...twice(users, "expression"),
  ];
}

function withoutSlash(url: Known<string>): Known<string> {
  return map(url, (each) => each.replace(/(?<!\/)\/+$/, ""));
}

function twice(entries: TreeList, key: string): readonly string[] {
  const values = entries.map((entry) => wordAt(entry, key)).filter((value) => !isBlank(value));
  const again = values.find((value, index) =>
    values.slice(0, index).some((each) => same(each, value) === "yes"),
  );
  return again === undefined ? [] : [`has the ${key} ${shown(again)} twice`];
}
