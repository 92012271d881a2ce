/*
 * What publishes a cluster's issuer, and what makes clouds trust it: without either, every token of the cluster is
 * refused at once, and a host name or an ARN may not come back.
 */

import type { TerraformResource } from "cdktf";
import { boolean, checkGiven } from "../../model/shape";

/** Key of the context of an app, a stack or a construct that lets Terraform destroy them with `false`. */
const PREVENT_DESTROY_CONTEXT = "cdktf-workload-identity/prevent-destroy";

/** Makes Terraform refuse a plan that destroys or replaces the resource. */
export function preventDestroy(resource: TerraformResource): void {
  const wanted: boolean = resource.node.tryGetContext(PREVENT_DESTROY_CONTEXT) ?? true;
  checkGiven("the app", boolean, wanted, `context ${PREVENT_DESTROY_CONTEXT}`);
  if (wanted) resource.lifecycle = { ...resource.lifecycle, preventDestroy: true };
}
