import { admits } from "./azure-admits";
import { validateAzureJson } from "../../../lib/rules/azure/plugin";
import { parseLoginServer } from "../../../lib/rules/azure/registry";
import { readRepositoryCondition } from "../../../lib/rules/azure/permission";
import { type Json, inside, list, record, text } from "../json";
import { type FinishedStack, annotationsOf } from "../synth-output";
import { resources } from "../terraform";
import { type Token, type Use, strangers, usesWith } from "./uses";

const CLIENT_ID = "kubernetes.azure.com/acr-client-id";
const TENANT_ID = "kubernetes.azure.com/acr-tenant-id";
const PULL_ROLES: readonly unknown[] = ["AcrPull", "Container Registry Repository Reader"];

/** What an identity is known by after a made-up apply. */
interface Identity {
  readonly id: string;
  readonly principalId: string;
}

/** Whether Entra admits each service account to its identity, no one else, and whether the identity may pull. */
export function judgeAzure(stack: FinishedStack): readonly string[] {
  return usesWith(stack, CLIENT_ID).flatMap((use) => {
    const annotations = annotationsOf(stack, use.subject);
    const identity = identityOf(stack.terraform, text(annotations[CLIENT_ID]));
    const findings = identity
      ? [...judgeAzureTrust(stack, use, identity), ...judgePermission(stack, use, identity)]
      : ["no identity has the client id of the annotation"];
    return [...findings, ...judgeAzureJson(use, annotations)].map((finding) => `${use.title}: ${finding}`);
  });
}

/** The identity of a client id. */
export function identityOf(terraform: Json, clientId: string): Identity | undefined {
  return ["resource", "data"]
    .flatMap((kind) => Object.values(record(inside(terraform, kind, "azurerm_user_assigned_identity"))))
    .map(record)
    .filter((identity) => identity["client_id"] === clientId)
    .map((identity) => ({ id: text(identity["id"]), principalId: text(identity["principal_id"]) }))[0];
}

/** Whether Entra admits the service account to the identity, and no one else. */
export function judgeAzureTrust(
  { terraform, issuer }: FinishedStack,
  use: Token,
  { id }: Identity,
): readonly string[] {
  const credentials = resources(terraform, "azurerm_federated_identity_credential").filter(
    ({ parent_id, user_assigned_identity_id }) => (parent_id ?? user_assigned_identity_id) === id,
  );
  const admitted = (claims: object): number =>
    credentials.filter(
      (credential) =>
        admits(
          {
            issuer: text(credential["issuer"]),
            subject: text(credential["subject"]),
            audience: text(list(credential["audience"])[0]),
          },
          { iss: issuer, sub: use.subject.toString(), aud: [use.audience], ...claims },
        ).outcome !== "denied",
    ).length;
  const refused: readonly (readonly [string, object])[] = [
    ...strangers(use).map((sub) => [sub, { sub }] as const),
    ["another audience", { aud: [`${use.audience}.example`] }],
    ["another issuer", { iss: `${issuer}/` }],
  ];
  return [
    ...(admitted({}) === 1 ? [] : [`${admitted({})} federated identity credentials admit it`]),
    ...refused.filter(([, claims]) => admitted(claims) > 0).map(([who]) => `Entra admits ${who}`),
    ...credentials
      .filter(({ audience }) => list(audience).length !== 1)
      .map(({ name }) => `the credential ${text(name)} has not exactly one audience`),
    // All but the first wait for another one, so that no two are written at once.
    ...(credentials.filter((credential) => credential["depends_on"] === undefined).length === 1
      ? []
      : ["the credentials are not written one after the other"]),
  ];
}

function judgePermission(
  { terraform }: FinishedStack,
  use: Use,
  { principalId }: Identity,
): readonly string[] {
  const [host = "", ...path] = use.image.split("/");
  const registry = parseLoginServer(host).registryName;
  const [assignment, ...others] = resources(terraform, "azurerm_role_assignment")
    .filter(({ principal_id }) => principal_id === principalId)
    .filter(({ scope }) => text(scope).toLowerCase().endsWith(`/registries/${registry}`));
  if (!assignment || others.length > 0) return [`not exactly one role assignment on ${registry}`];
  const { condition, role_definition_name: role } = assignment;
  const patterns = condition === undefined ? ["*"] : readRepositoryCondition(text(condition));
  const covers = (name: string): boolean =>
    patterns !== "unknown" &&
    patterns.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));
  return [
    ...(PULL_ROLES.includes(role) ? [] : [`the role ${text(role)} is no pull role`]),
    ...(patterns === "unknown" ? ["the condition cannot be read"] : []),
    ...(covers(path.join("/")) ? [] : ["the condition leaves the repository out"]),
    ...(condition !== undefined && covers("not-declared")
      ? ["the condition admits repositories that no one declared"]
      : []),
  ];
}

function judgeAzureJson({ nodes, entry }: Use, annotations: Json): readonly string[] {
  const path = text(list(entry["args"])[0]);
  const file = nodes.files.get(path);
  if (!file) return [`the nodes do not get ${path}`];
  const document = JSON.parse(file.content) as Json;
  return [
    ...validateAzureJson(document).map(({ field, message }) => `${path}: ${field}: ${message}`),
    ...(file.mode === 0o600 ? [] : [`${path} has the mode ${file.mode.toString(8)}`]),
    ...(document["tenantId"] === annotations[TENANT_ID] ? [] : [`${path} has another tenant`]),
  ];
}
