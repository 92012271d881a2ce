/*
 * Who may act as a Google service account from GKE's own pool. Sources: Google Cloud documentation, "Authenticate to
 * Google Cloud APIs from GKE workloads" (both forms) and "Principal identifiers".
 */

import { principalOf, setOf, formerOf } from "../../../fixtures/existing/gke-native";
import { ISSUER } from "../../../fixtures/existing/gke";
import { checks } from "../../../fixtures/explain/checks";
import { gkeNative, native } from "../../../fixtures/explain/gke-native";

const member = (text: string) => gkeNative({ member: text });

checks("subject-admitted", "the pool of GKE", native, [
  ["the service account", [], "pass", "lets serviceAccount:acme-prod.svc.id.goog[shop/web] act as it"],
  ["as a principal", member(principalOf("shop/web")), "pass"],
  ["as one of its namespace", member(setOf("namespace/shop")), "pass"],
  ["as one of its cluster", member(setOf(`kubernetes.cluster/${ISSUER}`)), "pass"],
  ["as one of the pool", member(setOf("*")), "pass"],
  [
    "by the uid of a service account",
    member(principalOf("shop/web").replace(/subject.*/, "kubernetes.serviceaccount.uid/1")),
    "unknown",
  ],
  [
    "of another namespace",
    member(formerOf("store/web")),
    "fail",
    "the nearest is serviceAccount:acme-prod.svc.id.goog[store/web]",
  ],
  ["of another name", member(formerOf("shop/wep")), "fail"],
  ["of another pool", member(formerOf("shop/web", "acme-test")), "fail"],
  ["as a principal of another pool", member(principalOf("shop/web", "acme-test")), "fail"],
  ["as one of another namespace", member(setOf("namespace/store")), "fail"],
  ["as one of another cluster", member(setOf(`kubernetes.cluster/${ISSUER}2`)), "fail"],
  ["nothing", gkeNative({ member: null }), "fail", "does not let"],
]);

checks("subject-admitted", "the pool of a cluster that was not read", native, [
  ["the service account", gkeNative({ cluster: null }), "pass", "", { verdict: "unknown" }],
  [
    "of another pool, which may be that of its fleet",
    gkeNative({ cluster: null, member: formerOf("shop/web", "acme-fleet") }),
    "unknown",
  ],
  ["of another namespace", gkeNative({ cluster: null, member: formerOf("store/web") }), "fail"],
]);

checks("subject-admitted", "an account that is declared elsewhere", native, [
  ["with the binding", gkeNative({ declared: false }), "pass", "", { verdict: "unknown" }],
  ["without it", gkeNative({ declared: false, member: null }), "unknown", "cannot be determined"],
]);
