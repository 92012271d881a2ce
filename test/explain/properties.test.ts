/* What no one rests on changes nothing: objects of others, resources of the kinds that matter, and other stacks. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { ALL_JOBS, type Artefacts, explained, synthesized } from "../fixtures/explain/artefacts";
import { runsOf, sampleNote } from "../support/sample";

const RUNS = 15;
const SAMPLE = 5;

const id = fc.stringMatching(/^other-[a-z0-9]{1,8}$/);

const objects = fc.array(
  fc.record({
    apiVersion: fc.constantFrom(
      ...["v1", "apps/v1", "rbac.authorization.k8s.io/v1", "example.com/v1", "config.openshift.io/v1"],
      ...["cloudcredential.openshift.io/v1", "kueue.x-k8s.io/v1beta2"],
    ),
    kind: fc.constantFrom(
      ...["Authentication", "ClusterRoleBinding", "ConfigMap", "CredentialsRequest", "Deployment"],
      ...["MultiKueueCluster", "Role", "Secret", "ServiceAccount", "Widget"],
    ),
    metadata: fc.record({
      name: fc.oneof(
        id,
        fc.string({ unit: "grapheme-ascii" }).map((name) => `other-${name}`),
      ),
      namespace: fc.constantFrom("argocd", "kube-system", "kueue-system", "other", "shop"),
    }),
    rules: fc.constant([{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]),
    data: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    stringData: fc.object({ maxDepth: 1 }),
    roleRef: fc.record({ kind: fc.constant("ClusterRole"), name: id }),
    subjects: fc.array(fc.record({ kind: fc.constantFrom("User", "Group"), name: id }), { maxLength: 2 }),
    spec: fc.object({ maxDepth: 2 }),
  }),
  { maxLength: 4 },
);

const ROLE = "arn:aws:iam::999999999999:role/";

/** Resources of the kinds that matter, of other owners. */
const UNRELATED: Readonly<Record<string, (name: string) => object>> = {
  aws_ecr_repository_policy: (name) => ({
    repository: name,
    policy: '{"Statement":[{"Effect":"Deny","Principal":"*","Action":"ecr:*"}]}',
  }),
  aws_eks_access_entry: (name) => ({ cluster_name: name, principal_arn: `${ROLE}${name}` }),
  aws_eks_access_policy_association: (name) => ({
    cluster_name: name,
    principal_arn: `${ROLE}${name}`,
    policy_arn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
  }),
  aws_iam_openid_connect_provider: (name) => ({ url: `https://${name}.example`, client_id_list: ["x"] }),
  aws_iam_role: (name) => ({ name, assume_role_policy: '{"Statement":[]}' }),
  aws_iam_role_policy: (name) => ({
    role: name,
    policy: '{"Statement":[{"Effect":"Deny","Action":"*","Resource":"*"}]}',
  }),
  aws_s3_bucket: (name) => ({ bucket: name }),
  azurerm_container_registry: (name) => ({ name: name.replace("-", "") }),
  azurerm_federated_identity_credential: (name) => ({
    parent_id: `/other/${name}`,
    issuer: "https://other.example",
    subject: "system:serviceaccount:other:other",
    audience: ["other"],
  }),
  azurerm_role_assignment: (name) => ({
    principal_id: name,
    role_definition_name: "Azure Kubernetes Service RBAC Reader",
    scope: name,
  }),
  azurerm_role_definition: (name) => ({ name, scope: name }),
  azurerm_user_assigned_identity: (name) => ({ name, resource_group_name: "other" }),
  google_artifact_registry_repository_iam_member: (name) => ({
    project: "other",
    location: "europe-west1",
    repository: name,
    role: "roles/artifactregistry.reader",
    member: "allUsers",
  }),
  google_iam_workload_identity_pool_provider: (name) => ({
    workload_identity_pool_id: name,
    workload_identity_pool_provider_id: name,
  }),
  google_project_iam_custom_role: (name) => ({ role_id: name, project: name }),
  google_project_iam_member: (name) => ({
    project: name,
    role: "roles/container.admin",
    member: `serviceAccount:${name}@other.iam.gserviceaccount.com`,
  }),
  google_service_account: (name) => ({ account_id: name, project: name }),
};

const resources = fc.dictionary(
  fc.constantFrom(...Object.keys(UNRELATED)),
  fc.array(id, { minLength: 1, maxLength: 2 }),
);

const pathOf = (artefacts: Artefacts, ending: RegExp): string =>
  [...artefacts.keys()].find((path) => ending.test(path)) ?? "";

it.each(ALL_JOBS)(
  `%s is the same with unrelated objects, resources and stacks${sampleNote(SAMPLE)}`,
  (name) => {
    const artefacts = synthesized(name);
    const terraform = pathOf(artefacts, /cdk\.tf\.json$/);
    const manifest = pathOf(artefacts, /manifests\/(?:20-service-accounts|65-fleet-controller|.*)\.yaml$/);
    const stacks = new Set(explained(artefacts).map(({ stack }) => stack));
    const shown = (all: Artefacts): readonly unknown[] =>
      explained(all)
        .filter(({ stack }) => stacks.has(stack))
        .map(({ job, subject, target, verdict, as, warnings }) =>
          [job, subject, target, verdict, as, warnings?.length].join(" "),
        );
    const before = shown(artefacts);
    fc.assert(
      fc.property(objects, resources, id, (added, more, other) => {
        const document = JSON.parse(artefacts.get(terraform) ?? "") as { resource: Record<string, object> };
        for (const [type, names] of Object.entries(more)) {
          const made = names.map((each) => [each, UNRELATED[type]?.(each)] as const);
          document.resource[type] = Object.assign({}, document.resource[type], Object.fromEntries(made));
        }
        const all = [artefacts.get(manifest) ?? "", ...added.map((each) => JSON.stringify(each))];
        const changed = new Map([
          ...artefacts,
          [manifest, all.join("\n---\n")],
          [terraform, JSON.stringify(document)],
          [`stacks/${other}/cdk.tf.json`, JSON.stringify({ resource: { null_resource: { a: {} } } })],
        ]);
        expect(shown(changed)).toEqual(before);
      }),
      { numRuns: runsOf(RUNS, SAMPLE) },
    );
  },
);
