/*
 * The crio credential provider of OpenShift 4.22 and newer, which hands pulls from mirrors to CRI-O with secrets of
 * the pod's namespace. The operator writes its entry into a whole file of its own, so a file of ours must carry it.
 *
 * Source: openshift/machine-config-operator, pkg/controller/container-runtime-config/helpers.go
 * (updateCredentialProviderConfig); openshift/api, config/v1 CRIOCredentialProviderConfig (the pattern and limits).
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { matchImagesOverlap } from "../kubelet/match-images-overlap";
import type { OpenShiftRelease } from "./versions";

const PATTERN =
  /^(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?))*(?::[0-9]+)?(?:\/[-a-z0-9._/]*)?$/;
const LENGTH_MAX = 512;
const ENTRIES_MAX = 50;

/**
 * The finished entry, as the operator writes it; throws `crio-unsupported` or `crio-match-images-invalid`.
 *
 * `taken` are the patterns of the file's other entries: the operator drops what overlaps with them, which would
 * take mirrors away in silence, so it is refused here.
 */
export function crioCredentialProvider(
  matchImages: readonly string[],
  release: OpenShiftRelease,
  taken: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!release.crioCredentialProvider) return fail("crio-unsupported", release.version);
  literal(matchImages, "matchImages of the crio credential provider");
  if (matchImages.length === 0 || matchImages.length > ENTRIES_MAX)
    return fail("crio-match-images-invalid", matchImages.length, "has no entry or too many");
  for (const [index, pattern] of matchImages.entries()) {
    if (matchImages.indexOf(pattern) < index)
      fail("crio-match-images-invalid", pattern, "has an entry twice");
    assertPattern(pattern, taken);
  }
  return {
    name: "crio-credential-provider",
    matchImages: [...matchImages].sort(),
    defaultCacheDuration: "1s",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    tokenAttributes: {
      serviceAccountTokenAudience: "https://kubernetes.default.svc",
      cacheType: "Token",
      requireServiceAccount: false,
    },
  };
}

function assertPattern(pattern: string, taken: readonly string[]): void {
  if (pattern === "*") fail("crio-match-images-invalid", pattern, "would take every image");
  if (pattern.length > LENGTH_MAX || !PATTERN.test(pattern))
    fail("crio-match-images-invalid", pattern, "has an entry that the operator refuses");
  const other = taken.find((candidate) => matchImagesOverlap(pattern, candidate));
  if (other !== undefined)
    fail("crio-match-images-invalid", pattern, `overlaps with ${other} of another entry, which goes first`);
}
