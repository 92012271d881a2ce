/*
 * Argo CD cluster Secrets, read as an equivalent ClusterProfile and list of access providers, so that both are judged
 * alike. Secrets with stored credentials do not use workload identity, and are left out.
 * Sources: argoproj/argo-cd:docs/operator-manual/declarative-setup.md ("Clusters"), and `RawRestConfig` in
 * pkg/apis/application/v1alpha1/types.go for what awsAuthConfig runs.
 */

import { grouped } from "../../model/grouped";
import { type Known, isBlank, known, map, orElse } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { at } from "../../model/parsed";
import { type Tree, entriesOf, isTreeObject, treeAt, treeOf } from "../../model/tree";
import {
  ARGO_EXEC_VERSION,
  CLUSTER_SECRET_LABEL,
  CLUSTER_SECRET_PREFIX,
} from "../../rules/fleet/cluster-secret";
import { CLUSTER_PROFILE_GROUP } from "../../rules/fleet/names";
import { secretValue } from "./component-facts";
import { embedded } from "./documents";
import type { FleetFacts, ObjectFact, ProfileFact, ProviderListFact } from "./fleet-facts";
import { type KubernetesObject, type Objects, agreed, keyOf } from "./objects";
import { NOWHERE, type Source } from "./source";

/** The facts together with those of cluster Secrets; a ClusterProfile of the same name comes before its Secret. */
export function withClusterSecrets(facts: FleetFacts, objects: Objects): FleetFacts {
  const known = new Set(facts.profiles.map(({ key }) => key));
  const secrets = objects
    .of("Secret")
    .filter(({ value }) => at(value, "metadata", "labels", CLUSTER_SECRET_LABEL) === "cluster");
  const read = [...grouped(secrets, ({ value }) => keyOf(value))]
    .flatMap(([key, documents]) => clusterSecret(key, documents) ?? [])
    .filter(({ profile }) => !known.has(profile.key));
  const byNamespace = grouped(read, ({ profile }) => profile.namespace);
  return {
    ...facts,
    profiles: [...facts.profiles, ...read.map(({ profile }) => profile)],
    lists: [...facts.lists, ...[...byNamespace].map(([namespace, entries]) => listOf(namespace, entries))],
  };
}

/** Name of the entry that stands for the Secret of a cluster. */
export function secretProvider(name: string): string {
  return `cluster Secret ${name}`;
}

interface ClusterSecret {
  readonly profile: ProfileFact;
  readonly source: Source;
  /** How the plugin is run for it, as an entry of a list. */
  readonly entry: Tree;
}

function listOf(namespace: string, entries: readonly ClusterSecret[]): ProviderListFact {
  return {
    form: "secrets",
    title: `cluster Secrets of ${namespace}`,
    namespace,
    configMap: "",
    key: "",
    providers: known(entries.map(({ entry }) => entry)),
    configuration: treeOf({}),
    source: entries[0]?.source ?? NOWHERE,
  };
}

function clusterSecret(key: string, documents: readonly KubernetesObject[]): ClusterSecret | undefined {
  const [first] = documents;
  const { namespace, name: secret } = namespacedName(key);
  if (first === undefined) return undefined;
  const { source } = first;
  const name = secret.startsWith(CLUSTER_SECRET_PREFIX) ? secret.slice(CLUSTER_SECRET_PREFIX.length) : secret;
  const provider = secretProvider(name);
  const valueOf = (field: string): Known<string | undefined> =>
    agreed(`${field} of the Secret ${key}`, documents, (document) => secretValue(document, field));
  const config = embedded(map(valueOf("config"), (written) => written ?? "{}"));
  const run = execOf(config);
  if (run === undefined) return undefined;
  const cluster = {
    server: valueOf("server"),
    ...stated("certificate-authority-data", treeAt(config, "tlsClientConfig", "caData")),
    ...stated("proxy-url", treeAt(config, "proxyUrl")),
  };
  const status = { accessProviders: [{ name: provider, cluster }] };
  const profile = profileOf(namespace, name, { value: treeOf({ ...PROFILE, config, status }), source });
  return { profile, source, entry: treeOf({ name: provider, execConfig: run.exec }) };
}

const PROFILE = { apiVersion: `${CLUSTER_PROFILE_GROUP}/v1alpha1`, kind: "ClusterProfile" };

function profileOf(namespace: string, name: string, fact: ObjectFact): ProfileFact {
  const key = `${namespace}/${name}`;
  const nothing = { dropped: undefined, writtenFrom: undefined };
  return { key, namespace, name, main: fact, status: fact, isSecret: true, ...nothing };
}

/** How the plugin is run; `undefined` if none is. */
function execOf(config: Tree): { readonly exec: Tree } | undefined {
  if (orElse(config, () => null) === null) return { exec: config };
  const aws = treeAt(config, "awsAuthConfig");
  if (!isBlank(aws))
    return { exec: treeOf({ ...ARGO_EXEC, args: ["aws", ...AWS_FLAGS.flatMap((row) => flagOf(aws, row))] }) };
  const exec = treeAt(config, "execProviderConfig");
  if (isBlank(exec)) return undefined;
  const env = map(treeAt(exec, "env"), (value) =>
    isTreeObject(value) ? entriesOf(value).map(([name, each]) => treeOf({ name, value: each })) : [],
  );
  const fields = EXEC.map((field) => stated(field, treeAt(exec, field)));
  return { exec: treeOf(Object.assign({ env }, ...fields)) };
}

const EXEC: readonly string[] = ["apiVersion", "command", "args", "installHint", "provideClusterInfo"];
const ARGO_EXEC = { apiVersion: ARGO_EXEC_VERSION, command: "argocd-k8s-auth" };
const AWS_FLAGS: readonly (readonly [field: string, flag: string])[] = [
  ["clusterName", "--cluster-name"],
  ["roleARN", "--role-arn"],
  ["profile", "--profile"],
];

function flagOf(aws: Tree, [field, flag]: (typeof AWS_FLAGS)[number]): readonly unknown[] {
  const value = treeAt(aws, field);
  return isBlank(value) ? [] : [flag, value];
}

function stated(key: string, value: Tree): Readonly<Record<string, Tree>> {
  return isBlank(value) ? {} : { [key]: value };
}
