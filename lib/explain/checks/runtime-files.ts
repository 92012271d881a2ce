/*
 * What files on the nodes, and policies that become such files, do to a pull whatever credentials the kubelet has for it.
 */

import { type Answer, seen, unknown } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { KubernetesFacts } from "../facts/kubernetes-facts";
import { coversName } from "../facts/mirror-facts";
import type { NodeConfiguration } from "../facts/node-configuration";
import { type RuntimeEffect, runtimeEffect } from "../facts/runtime-files";
import type { Mirrored } from "./mirrors";

/** What the machine config operator writes of mirror sets says nothing that they do not. */
const GENERATED = "-generated-registries";

const WORDS: Readonly<Record<RuntimeEffect, { readonly may: string; readonly remedy: string }>> = {
  mirrors: {
    may: "may send the pull to a mirror, without the pod's credentials",
    remedy: "see the file; mirrors in ImageDigestMirrorSet and ImageTagMirrorSet are judged",
  },
  rejects: {
    may: "may reject the image, or ask for signatures",
    remedy: "see the file; what Image/cluster forbids is judged",
  },
};

/** Where a file on the nodes tells the runtime something of the repository that is not read here. */
export function inRuntimeFiles(
  { name: pool, runtimeFiles }: NodeConfiguration,
  repository: Repository,
  mirrored: Mirrored | undefined,
): Answer | undefined {
  for (const [path, file] of runtimeFiles) {
    const { content, owner = "", source } = file;
    const effect = runtimeEffect(path, file, repository);
    if (effect === undefined || (mirrored && effect === "mirrors" && owner.endsWith(GENERATED))) continue;
    const { may, remedy } = WORDS[effect];
    const what =
      content === undefined ? "cannot be read here, and" : `has an entry for ${repository.name}, which`;
    return unknown(`${path} of the nodes ${pool} ${what} ${may}`, remedy, seen(path, source));
  }
  return undefined;
}

/** Where a policy asks the runtime for signatures of the repository's images. */
export function signaturesAsked(
  { imagePolicies }: Pick<KubernetesFacts, "imagePolicies">,
  { name }: Repository,
): Answer | undefined {
  const policy = imagePolicies.find(({ scopes }) => scopes.some((scope) => coversName(scope, name)));
  return (
    policy &&
    unknown(
      `${policy.title} asks for signatures of ${name}, and whether the image has them is not judged`,
      "see the policy, and that the image is signed as it says",
      seen(policy.title, policy.source),
    )
  );
}
