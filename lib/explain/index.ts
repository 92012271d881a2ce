/**
 * The verifier: whether a pod can pull an image, whether a component or workload can act in its cloud, as whom, and if
 * not, which link is broken. It reads files, never construct objects, and loads no construct library.
 *
 * @module explain
 * @packageDocumentation
 */

export { type PluginFacts } from "../model/cluster";
export { type Answer, type CheckResult, type Evidence, type Status } from "./answer";
export { type CheckId } from "./check-ids";
export { type AccessResult, explain, Explainer, type ImagePuller } from "./explainer";
export { type PullResult } from "./pull-result";
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
export type { StatedPull, StatedRegistry } from "./read/registry-facts";
export { type DeclaredController, type DeclaredFleet, type DeclaredSpoke } from "./read/cluster-record";
export {
  type Change,
  type ChangeKind,
  type ComparedState,
  type Comparison,
  type Danger,
} from "./compare/change";
export { compare, comparePlan, type CompareOptions } from "./compare/compare";
export { readFactsFile } from "./facts-file";
export { type StatedAwsFacts } from "./aws/stated";
export { type SkippedDocument, type Source } from "./read/source";
export {
  type AccessSelection,
  type ExplainOptions,
  type ExplainSelection,
  type FleetSelection,
  type Job,
  type Origin,
  type PullSelection,
} from "./selections";
export { type Finding, type Severity } from "./findings";
export { renderGithub } from "./render/github";
export {
  COMPARE_JSON_VERSION,
  type RenderCompareOptions,
  renderCompareJson,
  renderCompareMarkdown,
  renderCompareText,
} from "./render/compare";
export { renderHtml, type RenderHtmlOptions } from "./render/html";
export { EXPLAIN_JSON_VERSION, type RenderReportOptions, renderJson } from "./render/json";
export { renderJunit } from "./render/junit";
export { renderMarkdown } from "./render/markdown";
export { renderMermaid } from "./render/mermaid";
export { renderCompareSarif, renderSarif } from "./render/sarif";
export { renderText, type RenderTextOptions } from "./render/text";
export {
  type Acceptance,
  type ExplainResult,
  type FleetWarning,
  type ServiceAccountReach,
  type Verdict,
} from "./result";
