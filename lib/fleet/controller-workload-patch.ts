import { ApiObject, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { type ControllerWorkload, CONTROLLER_WORKLOAD } from "../model/fleet";
import { type ControllerNeeds, CONTROLLER_NEEDS, controllerPatch } from "../rules/fleet/controller-patch";
import { type ObjectKind, checkProps, object } from "../model/shape";

/** What a {@link ControllerWorkloadPatch} adds, and to whom. */
export interface ControllerWorkloadPatchProps extends ControllerNeeds {
  /** The existing workload. */
  readonly workload: ControllerWorkload;
}

const CONTROLLER_WORKLOAD_PATCH_PROPS: ObjectKind<ControllerWorkloadPatchProps> = object({
  ...CONTROLLER_NEEDS.shape,
  workload: CONTROLLER_WORKLOAD,
});

/**
 * Fields for a Deployment or StatefulSet that something else owns: plugin, identity and hash of the provider list.
 *
 * The manifest is partial. Apply it with `kubectl apply --server-side`, never with `--prune` and never as the whole
 * object; where a Helm chart or an operator owns the workload, put the same fields into its values instead.
 */
export class ControllerWorkloadPatch extends Construct {
  /** The partial manifest; `undefined` where nothing is needed. */
  readonly resource: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: ControllerWorkloadPatchProps) {
    checkProps(new.target.name, scope, id, CONTROLLER_WORKLOAD_PATCH_PROPS, props);
    super(scope, id);
    const { kind, namespace, name } = props.workload;
    const template = controllerPatch(props.workload, props);
    if (Object.keys(template).length === 0) {
      this.resource = undefined;
      return;
    }
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "apps/v1",
      kind,
      metadata: { namespace, name },
      spec: { template },
    });
    // Labels that a chart gives to all its objects are not the owner's.
    if (Object.keys(this.resource.chart.labels).length > 0)
      this.resource.addJsonPatch(JsonPatch.remove("/metadata/labels"));
  }
}
