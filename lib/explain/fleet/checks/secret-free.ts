import { type WorkloadIdentityError, refusal } from "../../../errors";
import { isSecretText, secretIssues } from "../../../rules/fleet/secret-material";
import { list, own } from "../../facts/access";
import type { ClusterArtefacts } from "../../facts/facts";
import { seen } from "../../answer";
import type { FleetCheck } from "../fleet-context";
import { listIssues } from "../list-issues";
import { unlessRefused } from "../refused";

/** Are profile, list, environment and Terraform outputs free of tokens, keys and passwords? */
export const secretFree: FleetCheck = {
  id: "secret-free",
  asks: "Are profile, list, environment and Terraform outputs free of tokens, keys and passwords?",
  why: "All of them are stored in plain text and readable by many.",
  run: ({ artefacts, controller, document, profile }) => {
    const { list: read, workloads } = controller;
    const issues = [
      ...secretIssues(`ClusterProfile ${profile.key}`, document),
      ...(read ? listIssues(read).secrets : []),
      ...workloads.flatMap(({ pods, container }) =>
        list(own(pods.spec, "containers"))
          .filter((each) => container === "" || own(each, "name") === container)
          .flatMap((each) => secretIssues(pods.title, own(each, "env"))),
      ),
      ...outputIssues(artefacts),
    ];
    const where = profile.status ?? profile.main;
    return unlessRefused(
      issues,
      "no secret material was found",
      ...(where ? [seen("ClusterProfile", where.source)] : []),
    );
  },
};

/** What providers make or read that lets its holder into a cloud or a cluster. */
const TYPES = [
  "aws_eks_cluster_auth",
  "aws_iam_access_key",
  "azuread_application_password",
  "azuread_service_principal_password",
  "azurerm_kubernetes_cluster",
  "google_client_config",
  "google_service_account_access_token",
  "google_service_account_id_token",
  "google_service_account_key",
  "kubernetes_token_request_v1",
].join("|");
const ATTRIBUTES =
  "access_token|client_key|id_token|kube_(?:admin_)?config_raw|password|private_key|secret|token|value";

/** A reference to one of them, as far as an output can name it. */
const CREDENTIALS = new RegExp(String.raw`\b(?:${TYPES})\.[\w.[\]"*-]*\.(?:${ATTRIBUTES})\b`);

/** An output stands in the state as it is, and in the file that manifests are finished with. */
function outputIssues({ outputs }: ClusterArtefacts): readonly WorkloadIdentityError[] {
  return [...outputs]
    .filter(([, value]) => isSecretText(value) || CREDENTIALS.test(value))
    .map(([name]) => refusal("fleet-secret-material", `the Terraform output ${name}`));
}
