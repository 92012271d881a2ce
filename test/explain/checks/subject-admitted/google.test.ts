/*
 * Whom a pool provider admits, and who may act as a service account. How expressions are evaluated is in
 * test/rules/google/cel-evaluation.test.ts, which grants let act in test/explain/google/accounts.test.ts.
 */

import { type Configuration, INGRESS, accessArtefacts } from "../../../fixtures/explain/access";
import { checks } from "../../../fixtures/explain/checks";
import { type Change, added, configured, without } from "../../../fixtures/explain/configuration";
import { accounts, terraform, tools } from "../../../fixtures/explain/three-clouds";

const ID = "subject-admitted";
const SUB = "system:serviceaccount:shop:tools";
const condition = (expression: string) => terraform(`assertion.sub in ['${SUB}']`, expression);
const mapped = (mapping: string) => terraform('"google.subject": "assertion.sub"', mapping);
const long = "a".repeat(120);

checks(ID, "the attribute condition", tools, [
  ["as written", [], "pass", `admits ${SUB}`],
  [
    "of another service account",
    condition("assertion.sub in ['system:serviceaccount:shop:web']"),
    "fail",
    "the attribute condition does not admit",
    { log: "The given credential is rejected by the attribute condition." },
  ],
  [
    "of the name that cdk8s would make",
    condition(`assertion.sub in ['${SUB}-c8c7fda7']`),
    "fail",
    `; ${SUB}-c8c7fda7 differs only in its generated end: cdk8s`,
  ],
  ["on a nested claim", condition("assertion['kubernetes.io']['namespace'] == 'shop'"), "pass", "admits"],
  [
    "of another namespace's prefix",
    condition("assertion.sub.startsWith('system:serviceaccount:prod:') && assertion.sub != ''"),
    "fail",
    "does not admit",
  ],
  ["on a mapped attribute", condition("attribute.namespace == 'shop'"), "pass", "admits"],
  [
    "on the mapped subject",
    condition("google.subject == 'system:serviceaccount:shop:web'"),
    "fail",
    "not admit",
  ],
  ["on the audience", condition("'sts.amazonaws.com' in assertion.aud"), "fail", "does not admit"],
  ["on a claim that the token lacks", condition("assertion.repository == 'a/b'"), "fail", "fails: "],
  [
    "on what only the token tells",
    condition("assertion.jti.matches('.*')"),
    "unknown",
    "what only the token tells",
  ],
  [
    "on a member of what only the token tells",
    condition("assertion['kubernetes.io']['pod']['name'].startsWith('tools-')"),
    "unknown",
    "only the token tells",
  ],
  [
    "with a function that is not read",
    condition("assertion.sub.replace('a', 'b') == 'x'"),
    "unknown",
    "replace",
  ],
  ["that is none", condition("assertion.sub =="), "unknown", "parsed"],
  [
    "with a reference",
    condition("assertion.sub == '${google_other.x.name}'"),
    "unknown",
    "known only after apply",
  ],
]);

checks(ID, "the attribute mapping", tools, [
  ["no google.subject", mapped('"attribute.sub": "assertion.sub"'), "fail", "nothing is mapped"],
  ["a subject without a value", mapped('"google.subject": "assertion.email"'), "fail", "has no value"],
  ["a subject that is not known", mapped('"google.subject": "assertion.jti"'), "unknown", "is not known"],
  [
    "the UID as subject",
    mapped(`"google.subject": "assertion['kubernetes.io']['serviceaccount']['uid']"`),
    "pass",
    "admits",
    { verdict: "unknown" },
  ],
  [
    "a subject that does not fit",
    [terraform("shop:tools", `shop:${long}`), accounts("name: tools", `name: ${long}`)],
    "fail",
    "127 are allowed",
    { serviceAccount: `shop/${long}` },
  ],
]);

const google = { artefacts: accessArtefacts("google"), serviceAccount: INGRESS };
const USERS = "google_service_account_iam_member";
const deny = (...permissions: readonly string[]): Change =>
  added("google_iam_deny_policy", {
    name: "deny",
    rules: [{ deny_rule: [{ denied_principals: ["x"], denied_permissions: permissions }] }],
  });
/** The binding on the service account of the ingress operator. */
function user({ resource }: Pick<Configuration, "resource">): Record<string, unknown> {
  const found = Object.values(resource[USERS] ?? {}).find(({ member }) =>
    String(member).includes("ingress-operator:ingress-operator"),
  );
  if (!found) throw new Error("no binding");
  return found;
}
const own =
  (kind: "binding" | "policy", values: object): Change =>
  (all) => {
    const { role, service_account_id } = user(all);
    const more = kind === "binding" ? { role } : {};
    added(`google_service_account_iam_${kind}`, { service_account_id, ...more, ...values })(all);
  };
const attribute =
  (expression: string): Change =>
  ({ resource }) =>
    Object.values(resource["google_iam_workload_identity_pool_provider"] ?? {}).forEach((each) =>
      Object.assign(each["attribute_mapping"] ?? {}, { "attribute.team": expression }),
    );
const OWNS = "owns the same policy";

checks(ID, "a component that acts as a service account", google, [
  ["as written", [], "pass"],
  [
    "whom the pool provider does not admit",
    terraform("openshift-ingress-operator:ingress-operator", "openshift-ingress-operator:other"),
    "fail",
  ],
  ["whom nothing lets act", configured(without(USERS)), "fail", "does not let"],
  [
    "under a deny policy of tokens",
    configured(deny("iam.googleapis.com/serviceAccounts.getAccessToken")),
    "unknown",
    "an unjudged deny policy may",
  ],
  ["beside a binding without it", configured(own("binding", { members: [] })), "unknown", OWNS],
  [
    "beside a policy without it",
    configured(own("policy", { policy_data: JSON.stringify({ bindings: [] }) })),
    "unknown",
    OWNS,
  ],
  // Google's documentation does not say what an attribute does whose expression fails.
  [
    "with an attribute that fails",
    configured(attribute("assertion.nope")),
    "unknown",
    "Google does not document",
  ],
  ["with an attribute that is no CEL", configured(attribute("(((")), "unknown", "Google does not document"],
]);
