/*
 * Arguments of a self-managed cluster's API servers, in the form that each distribution reads: written for its control
 * plane, and read back. Of the issuers the first signs, all are accepted.
 *
 * Sources: kubernetes:pkg/kubeapiserver/options/authentication.go; kubernetes:cmd/kubeadm/app/apis/kubeadm/v1beta3 and v1beta4
 * (extraArgs replace kubeadm's own; a list, and so several values, since v1beta4); kubernetes-sigs/cluster-api,
 * api/controlplane/kubeadm; k3s-io/k3s, pkg/util/args.go (a value replaces K3s' own, further ones are added) and
 * pkg/configfilearg/parser.go (a key that ends with + extends the lists of other files); siderolabs/talos,
 * internal/app/machined/pkg/controllers/k8s/control_plane_static_pod.go (extraArgs replace Talos' own; lists since 1.13) and
 * pkg/machinery/config/types/k8s/service_account.go (1.14); kubernetes:pkg/kubelet/types (mirror pods).
 */

import { fail } from "../../errors";
import { type Json, at, list, record, text, texts } from "../../model/parsed";
import { compareVersions } from "../../model/version";
import type { KubeadmVersion } from "./kubeadm";

const FLAG = "service-account-issuer";
/** Names the file with the AuthenticationConfiguration. */
export const AUTHENTICATION_FLAG = "authentication-config";

export type IssuerDocument = Readonly<Record<string, unknown>>;

/** One way of stating arguments. */
interface ArgumentForm {
  is(document: unknown): boolean;
  /** The values of an argument in their order; none if the document does not state it. */
  read(document: unknown, flag: string): readonly string[];
}

/** kubeadm's ClusterConfiguration. */
export function kubeadmIssuers(issuers: readonly string[], version: KubeadmVersion): IssuerDocument {
  return {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "ClusterConfiguration",
    apiServer: { extraArgs: extraArgs(issuers, version === "v1beta4", `kubeadm.k8s.io/${version}`) },
  };
}

/** The part of Cluster API's KubeadmControlPlane. */
export function kubeadmControlPlaneIssuers(
  issuers: readonly string[],
  version: "v1beta1" | "v1beta2",
): IssuerDocument {
  const args = extraArgs(issuers, version === "v1beta2", `controlplane.cluster.x-k8s.io/${version}`);
  return {
    apiVersion: `controlplane.cluster.x-k8s.io/${version}`,
    kind: "KubeadmControlPlane",
    spec: { kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: args } } } },
  };
}

function extraArgs(issuers: readonly string[], asList: boolean, by: string): unknown {
  if (asList) return issuers.map((value) => ({ name: FLAG, value }));
  return { [FLAG]: only(issuers, `${by}, whose extraArgs are a map`) };
}

/** The only issuer, where a form has room for one. */
function only([issuer = "", ...others]: readonly string[], where: string): string {
  if (others.length > 0)
    fail("node-unsupported", {
      problem: `several issuers cannot be written for ${where}`,
      value: [issuer, ...others],
      allowed: "one issuer, or a newer version of the configuration",
      remedy:
        "write a newer version, which has lists; without the old issuer, tokens that pods hold are refused",
    });
  return issuer;
}

/** A file of K3s' or RKE2's configuration for its servers. */
export function rancherIssuers(issuers: readonly string[]): IssuerDocument {
  return { [`${RANCHER_KEY}+`]: issuers.map((issuer) => `${FLAG}=${issuer}`) };
}

const RANCHER_KEY = "kube-apiserver-arg";

/** A patch of Talos' machine configuration for control plane nodes. */
export function talosIssuers(issuers: readonly string[], version: string): IssuerDocument {
  if (compareVersions(version, TALOS_DOCUMENT_SINCE) >= 0) {
    const [issuerURL, ...accepted] = issuers;
    return {
      apiVersion: "v1alpha1",
      kind: TALOS_DOCUMENT,
      issuer: { issuerURL },
      ...(accepted.length > 0 && { accepted: { issuers: accepted } }),
    };
  }
  const hasLists = compareVersions(version, TALOS_LISTS_SINCE) >= 0;
  const value = hasLists && issuers.length > 1 ? issuers : only(issuers, `Talos ${version}`);
  return { cluster: { apiServer: { extraArgs: { [FLAG]: value } } } };
}

