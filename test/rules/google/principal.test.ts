import { expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { type PrincipalSelector, managedSubject, renderPrincipal } from "../../../lib/rules/google/provider";

const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools";

const principal = (selector: PrincipalSelector, poolId = "prod-pool"): Parameters<typeof renderPrincipal> => [
  { projectNumber: "123456789012", poolId },
  selector,
];

// https://cloud.google.com/iam/docs/principal-identifiers
const FORMS: readonly (readonly [Parameters<typeof renderPrincipal>, string])[] = [
  [
    principal({ kind: "subject", subject: "system:serviceaccount:shop:web" }),
    `principal://${POOL}/prod-pool/subject/system:serviceaccount:shop:web`,
  ],
  [
    principal({ kind: "subject", subject: "ns/shop/sa/web" }, "shop-prod.svc.id.goog"),
    `principal://${POOL}/shop-prod.svc.id.goog/subject/ns/shop/sa/web`,
  ],
  [
    principal({ kind: "attribute", name: "subject", value: "system:serviceaccount:shop:web" }),
    `principalSet://${POOL}/prod-pool/attribute.subject/system:serviceaccount:shop:web`,
  ],
];

it.each(FORMS)("renders %j", (value, text) => {
  expect(renderPrincipal(...value)).toBe(text);
});

it("writes the subject of the managed pool", () => {
  expect(managedSubject(Subject.of("shop/web.v2"))).toBe("ns/shop/sa/web.v2");
});
