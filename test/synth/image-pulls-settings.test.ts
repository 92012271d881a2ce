import { TerraformStack, Testing } from "cdktf";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import type { IPullIdentities } from "../../lib/model/pulls";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import { fromAcr, fromEcr, makers, openShiftCluster, plainCluster } from "../support/image-pulls";
import { refusal } from "../support/refusal";

function declare(props: Partial<ImagePullsProps>): ImagePulls {
  return new ImagePulls(new TerraformStack(Testing.app(), "prod"), "pulls", {
    cluster: plainCluster(),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    ...props,
  });
}

describe("settings that need no cloud's answer", () => {
  it.each<[unknown, string]>([
    [{ credentialProviders: { ecr: { mode: "Mixed" } } }, "property-invalid"],
    [{ credentialProviders: { ecr: { args: ["${TfToken[TOKEN.1]}"] } } }, "late-value"],
    [{ credentialProviders: { ecr: { env: [{ name: "", value: "" }] } } }, "node-invalid"],
    [{ credentialProviders: { acr: { nodeIdentityName: "a/b" } } }, "node-invalid"],
    [{ tokenAudience: { scope: "Cluster" } }, "property-invalid"],
    [{ tokenAudience: { limitToServiceAccounts: "false" } }, "property-invalid"],
    [{ tokenAudience: { roleName: "cluster-admin" } }, "kubernetes-invalid"],
  ])("%j is refused with %s before a cloud declares anything", (props, code) => {
    const declared: string[] = [];
    const maker: IPullIdentities<Construct> = {
      cloud: "aws",
      job: "pulls",
      declare: (scope, request) => {
        declared.push(scope.node.path);
        return makers.aws().declare(scope, request);
      },
    };
    expect(() => declare({ identities: [maker], ...(props as Partial<ImagePullsProps>) })).toThrowError(
      refusal(code, { message: expect.stringMatching(/^prod\/pulls: /) }),
    );
    expect(declared).toEqual([]);
  });
});

describe("feature gates", () => {
  it("are warned of if they are misspelled", () => {
    const featureGates = { ServiceAccountTokenJTl: true };
    const { metadata } = declare({ cluster: plainCluster({ featureGates }) }).node;
    expect(metadata.map(({ data }) => data)).toEqual([
      expect.stringMatching(
        /^feature gate ServiceAccountTokenJTl is not known, but ServiceAccountTokenJTI is/,
      ),
    ]);
  });
});

describe("patterns of the nodes' own file", () => {
  const warnings = (matchImages?: readonly string[]): readonly unknown[] =>
    declare({
      cluster: openShiftCluster(),
      ...(matchImages && { credentialProviders: { ecr: { matchImages } } }),
    }).node.metadata.map(({ data }) => data);

  it("are kept, and one that is left out is named in a warning", () => {
    const all = ["amazonaws.com", "amazonaws.com.cn"].map((suffix) => `*.dkr.ecr.*.${suffix}`);
    const others = ["*.dkr.ecr.us-iso-east-1.c2s.ic.gov", "*.dkr.ecr.us-isob-east-1.sc2s.sgov.gov"];
    expect(warnings()).toEqual([]);
    expect(warnings([...all, ...others, "*.dkr.ecr-fips.*.amazonaws.com"])).toEqual([]);
    expect(warnings([...all, ...others])).toEqual([
      expect.stringMatching(
        /^matchImages of the ecr .* leave out \*\.dkr\.ecr-fips\.\*\.amazonaws\.com of the nodes' own file/,
      ),
    ]);
  });
});

describe("the crio credential provider beside a cloud's pulls", () => {
  const acrOnAws = (matchImages: readonly string[]): ImagePulls =>
    declare({
      cluster: openShiftCluster({ crioCredentialProvider: { matchImages } }),
      identities: [makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: fromAcr() }],
    });

  it("is refused where it shares images with a cloud that the platform's own file does not have", () => {
    expect(() => acrOnAws(["*.azurecr.io"])).toThrowError(
      refusal("node-conflict: would run both", { value: "*.azurecr.io" }),
    );
    expect(() => acrOnAws(["quay.io"])).not.toThrow();
  });
});
