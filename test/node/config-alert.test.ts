import { Testing as Cdk8s } from "cdk8s";
import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { CredentialProviderConfigAlert, rke2, talos, type KubernetesProps } from "../../lib/node";
import { credentialProviderConfigHash } from "../../lib/rules/kubelet/config-hash";
import { ImagePulls } from "../../lib/synth";
import { ecr, pullRoles } from "../../lib/cloud/aws";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { ACCOUNT, REGION, fromEcr, makers, plainCluster } from "../support/image-pulls";
import { refusal } from "../support/refusal";

function pulls(cluster: Partial<KubernetesProps>): ImagePulls {
  const stack = new TerraformStack(Testing.app(), "prod");
  new AwsProvider(stack, "aws", { region: REGION });
  return new ImagePulls(stack, "pulls", {
    cluster: plainCluster(cluster),
    identities: [pullRoles({ account: ACCOUNT, region: REGION })],
    pulls: [
      {
        serviceAccount: "shop/web",
        from: ecr({ account: ACCOUNT, region: REGION, repositories: ["shop/web"] }),
      },
    ],
  });
}

describe("the expected hash", () => {
  it("is that of the written file, and is recorded", () => {
    const { configHash, nodeSetup, manifests } = pulls({ carriers: [rke2()] });
    expect(configHash).toBe(credentialProviderConfigHash([nodeSetup.files[0]?.content ?? ""]));
    expect(manifests.recorded).toMatchObject([{ credentialProviderConfigHash: configHash }]);
  });

  it.each<[string, Partial<KubernetesProps>]>([
    ["Talos, which writes the file anew", { carriers: [talos({ version: "1.12" })] }],
    [
      "kubelet 1.33, which has no such metric",
      { version: "1.33", featureGates: { KubeletServiceAccountTokenForCredentialProviders: true } },
    ],
  ])("is not known for %s", (_, cluster) => {
    expect(pulls(cluster).configHash).toBeUndefined();
  });
});

it("an alert needs a hash", () => {
  for (const hashes of [[], ["abc"]])
    expect(
      () => new CredentialProviderConfigAlert(Cdk8s.chart(), "a", { namespace: "monitoring", hashes }),
    ).toThrow(refusal("node-invalid: needs the hash") as Error);
});

it("a plugin with two modes is fetched under both of its names, where its directory can be written", () => {
  const source = { url: "https://example.com/ecr", sha256: "0".repeat(64) };
  const made = (carriers: NonNullable<KubernetesProps["carriers"]>, id: string): ImagePulls =>
    new ImagePulls(new TerraformStack(Testing.app(), id), "pulls", {
      cluster: plainCluster({ plugins: { ecr: { version: "1.34.2", source } }, carriers }),
      identities: [makers.aws()],
      pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
      credentialProviders: { ecr: { mode: "mixed", nodeIdentityName: "ecr-credential-provider-node" } },
    });
  expect(made([rke2()], "a").nodeSetup.executables?.map(({ path }) => path)).toEqual([
    "/var/lib/rancher/credentialprovider/bin/ecr-credential-provider",
    "/var/lib/rancher/credentialprovider/bin/ecr-credential-provider-node",
  ]);
  expect(() => made([talos({ version: "1.12" })], "b")).toThrow(
    refusal("node-unsupported: read-only") as Error,
  );
});
