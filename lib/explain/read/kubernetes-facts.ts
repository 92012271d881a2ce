/*
 * The objects of one cluster, sorted by what the jobs need of them.
 */

import type { RbacPolicy } from "../../rules/rbac/evaluate";
import type { ComponentFacts } from "./component-facts";
import type { FleetFacts } from "./fleet-facts";
import type { NodeConfiguration } from "./node-configuration";
import type { WorkloadFact } from "./pods";
import type { ImagePolicyFact, MirrorRule, RegistrySources } from "./registries";
import type { ServiceAccountFact } from "./service-accounts";
import type { SkippedDocument } from "./skipped";
import type { Source } from "./source";
import type { VolumeDrivers } from "./volume-drivers";

/** Roles and bindings. */
export interface RbacFacts {
  /**
   * What they grant. Late values in them stand as {@link rbacName} writes them, so that a request for a late audience
   * finds the rule that names the same one.
   */
  readonly rbac: RbacPolicy;
  /** The same where folders are applied in other orders, as far as that makes a difference. */
  readonly rbacOtherwise: readonly RbacPolicy[];
  /** Where each role and binding stands, by `kind namespace/name`. */
  readonly rbacSources: ReadonlyMap<string, Source>;
  /** Roles and bindings with a late value in them: what nothing else grants, they perhaps do. */
  readonly rbacPerhaps: readonly Source[];
  /** True where a role speaks of token audiences at all. */
  readonly hasAudienceRules: boolean;
}

/** Arguments that are given to the API server past its operator's own. */
export interface ApiServerOverride {
  /** `KubeAPIServer cluster`. */
  readonly title: string;
  /** Values of each argument, without dashes. */
  readonly arguments: ReadonlyMap<string, readonly string[]>;
  /** Where it stands. */
  readonly source: Source;
}

/** The objects of one cluster. */
export interface KubernetesFacts extends ComponentFacts, RbacFacts {
  /** Service accounts by `namespace/name`. */
  readonly serviceAccounts: ReadonlyMap<string, ServiceAccountFact>;
  /** Pods and what makes pods. */
  readonly workloads: readonly WorkloadFact[];
  /** Where the nodes' runtime pulls from instead of what pods name. */
  readonly mirrors: readonly MirrorRule[];
  /** Which registries the nodes' runtime may pull from; none where nothing limits it. */
  readonly registrySources: readonly RegistrySources[];
  /** Signatures that the nodes' runtime asks of images. */
  readonly imagePolicies: readonly ImagePolicyFact[];
  /** What CSI drivers let nodes request. */
  readonly volumeDrivers: VolumeDrivers;
  /** Profiles of spokes, and lists of access providers. */
  readonly fleet: FleetFacts;
  /** What the kubelets of each pool are configured with. */
  readonly nodes: readonly NodeConfiguration[];
  /** Configurations that nothing places on nodes, and that are not judged since nodes have files of their own. */
  readonly unplaced: readonly Source[];
  /** Arguments of kube-apiserver by `unsupportedConfigOverrides` of its operator. */
  readonly apiServerOverrides: readonly ApiServerOverride[];
  /** Objects that count as absent because they would be refused, by title: `ServiceAccount shop/web`. */
  readonly refused: ReadonlyMap<string, readonly SkippedDocument[]>;
}
