import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../errors";
import { type PodIdentityWebhook, POD_IDENTITY_WEBHOOKS } from "../model/cluster";
import { type GivenIssuer, Issuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { mergedEntries, mergedMaps } from "../model/merged-fields";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkProps,
  either,
  example,
  like,
  list,
  object,
  optional,
  text,
} from "../model/shape";
import { Subject } from "../model/subject";
import {
  type AccessDeclaration,
  type AccessGrant,
  type AccessRequest,
  type AccessRights,
  type IAccess,
  type IWorkloadIdentities,
  type PodFragment,
  ACCESS,
  WORKLOAD_IDENTITIES,
} from "../model/workloads";
import {
  type GroupedLines,
  type ServiceAccountLine,
  SERVICE_ACCOUNT_LINE,
  declareIdentities,
  groupedLines,
} from "./account-groups";
import { manifestsFor } from "./cluster-job";
import type { RecordedCluster } from "./cluster-records";
import type { ClusterManifests } from "./cluster-manifests";
import { proveAtSynth } from "./proof";
import { checkOwnership, nameWarnings, writeServiceAccounts } from "./service-accounts";
import { clusterObject } from "../kubernetes/metadata";
import { derivedName } from "../rules/names";
import { ConfigMap } from "../kubernetes";

/** The cluster that workloads run in; `openShift()`, `kubernetes()`, `eks()`, `aks()` and `gke()` return suitable facts. */
export interface WorkloadCluster {
  /** DNS label; the names of roles and identities begin with it. */
  readonly name: string;
  /**
   * Name of the cluster in its cloud, if that is no DNS label: `Prod_EU` in EKS.
   *
   * @defaultValue - the one in `podIdentity` of `workloadRoles()`, otherwise `name`
   */
  readonly cloudName?: string;
  /**
   * Pod identity webhooks that run in the cluster: `aws` on EKS and on OpenShift on AWS, `azure` on AKS with workload
   * identity and on OpenShift on Azure with the Secret `azure-credentials`, or those that you installed. They give pods
   * of annotated service accounts a token.
   *
   * @defaultValue - `builtInWebhooks`; for other clouds `podFor()` has the token and the variables
   */
  readonly podIdentityWebhooks?: readonly PodIdentityWebhook[];
  /**
   * Those that every cluster of the distribution runs: set by `openShift()`, `eks()` and `aks()`.
   *
   * @defaultValue - none that is known
   */
  readonly builtInWebhooks?: readonly PodIdentityWebhook[];
  /** Issuer of the cluster's service account tokens. */
  readonly issuer: GivenIssuer;
}

const WORKLOAD_CLUSTER: Kind<WorkloadCluster> = example(
  like("a cluster: openShift(…), eks(…), kubernetes(…) or another, or its { name, issuer }", {
    name: text,
    cloudName: optional(text),
    podIdentityWebhooks: optional(POD_IDENTITY_WEBHOOKS),
    builtInWebhooks: optional(POD_IDENTITY_WEBHOOKS),
    issuer: ISSUER,
  }),
  "openShift(…)",
);

/** A service account and what it may do. */
export interface Workload extends ServiceAccountLine {
  /**
   * Access in one or several clouds: `awsAccess()`, `azureAccess()`, `googleAccess()`. In a cloud in which `as` names
   * the identity, it is not granted but what the workload needs, for `explain` to compare.
   *
   * @defaultValue - with `as`, whatever the identity may do
   */
  readonly may?: IAccess<Construct> | readonly IAccess<Construct>[];
}

const WORKLOAD: ObjectKind<Workload> = object({
  ...SERVICE_ACCOUNT_LINE.shape,
  may: optional(either(ACCESS, list(ACCESS))),
});

