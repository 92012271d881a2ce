import type { Construct } from "constructs";
import type { IManifestSink } from "../../model/manifest-sink";
import type { IssuerDocument } from "../../rules/node/issuers";

/** Writes what a distribution's API servers read of their issuers. */
export function writeIssuers(
  sink: IManifestSink<Construct>,
  name: string,
  document: IssuerDocument,
  comment: readonly string[],
): void {
  sink.controlPlaneDocument(name, { form: "issuers", extension: "yaml", content: [document], comment });
}
