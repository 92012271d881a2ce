import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../errors";
import { type GivenIssuer, Issuer, ISSUER } from "../model/issuer";
import { clusterName } from "../model/kubernetes-name";
import { mergedEntries, mergedMaps } from "../model/merged-fields";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkProps,
  either,
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
import { writeCredentialFiles } from "./credential-files";
import type { Manifests } from "./manifests";
import { proveAtSynth } from "./proof";
import { checkOwnership, writeServiceAccounts } from "./service-accounts";

/** The cluster that workloads run in; the facts of `openShift()` and `kubernetes()` fit as well. */
export interface WorkloadCluster {
  /** DNS label; begins the names of roles and identities. */
  readonly name: string;
  /** Who signs the cluster's service account tokens. */
  readonly issuer: GivenIssuer;
}

const WORKLOAD_CLUSTER: Kind<WorkloadCluster> = like("a cluster, by name and issuer", {
  name: text,
  issuer: ISSUER,
});

/** One line of intent: this service account may do this. */
export interface Workload extends ServiceAccountLine {
  /** What, in one or several clouds: `awsAccess()`, `azureAccess()`, `googleAccess()`. */
  readonly may: IAccess<Construct> | readonly IAccess<Construct>[];
}

const WORKLOAD: ObjectKind<Workload> = object({
  ...SERVICE_ACCOUNT_LINE.shape,
  may: either(ACCESS, list(ACCESS)),
});

/** What the workloads of one cluster may do, and how their identities are made. */
export interface WorkloadAccessProps {
  /** The cluster. */
  readonly cluster: WorkloadCluster;
  /** Who may do what. Several lines for one service account are joined. */
  readonly workloads: readonly Workload[];
  /**
   * How each cloud's identities are made, at most one per cloud: `workloadRoles()`, `workloadIdentities()`,
   * `workloadServiceAccounts()`.
   *
   * @defaultValue - the cloud's own defaults; Azure and Google have none and say what they need
   */
  readonly identities?: readonly IWorkloadIdentities<Construct>[];
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a cloud
   * would refuse a workload.
   * With `false` they are written whatever they hold. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
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
const LINES = { lines: "workloads", asks: "may", example: "may: awsAccess({ statements: […] })" } as const;

type Workloads = GroupedLines<IAccess<Construct>, IWorkloadIdentities<Construct>>;

/**
 * The whole job for one cluster: these service accounts of users' workloads may do this in a cloud.
 *
 * Declares in Terraform, per cloud, the trust in the cluster's issuer, one identity per service account and its
 * permissions; writes the annotated service accounts, ConfigMaps with credential files where a cloud has no webhook,
 * and per service account `pods/<namespace>.<name>.yaml` with what its pods need besides.
 *
 * AWS and Azure need their pod identity webhook in the cluster; OpenShift in manual mode brings both. Warns of access
 * for a `default` service account, and of an issuer that another cluster of the app has as well.
 */
export class WorkloadAccess extends Construct {
  /** Where the manifests are written. */
  readonly manifests: Manifests;
  /** What each cloud declared, by the cloud's key (`aws`, `azure`, `google`). */
  readonly declarations: Readonly<Record<string, AccessDeclaration>>;
  readonly #pods: ReadonlyMap<string, PodFragment>;

  constructor(scope: Construct, id: string, props: WorkloadAccessProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ACCESS_PROPS, props);
    super(scope, id);
    const name = at(this, () => clusterName(props.cluster.name));
    const lines = props.workloads.map(({ may, ...line }) => ({ ...line, asks: may }));
    const grouped = at(this, () => groupedLines(name, lines, props.identities ?? [], LINES));
    const issuer = at(this, () => Issuer.of(props.cluster.issuer));
    this.manifests = manifestsFor(this, { ...JOB, name, issuer: issuer.url });
    at(this, () => checkOwnership(this.manifests, grouped.accounts));

    this.declarations = declareIdentities(this, grouped.clouds, { clusterName: name, issuer });
    const grants = Object.values(this.declarations).flatMap((declaration) => declaration.grants);
    this.#pods = new Map(
      grouped.accounts.map(({ subject }) => [subject.key, at(this, () => podFragment(subject, grants))]),
    );
    at(this, () => this.#write(grouped, grants, { name, ...issuer.recorded }));
    at(this, () => proveAtSynth(this, "workload", props.proof));
    for (const warning of warnings(grouped)) Annotations.of(this).addWarning(warning);
  }

  /**
   * What pods that use the service account need besides its name, as fields of the Kubernetes API; all literal.
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

  #write(
    { accounts, clouds }: Workloads,
    grants: readonly AccessGrant[],
    cluster: { readonly name: string; readonly issuer: string },
  ): void {
    writeServiceAccounts(this.manifests, accounts, grants);
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

/** The lists of several, by name, each entry once. */
function joinedRights(all: readonly AccessRights[]): AccessRights {
  const names = [...new Set(all.flatMap((rights) => Object.keys(rights)))].sort();
  const once = (name: string): readonly unknown[] => [
    ...new Map(
      all.flatMap((rights) => rights[name] ?? []).map((each) => [JSON.stringify(each), each]),
    ).values(),
  ];
  return Object.fromEntries(names.map((name) => [name, once(name)]));
}

/** What the pods of a service account need for all its clouds. */
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
  return {
    labels: mergedMaps(
      pods.map(({ labels }) => labels),
      refuse("labels"),
    ),
    env: joined("env"),
    volumeMounts: joined("volumeMounts"),
    volumes: joined("volumes"),
  };
}

/** kubernetes/kubernetes, plugin/pkg/admission/serviceaccount: pods that name none run as `default`. */
function warnings({ accounts }: Workloads): readonly string[] {
  return accounts
    .filter(({ subject }) => subject.name === "default")
    .map(
      ({ subject }) =>
        `service account ${subject.key}: every pod of the namespace that names no service account runs as this one and has its access; give the pods that need it their own service account`,
    );
}
