import { type Problem, fail } from "../errors";
import { isAksIssuer } from "./aks-issuer";
import { isLate, literal } from "./late";
import { isRecord } from "./record";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  made,
  list,
  object,
  optional,
  text,
  unfilled,
  wrongKind,
} from "./shape";

const SCHEME = "https://";

/** Letters, digits, `-` and `_` (in names of old S3 buckets), without `-` at either end. */
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const HOSTLESS = new RegExp(`^https://(?!\\[|${LABEL}(?:\\.${LABEL})*(?:[:/]|$))`);

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[?]/, "has a query, which OIDC discovery forbids"],
  [/#/, "has a fragment, which OIDC discovery forbids"],
  [/[\s\\<>"{}|^`]|[^\x21-\x7e]/, "has a character that is not allowed in a URL"],
  [/^https:\/\/[^/]*@/, "has a user, which OIDC discovery forbids"],
  [/^https:\/\/\/|^https:\/\/$/, "has no host"],
  [/^https:\/\/[^/]*[A-Z]/, "has upper-case letters in its host"],
  [/^https:\/\/[^/]*:(?:\/|$)/, "has an empty port"],
  [HOSTLESS, "has no valid host name"],
  [/\/\/.*\/\//, "has an empty path segment"],
  [/\/(?:\.|%2e){1,2}(?:\/|$)/i, "has a dot segment, which clients remove from a URL before they request it"],
];

/** Discovery document (OpenID Connect Discovery 1.0, section 4), and key sets of kube-apiserver and ccoctl. */
const DOCUMENT =
  /\/(?:\.well-known\/openid-configuration|openid\/v1\/jwks|(?:\.well-known\/)?(?:keys|jwks)\.json)$/;

/** Hosts outside public DNS: single labels, RFC 6761 and 6762, `.internal`, services; private addresses, loopback. */
const INTERNAL: readonly RegExp[] = [
  /^[^.[]+$/,
  /\.(?:localhost|local|internal|svc)$/,
  /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)(?:\.\d+)+$/,
  /^\[(?:::1?|f[cd].*|fe80:.*)\]$/,
];

/** Further settings of an issuer. */
export interface IssuerSettings {
  /**
   * Distinguishes the issuer from the cluster's others, 1 to 16 of a-z and 0-9. It is appended to the names of
   * resources that exist once per issuer in Azure (federated credentials) and Google Cloud (pool providers). Do not
   * change it later: those resources would be replaced.
   *
   * @defaultValue - none; names are those of a cluster with a single issuer
   */
  readonly label?: string;
  /**
   * Further issuers to trust while a cluster moves from one issuer to another: the values of kube-apiserver's
   * `--service-account-issuer` after the first, which signs. Every identity trusts them too.
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
  /** Distinguishes it from the cluster's other issuers; `undefined` without a label. */
  readonly label: string | undefined;
  /** Further issuers whose tokens are trusted. */
  readonly additionalIssuers: readonly Issuer[];

  private constructor(url: string, label?: string, additionalIssuers: readonly Issuer[] = []) {
    this.url = url;
    this.label = label;
    this.additionalIssuers = additionalIssuers;
  }

  /**
   * Returns the issuer of a URL, of another `Issuer` or of a construct that has one. A literal URL must not end with a
   * slash, except an AKS issuer, which must, nor with the path of its discovery document. Settings replace those of the given issuer; omitted ones stay.
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
        remedy: 'write a short name, for example the year of the move: `label: "2027"`',
      });
    const stated = additionalIssuers.map((each) => Issuer.of(each));
    // Further issuers of the further issuers are trusted too; this issuer may be among them.
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
    const [document] = DOCUMENT.exec(issuer) ?? [];
    if (!checked.late && document !== undefined)
      return fail("issuer-invalid", {
        problem: "issuer is the address of a document that is published below the issuer",
        value: issuer,
        allowed: "the `issuer` that the discovery document states, which is also the `iss` of the tokens",
        remedy: `write ${issuer.slice(0, -document.length)}; only when the cluster's \`iss\` really ends like this use Issuer.exactly(url)`,
      });
    if (!checked.late && issuer.endsWith("/") && !isAksIssuer(issuer))
      return fail("issuer-invalid", {
        problem: "issuer ends with a slash, and every cloud compares it exactly with the `iss` of the token",
        value: issuer,
        allowed: "https://host[/path] without trailing slash; with it for AKS",
        remedy:
          "remove the slash; only when the cluster's `iss` really ends with one (Azure static website) use Issuer.exactly(url)",
      });
    return checked;
  }

  /** Returns an issuer whose URL may end with a slash or the path of a document, for clusters whose `iss` really does. */
  static exactly(url: string): Issuer {
    if (isLate(url)) return new Issuer(url);
    if (typeof url !== "string" || !url.startsWith(SCHEME))
      return fail("issuer-invalid", issuerProblem(url, "is not an https URL"));
    const mistake = unfilled(url);
    if (mistake) throw mistake.error("issuer");
    const broken = FORBIDDEN.find(([pattern]) => pattern.test(url));
    if (broken) return fail("issuer-invalid", issuerProblem(url, broken[1]));
    if (!URL.canParse(url)) return fail("issuer-invalid", issuerProblem(url, "is not a URL"));
    if (isAksIssuer(url) && !url.endsWith("/"))
      return fail("issuer-invalid", {
        problem:
          "issuer of an AKS cluster lacks the slash at its end, and every cloud compares it exactly with the `iss` of the token",
        value: url,
        allowed: `${url}/`,
        remedy: "add the slash: `az aks show` prints it in oidcIssuerProfile.issuerUrl",
      });
    return new Issuer(url);
  }

  /** True if Terraform knows the URL only after apply. */
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
   * like. Clouds cannot fetch such an issuer's keys, so they must be uploaded. False for a late URL.
   */
  get clusterInternal(): boolean {
    if (this.late) return false;
    const [authority = ""] = this.hostPath.split("/", 1);
    const host = authority.replace(/:\d+$/, "");
    return INTERNAL.some((pattern) => pattern.test(host));
  }

  /** All trusted issuers including this one, sorted by label, so that the order does not depend on which one signs. */
  get accepted(): readonly Issuer[] {
    const order = (each: Issuer): string => each.label ?? "";
    return [this, ...this.additionalIssuers].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** The URLs in the form of `workload-identity.json`. */
  get recorded(): { readonly issuer: string; readonly additionalIssuers?: readonly string[] } {
    const urls = this.additionalIssuers.map(({ url }) => url);
    return { issuer: this.url, ...(urls.length > 0 && { additionalIssuers: urls }) };
  }

  /** Whether both have exactly the same URL. */
  equals(other: Issuer): boolean {
    return this.url === other.url;
  }
}

/** A construct that publishes an issuer's discovery document and keys. */
export interface IIssuerHost {
  /** The issuer, exactly as the cluster's `--service-account-issuer` must be; may be late. */
  readonly issuer: Issuer;
}

/** A cluster's issuer: its exact URL, or the construct that publishes it. */
export type GivenIssuer = string | Issuer | IIssuerHost;

const TITLE =
  "an https URL, an Issuer, or a construct that has one in `issuer`, such as IssuerBucket or OidcProvider";

export const ISSUER: Kind<GivenIssuer> = {
  title: TITLE,
  mistake: (value) => {
    if (typeof value === "string") return unfilled(value);
    return isIssuer(value) || isHost(value) ? undefined : wrongKind(value, TITLE);
  },
  example: () => '"https://oidc.example.com/prod"',
};

const ISSUER_SETTINGS: ObjectKind<IssuerSettings> = object({
  label: optional(text),
  additionalIssuers: optional(list(ISSUER)),
});

/** Names in Azure and Google Cloud differ only by the label. */
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
              ? "remove one of the two from additionalIssuers"
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

/** The kind of an issuer that is not a string, as our constructs have them. */
export const CHECKED_ISSUER: Kind<Issuer> = made(
  "an Issuer, made by Issuer.of(url)",
  'Issuer.of("https://oidc.example.com/prod")',
  { url: text },
);

function issuerProblem(value: string, reason: string): Problem {
  return {
    problem: `issuer ${reason}`,
    value,
    allowed: "https://host[/path], without query, fragment, user or trailing slash",
    remedy: "use the `issuer` of the cluster's /.well-known/openid-configuration, character for character",
  };
}
