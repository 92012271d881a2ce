import { known } from "../../../lib/model/known";
import { CelExpression } from "../../../lib/rules/google/cel-evaluation";
import { fitsGoogleSubject } from "../../../lib/rules/google/mapping";
import { evaluateAttributeCondition } from "../../../lib/rules/google/trust";
import { type Json, inside, list, text } from "../json";
import { type FinishedStack, annotationsOf } from "../synth-output";
import { resources } from "../terraform";
import { type Token, type Use, usesWith } from "./uses";
import { accountOf, readPrincipal } from "./principals";

const PROJECT = /^--project-id=(.+)$/;
const OPT_IN = "iam.gke.io/enable-wi-image-pull";
const STS_AUDIENCE =
  /^--sts-audience=\/\/iam\.googleapis\.com\/projects\/([0-9]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** The workload identity pool that a plugin's arguments name; the one of GKE and fleet has no pool provider of ours. */
interface Pool {
  readonly id: string;
  /** `undefined` for the pool of GKE and fleet, whose number the arguments do not name. */
  readonly projectNumber: string | undefined;
  readonly providerId: string | undefined;
}

/** Whether Google exchanges each service account's token, no one else's, and whether the principal may pull. */
export function judgeGoogle(stack: FinishedStack): readonly string[] {
  return usesWith(stack, OPT_IN).flatMap((use) => {
    const pool = poolOf(use);
    if (!pool) return [`${use.title}: the plugin's arguments name no pool`];
    const findings = [
      ...(annotationsOf(stack, use.subject)[OPT_IN] === "true"
        ? []
        : ["the service account is not opted in"]),
      ...(pool.providerId === undefined ? judgeManagedPool(use, pool) : judgePoolProvider(stack, use, pool)),
      ...judgeBinding(stack, use, pool),
    ];
    return findings.map((finding) => `${use.title}: ${finding}`);
  });
}

function poolOf({ entry }: Use): Pool | undefined {
  const args = list(entry["args"]).map(text);
  const custom = args.map((argument) => STS_AUDIENCE.exec(argument)).find((match) => match !== null);
  if (custom) {
    const [, projectNumber, id = "", providerId] = custom;
    return { id, projectNumber, providerId };
  }
  const project = args.map((argument) => PROJECT.exec(argument)?.[1]).find((found) => found !== undefined);
  return project === undefined
    ? undefined
    : { id: `${project}.svc.id.goog`, projectNumber: undefined, providerId: undefined };
}

function judgeManagedPool({ audience, entry }: Use, { id }: Pool): readonly string[] {
  const named = list(entry["args"]).some((argument) =>
    text(argument).startsWith("--identity-provider=https://"),
  );
  return [
    ...(audience === id ? [] : [`the audience is not the pool ${id}`]),
    ...(named ? [] : ["the plugin is not told the identity provider"]),
  ];
}

/** Whether Google exchanges tokens of the service account, and no one else's. */
export function judgePoolProvider(
  stack: FinishedStack,
  use: Token,
  { id: poolId, providerId: id = "" }: Pick<Pool, "id" | "providerId">,
): readonly string[] {
  const provider = resources(stack.terraform, "google_iam_workload_identity_pool_provider").find(
    (block) =>
      block["workload_identity_pool_provider_id"] === id && block["workload_identity_pool_id"] === poolId,
  );
  if (!provider) return [`no workload identity pool provider ${id} in the pool ${poolId}`];
  const condition = provider["attribute_condition"];
  if (typeof condition !== "string") return ["the pool provider has no attribute condition"];
  const outcome = (namespace: string, name: string): string =>
    evaluateAttributeCondition(new CelExpression(known(condition)), claims(stack.issuer, namespace, name))
      .outcome;
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

function judgeBinding({ terraform, pulls }: FinishedStack, use: Use, pool: Pool): readonly string[] {
  const members = resources(terraform, "google_artifact_registry_repository_iam_member")
    .filter(({ role }) => role === "roles/artifactregistry.reader")
    .filter((block) => `${use.image}/`.startsWith(`${repositoryPath(block)}/`))
    .map(({ member }) => readPrincipal(text(member)));
  const own = members.filter(
    ({ poolId, projectNumber, selector }) =>
      poolId === pool.id &&
      (pool.projectNumber === undefined || projectNumber === pool.projectNumber) &&
      selector === expectedSelector(use, pool),
  );
  const strangers = members.map(accountOf).filter((key) => !pulls.some(({ subject }) => subject.key === key));
  return [
    ...(own.length === 1 ? [] : ["its principal is no reader of the repository"]),
    ...strangers.map((key) => `${key ?? "someone"} may pull without having declared it`),
  ];
}

/** `google.subject` as the pool maps it: another form in the pool of GKE and fleet, an attribute for long subjects. */
function expectedSelector({ subject }: Use, { providerId }: Pool): string {
  if (providerId === undefined) return `subject/ns/${subject.namespace}/sa/${subject.name}`;
  return fitsGoogleSubject(subject)
    ? `subject/${subject.toString()}`
    : `attribute.subject/${subject.toString()}`;
}

/** `europe-west1-docker.pkg.dev/acme/tools`; a gcr.io repository is named like its host. */
function repositoryPath({ location, project, repository }: Json): string {
  const path = text(project).replace(":", "/");
  return text(repository).endsWith("gcr.io")
    ? `${text(repository)}/${path}`
    : `${text(location)}-docker.pkg.dev/${path}/${text(repository)}`;
}