const TALOS_DOCUMENT = "KubeServiceAccountConfig";
const TALOS_DOCUMENT_SINCE = "1.14";
const TALOS_LISTS_SINCE = "1.13";

/** Arguments as data, for whatever starts the API servers. */
export function plainIssuers(issuers: readonly string[]): IssuerDocument {
  return { [PLAIN_KEY]: issuers.map((issuer) => `--${FLAG}=${issuer}`) };
}

const PLAIN_KEY = "kubeApiserverArguments";

const ofArguments = (args: unknown, flag: string): readonly string[] =>
  texts(args)
    .map((each) => each.replace(/^--/, ""))
    .flatMap((each) => (each.startsWith(`${flag}=`) ? [each.slice(flag.length + 1)] : []));

function ofExtraArgs(args: unknown, flag: string): readonly string[] {
  if (Array.isArray(args))
    return args.flatMap((each) => (at(each, "name") === flag ? [text(at(each, "value"))] : []));
  const value = record(args)[flag];
  return typeof value === "string" ? [value] : texts(value);
}

const isOf =
  (group: string, kind: string) =>
  (document: unknown): boolean =>
    text(at(document, "apiVersion")).startsWith(group) && at(document, "kind") === kind;
const bare = (document: unknown): Json => (at(document, "kind") === undefined ? record(document) : {});

const FORMS: readonly ArgumentForm[] = [
  {
    is: isOf("kubeadm.k8s.io/", "ClusterConfiguration"),
    read: (document, flag) => ofExtraArgs(at(document, "apiServer", "extraArgs"), flag),
  },
  {
    is: isOf("controlplane.cluster.x-k8s.io/", "KubeadmControlPlane"),
    read: (document, flag) =>
      ofExtraArgs(
        at(document, "spec", "kubeadmConfigSpec", "clusterConfiguration", "apiServer", "extraArgs"),
        flag,
      ),
  },
  {
    is: isOf("v1alpha1", TALOS_DOCUMENT),
    read: (document, flag) =>
      flag === FLAG
        ? [...texts([at(document, "issuer", "issuerURL")]), ...texts(at(document, "accepted", "issuers"))]
        : [],
  },
  {
    // Only a kubelet writes the annotation of a mirror pod.
    is: (document) =>
      isOf("v1", "Pod")(document) &&
      at(document, "metadata", "namespace") === "kube-system" &&
      at(document, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined &&
      text(at(document, "metadata", "name")).startsWith("kube-apiserver"),
    read: (document, flag) =>
      list(at(document, "spec", "containers")).flatMap((each) =>
        ["command", "args"].flatMap((key) => ofArguments(at(each, key), flag)),
      ),
  },
  {
    is: (document) => at(bare(document), "cluster", "apiServer", "extraArgs") !== undefined,
    read: (document, flag) => ofExtraArgs(at(document, "cluster", "apiServer", "extraArgs"), flag),
  },
  {
    is: (document) => [RANCHER_KEY, `${RANCHER_KEY}+`, PLAIN_KEY].some((key) => key in bare(document)),
    read: (document, flag) =>
      [RANCHER_KEY, `${RANCHER_KEY}+`, PLAIN_KEY].flatMap((key) =>
        ofArguments(list(record(document)[key]), flag),
      ),
  },
];

/** The values of an argument of API servers by a document for their control plane; none if it does not state it. */
export function apiServerArgument(document: unknown, flag: string): readonly string[] {
  return FORMS.find((form) => form.is(document))?.read(document, flag) ?? [];
}

/** The issuer with which API servers sign by such a document; `undefined` if it states none. */
export function signingIssuer(document: unknown): string | undefined {
  return apiServerArgument(document, FLAG)[0];
}
