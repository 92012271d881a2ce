import { Annotations, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../errors";
import { clusterName } from "../model/kubernetes-name";
import { Subject } from "../model/subject";
import type { AccessDeclaration, AccessGrant, AccessRights, PodFragment } from "../model/workloads";
import type { AccountLine } from "./account-groups";
import { checkClaim } from "./cluster-records";
import { writeCredentialFiles } from "./credential-files";
import { Manifests } from "./manifests";
import { joinedFragments } from "./pod-fragments";
import { proveAtSynth } from "./proof";
import { warnOfSharedIssuer } from "./shared-issuer";
import { checkOwnership, writeServiceAccounts } from "./service-accounts";
import { type WorkloadAccessProps, WORKLOAD_ACCESS_PROPS } from "./workload-access-props";
import { type GroupedWorkloads, groupedWorkloads } from "./workload-groups";
import { Issuer } from "../model/issuer";
import { checkProps } from "../model/shape";

const CLAIM = { key: "workloads", construct: "WorkloadAccess", lines: "workloads" } as const;

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

  /**
   * Throws `workloads-empty`, `workload-without-access`, `service-account-ownership`, `identities-twice`, `identities-unused`, `cluster-taken`, `cluster-facts-differ`, `annotation-conflict`, `pod-fragments-clash`,
   * `config-map-taken`, and the codes of everything it composes, with its own path before the message.
   */
  constructor(scope: Construct, id: string, props: WorkloadAccessProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ACCESS_PROPS, props);
    super(scope, id);
    const name = at(this, () => clusterName(props.cluster.name));
    const grouped = at(this, () => groupedWorkloads(props));
    const issuer = at(this, () => Issuer.of(props.cluster.issuer));
    this.manifests = Manifests.of(TerraformStack.of(this));
    at(this, () => checkClaim(this.manifests.recorded, { ...CLAIM, name, issuer: issuer.url }));
    at(this, () => checkOwnership(this.manifests, grouped.accounts));

    this.declarations = Object.fromEntries(
      grouped.clouds.map(({ cloud, identities, accounts }) => {
        const workloads = accounts.map(({ subject, asked }) => ({ subject, access: asked }));
        const request = { clusterName: name, issuer, workloads };
        return [cloud, at(this, () => identities.declare(new Construct(this, cloud), request))];
      }),
    );
    const grants = Object.values(this.declarations).flatMap((declaration) => declaration.grants);
    this.#pods = at(this, () => fragmentsOf(grouped.accounts, grants));
    at(this, () => this.#write(grouped, grants, { name, issuer: issuer.url }));
    at(this, () => proveAtSynth(this, "workload", props.proof));
    warnOfSharedIssuer(this, name, issuer.url);
    for (const warning of warnings(grouped)) Annotations.of(this).addWarning(warning);
  }

  /**
   * What pods that use the service account need besides its name, as fields of the Kubernetes API; all literal.
   *
   * Throws `workload-unknown`, and what {@link Subject.of} throws.
   */
  podFor(serviceAccount: string | Subject): PodFragment {
    const { key } = Subject.of(serviceAccount);
    return this.#pods.get(key) ?? fail("workload-unknown", key, [...this.#pods.keys()]);
  }

  #write(
    { accounts, clouds }: GroupedWorkloads,
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
        return own.map(({ subject, asked }) => ({
          serviceAccount: subject.key,
          cloud,
          identity: identities.get(subject.key),
          asks: joinedRights(asked.map(({ rights }) => rights)),
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

function fragmentsOf(
  accounts: readonly AccountLine<unknown>[],
  grants: readonly AccessGrant[],
): ReadonlyMap<string, PodFragment> {
  const bySubject = new Map<string, PodFragment[]>(accounts.map(({ subject }) => [subject.key, []]));
  for (const { subject, pod } of grants) bySubject.get(subject.key)?.push(pod);
  return new Map(
    accounts.map(({ subject }) => [subject.key, joinedFragments(subject, bySubject.get(subject.key) ?? [])]),
  );
}

/** kubernetes/kubernetes, plugin/pkg/admission/serviceaccount: pods that name none run as `default`. */
function warnings({ accounts }: GroupedWorkloads): readonly string[] {
  return accounts
    .filter(({ subject }) => subject.name === "default")
    .map(
      ({ subject }) =>
        `service account ${subject.key}: every pod of the namespace that names no service account runs as this one and has its access; give the pods that need it a service account of their own`,
    );
}