/** Properties of {@link WorkloadAccess}: what the workloads may do, and how their identities are made. */
export interface WorkloadAccessProps {
  /** The cluster. */
  readonly cluster: WorkloadCluster;
  /** Who may do what. Several lines for one service account are joined. */
  readonly workloads: readonly Workload[];
  /**
   * How each cloud's identities are made, at most one per cloud: `workloadRoles()`, `workloadIdentities()`,
   * `workloadServiceAccounts()`.
   *
   * @defaultValue - the cloud's defaults; Azure and Google have none, and the error says what they need
   */
  readonly identities?: readonly IWorkloadIdentities<Construct>[];
  /**
   * Whether `app.synth()` fails if the verifier finds in the written files that a cloud would refuse a workload. With
   * `false` the files are kept regardless. To skip the proof for all constructs, set the app's context
   * `cdktf-workload-identity/proof` to `false`, or use cdktf's `skipValidation`.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

const WORKLOAD_ACCESS_PROPS: ObjectKind<WorkloadAccessProps> = object({
  cluster: WORKLOAD_CLUSTER,
  workloads: list(WORKLOAD),
  identities: optional(list(WORKLOAD_IDENTITIES)),
  proof: optional(boolean),
});

const JOB = { records: "workloads", construct: "WorkloadAccess" } as const;
const LINES = {
  lines: "workloads",
  asks: "may",
  example: "may: awsAccess({ statements: […] })",
  makers: "workloadRoles(), workloadIdentities(), workloadServiceAccounts()",
} as const;

type Workloads = GroupedLines<IAccess<Construct>, IWorkloadIdentities<Construct>>;

/**
 * Gives the service accounts of a cluster's workloads access to clouds.
 *
 * In Terraform it declares, per cloud, the trust in the cluster's issuer, one identity per service account, and its
 * permissions. As manifests it writes the annotated service accounts, ConfigMaps with credential files if a cloud has
 * no webhook, and per service account `pods/<namespace>.<name>.yaml` with the fields that its pods need.
 *
 * Where the pod identity webhook of AWS or Azure is not known to run, that file has the token and the variables too.
 * Warns if a `default` service account gets access, and if another cluster of the app has the same issuer.
 */
export class WorkloadAccess extends Construct {
  /** The manifests of the cluster. */
  readonly manifests: ClusterManifests;
  /** Identities that each cloud declared, by the cloud's key (`aws`, `azure`, `google`). */
  readonly declarations: Readonly<Record<string, AccessDeclaration>>;
  readonly #pods: ReadonlyMap<string, PodFragment>;

  constructor(scope: Construct, id: string, props: WorkloadAccessProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ACCESS_PROPS, props);
    super(scope, id);
    const name = at(this, () => clusterName(props.cluster.name));
    const lines = props.workloads.map(({ may, ...line }) => ({ ...line, asks: may }));
    const grouped = at(this, () => groupedLines(name, lines, props.identities ?? [], LINES));
    const issuer = at(this, () => Issuer.of(props.cluster.issuer));
    const subjects = grouped.accounts.map(({ subject }) => subject);
    this.manifests = manifestsFor(this, { ...JOB, name, issuer: issuer.url, subjects });
    at(this, () => checkOwnership(this.manifests, grouped.accounts));

    const webhooks = webhooksOf(props.cluster);
    const requestTo = (cloud: string): Omit<AccessRequest<Construct>, "accounts"> => {
      const runs = webhooks.some((each) => each === cloud);
      return { clusterName: name, issuer, ...(runs && { withoutWebhook: false }) };
    };
    this.declarations = declareIdentities(this, grouped.clouds, requestTo);
    const grants = Object.values(this.declarations).flatMap((declaration) => declaration.grants);
    this.#pods = new Map(
      grouped.accounts.map(({ subject }) => [subject.key, at(this, () => podFragment(subject, grants))]),
    );
    at(this, () => this.#write(grouped, grants, this.#recorded(props.cluster, issuer)));
    at(this, () => proveAtSynth(this, "workload", props.proof));
    for (const warning of [...warnings(grouped), ...nameWarnings(subjects)])
      Annotations.of(this).addWarning(warning);
  }

  /**
   * Returns what pods of the service account need in addition to its name, as fields of the Kubernetes API. Values of
   * variables may be late.
   */
  podFor(serviceAccount: string | Subject): PodFragment {
    const { key } = Subject.of(serviceAccount);
    return (
      this.#pods.get(key) ??
      fail("identities-unknown", {
        problem: "no line of `workloads` names this service account",
        value: key,
        allowed: [...this.#pods.keys()].join(", "),
        remedy: "correct the name, or add a line for it",
      })
    );
  }

  /** The cluster's facts; its name in its cloud is also that of `podIdentity`, and recorded if it differs. */
  #recorded(cluster: WorkloadCluster, { recorded }: Issuer): RecordedCluster {
    const { name, cloudName } = cluster;
    literal(cloudName, "cloudName");
    const webhooks = webhooksOf(cluster);
    const [named] = Object.values(this.declarations).flatMap((each) => each.cloudName ?? []);
    if (cloudName !== undefined && named !== undefined && named !== cloudName)
      fail("cluster-mismatch", {
        problem: `the identities of cluster ${name} are for a cluster with another name`,
        value: named,
        allowed: cloudName,
        remedy: "pass the same cluster to `cluster` and to `podIdentity`",
      });
    const nameInCloud = cloudName ?? named ?? name;
    return {
      name,
      ...(nameInCloud !== name && { cloudName: nameInCloud }),
      ...recorded,
      ...(webhooks.length > 0 && { podIdentityWebhooks: webhooks }),
    };
  }

  #write({ accounts, clouds }: Workloads, grants: readonly AccessGrant[], cluster: RecordedCluster): void {
    writeServiceAccounts(this.manifests, accounts, grants);
    writeClusterRights(this.manifests, grants);
    writeCredentialFiles(this.manifests, grants);
    for (const { subject } of accounts) this.manifests.podFragment(subject, this.podFor(subject));
    this.manifests.record({
      ...cluster,
      workloads: clouds.flatMap(({ cloud, accounts: own }) => {
        const identities = new Map(
          this.declarations[cloud]?.grants.map(({ subject, identity }) => [subject.key, identity]),
        );
        return own.map(({ subject, asks }) => ({
          serviceAccount: subject.key,
          cloud,
          identity: identities.get(subject.key),
          asks: joinedRights(asks.map(({ rights }) => rights)),
        }));
      }),
    });
  }
}

