/*
 * Every link between a hub and its spokes, broken alone: the spoke behind it is never allowed.
 */

import { expect, it } from "vitest";
import type { Verdict } from "../../../lib/explain";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { explained } from "../../fixtures/explain/artefacts";
import { type Path, inDocument, inTerraform, put, within } from "../../fixtures/explain/documents";
import { damaged, withoutDocument, withoutResource } from "../../fixtures/explain/fleet";
import {
  type Damage,
  HUB,
  STATUS,
  authentication,
  container,
  entry,
  profile,
  resource,
  told,
  withoutVariables,
  workload,
} from "../../fixtures/explain/fleet-damages";

const PROFILES = "60-cluster-profiles.yaml";
const CA = "certificate-authority-data";
const KUEUE: Path = ["data", "controller_manager_config.yaml"];
const ACCOUNT = "kueue-controller-manager";
const ID = "99999999-2222-4333-8444-555555555555";
const ROLE = "arn:aws:iam::111122223333:role/x";
const OTHER_AKS =
  "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/r/providers/Microsoft.ContainerService/managedClusters/z";

const longer = (end: string) => (text: unknown) => `${String(text)}${end}`;

const without =
  (...names: readonly string[]) =>
  (list: unknown) =>
    (list as { name: string }[]).filter(({ name }) => !names.includes(name));

const configuration =
  (path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, HUB, ["ConfigMap", "kueue-manager-config"], put(KUEUE, within(put(path, value))));

const account =
  (path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, HUB, ["ServiceAccount", ACCOUNT], put(["metadata", ...path], value));

const volume = (name: string, path: Path, value: unknown): Damage =>
  workload(["volumes", `=${name}`, ...path], value);

const token = (name: string, key: string, value: unknown): Damage =>
  volume(name, ["projected", "sources", 0, "serviceAccountToken", key], value);

const binding =
  (spoke: string, path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, `spokes/${spoke}.yaml`, ["ClusterRoleBinding"], put(path, value));

const main =
  (name: string, path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, PROFILES, ["ClusterProfile", name], put(path, value));

const gone =
  (type: string, word = ""): Damage =>
  (all) =>
    withoutResource(all, type, word);

/** The statement of the trust policy of the role. */
const trust = (path: Path, value: unknown): Damage =>
  resource("aws_iam_role", "assume_role_policy", (text: unknown) =>
    JSON.stringify(put(["Statement", 0, ...path], value)(JSON.parse(String(text)))),
  );

const condition = (end: string): Damage =>
  trust(["Condition", "StringEquals"], (keys: unknown) =>
    Object.fromEntries(
      Object.entries(keys as object).map(([key, value]) => [key, key.endsWith(end) ? "x" : value]),
    ),
  );

const server = (spoke: string, value: unknown): Damage => profile(spoke, [0, "cluster", "server"], value);

const extension = (name: string, value: unknown): Damage =>
  profile("own", [0, "cluster", "extensions"], [{ name, extension: value }]);

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const EKS_CERTIFICATE = "@late(data.aws_eks_cluster.eksc.certificate_authority[0].data";

