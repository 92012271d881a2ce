/*
 * What the files of a stack say, for a comparison: of service accounts one by one, of the RBAC of each namespace, and of
 * all else together.
 */

import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import { WORKLOAD_IDENTITY_FILE } from "../../artefact/workload-identity-file";
import { push } from "../../model/grouped";
import { at, list, record } from "../../model/parsed";
import type { KubernetesDocument } from "./objects";
import type { StackDocuments } from "./stack-documents";

export interface StackDigest {
  /** The files that bear on nothing but the clusters of the stack. */
  readonly files: readonly string[];
  /** The documents of each service account, by `namespace/name`, and of the RBAC in a namespace, by `namespace/`. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** A digest of everything else, apart from declared pulls. */
  readonly others: string;
}

/** `unread` are files that may hold objects of any cluster. */
export function stackDigest(
  { folder, identity, written, controlPlane, registries }: StackDocuments,
  unread: ReadonlySet<string>,
): StackDigest {
  const accounts = new Map<string, string[]>();
  const others: unknown[] = [controlPlane, registries].map((all) => all.map(contentOf));
  for (const each of written) {
    const key = touchedBy(each);
    const content = JSON.stringify(contentOf(each));
    if (key === undefined) others.push(content);
    else push(accounts, key, content);
  }
  const files = [...written.map(({ source }) => source.file), join(folder, WORKLOAD_IDENTITY_FILE)];
  const clusters = list(at(identity, "clusters")).map((each) => ({ ...record(each), pulls: undefined }));
  const digest = createHash("sha256").update(JSON.stringify([{ ...identity, clusters }, others]));
  return {
    files: files.filter((file) => file.startsWith(folder + sep) && !unread.has(file)),
    accounts,
    others: digest.digest("hex"),
  };
}

function contentOf({ value, head, management, spoke, cluster, forNodes }: KubernetesDocument): unknown {
  return [value, head, management, spoke, cluster, forNodes];
}

/** `undefined` for all other objects, patches and lists of these among them. */
function touchedBy({ value, management, spoke }: KubernetesDocument): string | undefined {
  const { apiVersion, kind, metadata, ...others } = record(value);
  const { namespace, name } = record(metadata);
  const [place, own] = [namespace, name].map((each) => typeof each === "string" && LABEL.test(each) && each);
  if (!place || others["$patch"] !== undefined) return undefined;
  if (apiVersion === "v1" && kind === "ServiceAccount") return own ? `${place}/${own}` : undefined;
  const isRbac = apiVersion === "rbac.authorization.k8s.io/v1" && (kind === "Role" || kind === "RoleBinding");
  return isRbac && !management && spoke === undefined ? `${place}/` : undefined;
}

const LABEL = /^[a-z\d.-]+$/;
