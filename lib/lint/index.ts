/**
 * Finds what kubelets, API servers and registries refuse or pass over in files of any origin: CredentialProviderConfigs,
 * RBAC for the audiences of tokens, service accounts and pods. Reads files alone.
 *
 * @module lint
 * @packageDocumentation
 */

export { type LintOptions, type LintReport, lint } from "./lint";
export { LINT_JSON_VERSION, type LintFormat, renderLint } from "./render";
