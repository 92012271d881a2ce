/*
 * Names and keys of Secrets: those of OpenShift's components, and pull secrets, whose credentials are tried besides
 * those of plugins.
 *
 * Sources: openshift/cloud-credential-operator, docs/sts.md (keys of the Secrets with short-lived credentials);
 * kubernetes/kubernetes, pkg/kubelet/images (pull secrets are tried with the plugins' credentials).
 */

import type { ExplainResult } from "../../explain";
import { type Bundle, type BundleFile, atLine, filesOf, inFile } from "../bundle";
import { type Note, type Seen, stateBroken } from "./observation";
import type { PodSeen } from "./pods";

/** A Secret as the bundle lists it. */
interface SecretSeen {
  readonly file: BundleFile;
  readonly line: number;
  readonly type: string;
  readonly keys: readonly string[];
}

function secretsIn(bundle: Bundle): ReadonlyMap<string, SecretSeen> {
  const rows = filesOf(bundle, "secrets").flatMap((file) =>
    file.text.split(/\r?\n/).map((row, place) => {
      const [key = "", type = "", ...keys] = row.trim().split(/\s+/);
      return [key, { file, line: place + 1, type, keys }] as const;
    }),
  );
  return new Map(rows.filter(([key]) => /^[^/]+\/[^/]+$/.test(key)));
}

const PULL_SECRET = /^kubernetes\.io\/docker(?:cfg|configjson)$/;

/** What Secrets show: a component's that is missing, and pull secrets beside a chain. */
export function secretsSeen(
  bundle: Bundle,
  pods: readonly PodSeen[],
  chains: readonly ExplainResult[],
): Seen {
  const secrets = secretsIn(bundle);
  const [file] = filesOf(bundle, "secrets");
  if (file === undefined || secrets.size === 0) return { observations: [], notes: [] };
  const components = chains.filter(({ job, target }) => job === "component" && !secrets.has(target));
  const observations = [...new Set(components.map(({ target }) => target))].map((secret) =>
    stateBroken("secret-present", ({ job, target }) => job === "component" && target === secret, {
      reason: `the Secret ${secret} is not in the cluster`,
      fix: "apply the manifests that ccoctl or the stack wrote for this release, before the upgrade",
      evidence: [inFile(file, "names of the Secrets")],
    }),
  );
  return { observations, notes: masks(secrets, pods, chains) };
}

function masks(
  secrets: ReadonlyMap<string, SecretSeen>,
  pods: readonly PodSeen[],
  chains: readonly ExplainResult[],
): readonly Note[] {
  const pulling = pods.filter(({ account, images }) =>
    chains.some(({ subject, target }) => subject === account && images.includes(target)),
  );
  const names = new Set(
    pulling.flatMap(({ key, pullSecrets }) => pullSecrets.map((name) => `${key.split("/")[0]}/${name}`)),
  );
  return [...names].map((name): Note => {
    const secret = secrets.get(name);
    return {
      reason:
        secret === undefined
          ? `pods name the pull secret ${name}, which does not exist; the kubelet ignores that`
          : PULL_SECRET.test(secret.type)
            ? `pods also pull with the pull secret ${name}, so a pull that works does not show that the chain does`
            : `pods name the pull secret ${name}, whose type ${secret.type} is not one of pull secrets`,
      fix: "remove it from the pod or its service account once the chain works",
      evidence: secret ? [atLine(secret.file, secret.line, name)] : [],
    };
  });
}
