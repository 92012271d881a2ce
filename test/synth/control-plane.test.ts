import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { awsAccess, workloadRoles } from "../../lib/cloud/aws";
import { explain } from "../../lib/explain";
import { Issuer } from "../../lib/model/issuer";
import {
  PlainCarrier,
  k3s,
  kops,
  kubeadm,
  kubeadmConfigTemplate,
  kubernetes,
  rke2,
  talos,
} from "../../lib/node";
import { ControlPlane, WorkloadAccess } from "../../lib/synth";
import { signingIssuer } from "../../lib/rules/node/issuers";
import { faults } from "../support/faults";
import { openShiftCluster } from "../support/image-pulls";
import { ISSUER, providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";

type Cluster = ConstructorParameters<typeof ControlPlane>[2]["cluster"];
type Carriers = NonNullable<Parameters<typeof kubernetes>[0]["carriers"]>;

const ofCarriers = (carriers: Carriers): Cluster =>
  kubernetes({ name: "prod", version: "1.36", issuer: ISSUER, carriers });

const may = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
});

function written(cluster: Cluster): string {
  return synthesized((app) => {
    const stack = providersStack(app);
    new ControlPlane(stack, "control-plane", { cluster });
    new WorkloadAccess(stack, "workloads", {
      cluster,
      workloads: [{ serviceAccount: "shop/web", may }],
      identities: [workloadRoles({ account: "111122223333", region: "eu-west-1" })],
    });
  });
}

const CARRIERS: readonly (readonly [file: string, carriers: Carriers])[] = [
  ["control-plane/kubeadm.yaml", [kubeadm()]],
  ["control-plane/k3s.yaml", [k3s()]],
  ["control-plane/rke2.yaml", [rke2()]],
  ["control-plane/talos.yaml", [talos({ version: "1.13" })]],
  ["control-plane/all-nodes.yaml", [new PlainCarrier()]],
  ["control-plane/machines.yaml", [kubeadmConfigTemplate({ name: "machines", namespace: "clusters" })]],
];

describe("the control plane of a self-managed cluster", () => {
  it.each(CARRIERS)("is told the issuer: %s", (file, carriers) => {
    const outdir = written(ofCarriers(carriers));
    const [stack] = writtenStacks(outdir);
    expect(stack?.identity).toMatchObject({ controlPlane: [{ file }], nodes: [] });
    const text = readFileSync(join(outdir, "stacks/prod", file), "utf8");
    expect(text).toMatch(/^# /);
    expect(signingIssuer(parseDocument(text).toJS())).toBe(ISSUER);
    expect(faults(outdir)).toEqual([]);
  });

  it.each(CARRIERS)("is judged by explain: %s", (file, carriers) => {
    const outdir = written(ofCarriers(carriers));
    const path = join(outdir, "stacks/prod", file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(ISSUER, "https://other.example.com"));
    const [result] = explain([outdir]);
    expect(result?.verdict).toBe("denied");
    expect(result?.checks.find(({ id }) => id === "issuer-trusted")?.reason).toContain(
      "does not name the OIDC provider of https://other.example.com",
    );
  });

  it("keeps the issuer that the cluster moves from", () => {
    const issuer = Issuer.of(ISSUER, {
      additionalIssuers: [Issuer.of("https://old.example.com", { label: "old" })],
    });
    const outdir = written(kubernetes({ name: "prod", version: "1.36", issuer, carriers: [kubeadm()] }));
    const text = readFileSync(join(outdir, "stacks/prod/control-plane/kubeadm.yaml"), "utf8");
    const { apiServer } = parseDocument(text).toJS() as { apiServer: { extraArgs: { value: string }[] } };
    expect(apiServer.extraArgs.map(({ value }) => value)).toEqual([ISSUER, "https://old.example.com"]);
  });

  it.each<[string, Cluster]>([
    ["OpenShift", openShiftCluster()],
    ["kOps", ofCarriers([kops()])],
    ["one without carriers", ofCarriers([])],
  ])("is refused for %s", (_, cluster) => {
    expect(() =>
      synthesized((app) => new ControlPlane(providersStack(app), "control-plane", { cluster })),
    ).toThrow(refusal("node-unsupported: the issuer of this cluster's API servers is not set by a file"));
  });

  it("is refused in the stack of another cluster", () => {
    expect(() =>
      synthesized((app) => {
        const stack = providersStack(app);
        new ControlPlane(stack, "one", { cluster: ofCarriers([kubeadm()]) });
        const other = kubernetes({
          name: "other",
          version: "1.36",
          issuer: `${ISSUER}-2`,
          carriers: [k3s()],
        });
        new ControlPlane(stack, "other", { cluster: other });
      }),
    ).toThrow(refusal("cluster-conflict: this stack already writes manifests for cluster prod"));
  });
});