/** Spoke, what is broken, the change, and the verdict. */
const CASES: readonly (readonly [string, string, Damage, Verdict])[] = [
  // The list and the call
  ["eks-p", "name in the profile", profile("eks-p", [0, "name"], "zz"), "denied"],
  ["eks-p", "name in the list", entry("aws-eks-p", ["name"], "zz"), "denied"],
  ["eks-p", "name twice", entry("aws-eks-g", ["name"], "aws-eks-p"), "denied"],
  ["eks-p", "command", entry("aws-eks-p", ["execConfig", "command"], "/plugins/x"), "denied"],
  [
    "eks-p",
    "command on the PATH",
    entry("aws-eks-p", ["execConfig", "command"], "aws-iam-authenticator"),
    "denied",
  ],
  ["eks-p", "no cluster id", entry("aws-eks-p", ["execConfig", "args"], ["token"]), "denied"],
  ["eks-p", "another cluster id", entry("aws-eks-p", ["execConfig", "args", 2], "other"), "denied"],
  ["eks-p", "empty cluster id", entry("aws-eks-p", ["execConfig", "args", 2], ""), "denied"],
  [
    "eks-p",
    "another region",
    entry("aws-eks-p", ["execConfig", "env", "=AWS_REGION", "value"], "us-east-1"),
    "unknown",
  ],
  ["eks-p", "assumed role", told("aws-eks-p", "DEFAULT_ROLE", ROLE), "unknown"],
  ["eks-p", "lasting key", told("aws-eks-p", "AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"), "denied"],
  [
    "eks-p",
    "version of credentials",
    entry("aws-eks-p", ["execConfig", "apiVersion"], "client.authentication.k8s.io/v1alpha1"),
    "denied",
  ],
  [
    "aks",
    "no server id",
    entry("azure-aks", ["execConfig", "args"], ["get-token", "--login", "workloadidentity"]),
    "denied",
  ],
  ["aks", "another login", entry("azure-aks", ["execConfig", "args", 2], "azurecli"), "denied"],
  ["aks", "another client id", told("azure-aks", "AZURE_CLIENT_ID", ID), "unknown"],
  [
    "own",
    "another token file",
    entry("kubernetes-own", ["execConfig", "args", 4], "/var/run/secrets/spoke-tokens/x"),
    "denied",
  ],
  ["own", "another script", entry("kubernetes-own", ["execConfig", "args", 2], 'cat "$1"'), "unknown"],
  [
    "own",
    "stored token",
    entry("kubernetes-own", ["execConfig", "command"], "/plugins/x/secretreader"),
    "denied",
  ],
  ["eks-p", "gate", configuration(["featureGates", "MultiKueueClusterProfile"], false), "denied"],
  [
    "eks-p",
    "key of the configuration",
    (all) => damaged(all, HUB, (text) => text.replace("controller_manager_config.yaml: ", "x: ")),
    "unknown",
  ],
  // The pod
  ["aks", "mount of the plugin", container(["volumeMounts"], without("plugin-kubelogin")), "denied"],
  ["aks", "volume of the plugin", workload(["volumes"], without("plugin-kubelogin")), "denied"],
  ["aks", "image of the plugin", volume("plugin-kubelogin", ["image"], {}), "denied"],
  ["aks", "AZURE_CLIENT_ID", withoutVariables("AZURE_CLIENT_ID"), "denied"],
  ["aks", "AZURE_FEDERATED_TOKEN_FILE", withoutVariables("AZURE_FEDERATED"), "denied"],
  ["gke-d", "GOOGLE_APPLICATION_CREDENTIALS", withoutVariables("GOOGLE"), "denied"],
  // The id that apply gives to the service account's identity may be this one.
  ["aks", "another identity", container(["env", "=AZURE_CLIENT_ID", "value"], ID), "unknown"],
  ["aks", "audience of Azure's token", token("azure-token", "audience", "x"), "denied"],
  ["gke-d", "audience of Google's token", token("google-credentials", "audience", "x"), "denied"],
  ["own", "audience of the spoke's token", token("spoke-tokens", "audience", "x"), "denied"],
  ["own", "no audience", token("spoke-tokens", "audience", undefined), "unknown"],
  ["own", "path of the token", token("spoke-tokens", "path", "x"), "denied"],
  ["aks", "mount of Azure's token", container(["volumeMounts"], without("azure-token")), "denied"],
  ["own", "mount of the spoke's token", container(["volumeMounts"], without("spoke-tokens")), "denied"],
  [
    "gke-d",
    "credential file",
    volume("google-credentials", ["projected", "sources", 1, "configMap", "name"], "x"),
    "denied",
  ],
  ["eks-p", "another container", container(["name"], "controller"), "unknown"],
  ["eks-p", "another workload", (all) => withoutDocument(all, HUB, "kind: Deployment"), "unknown"],
  // The identity
  ["eks-p", "no annotation", account(["annotations", "eks.amazonaws.com/role-arn"], undefined), "denied"],
  [
    "eks-p",
    "annotation of another role",
    account(["annotations", "eks.amazonaws.com/role-arn"], longer("x")),
    "unknown",
  ],
  [
    "eks-p",
    "annotation of another audience",
    account(["annotations", "eks.amazonaws.com/audience"], "x"),
    "denied",
  ],
  ["eks-p", "service account elsewhere", account(["namespace"], "x"), "denied"],
  ["eks-p", "trust of the subject", condition(":sub"), "denied"],
  ["eks-p", "trust of the audience", condition(":aud"), "denied"],
  ["eks-p", "trust of the issuer", trust(["Principal", "Federated"], longer("0")), "denied"],
  ["eks-p", "trusted action", trust(["Action"], "sts:AssumeRole"), "denied"],
  ["eks-p", "another role", resource("aws_iam_role", "name", "other"), "unknown"],
  [
    "eks-p",
    "URL of the provider",
    resource("aws_iam_openid_connect_provider", "url", longer("0")),
    "unknown",
  ],
  [
    "eks-p",
    "clients of the provider",
    resource("aws_iam_openid_connect_provider", "client_id_list", ["x"]),
    "denied",
  ],
  [
    "aks",
    "subject of the credential",
    resource("azurerm_federated_identity_credential", "subject", longer("x")),
    "denied",
  ],
  [
    "aks",
    "issuer of the credential",
    resource("azurerm_federated_identity_credential", "issuer", longer("/")),
    "denied",
  ],
  [
    "aks",
    "audience of the credential",
    resource("azurerm_federated_identity_credential", "audience", ["x"]),
    "denied",
  ],
  [
    "gke-d",
    "member of the account",
    resource("google_service_account_iam_member", "member", longer("x")),
    "denied",
  ],
  [
    "gke-d",
    "role on the account",
    resource("google_service_account_iam_member", "role", "roles/viewer"),
    "denied",
  ],
  ["gke-d", "disabled account", resource("google_service_account", "disabled", true), "denied"],
  ["gke-d", "disabled pool", resource("google_iam_workload_identity_pool", "disabled", true), "denied"],
  [
    "gke-d",
    "condition of the provider",
    resource("google_iam_workload_identity_pool_provider", "attribute_condition", "false"),
    "denied",
  ],
  // The spoke
  [
    "eks-p",
    "principal of the entry",
    resource("aws_eks_access_entry", "principal_arn", longer("x")),
    "unknown",
  ],
  ["eks-g", "cluster of the entry", resource("aws_eks_access_entry", "cluster_name", "x"), "unknown"],
  ["eks-g", "region of the entry", resource("aws_eks_access_entry", "region", "us-east-1"), "unknown"],
  ["eks-p", "no entry", gone("aws_eks_access_entry", "eks-p"), "unknown"],
  ["eks-g", "no groups", resource("aws_eks_access_entry", "kubernetes_groups", undefined), "denied"],
  ["eks-g", "other groups", resource("aws_eks_access_entry", "kubernetes_groups", ["h"]), "denied"],
  [
    "eks-p",
    "principal of the policy",
    resource("aws_eks_access_policy_association", "principal_arn", longer("x")),
    "denied",
  ],
  ["eks-p", "no policy", gone("aws_eks_access_policy_association"), "denied"],
  [
    "eks-g",
    "mode of the cluster",
    (all) =>
      inTerraform(
        all,
        put(["resource", "aws_eks_cluster"], {
          c: { name: "eksg", access_config: { authentication_mode: "CONFIG_MAP" } },
        }),
      ),
    "denied",
  ],
  ["aks-r", "scope of the role", resource("azurerm_role_assignment", "scope", OTHER_AKS), "unknown"],
  ["aks-r", "principal of the role", resource("azurerm_role_assignment", "principal_id", ID), "unknown"],
  [
    "aks-r",
    "role of Azure alone",
    resource("azurerm_role_assignment", "role_definition_name", "Reader"),
    "unknown",
  ],
  ["aks-r", "condition of the role", resource("azurerm_role_assignment", "condition", "(1==2)"), "unknown"],
  [
    "gke-d",
    "member of the project",
    resource("google_project_iam_member", "member", "serviceAccount:x@acme-prod.iam.gserviceaccount.com"),
    "unknown",
  ],
  [
    "gke-d",
    "role on the project",
    resource("google_project_iam_member", "role", "roles/logging.viewer"),
    "denied",
  ],
  [
    "gke-d",
    "condition of the role",
    resource("google_project_iam_member", "condition", { title: "t", expression: "false" }),
    "unknown",
  ],
  ["aks", "subject of the binding", binding("aks", ["subjects", 0, "name"], "x"), "unknown"],
  ["eks-g", "group of the binding", binding("eks-g", ["subjects", 0, "name"], "x"), "denied"],
  ["eks-g", "kind of the subject", binding("eks-g", ["subjects", 0, "kind"], "User"), "denied"],
  [
    "gke-d",
    "user of the binding",
    binding("gke-d", ["subjects", 0, "name"], "x@y.iam.gserviceaccount.com"),
    "denied",
  ],
  ["own", "user of the binding", binding("own", ["subjects", 0, "name"], "hub:x"), "denied"],
  ["own", "trusted issuer", authentication(put(["jwt", 0, "issuer", "url"], longer("0"))), "denied"],
  ["own", "audience", authentication(put(["jwt", 0, "issuer", "audiences"], ["x"])), "denied"],
  ["own", "claim", authentication(put(["jwt", 0, "claimMappings", "username", "claim"], "email")), "unknown"],
  ["own", "prefix", authentication(put(["jwt", 0, "claimMappings", "username", "prefix"], "x:")), "denied"],
  [
    "own",
    "users",
    authentication(put(["jwt", 0, "userValidationRules", 0, "expression"], "user.username in ['x']")),
    "denied",
  ],
  [
    "own",
    "rule of a claim",
    authentication(put(["jwt", 0, "claimValidationRules"], [{ claim: "sub", requiredValue: "x" }])),
    "denied",
  ],
  ["own", "no authenticator", authentication(put(["jwt"], [])), "unknown"],
  // The profile
  ["eks-p", "namespace", main("eks-p", ["metadata", "namespace"], "other"), "denied"],
  ["eks-p", "main object", main("eks-p", ["metadata", "name"], "zz"), "denied"],
  ["own", "version", main("own", ["apiVersion"], "multicluster.x-k8s.io/v1beta1"), "unknown"],
  [
    "eks-p",
    "cluster manager",
    main("eks-p", ["metadata", "labels", "x-k8s.io/cluster-manager"], "x"),
    "denied",
  ],
  ["eks-p", "no status", (all) => withoutDocument(all, STATUS, "name: eks-p\n"), "denied"],
  ["own", "http", server("own", "http://own.example:6443"), "denied"],
  ["own", "certificate", profile("own", [0, "cluster", CA], base64("x")), "denied"],
  [
    "gke-d",
    "certificate of another cluster",
    (all) =>
      damaged(all, STATUS, (text) =>
        text.replace(/@late\(data\.google_container_cluster\.gkec\.master_auth[^)]*/, EKS_CERTIFICATE),
      ),
    "denied",
  ],
  ["own", "no certificate", profile("own", [0, "cluster", CA], undefined), "unknown"],
  [
    "own",
    "private key",
    profile("own", [0, "cluster", CA], base64("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----")),
    "denied",
  ],
  [
    "own",
    "arguments of the profile",
    extension("clusterprofiles.multicluster.x-k8s.io/exec/additional-args", { a: 1 }),
    "denied",
  ],
  [
    "own",
    "token in an extension",
    extension("client.authentication.k8s.io/exec", { token: "hunter2" }),
    "denied",
  ],
];

const artefacts = allSpokes("eks", "kueue");

it.each(CASES)("%s: %s", (spoke, _, damage, verdict) => {
  const [result] = explained(damage(artefacts), { spoke });
  expect(result?.verdict).toBe(verdict);
});
