/**
 * The verifier: will this pod pull this image, will this component or workload get into its cloud, as whom, and if not,
 * which link is broken. Reads what was synthesized, never construct objects. No construct library.
 *
 * @module explain
 * @packageDocumentation
 */

export { type PluginFacts } from "../model/cluster";
export { type Answer, type CheckResult, type Evidence, type Status } from "./answer";
export { type CheckId } from "./check-ids";
export { type FleetWarning } from "./cloud";
export {
  type AccessResult,
  explain,
  Explainer,
  type ImagePuller,
  type PullResult,
  type ServiceAccountReach,
} from "./explainer";
export { type AccessJob } from "./jobs/access-questions";
export { type RunningResult } from "./jobs/running";
export { type FleetResult } from "./jobs/fleet";
export {
  type ClusterRecord,
  type DeclaredComponent,
  type DeclaredPull,
  type DeclaredWorkload,
  type PluginRecord,
} from "./read/cluster-record";
export { type DeclaredController, type DeclaredFleet, type DeclaredSpoke } from "./read/fleet-record";
export { readFactsFile } from "./facts-file";
export { type StatedAwsFacts } from "./aws/stated";
export { type SkippedDocument } from "./read/source";
export { type Source } from "./read/source";
export {
  type AccessSelection,
  type ExplainOptions,
  type ExplainSelection,
  type FleetSelection,
  type Origin,
  type PullSelection,
} from "./selections";
export { renderHtml } from "./render/html";
export { EXPLAIN_JSON_VERSION, renderJson } from "./render/json";
export { renderMermaid } from "./render/mermaid";
export { renderText, type RenderTextOptions } from "./render/text";
export { type ExplainResult } from "./result";
export { type Verdict } from "./verdict";
