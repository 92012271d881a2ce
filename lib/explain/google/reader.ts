/*
 * Google Cloud: workload identity pools, Artifact Registry pulls by auth-provider-gcp, GKE and fleets.
 */

import { type Known, joined, known, orElse, shown, unread } from "../../model/known";
import { serviceAccountOfUser } from "../../model/namespaced-name";
import type {
  Cloud,
  CloudReader,
  DeclaredIdentity,
  Granted,
  ShownClaims,
  TrustAnswer,
  TrustTerms,
} from "../cloud";
import type { CelExpression } from "../../rules/google/cel-evaluation";
import type { Terraform } from "../read/terraform";
import { grantsNotRead } from "../shared/not-read";
import { keySet } from "../shared/key-set";
import type { Issuers, PublishedKeys } from "../shared/object-store";
import { gkeClusters } from "./clusters";
import { deniedBy, grantedTo } from "./held";
import { Iam } from "./iam";
import { GoogleActors } from "./identity";
import { issuerStores } from "./issuer";
import { googleComputed } from "./names";
import type { ClosedWorld } from "../coverage/closed-world";
import { Downloads } from "./permission";
import { GooglePlugin } from "./plugin";
import { type PoolProvider, poolProviders } from "./pool";
import { recorded } from "./recorded";
import { GoogleSpokes } from "./spoke";
import { Exchanges } from "./trust";

export const googleReader: CloudReader = {
  cloud: "google",
  title: "Google Cloud",
  providers: ["google"],
  computed: googleComputed,
  clusters: gkeClusters,
  recorded,
  stores: issuerStores,
  read: (terraform, issuers, world) => new Google(terraform, issuers, world),
};

/** Group members, and long-lived keys. */
const NOT_JUDGED: readonly string[] = [
  "google_cloud_identity_group_membership",
  "google_service_account_key",
];

class Google implements Cloud {
  readonly cloud = "google";
  readonly pulls: GooglePlugin;
  readonly #terraform: Terraform;
  readonly #world: ClosedWorld;
  readonly #providers: readonly PoolProvider[];
  readonly #exchanges: Exchanges;
  #iam: Iam | undefined;
  #access: GoogleActors | undefined;
  #spokes: GoogleSpokes | undefined;
  #downloads: Downloads | undefined;

  constructor(terraform: Terraform, issuers: Issuers, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#world = world;
    this.#providers = poolProviders(terraform);
    this.#exchanges = new Exchanges(this.#providers, issuers, world);
    const downloads = (): Downloads => (this.#downloads ??= new Downloads(this.#policies, terraform));
    this.pulls = new GooglePlugin(this.#exchanges, downloads);
  }

  get access(): GoogleActors {
    return (this.#access ??= new GoogleActors(this.#exchanges, this.#policies, this.#terraform));
  }

  get spokes(): GoogleSpokes {
    return (this.#spokes ??= new GoogleSpokes(this.#terraform, this.#policies));
  }

  get identities(): readonly DeclaredIdentity[] {
    return this.#providers
      .filter(({ resource }) => !resource.adopted)
      .map((provider): DeclaredIdentity => {
        const { address, source } = provider.resource;
        const [pool, id] = [shown(provider.poolId), shown(provider.providerId)];
        const names = [address, id, `${pool}/${id}`, `workloadIdentityPools/${pool}/providers/${id}`];
        return {
          id: names.join(" "),
          address,
          names,
          source,
          trust: (claims) => this.#trust(provider, claims),
          get terms() {
            return termsOf(provider);
          },
        };
      });
  }

  get granted(): readonly Granted[] {
    const pools = this.#providers.map(({ poolId }) => `/workloadIdentityPools/${shown(poolId)}/`);
    const accounts = this.#terraform
      .ofType("google_service_account")
      .map((each) => `serviceAccount:${shown(each.stated("account_id"))}@`);
    return [
      ...grantedTo(this.#policies, [...pools, ...accounts]),
      ...deniedBy(this.#terraform),
      ...grantsNotRead(this.#terraform, NOT_JUDGED),
    ];
  }

  #trust(provider: PoolProvider, { issuer, subject, audience }: ShownClaims): TrustAnswer {
    const token = { issuer, audience: known(audience), subject, account: serviceAccountOfUser(subject) };
    const { poolId, providerId, numbers } = provider;
    return this.#exchanges.trust({ number: numbers[0] ?? known("-"), poolId, providerId }, token, provider);
  }

  get #policies(): Iam {
    return (this.#iam ??= new Iam(this.#terraform, this.#world));
  }
}

const TEXT = "(?:'[^'\\\\]*'|\"[^\"\\\\]*\")";
/** The usual form of conditions: they only compare the subject with texts. */
const OF_SUBJECT = new RegExp(
  `^\\s*assertion\\.sub\\s*(?:==\\s*${TEXT}|in\\s*\\[\\s*${TEXT}(?:\\s*,\\s*${TEXT})*\\s*\\])\\s*$`,
);

/** The stated audiences, else the pool provider's own name. */
function acceptedAudiences({
  audiences,
  numbers,
  poolId,
  providerId,
}: PoolProvider): readonly Known<string>[] {
  const stated = orElse(audiences, () => []);
  const [number = unread("the number of the pool's project")] = numbers;
  const pool = joined(
    "//iam.googleapis.com/projects/",
    number,
    "/locations/global/workloadIdentityPools/",
    poolId,
  );
  return stated.length > 0 ? stated : [joined(pool, "/providers/", providerId)];
}

/** The keys that it was given; `undefined` if it fetches them, or if they are not known. */
function handedKeys({ jwks, resource: { source } }: PoolProvider): PublishedKeys | undefined {
  const text = orElse(jwks, () => undefined);
  return text === undefined ? undefined : { ...keySet(known(text)), source };
}

/** The terms of a pool provider; subjects in other forms of conditions are not compared text by text. */
function termsOf(provider: PoolProvider): TrustTerms {
  const { issuer, condition, mapping, off, doubt } = provider;
  const text = orElse(condition?.text ?? known(""), () => undefined);
  const isPlain = text === "" || (text !== undefined && OF_SUBJECT.test(text));
  const named = isPlain
    ? (text.match(new RegExp(TEXT, "g")) ?? []).map((each) => known(each.slice(1, -1)))
    : [];
  const mapped = [...orElse(mapping, () => new Map<string, CelExpression>())];
  const expressions = condition
    ? [condition.text, ...mapped.map(([name, each]) => joined(name, "=", each.text))]
    : [];
  return {
    issuers: [issuer],
    audiences: acceptedAudiences(provider),
    subjects: named,
    maps: mapped.map(([name, each]) => joined(name, " = ", each.text)),
    keys: handedKeys(provider),
    beyond: [
      ...(isPlain ? [] : expressions),
      ...[off, doubt].flatMap((why) => (why === undefined ? [] : [known(why)])),
    ],
  };
}
