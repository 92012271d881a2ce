import { WORKLOAD, accessArtefacts, issuer } from "../../fixtures/explain/access";
import type { Artefacts } from "../../fixtures/explain/artefacts";
import { type Row, checks } from "../../fixtures/explain/checks";
import { argument, configured } from "../../fixtures/explain/configuration";
import { gkeNative, native } from "../../fixtures/explain/gke-native";
import { formerOf, principalOf } from "../../fixtures/existing/gke-native";
import {
  AGENT,
  associated,
  association,
  planned,
  plannedArgument,
  roleArn,
} from "../../fixtures/explain/states";
import { accounts } from "../../fixtures/explain/three-clouds";

const ID = "account-annotated";
const WEB = "shop/web";
const of = (cloud: "aws" | "azure" | "google") => ({
  artefacts: accessArtefacts(cloud),
  serviceAccount: WORKLOAD,
});
const chained = (target_role_arn: string) =>
  associated({
    ...AGENT,
    "aws_eks_pod_identity_association.web": {
      ...association("shop", "web", roleArn("web")),
      target_role_arn,
    },
  });
const tenant = (tenant_id: string) => configured(argument("azurerm_user_assigned_identity", { tenant_id }));

checks(ID, "the role on AWS", of("aws"), [
  ["as written", [], "pass"],
  ["not annotated", accounts("eks.amazonaws.com/role-arn", "eks.amazonaws.com/role"), "fail"],
  ...["${ACCOUNT_ID}", "<ACCOUNT_ID>", "{{ .account }}"].map((placeholder): Row => [
    `with the placeholder ${placeholder}`,
    accounts("iam::111122223333", `iam::${placeholder}`),
    "unknown",
    `with the placeholder ${placeholder}`,
  ]),
]);
checks(ID, "an association of EKS", { artefacts: associated(AGENT), serviceAccount: "shop/web" }, [
  ["that a state has", [], "pass", "EKS Pod Identity gives shop/web the role"],
  [
    "with a target role",
    () => chained(roleArn("orders")),
    "pass",
    "the role arn:aws:iam::111122223333:role/orders, which it assumes as arn:aws:iam::111122223333:role/web",
    { verdict: "unknown" },
  ],
  ["with an empty target role, as a state has it", () => chained(""), "pass", "role/web"],
  [
    "whose target role a plan does not know yet",
    () => plannedArgument(chained(""), "target_role_arn", ["aws_iam_role.web.arn", "aws_iam_role.web"]),
    "unknown",
    "only after apply; the plan says that it refers to arn:aws:iam::111122223333:role/web",
    // The role does not trust itself.
    { verdict: "denied" },
  ],
  ["with a target that is no role", () => chained("orders"), "fail", "not an ARN of an IAM role"],
  [
    "whose role a plan does not know yet, and only refers to",
    (files) => planned(files, "aws_iam_role.web.arn", "aws_iam_role.web"),
    "unknown",
    "only after apply; the plan says that it refers to arn:aws:iam::111122223333:role/web",
  ],
]);
checks(ID, "the client id on Azure", of("azure"), [
  ["as written", [], "pass"],
  ["not annotated", accounts("azure.workload.identity/client-id", "azure.workload.identity/client"), "fail"],
  ["in the tenant of its identity", tenant("11111111-2222-4333-8444-555555555555"), "pass"],
  ["in another tenant than its identity", tenant("99999999-2222-4333-8444-555555555555"), "fail"],
]);
const OTHER_TENANT = "99999999-2222-4333-8444-555555555555";
/** The cluster is one of AKS in a tenant. */
const aks = (files: Artefacts, id: string): Artefacts =>
  new Map(
    [...files].map(([path, text]) => [
      path,
      text.replaceAll(issuer, `https://westeurope.oic.prod-aks.azure.com/${id}/5f3e7c1a/`),
    ]),
  );
// Entra knows an identity in its own tenant alone, and an AKS issuer holds the cluster's.
checks(ID, "the client id on AKS", of("azure"), [
  ["in the tenant of the cluster", (files) => aks(files, "11111111-2222-4333-8444-555555555555"), "pass"],
  [
    "in another one, where nothing says which is the identity's",
    (files) => aks(files, OTHER_TENANT),
    "unknown",
    "nothing that was read says in which tenant",
  ],
  [
    "in another one, which is the identity's",
    (files) => aks(tenant("11111111-2222-4333-8444-555555555555")(files), OTHER_TENANT),
    "pass",
  ],
]);
checks(ID, "the credential file on Google", of("google"), [
  ["as written", [], "pass"],
  ["of another type", ["30-cloud-credentials.yaml", "external_account", "authorized_user"], "fail"],
]);

const itself = { member: null, annotation: null, declared: false } as const;

checks(ID, "the service account in GKE's own pool", native, [
  ["with the Google service account", [], "pass", "the annotation names shop-web@acme-prod"],
  [
    "without it, though that has a binding",
    gkeNative({ annotation: null }),
    "fail",
    "shop-web@acme-prod.iam.gserviceaccount.com lets shop/web act as it, but the service account has no annotation",
  ],
  [
    "without it, while its principal has roles itself",
    gkeNative({ ...itself, holder: principalOf(WEB) }),
    "pass",
    "the principal acts itself",
    { as: "principal:…/workloadIdentityPools/acme-prod.svc.id.goog/subject/ns/shop/sa/web" },
  ],
  ["with an empty one", gkeNative({ annotation: "", member: formerOf(WEB) }), "fail", "has no annotation"],
]);
