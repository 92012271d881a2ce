/*
 * What each OpenShift (OKD) release has that decides how its nodes can pull with service account tokens.
 *
 * Read in the release branches of openshift/machine-config-operator, openshift/cloud-provider-aws,
 * openshift/cloud-provider-azure, openshift/cloud-provider-gcp and openshift/os (packages-openshift.yaml),
 * August 2026. A release that is not in the table is unknown, not assumed.
 */

import { fail } from "../../errors";
import type { PluginFacts } from "../../model/cluster";
import { compareVersions, minorOf } from "../../model/version";

/** The facts of one OpenShift minor. */
export interface OpenShiftRelease {
  /** OpenShift minor, `4.22`. */
  readonly version: string;
  /** Kubernetes minor of its kubelet and API server, `1.35`. */
  readonly kubernetes: string;
  /** The plugins of the node image by key; every platform's image has all of them. */
  readonly plugins: Readonly<Record<string, PluginFacts>>;
  /**
   * Paths whose change restarts the kubelet without a reboot by the operator's own default policy
   * (pkg/apihelpers/apihelpers.go); a directory stands for all below it.
   */
  readonly restartPaths: readonly string[];
  /**
   * True where the kubelet's unit on the on-premises platforms takes `$KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS`
   * (templates/worker/01-worker-kubelet/on-prem/units/kubelet.service.yaml).
   */
  readonly onPremisesFlags: boolean;
  /** True where the operator grants nodes the audience of the crio credential provider. */
  readonly crioCredentialProvider: boolean;
}

/** Directory of the kubelet's credential provider files, on every platform. */
export const CREDENTIAL_PROVIDERS: string = "/etc/kubernetes/credential-providers";

/** systemd drop-in through which the operator, and this library, set the kubelet's flags on-premises. */
export const KUBELET_DROP_IN: string =
  "/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf";

const gcp: PluginFacts = {
  unusable:
    "OpenShift's build of the Google plugin does not use service account tokens in any known release (openshift/cloud-provider-gcp through main)",
};

/**
 * Plugin versions are those of the upstream release that behaves alike; OpenShift builds from branches.
 * ECR of 4.21: a token without role ARN is an error, and of the ECR Public hosts only public.ecr.aws is known.
 * ACR of 4.21 answers with 5 minutes, of 4.22 with 60.
 */
const RELEASES: readonly OpenShiftRelease[] = [
  {
    version: "4.21",
    kubernetes: "1.34",
    plugins: { ecr: { version: "1.34.0" }, acr: { version: "1.35.0" }, gcp },
    restartPaths: [],
    onPremisesFlags: false,
    crioCredentialProvider: false,
  },
  newer("4.22", "1.35", "1.35.1"),
  newer("4.23", "1.36", "1.36.0"),
  newer("5.0", "1.36", "1.36.0"),
];

function newer(version: string, kubernetes: string, ecr: string): OpenShiftRelease {
  return {
    version,
    kubernetes,
    plugins: { ecr: { version: ecr }, acr: { version: "1.36.0" }, gcp },
    restartPaths: [CREDENTIAL_PROVIDERS, KUBELET_DROP_IN],
    onPremisesFlags: true,
    crioCredentialProvider: true,
  };
}

/** Why the releases before the first usable one cannot do it; the first row that the version reaches, newest first. */
const TOO_OLD: readonly (readonly [from: string, why: string])[] = [
  [
    "4.20",
    "its kubelet 1.33 has the feature gate off, refuses `cacheType`, and its ACR plugin ignores the token",
  ],
  ["0.0", "its kubelet is older than 1.33 and knows no service account tokens for image pulls"],
];

/** The known OpenShift minors, oldest first. */
export const openShiftVersions: readonly string[] = RELEASES.map(({ version }) => version);

/** The facts of a release; throws `version-invalid`, `version-unsupported` or `version-unknown`. */
export function openShiftRelease(version: string): OpenShiftRelease {
  const minor = minorOf("OpenShift version", version);
  const release = RELEASES.find((row) => row.version === minor);
  if (release) return release;
  const known = openShiftVersions.join(", ");
  const [oldest = "4.21"] = openShiftVersions;
  if (compareVersions(minor, oldest) > 0) return fail("version-unknown", "OpenShift", version, known);
  const why = TOO_OLD.find(([from]) => compareVersions(minor, from) >= 0)?.[1] ?? "it is too old";
  return fail("version-unsupported", `OpenShift ${minor}`, version, known, why);
}
