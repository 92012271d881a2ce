/*
 * What was read of a cluster's API servers and kubelets and contradicts what is recorded or stated of them.
 *
 * Sources: kubernetes:cmd/kube-apiserver/app/options, pkg/kubeapiserver/options/authorization.go; kubernetes.io/docs/reference/
 * access-authn-authz/node (without the node authorizer, kubelets need RBAC for everything); openshift/api, operator/v1
 * CloudCredential.
 */

import { is, known, orElse, same } from "../../model/known";
import { at, text } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { apiServerArgument, signingIssuer } from "../../rules/node/issuers";
import type { ClusterFacts } from "./cluster-record";
import { firstDocument } from "./documents";
import type { DeclaredCluster } from "./inferred-cluster";
import type { NodeConfiguration } from "./node-configuration";
import { TOKEN_GATES, flagGates } from "./node-gates";
import { mayHold } from "./node-files";
import type { KubernetesDocument } from "./objects";
import { apiServerGates, kubeletVersion } from "./read-record";
import type { Source } from "./source";

export interface Contradiction {
  /** A clause. */
  readonly reason: string;
  /** What rests on it: pulls, components, or everything. */
  readonly of: "nodes" | "components" | "";
  readonly source: Source;
}

type Document = Pick<KubernetesDocument, "value" | "source" | "late">;

/** Of documents of any kind, of files on nodes, and of the clusters that Terraform declares. */
export function contradictions(
  documents: readonly Document[],
  nodes: readonly NodeConfiguration[],
  declared: readonly DeclaredCluster[],
  cluster: ClusterFacts,
): readonly Contradiction[] {
  const files = nodes
    .flatMap((node) => [...node.files.values()])
    .filter(({ content }) => mayHold(content, SERVER));
  const inFiles = files.map(({ content, source }): Document => {
    return { value: plainOf(firstDocument(content).value, ""), source, late: known };
  });
  return [
    ...[...documents, ...inFiles].flatMap((each) => ofApiServer(each, cluster)),
    ...documents.flatMap((each) => [...ofVersion(each, cluster), ...ofOperator(each)]),
    ...declared.flatMap((each) => ofDeclared(each, cluster)),
  ];
}

/** The key of K3s and RKE2. */
const SERVER = "kube-apiserver-arg";

function ofApiServer({ value, source, late }: Document, cluster: ClusterFacts): readonly Contradiction[] {
  const where = `arguments of kube-apiserver in ${source.file.replace(/^.*[/\\]/, "")}`;
  const issuer = signingIssuer(value);
  const isOther =
    issuer !== undefined && cluster.issuer !== undefined && same(late(issuer), cluster.issuer) === "no";
  const stated = new Map(apiServerArgument(value, "feature-gates").flatMap((each) => [...flagGates(each)]));
  const off = [...stated].find(
    ([gate, on]) =>
      TOKEN_GATES.includes(gate) && is(on, true) !== "yes" && apiServerGates(cluster)[gate] !== false,
  );
  const modes = apiServerArgument(value, "authorization-mode");
  const said = (isTrue: boolean, what: string, of: Contradiction["of"]): readonly Contradiction[] =>
    isTrue ? [{ reason: `${where} ${what}`, of, source }] : [];
  const isWithoutNodes = modes.length > 0 && !/\b(?:AlwaysAllow|Node)\b/.test(modes.join());
  return [
    ...said(isOther, `have the issuer ${issuer}, which is not the cluster's`, ""),
    ...said(off !== undefined, `switch the feature gate ${off?.[0]} off`, "nodes"),
    ...said(isWithoutNodes, "leave the node authorizer out", "nodes"),
  ];
}

/**
 * Where objects say which version runs. Sources: core/v1 Node; kubernetes-sigs/cluster-api, api; kubeadm; openshift/api,
 * config/v1 ClusterVersion.
 */
const VERSIONS: Readonly<Record<string, readonly [of: keyof typeof TITLES, path: readonly string[]]>> = {
  ClusterConfiguration: ["apiServer", ["kubernetesVersion"]],
  ClusterVersion: ["openShift", ["status", "desired", "version"]],
  KubeadmControlPlane: ["apiServer", ["spec", "version"]],
  MachineDeployment: ["kubelet", ["spec", "template", "spec", "version"]],
  MachinePool: ["kubelet", ["spec", "template", "spec", "version"]],
  Node: ["kubelet", ["status", "nodeInfo", "kubeletVersion"]],
};
const TITLES = { apiServer: "the API server", kubelet: "the kubelet", openShift: "OpenShift" } as const;

function minorIn(version: string | undefined = ""): string | undefined {
  return /^v?(\d+\.\d+)/.exec(version)?.[1];
}

function ofVersion({ value, source }: Document, cluster: ClusterFacts): readonly Contradiction[] {
  const kind = text(at(value, "kind"));
  const [of, path = []] = (Object.hasOwn(VERSIONS, kind) && VERSIONS[kind]) || [];
  if (of === undefined) return [];
  const { apiServer, name, openShift } = cluster;
  const all = { apiServer, kubelet: kubeletVersion(cluster), openShift: openShift?.version };
  const version = text(at(value, ...path));
  const [recorded, read] = [minorIn(all[of]), minorIn(version)];
  const isOfOther = ![name, undefined, ""].includes(text(at(value, "spec", "clusterName")));
  if (recorded === undefined || read === undefined || read === recorded || isOfOther) return [];
  const title = [kind, text(at(value, "metadata", "name"))].filter(Boolean).join(" ");
  const reason = `${title} has ${TITLES[of]} ${version}, but ${recorded} is recorded or stated`;
  return [{ reason, of: "nodes", source }];
}

function ofOperator({ value, source }: Document): readonly Contradiction[] {
  const mode = text(at(value, "spec", "credentialsMode"));
  if (at(value, "kind") !== "CloudCredential" || mode === "" || mode === "Manual") return [];
  const reason = `CloudCredential ${text(at(value, "metadata", "name"))} has the mode ${mode}, in which the Cloud Credential Operator writes the Secrets of components itself`;
  return [{ reason, of: "components", source }];
}

function ofDeclared(
  { name, issuer, version, title, source }: DeclaredCluster,
  cluster: ClusterFacts,
): readonly Contradiction[] {
  const { apiServer, cloudName = cluster.name } = cluster;
  const isNamed = cloudName !== undefined && is(name, cloudName) === "yes";
  const isIts = cluster.issuer === undefined ? "unknown" : same(issuer, cluster.issuer);
  const minor = minorIn(orElse(version, () => undefined));
  const isOther = minor !== undefined && apiServer !== undefined && minor !== minorIn(apiServer);
  if (!isOther || isIts === "no" || !(isIts === "yes" || isNamed)) return [];
  const reason = `${title} has the version ${minor}, but ${apiServer} is recorded or stated`;
  return [{ reason, of: "nodes", source }];
}
