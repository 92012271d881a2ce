/**
 * The verifier: will this pod pull this image, will this component or workload get into its cloud, as whom, and if not,
 * which link is broken. Reads what was synthesized, never construct objects. No construct library.
 *
 * @packageDocumentation
 */

export { type PluginFacts } from "../model/cluster";
export { type AccessResult } from "./accesses";
export { type Answer, type Evidence, type Status } from "./answer";
export { type AccessJob } from "./checks/access-checks";
export { type CheckId, type CheckResult, type Origin } from "./checks/check";
export { type FleetWarning } from "./clouds/cloud-spokes";
export { explain, Explainer, type ImagePuller, type PullResult } from "./explain";
export {
  type ClusterRecord,
  type DeclaredPull,
  type PluginRecord,
  readClusterFile,
} from "./facts/cluster-record";
export { type DeclaredComponent, type DeclaredWorkload } from "./facts/access-record";
export { type DeclaredController, type DeclaredFleet, type DeclaredSpoke } from "./facts/fleet-record";
export { type SkippedDocument } from "./facts/facts";
export { type Source } from "./facts/source";
export { type FleetResult } from "./fleet/fleet-accesses";
export { type ServiceAccountReach } from "./reach";
export {
  type AccessSelection,
  type ExplainOptions,
  type ExplainSelection,
  type FleetSelection,
  type PullSelection,
} from "./selections";
export { renderHtml } from "./render/html";
export { EXPLAIN_JSON_VERSION, renderJson } from "./render/json";
export { renderMermaid } from "./render/mermaid";
export { renderText, type RenderTextOptions } from "./render/text";
export { type ExplainResult } from "./result";
export { type Verdict } from "./verdict";
