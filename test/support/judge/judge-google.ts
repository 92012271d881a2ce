import { evaluateAttributeCondition } from "../../../lib/rules/google/attribute-condition";
import { fitsGoogleSubject } from "../../../lib/rules/google/attribute-mapping";
import { parsePrincipal, principalSubject } from "../../../lib/rules/google/principal";
import { type Json, inside, list, text } from "../json";
import { type FinishedStack, annotationsOf } from "../synth-output";
import { resources } from "../terraform";
import { type Use, usesWith } from "./uses";

const OPT_IN = "iam.gke.io/enable-wi-image-pull";
const STS_AUDIENCE =
  /^--sts-audience=\/\/iam\.googleapis\.com\/projects\/([0-9]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** Whether Google exchanges each service account's token, nobody else's, and whether the principal may pull. */
export function judgeGoogle(stack: FinishedStack): readonly string[] {
  return usesWith(stack, OPT_IN).flatMap((use) => {
    const [, projectNumber = "", poolId = "", providerId = ""] =
      list(use.entry["args"])
        .map((argument) => STS_AUDIENCE.exec(text(argument)))
        .find((match) => match !== null) ?? [];
    const findings = [
      ...(annotationsOf(stack, use.subject)[OPT_IN] === "true"
        ? []
        : ["the service account is not opted in"]),
      ...judgePoolProvider(stack, use, poolId, providerId),
      ...judgeBinding(stack, use, projectNumber, poolId),
    ];
    return findings.map((finding) => `${use.title}: ${finding}`);
  });
}

function judgePoolProvider(stack: FinishedStack, use: Use, poolId: string, id: string): readonly string[] {
  const provider = resources(stack.terraform, "google_iam_workload_identity_pool_provider").find(
    (block) =>
      block["workload_identity_pool_provider_id"] === id && block["workload_identity_pool_id"] === poolId,
  );
  if (!provider) return [`no workload identity pool provider ${id} in the pool ${poolId}`];
  const condition = provider["attribute_condition"];
  if (typeof condition !== "string") return ["the pool provider has no attribute condition"];
  const outcome = (namespace: string, name: string): string =>
    evaluateAttributeCondition(condition, claims(stack.issuer, namespace, name)).outcome;
  const { namespace, name } = use.subject;
  return [
    ...(outcome(namespace, name) === "allowed" ? [] : ["the attribute condition refuses it"]),
    ...(outcome(namespace, `${name}x`) === "denied" ? [] : ["the attribute condition admits its neighbours"]),
    ...(outcome(`${namespace}x`, name) === "denied"
      ? []
      : ["the attribute condition admits a foreign namespace"]),
    ...(inside(provider, "oidc", "issuer_uri") === stack.issuer
      ? []
      : ["the pool provider has another issuer"]),
    ...(list(inside(provider, "oidc", "allowed_audiences")).includes(use.audience)
      ? []
      : ["the pool provider does not allow the audience"]),
    ...(inside(provider, "attribute_mapping", "google.subject") === undefined
      ? ["google.subject is not mapped"]
      : []),
  ];
}

function claims(issuer: string, namespace: string, name: string): Json {
  return {
    iss: issuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    "kubernetes.io": { namespace, serviceaccount: { name } },
  };
}

function judgeBinding(
  { terraform, pulls }: FinishedStack,
  use: Use,
  projectNumber: string,
  poolId: string,
): readonly string[] {
  const members = resources(terraform, "google_artifact_registry_repository_iam_member")
    .filter(({ role }) => role === "roles/artifactregistry.reader")
    .filter((block) => `${use.image}/`.startsWith(`${repositoryPath(block)}/`))
    .map(({ member }) => parsePrincipal(text(member)));
  const own = members.filter((member) => principalSubject(member)?.key === use.subject.key);
  const strangers = members
    .map((member) => principalSubject(member)?.key)
    .filter((key) => !pulls.some(({ subject }) => subject.key === key));
  const kind = fitsGoogleSubject(use.subject) ? "subject" : "attribute";
  return [
    ...(own.some((member) => member.projectNumber === projectNumber && member.poolId === poolId)
      ? []
      : ["its principal is no reader of the repository"]),
    ...(own.every(({ selector }) => selector.kind === kind) ? [] : ["its principal is of the wrong kind"]),
    ...strangers.map((key) => `${key ?? "somebody"} may pull without having declared it`),
  ];
}

/** `europe-west1-docker.pkg.dev/acme/tools`; a gcr.io repository is named like its host. */
function repositoryPath({ location, project, repository }: Json): string {
  const path = text(project).replace(":", "/");
  return text(repository).endsWith("gcr.io")
    ? `${text(repository)}/${path}`
    : `${text(location)}-docker.pkg.dev/${path}/${text(repository)}`;
}
