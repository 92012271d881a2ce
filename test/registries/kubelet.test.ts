/*
 * What a kubelet makes of the entries that the functions of registries write: each row was tried with the kubelet's own code
 * of Kubernetes 1.35.0 (pkg/credentialprovider/plugin: RegisterCredentialProviderPlugins, and Lookup of the keyring), these
 * very files, and a plugin that returns what it gets. It accepted all entries in one file, asked for one token a pod, bound to
 * the pod and with the entry's audience, and handed the plugin the annotations that the entry lists and no other.
 */

import { TerraformStack } from "cdktf";
import { expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { kubernetes } from "../../lib/node";
import { artifactory, cloudsmith, harbor, quay, vaultSecret, zot } from "../../lib/registries";
import { ImagePulls } from "../../lib/synth";
import { folderOf } from "../fixtures/explain/artefacts";
import { filesOf } from "../fixtures/synth/stack-fixture";
import { synthesized } from "../support/synthesized";

const bridge = { endpoint: "https://127.0.0.1:30443", caBundle: "/etc/ca.crt" };
const artefacts = filesOf(
  synthesized((app) => {
    new ImagePulls(new TerraformStack(app, "prod"), "pulls", {
      cluster: kubernetes({
        name: "prod",
        version: "1.35",
        issuer: "https://oidc.example.com/prod",
        plugins: { "jfrog-credentials-provider": "1.4.0" },
      }),
      pulls: [
        zot({ host: "zot.example.com:5000" }),
        harbor({ host: "bridged.example.com", repositories: ["shop/*"], bridge }),
        quay({ host: "quay.io", robot: "acme+web" }),
        artifactory({ host: "acme.jfrog.io", user: "puller" }),
        cloudsmith({ host: "docker.cloudsmith.io", organization: "acme", service: "web" }),
        vaultSecret({
          host: "vaulted.example.com",
          address: "https://vault.example.com",
          role: "pull",
          secretMount: "kv",
          secretName: "r",
        }),
      ].map((from) => ({ serviceAccount: "shop/web", from })),
    });
  }),
);
const BARE = "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: bare, namespace: shop }\n";

/** Whether the kubelet runs the plugin for a service account, and if not, which check of explain says so. */
it.each<[account: string, image: string, runs: "yes" | "provider-matches-image" | "annotations-present"]>([
  ["web", "zot.example.com:5000/shop/web:1", "yes"],
  ["bare", "zot.example.com:5000/shop/web:1", "yes"],
  ["web", "zot.example.com/shop/web:1", "provider-matches-image"],
  ["web", "bridged.example.com/shop/web:1", "yes"],
  ["web", "quay.io/acme/web:1", "yes"],
  ["bare", "quay.io/acme/web:1", "annotations-present"],
  ["web", "acme.jfrog.io/oci/web:1", "yes"],
  ["bare", "acme.jfrog.io/oci/web:1", "annotations-present"],
  ["web", "docker.cloudsmith.io/acme/oci/web:1", "yes"],
  ["bare", "docker.cloudsmith.io/acme/oci/web:1", "yes"],
  ["web", "vaulted.example.com/shop/web:1", "yes"],
  ["bare", "vaulted.example.com/shop/web:1", "yes"],
])("%s pulls %s", (account, image, runs) => {
  const folder = folderOf({ ...artefacts, "bare.yaml": BARE });
  const [result] = explain([folder, `${folder}/bare.yaml`], { serviceAccount: `shop/${account}`, image });
  const failed = result?.checks.find(
    ({ id, status }) => status === "fail" && /^(?:provider-|plugin-|annotations-)/.test(id),
  );
  expect(failed?.id ?? "yes").toBe(runs);
});
