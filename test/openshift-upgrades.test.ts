/*
 * What docs/openshift-upgrades.md claims of image pulls; the credentials of components are in
 * test/rules/openshift/joined-requests.test.ts.
 */

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Explainer } from "../lib/explain";
import { validateCredentialProviderConfig } from "../lib/rules";
import { openShiftRelease, openShiftVersions } from "../lib/rules/openshift/versions";
import type { NodeSetup } from "../lib/model/node-file";
import { ImagePulls, type ImagePullsProps } from "../lib/synth";
import { fromAcr, fromEcr, makers, openShiftCluster } from "./support/image-pulls";
import { TENANT, providersStack } from "./support/platform-components";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";

const VERSIONS = openShiftVersions;
const PLATFORMS = {
  aws: { identities: [makers.aws()], pulls: [{ serviceAccount: "shop/web", from: fromEcr() }] },
  azure: {
    identities: [makers.azure({ tenantId: TENANT })],
    pulls: [{ serviceAccount: "shop/web", from: fromAcr() }],
  },
} as const;
type Platform = keyof typeof PLATFORMS;
const pairs = VERSIONS.slice(1).map((next, index) => [VERSIONS[index] ?? "", next] as const);

interface Written {
  readonly outdir: string;
  readonly setup: NodeSetup;
  readonly hash: string | undefined;
}

const written = new Map<string, Written>();

function synth(platform: Platform, version: string, props: Partial<ImagePullsProps> = {}): Written {
  const key = `${platform} ${version} ${JSON.stringify(props)}`;
  const known = written.get(key);
  if (known) return known;
  const constructs: ImagePulls[] = [];
  const outdir = synthesized((app) => {
    const cluster = openShiftCluster({ version, platform });
    constructs.push(
      new ImagePulls(providersStack(app), "pulls", { cluster, ...PLATFORMS[platform], ...props }),
    );
  });
  const [pulls] = constructs;
  if (!pulls) throw new Error("nothing was synthesized");
  const made = { outdir, setup: pulls.nodeSetup, hash: pulls.configHash };
  written.set(key, made);
  return made;
}

describe.each(Object.keys(PLATFORMS) as readonly Platform[])("on %s", (platform) => {
  it.each(pairs)("the kubelet's files of %s and %s are the same bytes", (before, after) => {
    const [one, other] = [synth(platform, before), synth(platform, after)];
    expect(one.setup.files.length).toBeGreaterThan(0);
    expect(other.setup.files).toEqual(one.setup.files);
    expect(other.hash).toBe(one.hash);
    expect(one.hash).toMatch(/^sha256:/);
  });

  it.each(pairs)("and the kubelets of both %s and %s start with them", (before, after) => {
    const { setup } = synth(platform, before);
    const config = setup.files.find(({ content }) => content.includes("kind: CredentialProviderConfig"));
    for (const version of [before, after])
      expect(
        validateCredentialProviderConfig(parse(config?.content ?? ""), {
          kubelet: openShiftRelease(version).kubernetes,
        }),
      ).toEqual([]);
  });

  it.each(pairs)("what was written for %s holds on nodes of %s", (before, after) => {
    const { kubernetes: kubelet, plugins } = openShiftRelease(after);
    const cluster = {
      kubelet,
      apiServer: kubelet,
      plugins,
      openShift: { version: after, platform, pools: ["worker"] },
    };
    const { outdir } = synth(platform, before);
    const verdicts = (explainer: Explainer): readonly string[] =>
      [...explainer.pulls()].map(({ verdict }) => verdict);
    expect(verdicts(Explainer.read([outdir], { cluster }))).toEqual(["allowed"]);
    expect(verdicts(Explainer.read([outdir]))).toEqual(["allowed"]);
  });
});

describe("what changes from 4.21 to 4.22", () => {
  const files = (version: string): readonly string[] =>
    writtenStacks(synth("aws", version).outdir).flatMap((stack) => [...stack.files.keys()]);

  it("is the node disruption policy, which is written no longer", () => {
    const policy = "manifests/30-node-disruption-policy.yaml";
    expect([files("4.21").includes(policy), files("4.22").includes(policy)]).toEqual([true, false]);
  });

  it("is mixed mode, which is refused before", () => {
    const mixed = { credentialProviders: { ecr: { mode: "mixed" } } } as const;
    expect(() => synth("aws", "4.21", mixed)).toThrowError(/mixed/);
    expect(synth("aws", "4.22", mixed).setup.files.length).toBeGreaterThan(0);
  });
});
