/*
 * The universe of Google Cloud that a resource is in: what has the same name in another one is somebody else's.
 * Source: Google provider, `universe_domain`, which must be that of its credentials.
 */

import { broken, seen } from "../../answer";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import type { StoreDoor } from "../object-stores";

/** The domain of the APIs that the resource's provider states; empty where it states none, or only apply tells it. */
export function universeOf(resource: TerraformResource, terraform: Terraform): string {
  const stated = terraform.resolve(text(own(providerOf(resource), "universe_domain")), resource.scope);
  return isLateText(stated) ? "" : stated;
}

/** The doors of a bucket: one in its own universe, and one that leads nowhere in the others, where its own is known. */
export function doorsByUniverse(
  door: StoreDoor,
  buckets: readonly TerraformResource[],
  terraform: Terraform,
): readonly StoreDoor[] {
  const [bucket] = buckets;
  const universes = buckets.map((each) => universeOf(each, terraform)).filter((each) => each !== "");
  if (!bucket || universes.length === 0) return [door];
  const isElsewhere = (url: string): boolean => {
    const [, host = ""] = /^https:\/\/([^/]+)/.exec(url) ?? [];
    return !universes.some((each) => host.endsWith(`.${each}`));
  };
  return [
    { nameAt: (url) => (isElsewhere(url) ? undefined : door.nameAt(url)), refusal: door.refusal },
    {
      nameAt: (url) => (isElsewhere(url) ? door.nameAt(url) : undefined),
      refusal: () =>
        broken(
          `the issuer is of another universe of Google Cloud than the bucket, which is made in ${universes.join(" and ")}`,
          "state the universe of the google provider (universe_domain) for the issuer too",
          undefined,
          seen("bucket", bucket.source),
        ),
    },
  ];
}
