import { fail } from "../errors";
import type { AccessGrant } from "../model/workloads";
import { ConfigMap } from "../kubernetes";
import type { ClusterManifests } from "./cluster-manifests";

const CREDENTIALS = { order: 30 } as const;

export function writeCredentialFiles(manifests: ClusterManifests, grants: readonly AccessGrant[]): void {
  const owners = new Map<string, string>();
  for (const { subject, credentialFile } of grants) {
    if (credentialFile === undefined) continue;
    const name = `${subject.namespace}/${credentialFile.configMap}`;
    const first = owners.get(name);
    if (first !== undefined)
      fail("identities-conflict", {
        problem: `the credential files of ${first} and of ${subject.key} would be written to one ConfigMap`,
        value: name,
        allowed: "one ConfigMap per service account",
        remedy: "rename one of the service accounts, or put it into another namespace",
      });
    owners.set(name, subject.key);
  }
  for (const { subject, credentialFile } of grants) {
    if (credentialFile === undefined) continue;
    const { configMap, fileName, content } = credentialFile;
    // A namespace has no dot, so two ConfigMaps never share an id.
    new ConfigMap(manifests.chart("cloud-credentials", CREDENTIALS), `${subject.namespace}.${configMap}`, {
      namespace: subject.namespace,
      name: configMap,
      data: { [fileName]: content },
    });
  }
}
