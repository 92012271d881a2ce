/*
 * How the kubelet of each OpenShift platform gets its two credential provider flags, and what stands in its file.
 *
 * Source: openshift/machine-config-operator, pkg/controller/template/render.go (credentialProviderConfigFlag: flags
 * on AWS, Azure and GCP only), templates/common/<cloud>/files (the stock entries), templates/*\/01-*-kubelet (units),
 * pkg/controller/container-runtime-config (path and drop-in on the other platforms).
 */

import { fail } from "../../errors";
import type { StockCredentialProvider } from "../../model/cluster";
import { literal } from "../../model/late";
import { CREDENTIAL_PROVIDERS, type OpenShiftRelease } from "./versions";

/** An OpenShift platform, as `status.platformStatus.type` of the Infrastructure object, in lower case. */
export type OpenShiftPlatform =
  | "aws"
  | "azure"
  | "gcp"
  | "vsphere"
  | "baremetal"
  | "nutanix"
  | "openstack"
  | "none"
  | "external"
  | "ibmcloud"
  | "powervs"
  | "kubevirt";

/** What a platform's nodes bring. */
export interface PlatformNodes {
  /** Path of the CredentialProviderConfig that the kubelet reads. */
  readonly configPath: string;
  /**
   * `unit`: the operator's kubelet unit has the flags, nothing can be changed. `drop-in`: a drop-in file sets the
   * variable that the unit takes.
   */
  readonly flags: "unit" | "drop-in";
  /** The operator's own entries in that file, by the plugin's key. */
  readonly stockProviders: Readonly<Record<string, StockCredentialProvider>>;
}

interface Row {
  readonly nodes: PlatformNodes | undefined;
  readonly refusal: (release: OpenShiftRelease) => string | undefined;
}

/** Directory of the plugins on every node; /usr is read-only there. */
export const PLUGIN_DIRECTORY: string = "/usr/libexec/kubelet-image-credential-provider-plugins";

const usable = (): undefined => undefined;

function cloud(plugin: string, entry: StockCredentialProvider): Row {
  const configPath = `${CREDENTIAL_PROVIDERS}/${entry.name}.yaml`;
  return { nodes: { configPath, flags: "unit", stockProviders: { [plugin]: entry } }, refusal: usable };
}

const onPremises: Row = {
  nodes: {
    configPath: `${CREDENTIAL_PROVIDERS}/generic-credential-provider.yaml`,
    flags: "drop-in",
    stockProviders: {},
  },
  refusal: ({ onPremisesFlags }) =>
    onPremisesFlags
      ? undefined
      : "before 4.22 the kubelet's unit has no place for the credential provider flags",
};

const withoutFlags: Row = {
  nodes: undefined,
  refusal: () =>
    "the kubelet's unit has no place for the credential provider flags; only a copy of its whole command line would do, which breaks with upgrades",
};

const google: Row = {
  nodes: undefined,
  refusal: ({ plugins }) => plugins["gcp"]?.unusable,
};

const ROWS: Readonly<Record<OpenShiftPlatform, Row>> = {
  aws: cloud("ecr", {
    name: "ecr-credential-provider",
    matchImages: [
      "*.dkr.ecr.*.amazonaws.com",
      "*.dkr.ecr.*.amazonaws.com.cn",
      "*.dkr.ecr-fips.*.amazonaws.com",
      "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
      "*.dkr.ecr.us-isob-east-1.sc2s.sgov.gov",
    ],
    args: [],
    defaultCacheDuration: "12h",
  }),
  azure: cloud("acr", {
    name: "acr-credential-provider",
    matchImages: ["*.azurecr.io", "*.azurecr.cn", "*.azurecr.de", "*.azurecr.us"],
    args: ["/etc/kubernetes/cloud.conf"],
    defaultCacheDuration: "10m",
  }),
  gcp: google,
  vsphere: onPremises,
  baremetal: onPremises,
  nutanix: onPremises,
  openstack: onPremises,
  none: withoutFlags,
  external: withoutFlags,
  ibmcloud: withoutFlags,
  powervs: withoutFlags,
  kubevirt: withoutFlags,
};

/** All platforms of the table, usable or not. */
export const openShiftPlatforms: readonly OpenShiftPlatform[] = Object.keys(ROWS) as OpenShiftPlatform[];

/** What nodes of the platform bring; throws `openshift-platform-unknown` or `openshift-platform-unsupported`. */
export function platformNodes(platform: OpenShiftPlatform, release: OpenShiftRelease): PlatformNodes {
  literal(platform, "OpenShift platform");
  if (!Object.hasOwn(ROWS, platform)) return fail("openshift-platform-unknown", platform, openShiftPlatforms);
  const { nodes, refusal } = ROWS[platform];
  const reason = refusal(release);
  if (nodes && reason === undefined) return nodes;
  const possible = openShiftPlatforms.filter(
    (name) => ROWS[name].nodes && ROWS[name].refusal(release) === undefined,
  );
  return fail(
    "openshift-platform-unsupported",
    platform,
    release.version,
    reason ?? "it is unknown",
    possible,
  );
}
