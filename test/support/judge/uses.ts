import { parse } from "yaml";
import { imageMatches } from "../../../lib/rules/kubelet/image-matches";
import { lookupRepository } from "../../../lib/rules/kubelet/image-reference";
import { type Json, list, record, text } from "../json";
import type { FinishedStack, FoundNodes, FoundPull } from "../synth-output";

/** One pull on one group of nodes, with the kubelet's entry that the token goes to. */
export interface Use extends FoundPull {
  readonly nodes: FoundNodes;
  readonly entry: Json;
  readonly audience: string;
  /** `<namespace>/<name> pulls <image>`. */
  readonly title: string;
}

/** Whose tokens, for which audience, must be let in. */
export type Token = Pick<Use, "subject" | "audience">;

/** Every pull with every entry that the kubelet asks for it with a service account token. */
export function uses(stack: FinishedStack): readonly Use[] {
  return stack.nodes.flatMap((nodes) =>
    stack.pulls.flatMap((pull) =>
      tokenEntries(nodes)
        .filter((entry) => matches(entry, pull.image))
        .map((entry) => ({
          ...pull,
          nodes,
          entry,
          audience: text(record(entry["tokenAttributes"])["serviceAccountTokenAudience"]),
          title: `${pull.subject.key} pulls ${pull.image}`,
        })),
    ),
  );
}

/** The uses whose entry needs the annotation: that is how the clouds are told apart. */
export function usesWith(stack: FinishedStack, annotation: string): readonly Use[] {
  return uses(stack).filter(({ entry }) => annotationKeys(entry).includes(annotation));
}

/** Annotations that an entry requires or takes. */
export function annotationKeys(entry: Json): readonly string[] {
  const attributes = record(entry["tokenAttributes"]);
  return [
    ...list(attributes["requiredServiceAccountAnnotationKeys"]),
    ...list(attributes["optionalServiceAccountAnnotationKeys"]),
  ].map(text);
}

/** Path and document of the CredentialProviderConfig among the files of nodes. */
export function configOf({ files }: FoundNodes): readonly (readonly [path: string, document: Json])[] {
  return [...files]
    .filter(([path]) => path.endsWith(".yaml"))
    .map(([path, { content }]) => [path, record(parse(content, { version: "1.1" }))] as const)
    .filter(([, document]) => document["kind"] === "CredentialProviderConfig");
}

/** True where the kubelet asks the entry for the image. */
export function matches(entry: Json, image: string): boolean {
  const repository = lookupRepository(image);
  return list(entry["matchImages"]).some((pattern) => imageMatches(text(pattern), repository));
}

function tokenEntries(nodes: FoundNodes): readonly Json[] {
  return configOf(nodes)
    .flatMap(([, document]) => list(document["providers"]))
    .map(record)
    .filter((entry) => entry["tokenAttributes"] !== undefined);
}

/** Service accounts that differ from the one by as little as possible; a trust must refuse each. */
export function strangers({ subject }: Pick<FoundPull, "subject">): readonly string[] {
  const { namespace, name } = subject;
  return [
    `system:serviceaccount:${namespace}:${name}x`,
    `system:serviceaccount:${namespace}x:${name}`,
    `system:serviceaccount:${namespace}:${name}`.toUpperCase(),
    `system:serviceaccount:${namespace}:*`,
    "system:serviceaccount:default:default",
  ];
}
