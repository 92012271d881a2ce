import { allSpokes } from "../../fixtures/explain/all-spokes";
import { inDocument, put } from "../../fixtures/explain/documents";
import { withoutDocument } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeIn, spokeOf } from "../../fixtures/explain/fleet-checks";
import {
  type Damage,
  HUB,
  both,
  container,
  entry,
  recorded,
  told,
  token,
  volume,
  withoutNamed,
  withoutVariables,
} from "../../fixtures/explain/fleet-damages";
import { entering } from "../../fixtures/explain/one-spoke";

const ID = "token-mounted";
const OTHER_ID = "99999999-2222-4333-8444-555555555555";

const unmounted = (name: string): Damage => container(["volumeMounts"], withoutNamed(name));
const lateHost = {
  name: "AZURE_AUTHORITY_HOST",
  valueFrom: { configMapKeyRef: { name: "settings", key: "host" } },
};
const BARE = both(withoutVariables("AWS_"), unmounted("aws-token"));
const envFrom = container(["envFrom"], [{ configMapRef: { name: "settings" } }]);
const NO_WEBHOOK = "the hub has no webhook that sets them";

// aws/amazon-eks-pod-identity-webhook: no one else adds variables and token.
fleetChecks(ID, "AWS without the webhook", { artefacts: allSpokes("openshift", "generic"), spoke: "eks-g" }, [
  ["variables and token, as written", [], "pass"],
  ["neither", BARE, "fail", NO_WEBHOOK],
  ["neither, on GKE", BARE, "fail", NO_WEBHOOK, { artefacts: allSpokes("gke", "generic") }],
  [
    "variables of an object that is not read",
    both(BARE, envFrom),
    "unknown",
    "known only inside the cluster",
  ],
  ["such variables beside all that are needed", envFrom, "pass", "", { spoke: "aks" }],
]);

const webhooks = (names: readonly string[]): Damage => recorded(["podIdentityWebhooks"], names);

fleetChecks(ID, "AWS with the webhook", spokeOf("eks-g"), [
  // awsdocs/amazon-eks-user-guide: the webhook is part of the control plane, whatever was stated.
  ["of an EKS hub, which was not stated", webhooks([]), "pass"],
  [
    "and another token for the plugin",
    told("aws-eks-g", "AWS_WEB_IDENTITY_TOKEN_FILE", "/x"),
    "fail",
    "AWS_WEB_IDENTITY_TOKEN_FILE to /x",
  ],
  [
    "and a profile in the AWS configuration files",
    told("aws-eks-g", "AWS_PROFILE", "x"),
    "unknown",
    "AWS_PROFILE",
  ],
]);

const CREDENTIALS = "does not set GOOGLE_APPLICATION_CREDENTIALS";

fleetChecks(ID, "Google", spokeOf("gke-d"), [
  ["as written", [], "pass"],
  ["no variable", withoutVariables("GOOGLE"), "fail", CREDENTIALS],
  [
    "another credential file for the plugin",
    told("google-gke-d", "GOOGLE_APPLICATION_CREDENTIALS", "/x"),
    "fail",
    CREDENTIALS,
  ],
  [
    "another ConfigMap",
    volume("google-credentials", ["projected", "sources", 1, "configMap", "name"], "x"),
    "fail",
    "does not mount the ConfigMap google-credentials-kueue-controller-manager",
  ],
  ["no workload", (all) => withoutDocument(all, HUB, "kind: Deployment"), "unknown", "no pod"],
]);

const NO_LABEL = "lacks the label azure.workload.identity/use";
const NO_ENTRA = "or at which Entra, is not known";

