/*
 * Google Cloud: workload identity pools, Artifact Registry pulls by auth-provider-gcp, GKE and fleets.
 */

import { isAbsent, joined, known, map, orElse, shown, unread } from "../../model/known";
import { serviceAccountOfUser } from "../../model/namespaced-name";
import type { Cloud, CloudReader, DeclaredIdentity, TrustTerms } from "../cloud";
import type { CelExpression } from "../../rules/google/cel-evaluation";
import type { Terraform } from "../read/terraform";
import { grantsNotRead } from "../shared/not-read";
import { keySet } from "../shared/key-set";
import type { Issuers } from "../shared/object-store";
import { gkeClusters } from "./clusters";
import { deniedBy, grantedTo } from "./held";
import { Iam } from "./iam";
import { googleAccess } from "./identity";
import { issuerStores } from "./issuer";
import { googleComputed } from "./names";
import type { ClosedWorld } from "../coverage/closed-world";
import { downloadsOf } from "./permission";
import { googlePlugin } from "./plugin";
import { type PoolProvider, audienceOf, poolProviders } from "./pool";
import { recorded } from "./recorded";
import { googleSpokes } from "./spoke";
import { Exchanges } from "./trust";

export const googleReader: CloudReader = {
  cloud: "google",
  title: "Google Cloud",
  providers: ["google"],
  computed: googleComputed,
  clusters: gkeClusters,
  recorded,
  stores: issuerStores,
  read: google,
};

/** Group members, lists of who may read buckets, people of other organizations, and long-lived keys. */
const NOT_JUDGED: readonly string[] = [
  "google_cloud_identity_group_membership",
  "google_iam_workforce_pool_provider",
  "google_service_account_key",
  "google_storage_bucket_access_control",
  "google_storage_bucket_acl",
  "google_storage_default_object_access_control",
  "google_storage_default_object_acl",
];

function google(terraform: Terraform, issuers: Issuers, world: ClosedWorld): Cloud {
  const providers = poolProviders(terraform);
  const exchanges = new Exchanges(providers, issuers, world);
  const iam = new Iam(terraform, world);
  return {
    cloud: "google",
    pulls: googlePlugin(exchanges, downloadsOf(iam, terraform)),
    access: googleAccess(exchanges, iam, terraform),
    spokes: googleSpokes(terraform, iam),
    get identities(): Cloud["identities"] {
      return providers
        .filter(({ resource }) => !resource.adopted)
        .map((provider) => declaredIdentity(provider, exchanges));
    },
    get granted(): Cloud["granted"] {
      const pools = providers.map(({ poolId }) => `/workloadIdentityPools/${shown(poolId)}/`);
      const accounts = terraform
        .ofType("google_service_account")
        .map((each) => `serviceAccount:${shown(each.stated("account_id"))}@`);
      const granted = grantedTo(iam, [...pools, ...accounts]);
      return [...granted, ...deniedBy(terraform), ...grantsNotRead(terraform, NOT_JUDGED)];
    },
  };
}

function declaredIdentity(provider: PoolProvider, exchanges: Exchanges): DeclaredIdentity {
  const { poolId, providerId, numbers, resource } = provider;
  const { address, source } = resource;
  const [pool, id] = [shown(poolId), shown(providerId)];
  const names = [address, id, `${pool}/${id}`, `workloadIdentityPools/${pool}/providers/${id}`];
  return {
    id: names.join(" "),
    address,
    names,
    source,
    trust: ({ issuer, subject, audience }) => {
      const token = { issuer, audience: known(audience), subject, account: serviceAccountOfUser(subject) };
      return exchanges.trust({ number: numbers[0] ?? known("-"), poolId, providerId }, token, provider);
    },
    get terms() {
      return termsOf(provider);
    },
  };
}

const TEXT = "(?:'[^'\\\\]*'|\"[^\"\\\\]*\")";
/** The usual form of conditions: they only compare the subject with texts. */
const OF_SUBJECT = new RegExp(
  `^\\s*assertion\\.sub\\s*(?:==\\s*${TEXT}|in\\s*\\[\\s*${TEXT}(?:\\s*,\\s*${TEXT})*\\s*\\])\\s*$`,
);

/** The stated audiences, else the pool provider's own name. */
function acceptedAudiences(provider: PoolProvider): TrustTerms["audiences"] {
  const stated = orElse(provider.audiences, () => []);
  const [number = unread("the number of the pool's project")] = provider.numbers;
  return stated.length > 0 ? stated : [audienceOf({ ...provider, number })];
}

/** The terms of a pool provider; subjects in other forms of conditions are not compared text by text. */
function termsOf(provider: PoolProvider): TrustTerms {
  const { issuer, condition, mapping, off, doubt, jwks, resource } = provider;
  const handed = map(jwks, (keys = "") => keys);
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
    keys: isAbsent(jwks) ? undefined : { ...keySet(handed), text: handed, source: resource.source },
    beyond: [
      ...(isPlain ? [] : expressions),
      ...[off, doubt].flatMap((why) => (why === undefined ? [] : [known(why)])),
    ],
  };
}
