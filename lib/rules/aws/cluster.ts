/*
 * What EKS decides about a cluster: its issuer, and how nodes of Amazon Linux 2023 pull. Sources: awslabs/amazon-eks-ami,
 * nodeadm/internal/kubelet/image-credential-provider.go; EKS user guide, "View Amazon container image registries for
 * Amazon EKS add-ons" and "Create an IAM OIDC provider for your cluster".
 */

import { fail } from "../../errors";
import type { EntryBeside, PluginFacts, StockCredentialProvider } from "../../model/cluster";
import type { Issuer } from "../../model/issuer";
import { literal } from "../../model/late";
import { compareVersions } from "../../model/version";
import { withoutTokens } from "../kubelet/node-facts";
import { NODEADM_PLACES } from "../node/host";
import { isWithin } from "../plugins";
import { ecr } from "../../registries/ecr";
import { PLUGINS } from "../../registries/plugins";
import { partitionOf } from "./partitions";
import { ecrHost, ecrPublicHost } from "./registry";

const { pluginDirectory } = NODEADM_PLACES;
const { executable: PLUGIN, registries: ECR_HOSTS } = ecr;
const SECOND_NAME = `${PLUGIN}-tokens`;
const EXECUTABLE = 0o755;
/** A plugin can have only one name there, by which the kubelet distinguishes entries. */
const SECOND_NAME_FILE = {
  path: `${pluginDirectory}/${SECOND_NAME}`,
  mode: EXECUTABLE,
  content: `#!/bin/sh\nexec ${pluginDirectory}/${PLUGIN} "$@"\n`,
};

const STOCK_PATTERNS: readonly string[] = [
  "*.dkr.ecr.*.amazonaws.com",
  "*.dkr-ecr.*.on.aws",
  "*.dkr.ecr.*.amazonaws.com.cn",
  "*.dkr-ecr.*.on.amazonwebservices.com.cn",
  "*.dkr.ecr-fips.*.amazonaws.com",
  "*.dkr-ecr-fips.*.on.aws",
  "*.dkr.ecr.*.c2s.ic.gov",
  "*.dkr.ecr.*.sc2s.sgov.gov",
  "*.dkr.ecr.*.cloud.adc-e.uk",
  "*.dkr.ecr.*.csp.hci.ic.gov",
  "*.dkr.ecr.*.amazonaws.eu",
  ecrPublicHost,
];
const SECOND_PUBLIC_HOST = "ecr-public.aws.com";
/** The kubelet version from which on nodeadm lists this host. */
const SECOND_PUBLIC_HOST_SINCE = "1.32";

const USUAL_ACCOUNT = "602401143452";
const USUAL_REGIONS =
  "ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-north-1 eu-west-1 eu-west-2 eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2";

/** The account from whose registry a region's nodes pull aws-node, kube-proxy, coredns and AWS' own add-ons. */
const SYSTEM_ACCOUNTS: ReadonlyMap<string, string> = new Map([
  ...USUAL_REGIONS.split(" ").map((region) => [region, USUAL_ACCOUNT] as const),
  ["af-south-1", "877085696533"],
  ["ap-east-1", "800184023465"],
  ["ap-east-2", "533267051163"],
  ["ap-south-2", "900889452093"],
  ["ap-southeast-3", "296578399912"],
  ["ap-southeast-4", "491585149902"],
  ["ap-southeast-5", "151610086707"],
  ["ap-southeast-6", "333609536671"],
  ["ap-southeast-7", "121268973566"],
  ["ca-west-1", "761377655185"],
  ["cn-north-1", "918309763551"],
  ["cn-northwest-1", "961992271922"],
  ["eu-central-2", "900612956339"],
  ["eu-south-1", "590381155156"],
  ["eu-south-2", "455263428931"],
  ["il-central-1", "066635153087"],
  ["me-central-1", "759879836304"],
  ["me-south-1", "558608220178"],
  ["mx-central-1", "730335286997"],
  ["us-gov-east-1", "151742754352"],
  ["us-gov-west-1", "013241004608"],
  ["us-iso-east-1", "725322719131"],
  ["us-isob-east-1", "187977181151"],
]);

/**
 * The entry that nodeadm writes. It must stay: system pods have no annotation, so with only an entry for tokens a new
 * node could pull neither its network plugin nor kube-proxy, and would never become ready.
 */
