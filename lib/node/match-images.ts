/*
 * Which matchImages an entry gets. The distribution's own patterns stay, since dropping one silently takes the
 * node's access to images that nobody thought of; what the declared registries need is added.
 */

import { fail } from "../errors";
import type { StockCredentialProvider } from "../model/cluster";
import type { ImageCredentialProvider } from "../model/image-credential-provider";
import { imageMatches } from "../rules/kubelet/image-matches";
import { lintMatchImages, lintMatchImagesStrictly } from "../rules/kubelet/lint-match-images";
import { isWithin, registriesOf } from "../rules/plugin-registries";

/**
 * Stock patterns plus the needed ones, or the caller's own, which are literal.
 *
 * Throws `match-images-dead`, `match-images-misleading`, `match-images-twice` or `match-images-too-wide`.
 */
export function chosenMatchImages(
  provider: ImageCredentialProvider,
  stock: StockCredentialProvider | undefined,
  own: readonly string[] | undefined,
): readonly string[] {
  if (own) {
    const twice = own.find((pattern, index) => own.indexOf(pattern) < index);
    if (twice !== undefined) return fail("match-images-twice", twice, provider.plugin);
    return own.map((pattern) => checkedPattern(pattern, provider.plugin));
  }
  const kept = stock?.matchImages ?? [];
  return [...kept, ...provider.matchImages.filter((pattern) => !isWithin(pattern, kept))];
}

/** Throws `pull-not-matched` when the kubelet would not ask the provider for one of the images. */
export function assertMatched(plugin: string, patterns: readonly string[], images: readonly string[]): void {
  for (const image of images) {
    // A repository pattern such as `base/*` stands for any image below it; matchImages compares a prefix.
    const sample = image.replaceAll("*", "x");
    if (!patterns.some((pattern) => imageMatches(pattern, sample)))
      fail("pull-not-matched", image, plugin, patterns);
  }
}

function checkedPattern(pattern: string, plugin: string): string {
  const [dead] = lintMatchImages(pattern);
  if (dead) return fail("match-images-dead", pattern, dead);
  const [misleading] = lintMatchImagesStrictly(pattern);
  if (misleading) return fail("match-images-misleading", pattern, misleading);
  const registries = registriesOf(plugin);
  return isWithin(pattern, registries) ? pattern : fail("match-images-too-wide", pattern, plugin, registries);
}