fleetChecks(ID, "Azure", spokeOf("aks"), [
  ["as written", [], "pass"],
  ["no client id", withoutVariables("AZURE_CLIENT_ID"), "fail", NO_LABEL],
  ["no token file", withoutVariables("AZURE_FEDERATED"), "fail", NO_LABEL],
  ["another audience", token("azure-token", "audience", "x"), "fail", NO_LABEL],
  ["no mount", unmounted("azure-token"), "fail", NO_LABEL],
  // The id that apply gives to the service account's identity may be this one.
  ["another client id", container(["env", "=AZURE_CLIENT_ID", "value"], OTHER_ID), "unknown", NO_ENTRA],
  ["another tenant for the plugin", told("azure-aks", "AZURE_TENANT_ID", OTHER_ID), "fail", OTHER_ID],
  ["another tenant", container(["env", "=AZURE_TENANT_ID", "value"], OTHER_ID), "fail", OTHER_ID],
  [
    "the Entra of another cloud",
    container(["env", "=AZURE_AUTHORITY_HOST", "value"], "https://login.microsoftonline.us/"),
    "unknown",
    NO_ENTRA,
  ],
  [
    "an Entra that only the cluster tells",
    container(["env", "=AZURE_AUTHORITY_HOST"], lateHost),
    "unknown",
    NO_ENTRA,
  ],
  [
    "an Entra that only the cluster tells, beside the webhook",
    both(
      webhooks(["aws", "azure"]),
      (all) =>
        inDocument(
          all,
          HUB,
          ["Deployment"],
          put(["spec", "template", "metadata"], { labels: { "azure.workload.identity/use": "true" } }),
        ),
      container(["env", "=AZURE_AUTHORITY_HOST"], lateHost),
    ),
    "unknown",
    NO_ENTRA,
  ],
]);

fleetChecks(ID, "Azure, for Argo CD", spokeIn("fleet-argocd", "shop-azure"), [
  [
    "no pod was read",
    (all) => withoutDocument(all, HUB, "kind: StatefulSet"),
    "unknown",
    "no pod of it was read",
  ],
]);

const NO_TOKEN = "has no service account token at";

fleetChecks(ID, "the spoke's own token", spokeOf("own"), [
  ["as written", [], "pass"],
  [
    "no workload",
    (all) => withoutDocument(all, HUB, "kind: Deployment"),
    "unknown",
    "no workload of MultiKueue was read",
  ],
  ["another path", token("spoke-tokens", "path", "x"), "fail", NO_TOKEN],
  ["another token file", entry("kubernetes-own", ["execConfig", "args", 4], "/x"), "fail", `${NO_TOKEN} /x`],
  ["no mount", unmounted("spoke-tokens"), "fail", NO_TOKEN],
  ["no audience", token("spoke-tokens", "audience", undefined), "unknown", "cannot be determined"],
]);

/** Source: kubernetes/kubernetes, pkg/apis/core/validation, ServiceAccountTokenProjection. */
fleetChecks(ID, "a token that Kubernetes refuses", spokeOf("own"), [
  ["of a minute", token("azure-token", "expirationSeconds", 60), "fail", "none under 600", { spoke: "aks" }],
  [
    "at an absolute path",
    token("azure-token", "path", "/token"),
    "fail",
    "within the volume",
    { spoke: "aks" },
  ],
  [
    "of just too short a time",
    token("google-credentials", "expirationSeconds", 599),
    "fail",
    "none under 600",
    { spoke: "gke-d" },
  ],
  [
    "of another spoke",
    token("spoke-tokens", "expirationSeconds", 100),
    "fail",
    "issues none under 600",
    { spoke: "eks-p" },
  ],
  [
    "of too long a time",
    token("spoke-tokens", "expirationSeconds", 99_999_999_999),
    "fail",
    "over 4294967296",
  ],
  [
    "of a text",
    token("spoke-tokens", "expirationSeconds", "3600"),
    "fail",
    "accepts only whole numbers of seconds",
  ],
  ["outside of the volume", token("spoke-tokens", "path", "../own"), "fail", "only a path within the volume"],
  ["of ten minutes: it does not", token("spoke-tokens", "expirationSeconds", 600), "pass"],
  ["of no stated lifetime: it does not", token("spoke-tokens", "expirationSeconds", undefined), "pass"],
]);

const sidecar = [HUB, "      containers:\n", "      containers:\n        - name: side\n"] as const;
fleetChecks(ID, "a custom controller", { artefacts: entering(), spoke: "own" }, [
  ["beside a sidecar, where the record says which container runs the plugin", sidecar, "pass"],
]);
