/*
 * The properties of each OpenShift (OKD) release that decide how its nodes can pull with service account tokens.
 *
 * Read in the release branches of openshift/machine-config-operator, openshift/cloud-provider-aws,
 * openshift/cloud-provider-azure, openshift/cloud-provider-gcp and openshift/os (packages-openshift.yaml),
 * August 2026. A release that is not in the table counts as unknown.
 */

import { fail } from "../../errors";
import type { ClusterFacts, PluginFacts, StockCredentialProvider } from "../../model/cluster";
import { acr } from "../../registries/acr";
import { ecr } from "../../registries/ecr";
import { compareVersions, minorOf } from "../../model/version";
import { literal } from "../../model/late";
import { versionUnknown, versionUnsupported } from "../../model/problems";

export interface OpenShiftRelease {
  readonly version: string;
  readonly kubernetes: string;
  /** The plugins of the node image by key; the images of all platforms contain all of them. */
  readonly plugins: Readonly<Record<string, PluginFacts>>;
  /**
   * Paths for which the operator's default policy restarts the kubelet instead of rebooting the node
   * (pkg/apihelpers/apihelpers.go); a directory covers everything below it.
   */
  readonly restartPaths: readonly string[];
  /**
   * True if the kubelet's unit on the on-premises platforms uses `$KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS`
   * (templates/worker/01-worker-kubelet/on-prem/units/kubelet.service.yaml).
   */
  readonly onPremisesFlags: boolean;
  /** True if the operator grants nodes the audience of the crio credential provider. */
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
 * Plugin versions are those of the upstream release with the same behaviour; OpenShift builds from branches.
 * ECR of 4.21 fails on a token without role ARN, and of the ECR Public hosts knows only public.ecr.aws.
 * ACR of 4.21 returns a cache duration of 5 minutes, of 4.22 one of 60.
 */
const RELEASES: readonly [OpenShiftRelease, ...OpenShiftRelease[]] = [
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

/** Why releases before the first usable one are refused; the first row that the version reaches applies. */
const TOO_OLD: readonly (readonly [from: string, why: string])[] = [
  [
    "4.20",
    "its kubelet 1.33 has the feature gate of service account tokens for image pulls off, and refuses `cacheType`",
  ],
  ["0.0", "its kubelet is older than 1.33 and does not support service account tokens for image pulls"],
];

/** The known OpenShift minors, oldest first. */
export const openShiftVersions: readonly string[] = RELEASES.map(({ version }) => version);

/** The oldest release whose plugin is of this version or newer; `undefined` if there is none. */
export function openShiftWithPlugin(plugin: string, version: string): string | undefined {
  return RELEASES.find(({ plugins }) => {
    const its = plugins[plugin]?.version;
    return its !== undefined && compareVersions(its, version) >= 0;
  })?.version;
}

/** The facts of a release; throws if it is unknown or too old. */
export function openShiftRelease(version: string): OpenShiftRelease {
  const minor = minorOf("OpenShift version", version);
  const release = RELEASES.find((row) => row.version === minor);
  if (release) return release;
  const known = openShiftVersions.join(", ");
  if (compareVersions(minor, RELEASES[0].version) > 0)
    return fail("version-unknown", versionUnknown("OpenShift", version, known));
  const why = TOO_OLD.find(([from]) => compareVersions(minor, from) >= 0)?.[1] ?? "it is too old";
  return fail("version-unsupported", versionUnsupported(`OpenShift ${minor}`, version, known, why));
}

/*
 * How each OpenShift platform passes the two credential provider flags to the kubelet, and what its file contains.
 *
 * Source: openshift/machine-config-operator, pkg/controller/template/render.go (credentialProviderConfigFlag: flags
 * on AWS, Azure and GCP only), templates/common/<cloud>/files (the stock entries), templates/*\/01-*-kubelet (units),
 * pkg/controller/container-runtime-config (path and drop-in on the other platforms).
 */

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

/** What a platform's nodes provide. */
export interface PlatformNodes {
  readonly configPath: string;
  /**
   * `unit`: the operator's kubelet unit contains the flags, which cannot be changed. `drop-in`: a drop-in file sets the
   * variable that the unit uses. `command`: a drop-in file replaces the kubelet's whole command line.
   */
  readonly flags: "unit" | "drop-in" | "command";
  /** The command line of `command`, without the flags. */
  readonly kubeletCommand?: string;
  /** The operator's own entries in that file, by the plugin's key. */
  readonly stockProviders: Readonly<Record<string, StockCredentialProvider>>;
}

interface Row {
  readonly nodes: (release: OpenShiftRelease) => PlatformNodes | undefined;
  readonly refusal: (release: OpenShiftRelease) => string | undefined;
  /** What to do instead, if there is an alternative. */
  readonly remedy?: string;
}

/** Directory of the plugins on every node; /usr is read-only there. */
export const PLUGIN_DIRECTORY: string = "/usr/libexec/kubelet-image-credential-provider-plugins";

/** The operator's own entry on a platform, from a release on. */
interface StockEntry {
  /** First release of the table that has it. */
  readonly from: string;
  readonly platform: "aws" | "azure";
  readonly plugin: string;
  readonly entry: StockCredentialProvider;
}

/**
 * The operator's own entries, lost when its file is replaced. Read in templates/common/<platform>/files of every
 * release branch from 4.21 to 5.0, where they last changed in March 2024; a release that changes one gets a row.
 */
const STOCK_ENTRIES: readonly StockEntry[] = [
  {
    from: "4.21",
    platform: "aws",
    plugin: "ecr",
    entry: {
      name: ecr.executable,
      matchImages: [
        "*.dkr.ecr.*.amazonaws.com",
        "*.dkr.ecr.*.amazonaws.com.cn",
        "*.dkr.ecr-fips.*.amazonaws.com",
        "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
        "*.dkr.ecr.us-isob-east-1.sc2s.sgov.gov",
      ],
      args: [],
      defaultCacheDuration: "12h",
    },
  },
  {
    from: "4.21",
    platform: "azure",
    plugin: "acr",
    entry: {
      name: acr.executable,
      matchImages: ["*.azurecr.io", "*.azurecr.cn", "*.azurecr.de", "*.azurecr.us"],
      args: ["/etc/kubernetes/cloud.conf"],
      defaultCacheDuration: "10m",
    },
  },
];

/** The row of a cloud, whose file is named after its plugin. */
function cloud(platform: StockEntry["platform"]): Row {
  return {
    nodes: ({ version }) => {
      const row = STOCK_ENTRIES.findLast(
        (each) => each.platform === platform && compareVersions(version, each.from) >= 0,
      );
      return (
        row && {
          configPath: `${CREDENTIAL_PROVIDERS}/${row.entry.name}.yaml`,
          flags: "unit",
          stockProviders: { [row.plugin]: row.entry },
        }
      );
    },
    refusal: () => undefined,
  };
}

/** The operator's file name on platforms without a cloud's file. */
const GENERIC = `${CREDENTIAL_PROVIDERS}/generic-credential-provider.yaml`;

const onPremises: Row = {
  nodes: () => ({ configPath: GENERIC, flags: "drop-in", stockProviders: {} }),
  refusal: ({ onPremisesFlags }) =>
    onPremisesFlags
      ? undefined
      : "before 4.22 the kubelet's unit does not accept the credential provider flags",
};

const withoutFlags: Row = {
  nodes: () => undefined,
  refusal: () =>
    "the kubelet's unit does not accept the credential provider flags; they need a copy of its whole command line, which any upgrade may make obsolete",
  remedy: "remove this cluster, or, on 4.22 and newer, state `kubeletCommand`, the unit's command line",
};

const google: Row = {
  nodes: () => undefined,
  refusal: ({ plugins }) => plugins["gcp"]?.unusable,
};

const ROWS: Readonly<Record<OpenShiftPlatform, Row>> = {
  aws: cloud("aws"),
  azure: cloud("azure"),
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

/**
 * The pod identity webhook that every cluster of the platform runs. On Azure, only clusters with a certain Secret do.
 * Source: openshift/cloud-credential-operator, pkg/operator/podidentity; on hosted clusters openshift/hypershift,
 * control-plane-operator/controllers/hostedcontrolplane.
 */
export function platformWebhooks(platform: OpenShiftPlatform): Pick<ClusterFacts, "builtInWebhooks"> {
  return platform === "aws" ? { builtInWebhooks: ["aws"] } : {};
}

/** What nodes of the platform provide; `kubeletCommand` is for platforms whose unit does not accept the flags. */
export function platformNodes(
  platform: OpenShiftPlatform,
  release: OpenShiftRelease,
  kubeletCommand?: string,
): PlatformNodes {
  literal(platform, "OpenShift platform");
  if (!Object.hasOwn(ROWS, platform))
    return fail("openshift-unknown", {
      problem: "the OpenShift platform is unknown",
      value: platform,
      allowed: openShiftPlatforms.join(", "),
      remedy:
        "use `oc get infrastructure cluster -o jsonpath='{.status.platformStatus.type}'`, written in lower case",
    });
  if (kubeletCommand !== undefined) return nodesByCommand(platform, release, kubeletCommand);
  const nodes = ROWS[platform].nodes(release);
  const reason = ROWS[platform].refusal(release);
  if (nodes && reason === undefined) return nodes;
  const possible = openShiftPlatforms.filter(
    (name) => ROWS[name].nodes(release) && ROWS[name].refusal(release) === undefined,
  );
  return fail("openshift-unsupported", {
    problem: `OpenShift ${release.version} on ${platform} cannot pull with service account tokens: ${reason ?? "it is unknown"}`,
    value: platform,
    allowed: possible.join(", "),
    remedy: ROWS[platform].remedy ?? "remove this cluster from this configuration",
  });
}

const FLAGS = "--image-credential-provider-";

/** systemd.service(5): the command is an absolute path, and a backslash at the end of a line continues it. */
function nodesByCommand(
  platform: OpenShiftPlatform,
  release: OpenShiftRelease,
  kubeletCommand: string,
): PlatformNodes {
  const command = literal(kubeletCommand, "kubeletCommand")
    .replace(/(?<!\s)\s*\\\r?\n\s*/g, " ")
    .trim();
  if (ROWS[platform] !== withoutFlags)
    fail("openshift-unused", {
      problem: `\`kubeletCommand\` has no effect on ${platform}, whose kubelets get the flags without it`,
      value: platform,
      allowed: openShiftPlatforms.filter((name) => ROWS[name] === withoutFlags).join(", "),
      remedy: "remove it",
    });
  // Older releases load a changed drop-in only with a reboot.
  if (!release.restartPaths.includes(KUBELET_DROP_IN))
    fail("openshift-unsupported", {
      problem: `OpenShift ${release.version} on ${platform} cannot pull with service account tokens: before 4.22 the operator has no node disruption policy for the drop-in`,
      value: release.version,
      allowed: "4.22 and newer",
      remedy: "upgrade, or remove this cluster from this configuration",
    });
  if (!/^\/(?:\S* )?\S*kubelet(?: |$)/.test(command) || /[\r\n]/.test(command) || command.includes(FLAGS))
    fail("openshift-invalid", {
      problem: "`kubeletCommand` is not a kubelet's command line without the credential provider flags",
      value: command,
      allowed: `the text after \`ExecStart=\` in \`systemctl cat kubelet.service\`: the kubelet's absolute path and its flags, without ${FLAGS}…`,
      remedy: "copy it from a node of this release",
    });
  return { configPath: GENERIC, flags: "command", kubeletCommand: command, stockProviders: {} };
}
