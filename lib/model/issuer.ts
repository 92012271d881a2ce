import { type Problem, fail } from "../errors";
import { isAksIssuer } from "./aks-issuer";
import { isLate, literal } from "./late";
import { isRecord } from "./record";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  like,
  list,
  object,
  optional,
  text,
  wrongKind,
} from "./shape";
import { issuerTrailingSlash } from "./problems";

const SCHEME = "https://";

/** Letters, digits, `-` and `_` (old S3 buckets have it), not `-` at either end. */
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const HOSTLESS = new RegExp(`^https://(?!\\[|${LABEL}(?:\\.${LABEL})*(?:[:/]|$))`);

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[?]/, "has a query, which OIDC discovery forbids"],
  [/#/, "has a fragment, which OIDC discovery forbids"],
  [/[\s\\<>"{}|^`]|[^\x21-\x7e]/, "has a character that cannot stand in a URL"],
  [/^https:\/\/[^/]*@/, "has a user, which OIDC discovery forbids"],
  [/^https:\/\/\/|^https:\/\/$/, "has no host"],
  [/^https:\/\/[^/]*[A-Z]/, "has upper-case letters in its host"],
  [/^https:\/\/[^/]*:(?:\/|$)/, "has an empty port"],
  [HOSTLESS, "has no valid host name"],
  [/\/\/.*\/\//, "has an empty path segment"],
  [/\/(?:\.|%2e){1,2}(?:\/|$)/i, "has a dot segment, which clients take out of a URL before they ask for it"],
];

/** No public DNS has these: single labels, RFC 6761 and 6762, `.internal`, service names; private and loopback addresses. */
const INTERNAL: readonly RegExp[] = [
  /^[^.[]+$/,
  /\.(?:localhost|local|internal|svc)$/,
  /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)(?:\.\d+)+$/,
  /^\[(?:::1?|f[cd].*|fe80:.*)\]$/,
];

/** What else is said of an issuer. */
export interface IssuerSettings {
  /**
   * Tells the issuer from the cluster's others, 1 to 16 of a-z and 0-9: ends the names of what exists once per issuer
   * in Azure (federated credentials) and Google Cloud (pool providers). It stays with the URL for good: with another
   * label those are made anew.
   *
   * @defaultValue - none; names as of a cluster with a single issuer
   */
  readonly label?: string;
  /**
   * Further issuers whose tokens are trusted, while a cluster moves from one to the other: what kube-apiserver has in
   * `--service-account-issuer` after the first, which signs. Every identity of every cloud trusts them beside this one.
   *
   * @defaultValue - none
   */
  readonly additionalIssuers?: readonly GivenIssuer[];
}

const LABELLED = /^[a-z0-9]{1,16}$/;

/**
 * The `iss` of a cluster's service account tokens, an https URL that clouds compare exactly.
 *
 * Rules: OpenID Connect Discovery 1.0 section 3 and kube-apiserver's `--service-account-issuer`: https, no query,
 * no fragment. A late value (an attribute of a cluster that the same configuration creates) is passed through.
 */
export class Issuer {
  /** The URL as given. */
  readonly url: string;
  /** Tells it from the cluster's other issuers; `undefined` for one without. */
  readonly label: string | undefined;
  /** Further issuers whose tokens are trusted. */
  readonly additionalIssuers: readonly Issuer[];

  private constructor(url: string, label?: string, additionalIssuers: readonly Issuer[] = []) {
    this.url = url;
    this.label = label;
    this.additionalIssuers = additionalIssuers;
  }

  /**
   * An issuer without trailing slash, that of an AKS cluster with it, or a late value; also that of a construct that
   * has one. A setting replaces that of the given issuer; what is left out stays.
   */
  static of(given: GivenIssuer, settings?: IssuerSettings): Issuer {
    return settings === undefined ? Issuer.#plain(given) : Issuer.#with(Issuer.#plain(given), settings);
  }

  static #with(given: Issuer, settings: IssuerSettings): Issuer {
    checkGiven("Issuer.of()", ISSUER_SETTINGS, settings);
    const { url } = given;
    const { label = given.label, additionalIssuers = given.additionalIssuers } = settings;
    if (label !== undefined && !LABELLED.test(label))
      return fail("issuer-invalid", {
        problem: "label of an issuer does not have an allowed form",
        value: label,
        allowed: "1 to 16 of a-z and 0-9",
        remedy: 'write a short name, of the year of the move say: `label: "2027"`',
      });
    const stated = additionalIssuers.map((each) => Issuer.of(each));
    // What a stated one is still trusted beside is trusted here too; that may be this one itself.
    const others = stated.flatMap((each) => each.additionalIssuers);
    const urls = new Set([url, ...stated.map((each) => each.url)]);
    const issuer = new Issuer(url, label, [...stated, ...others.filter((each) => !urls.has(each.url))]);
    refuseAlike(issuer.accepted);
    return issuer;
  }

  static #plain(given: GivenIssuer): Issuer {
    const issuer = isHost(given) ? given.issuer : given;
    if (issuer instanceof Issuer) return issuer;
    const checked = Issuer.exactly(issuer);
    if (!checked.late && issuer.endsWith("/") && !isAksIssuer(issuer))
      return fail("issuer-invalid", issuerTrailingSlash(issuer));
    return checked;
  }

  /**
   * An issuer that may end with a slash, for clusters whose `iss` really does.
   */
  static exactly(url: string): Issuer {
    if (isLate(url)) return new Issuer(url);
    if (typeof url !== "string" || !url.startsWith(SCHEME))
      return fail("issuer-invalid", issuerProblem(url, "is not an https URL"));
    const broken = FORBIDDEN.find(([pattern]) => pattern.test(url));
    if (broken) return fail("issuer-invalid", issuerProblem(url, broken[1]));
    if (!URL.canParse(url)) return fail("issuer-invalid", issuerProblem(url, "is not a URL"));
    if (isAksIssuer(url) && !url.endsWith("/"))
      return fail("issuer-invalid", issuerTrailingSlash(url, "missing"));
    return new Issuer(url);
  }

  /** True when Terraform knows the URL only after apply. */
  get late(): boolean {
    return isLate(this.url);
  }

  /**
   * The issuer without `https://`; AWS uses it in ARNs and condition keys.
   */
  get hostPath(): string {
    return literal(this.url, "issuer").slice(SCHEME.length);
  }

  /**
   * True for a host that only the cluster itself can resolve or reach: `kubernetes.default.svc`, `localhost` and the
   * like. No cloud can fetch such an issuer's keys; it serves only where the keys are uploaded. False where late.
   */
  get clusterInternal(): boolean {
    if (this.late) return false;
    const [authority = ""] = this.hostPath.split("/", 1);
    const host = authority.replace(/:\d+$/, "");
    return INTERNAL.some((pattern) => pattern.test(host));
  }

  /** Every issuer whose tokens are trusted, this one included; by label, so that the order is the same whichever signs. */
  get accepted(): readonly Issuer[] {
    const order = (each: Issuer): string => each.label ?? "";
    return [this, ...this.additionalIssuers].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** The URLs for `workload-identity.json`. */
  get recorded(): { readonly issuer: string; readonly additionalIssuers?: readonly string[] } {
    const urls = this.additionalIssuers.map(({ url }) => url);
    return { issuer: this.url, ...(urls.length > 0 && { additionalIssuers: urls }) };
  }

  /** Exactly the same URL. */
  equals(other: Issuer): boolean {
    return this.url === other.url;
  }
}

/** A place that publishes an issuer's discovery document and keys: declared in this configuration. */
export interface IIssuerHost {
  /** The issuer: what the cluster's `--service-account-issuer` must be, exactly; may be late. */
  readonly issuer: Issuer;
}

/** A cluster's issuer: its exact URL, or what publishes it in this configuration. */
export type GivenIssuer = string | Issuer | IIssuerHost;

const TITLE =
  "an https URL, an Issuer, or a construct that has one in `issuer`, such as IssuerBucket or OidcProvider";

/** The kind of a cluster's issuer. */
export const ISSUER: Kind<GivenIssuer> = {
  title: TITLE,
  mistake: (value) =>
    typeof value === "string" || isIssuer(value) || isHost(value) ? undefined : wrongKind(value, TITLE),
};

const ISSUER_SETTINGS: ObjectKind<IssuerSettings> = object({
  label: optional(text),
  additionalIssuers: optional(list(ISSUER)),
});

/** Names of Azure and Google Cloud are told apart by the labels alone. */
function refuseAlike(accepted: readonly Issuer[]): void {
  const key = ({ label, url }: Issuer, by: "label" | "url"): string => (by === "url" ? url : (label ?? ""));
  for (const by of ["url", "label"] as const) {
    const seen = new Set<string>();
    for (const issuer of accepted) {
      if (seen.has(key(issuer, by)))
        fail("issuer-conflict", {
          problem: `two issuers of one cluster have the same ${by}`,
          value: by === "url" ? issuer.url : (issuer.label ?? "no label"),
          allowed: `a different ${by === "url" ? "URL" : "label"} for each; one may have no label`,
          remedy:
            by === "url"
              ? "leave one of the two out of additionalIssuers"
              : 'give the issuer that the cluster moves to a label: Issuer.of(url, { label: "2027" })',
        });
      seen.add(key(issuer, by));
    }
  }
}

function isIssuer(value: unknown): boolean {
  return isRecord(value) && typeof value["url"] === "string";
}

function isHost(value: unknown): value is IIssuerHost {
  return isRecord(value) && isIssuer(value["issuer"]);
}

/** The kind of an issuer that is not a string, as those that our constructs have. */
export const CHECKED_ISSUER: Kind<Issuer> = like("an Issuer, made by Issuer.of(url)", { url: text });

function issuerProblem(value: string, reason: string): Problem {
  return {
    problem: `issuer ${reason}`,
    value,
    allowed: "https://host[/path], without query, fragment, user or trailing slash",
    remedy: "use the `issuer` of the cluster's /.well-known/openid-configuration, character for character",
  };
}