function webhooksOf({ podIdentityWebhooks = [], builtInWebhooks = [] }: WorkloadCluster): readonly string[] {
  return [...new Set([...podIdentityWebhooks, ...builtInWebhooks])].sort();
}

/** Joins lists of the same name, each entry once. */
function joinedRights(all: readonly AccessRights[]): AccessRights {
  const names = [...new Set(all.flatMap((rights) => Object.keys(rights)))].sort();
  const once = (name: string): readonly unknown[] => [
    ...new Map(
      all.flatMap((rights) => rights[name] ?? []).map((each) => [JSON.stringify(each), each]),
    ).values(),
  ];
  return Object.fromEntries(names.map((name) => [name, once(name)]));
}

function podFragment({ key }: Subject, grants: readonly AccessGrant[]): PodFragment {
  const pods = grants.filter(({ subject }) => subject.key === key).map(({ pod }) => pod);
  const refuse =
    (field: string) =>
    (name: string): never =>
      fail("identities-conflict", {
        problem: `two clouds need different ${field} named ${name} in the pods of one service account`,
        value: key,
        remedy: "give each cloud's workload its own service account",
      });
  const joined = (field: "env" | "volumeMounts" | "volumes"): PodFragment["env"] =>
    mergedEntries(
      pods.flatMap((pod) => pod[field]),
      "name",
      refuse(field),
    );
  const annotations = mergedMaps(
    pods.map((pod) => pod.annotations ?? {}),
    refuse("annotations"),
  );
  return {
    labels: mergedMaps(
      pods.map(({ labels }) => labels),
      refuse("labels"),
    ),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    env: joined("env"),
    volumeMounts: joined("volumeMounts"),
    volumes: joined("volumes"),
  };
}

/** kubernetes/kubernetes, plugin/pkg/admission/serviceaccount: pods without a service account run as `default`. */
function warnings({ accounts }: Workloads): readonly string[] {
  return accounts
    .filter(({ subject }) => subject.name === "default")
    .map(
      ({ subject }) =>
        `service account ${subject.key}: every pod of the namespace without a service account name runs as this one and has its access; give the pods that need it their own service account`,
    );
}

const CREDENTIALS = { order: 30 } as const;

export function writeCredentialFiles(manifests: ClusterManifests, grants: readonly AccessGrant[]): void {
  const owners = new Map<string, string>();
  for (const { subject, credentialFile } of grants) {
    if (credentialFile === undefined) continue;
    const name = `${subject.namespace}/${credentialFile.configMap}`;
    const first = owners.get(name);
    if (first !== undefined)
      fail("identities-conflict", {
        problem: `the credential files of ${first} and of ${subject.key} would be written to one ConfigMap`,
        value: name,
        allowed: "one ConfigMap per service account",
        remedy: "rename one of the service accounts, or put it into another namespace",
      });
    owners.set(name, subject.key);
  }
  for (const { subject, credentialFile } of grants) {
    if (credentialFile === undefined) continue;
    const { configMap, fileName, content } = credentialFile;
    // A namespace has no dot, so two ConfigMaps never share an id.
    new ConfigMap(manifests.chart("cloud-credentials", CREDENTIALS), `${subject.namespace}.${configMap}`, {
      namespace: subject.namespace,
      name: configMap,
      data: { [fileName]: content },
    });
  }
}

const RBAC = "rbac.authorization.k8s.io";
const NAME = { max: 253, allowed: /[^/%]/, separator: ":" } as const;

/** Writes what clouds ask RBAC for: a ClusterRole and its binding for each service account, of one name. */
export function writeClusterRights(manifests: ClusterManifests, grants: readonly AccessGrant[]): void {
  for (const { subject, clusterRight } of grants) {
    if (!clusterRight) continue;
    const { verb, apiGroup, resource } = clusterRight;
    const { namespace, name: account } = subject;
    const chart = manifests.chart("service-account-rights", { order: 22 });
    const name = derivedName([verb, namespace, account], NAME);
    // Another construct of the stack may have written it for the same identity.
    if (chart.node.tryFindChild(name)) continue;
    const metadata = { name };
    const rules = [{ apiGroups: [apiGroup], resources: [resource], verbs: [verb] }];
    const apiVersion = `${RBAC}/v1`;
    clusterObject(chart, name, { apiVersion, kind: "ClusterRole", metadata, rules });
    const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name };
    const subjects = [{ kind: "ServiceAccount", namespace, name: account }];
    clusterObject(chart, `${name}-binding`, {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef,
      subjects,
    });
  }
}
