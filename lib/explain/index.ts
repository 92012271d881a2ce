/**
 * The verifier: will this pod pull this image, as whom, and if not, which link is broken. Reads what was synthesized,
 * never construct objects. No construct library.
 *
 * @packageDocumentation
 */

export { type PluginFacts } from "../model/cluster";
export { type Answer, type Evidence, type Status } from "./answer";
export { type CheckId, type CheckResult } from "./checks/check";
export { explain, Explainer, type ExplainOptions, type ImagePuller, type PullResult } from "./explain";
export { type ClusterRecord, type DeclaredPull, readClusterFile } from "./facts/cluster-record";
export { type SkippedDocument } from "./facts/facts";
export { type Source } from "./facts/source";
export { type PullSelection } from "./questions";
export { type ServiceAccountReach } from "./reach";
export { renderHtml } from "./render/html";
export { EXPLAIN_JSON_VERSION, renderJson } from "./render/json";
export { renderMermaid } from "./render/mermaid";
export { renderText, type RenderTextOptions } from "./render/text";
export { type Verdict } from "./verdict";