export function eksStockProvider(
  kubelet: string,
  region: string | undefined,
  systemRegistries: readonly string[],
): StockCredentialProvider {
  const secondHost = compareVersions(kubelet, SECOND_PUBLIC_HOST_SINCE) >= 0 ? [SECOND_PUBLIC_HOST] : [];
  return {
    name: PLUGIN,
    matchImages: [...STOCK_PATTERNS, ...secondHost],
    args: [],
    defaultCacheDuration: "12h",
    beside: {
      name: SECOND_NAME,
      files: [SECOND_NAME_FILE],
      nodeImages: nodeImages(region, systemRegistries, secondHost),
      remedy:
        "state `region` of eks(), and `systemRegistries` if EKS' registry of that region is not known here; or use mode `mixed`, which leaves the nodes' own entry unchanged",
    },
  };
}

function nodeImages(
  region: string | undefined,
  stated: readonly string[],
  secondHost: readonly string[],
): EntryBeside["nodeImages"] {
  const system = region === undefined ? [] : systemHosts(region);
  const all = [...new Set([...system, ...stated.map(systemRegistry)])];
  return all.length === 0 ? undefined : [...all, ecrPublicHost, ...secondHost];
}

/** All names of the registry: the add-on's settings decide which one a pod's image uses. */
function systemHosts(region: string): readonly string[] {
  const { ecrFipsRegions, ecrDualStackSuffix } = partitionOf(region);
  const account = SYSTEM_ACCOUNTS.get(region);
  if (account === undefined) return [];
  const fips = ecrFipsRegions.includes(region) ? [false, true] : [false];
  const dualStack = ecrDualStackSuffix === undefined ? [false] : [false, true];
  return fips.flatMap((fip) =>
    dualStack.map((dual) => ecrHost(account, region, { fips: fip, dualStack: dual })),
  );
}

function systemRegistry(pattern: string): string {
  return isWithin(literal(pattern, "systemRegistries"), ECR_HOSTS)
    ? pattern
    : fail("aws-invalid", {
        problem: "a system registry is not one from which EKS nodes can pull with their own identity",
        value: pattern,
        allowed: `hosts of ECR, or patterns within ${ECR_HOSTS.join(", ")}`,
        remedy: "use the host of the add-on's images, <account>.dkr.ecr.<region>.amazonaws.com",
      });
}

/** The facts of the plugins, including what EKS does not support on these nodes. */
export function eksPlugins(
  plugins: Readonly<Record<string, PluginFacts>>,
  kubelet: string,
): Readonly<Record<string, PluginFacts>> {
  const obstacle = withoutTokens(kubelet, {});
  if (obstacle === undefined) return plugins;
  const reason = compareVersions(kubelet, "1.33") === 0 ? GATE_OFF : obstacle;
  const unusable = `kubelet ${kubelet} sends plugins no service account tokens: ${reason}`;
  return Object.fromEntries(
    Object.keys({ ...PLUGINS, ...plugins }).map((key) => [key, { ...plugins[key], unusable }]),
  );
}

const GATE_OFF =
  "the feature gate is off in 1.33, and EKS has no way to switch it on in the API server; upgrade to 1.34";

const ISSUER = /^oidc[.-]eks\.([a-z0-9-]+)\.[a-z0-9.-]+\/id\/[0-9A-Za-z]+$/;

/** True for an issuer in the form of an EKS cluster's; not for late issuers. */
export function isEksIssuer({ hostPath }: Pick<Issuer, "hostPath">): boolean {
  return ISSUER.test(hostPath);
}

/** The issuer of an EKS cluster; passes on a late one, throws for any other. */
export function eksIssuer(issuer: Issuer, region: string | undefined): Issuer {
  if (issuer.late) return issuer;
  const [, named] = ISSUER.exec(issuer.hostPath) ?? [];
  if (named === undefined)
    return fail("aws-invalid", {
      problem: "the issuer is not an EKS cluster's",
      value: issuer.url,
      allowed:
        "https://oidc.eks.<region>.amazonaws.com/id/<id>, on IPv6 https://oidc-eks.<region>.api.aws/id/<id>",
      remedy:
        "use `aws eks describe-cluster --query cluster.identity.oidc.issuer`; for a cluster other than EKS use kubernetes()",
    });
  return region === undefined || named === region
    ? issuer
    : fail("aws-mismatch", {
        problem: "the issuer is in another region than the EKS cluster",
        value: issuer.url,
        allowed: region,
        remedy: "correct `region`, or use the issuer of this cluster",
      });
}
