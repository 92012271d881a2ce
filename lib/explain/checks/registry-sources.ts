/*
 * What `Image/cluster` forbids the nodes' runtime, whatever credentials the kubelet has for it.
 *
 * Source: openshift/machine-config-operator, pkg/controller/container-runtime-config: blocked registries go into
 * registries.conf, allowed ones into policy.json.
 */

import { type Answer, broken, seen, unknown } from "../answer";
import type { Repository } from "../clouds/cloud";
import type { KubernetesFacts } from "../facts/kubernetes-facts";
import { coversName } from "../facts/mirror-facts";
import type { Mirrored } from "./mirrors";

/** Why the runtime does not pull from a repository; `undefined` where nothing keeps it from that. */
export function forbidden(
  { registrySources }: Pick<KubernetesFacts, "registrySources">,
  { name, host }: Repository,
  mirrored: Mirrored | undefined,
): Answer | undefined {
  for (const { blocked, allowed, source } of registrySources) {
    const where = seen("Image/cluster", source);
    const scope = blocked.find((each) => coversName(each, name));
    const isLeftOut = allowed !== undefined && !allowed.some((each) => coversName(each, name));
    if (scope === undefined && !isLeftOut) continue;
    if (mirrored || (blocked.length > 0 && allowed))
      return unknown(
        `Image/cluster keeps the runtime from ${host}, and whether it pulls ${name} ${mirrored ? `from the mirror ${mirrored.mirrors.join(", ")}` : "with both lists"} is not judged`,
        "ask about the image by the mirror's name, or give one of the two lists",
        where,
      );
    return scope === undefined
      ? broken(
          `Image/cluster limits the runtime to allowedRegistries, none of which is ${name}`,
          `add ${host} to allowedRegistries`,
          `event: Source image rejected: Running image docker://${name} is rejected by policy`,
          where,
        )
      : broken(
          `Image/cluster blocks ${scope} for the runtime`,
          `remove ${scope} from blockedRegistries`,
          `event: registry ${scope} is blocked in /etc/containers/registries.conf or /etc/containers/registries.conf.d`,
          where,
        );
  }
  return undefined;
}
