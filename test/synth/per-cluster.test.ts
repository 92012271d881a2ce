/*
 * Several clusters in one stack: each has in its folders what a stack of its own would write, and each chain is judged by
 * the files of its own cluster.
 */

import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { LaunchTemplate } from "@cdktf/provider-aws/lib/launch-template/index.js";
import { TerraformStack } from "cdktf";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { awsAccess, eks, workloadRoles } from "../../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { KubernetesManifests, type KubernetesManifestsProps } from "../../lib/delivery";
import { type ExplainResult, explain } from "../../lib/explain";
import { compare } from "../../lib/explain/compare/compare";
import type { ICluster } from "../../lib/model/cluster";
import { ConfigMap } from "../../lib/kubernetes/data-objects";
import { nodeadm } from "../../lib/node";
import { ControlPlane, ImagePulls, Manifests, WorkloadAccess } from "../../lib/synth";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { faults } from "../support/faults";
import { fromAcr, fromEcr, makers, openShiftCluster, plainCluster } from "../support/image-pulls";
import { list, record, text } from "../support/json";
import { SUBSCRIPTION, TENANT, providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { type WrittenStack, boundFiles, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";

const may = {
  aws: awsAccess({
    statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
  }),
  azure: azureAccess({
    roles: [{ role: "Reader", scope: `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme` }],
  }),
  google: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] }),
};
const roles = workloadRoles({ account: "111122223333", region: "eu-west-1" });
const azure = workloadIdentities({ resourceGroupName: "w", location: "westeurope", tenantId: TENANT });
const google = workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" });

const CLUSTERS = {
  east: plainCluster({ name: "east", issuer: "https://oidc.example.com/east" }),
  west: openShiftCluster({ name: "west", issuer: "https://oidc.example.com/west" }),
} as const;
type Name = keyof typeof CLUSTERS;
const NAMES: readonly Name[] = ["east", "west"];

/** The same service accounts in each cluster, with other rights. */
function declare(stack: TerraformStack, name: Name): void {
  const cluster = CLUSTERS[name];
  new ImagePulls(stack, `${name}-pulls`, {
    cluster,
    identities: [makers.aws(), ...(name === "east" ? [makers.azure({ tenantId: TENANT })] : [])],
    pulls: [
      { serviceAccount: "shop/web", from: fromEcr(`${name}/*`) },
      { serviceAccount: "shop/models", from: name === "east" ? fromAcr("models/*") : fromEcr("models/*") },
    ],
  });
  new WorkloadAccess(stack, `${name}-access`, {
    cluster,
    identities: [roles, name === "east" ? google : azure],
    workloads: [
      { serviceAccount: "shop/web", may: may.aws },
      { serviceAccount: "shop/sales", may: name === "east" ? may.google : may.azure },
    ],
  });
  if (name === "east") new ControlPlane(stack, "east-servers", { cluster });
}

function folderOf(names: readonly Name[], perCluster: boolean, perNamespace = false): string {
  return synthesized((app) => {
    const stack = providersStack(app);
    new Manifests(stack, "manifests", { perCluster, perNamespace });
    for (const name of names) declare(stack, name);
  });
}
const stackOf = (outdir: string): WrittenStack => {
  const [stack] = writtenStacks(outdir);
  return stack ?? expect.unreachable();
};
const answers = (outdir: string, stack?: string): readonly unknown[] =>
  explain([outdir], stack === undefined ? {} : { stack }).map(
    ({ stack: _, checks, ...result }: ExplainResult) => ({
      ...result,
      checks: checks.map(({ id, status }) => `${id} ${status}`),
    }),
  );
const verdicts = (outdir: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      [...new Set(explain([outdir], { stack: `prod/${name}` }).map(({ verdict }) => verdict))],
    ]),
  );

describe("a stack with manifests per cluster", () => {
  const both = folderOf(NAMES, true);

  it.each(NAMES)("writes for %s what a stack of its own writes", (name) => {
    const [own, all] = [folderOf([name], false), both].map(stackOf);
    const files = (stack: WrittenStack | undefined): readonly (readonly [string, string])[] =>
      [...(stack?.files ?? [])].filter(([file]) => file.includes("/"));
    const inFolder = files(all).filter(([file]) => file.split("/")[1] === name);
    expect(inFolder.map(([file, content]) => [file.replace(`/${name}/`, "/"), content])).toEqual(files(own));
    expect(list(all?.identity["clusters"]).filter((each) => record(each)["name"] === name)).toEqual(
      own?.identity["clusters"],
    );
  });

  it("records the cluster of each file, and the version that has it", () => {
    const { identity } = stackOf(both);
    const lists = ["manifests", "nodes", "controlPlane", "pods"].flatMap((key) => list(identity[key]));
    expect(lists.every((each) => text(record(each)["file"]).split("/")[1] === record(each)["cluster"])).toBe(
      true,
    );
    expect(identity["version"]).toBe(3);
    expect(stackOf(folderOf(["east"], false)).identity["version"]).toBe(2);
  });

  it("declares once what a cloud has once for an issuer", () => {
    const { terraform } = stackOf(both);
    expect(resources(terraform, "aws_iam_openid_connect_provider")).toHaveLength(2);
  });

  it("splits the files of each cluster by namespace", () => {
    const files = [...stackOf(folderOf(NAMES, true, true)).files.keys()];
    expect(files).toContain("manifests/east/20-service-accounts_shop.yaml");
  });

  it("is judged as the stacks of its own are, without faults", () => {
    expect(faults(both)).toEqual([]);
    for (const name of NAMES) expect(answers(both, `prod/${name}`)).toEqual(answers(folderOf([name], false)));
    expect(answers(both, "prod")).toEqual(answers(both));
    expect(() => answers(both, "prod/north")).toThrow(refusal("explain-unknown"));
  });

  it("is finished by bind in the same folders", () => {
    const bound = boundFiles(both, stackOf(both));
    expect([...bound.keys()]).toContain("manifests/west/20-service-accounts.yaml");
    expect([...bound.values()].join("")).not.toContain("@late(");
  });

  it.each<[string, (folder: string) => void, Readonly<Record<Name, readonly string[]>>]>([
    [
      "manifests",
      (folder) => rmSync(join(folder, "manifests/east/20-service-accounts.yaml")),
      { east: ["denied", "unknown"], west: ["allowed"] },
    ],
    [
      "node files",
      (folder) => {
        for (const file of readdirSync(join(folder, "nodes/east"))) rmSync(join(folder, "nodes/east", file));
      },
      { east: ["unknown", "allowed"], west: ["allowed"] },
    ],
    [
      "files for pods",
      (folder) => {
        const path = join(folder, "pods/east/shop.web.yaml");
        writeFileSync(path, readFileSync(path, "utf8").replaceAll("sts.amazonaws.com", "other.example"));
      },
      { east: ["allowed", "denied"], west: ["allowed"] },
    ],
    [
      "files for API servers",
      (folder) => {
        const [file = ""] = readdirSync(join(folder, "control-plane/east"));
        const path = join(folder, "control-plane/east", file);
        writeFileSync(path, readFileSync(path, "utf8").replaceAll("oidc.example.com", "other.example.com"));
      },
      { east: ["unknown", "denied"], west: ["allowed"] },
    ],
  ])("is judged per cluster by its own %s", (_, damage, expected) => {
    const copy = temporaryFolder();
    cpSync(both, copy, { recursive: true });
    damage(join(copy, "stacks/prod"));
    expect(verdicts(copy)).toEqual(expected);
  });

  it("is compared with the same stack before it had folders, and by cluster", () => {
    const changes = (old: string, made: string): readonly string[] =>
      compare([old], [made]).changes.map(({ stack, job, kind }) => `${stack} ${job} ${kind}`);
    const one = folderOf(["east"], false);
    expect(changes(one, folderOf(["east"], true))).toEqual([]);
    const added = changes(one, both).filter((each) => !each.startsWith(" trust"));
    expect([...new Set(added.map((each) => each.split(" ")[0]))]).toEqual(["prod/west"]);
  });

  it("gives the text of a file of one cluster, and refuses files without one", () => {
    synthesized((app) => {
      const stack = providersStack(app);
      const manifests = new Manifests(stack, "manifests", { perCluster: true });
      const { manifests: own } = new ImagePulls(stack, "pulls", {
        cluster: CLUSTERS.west,
        pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
      });
      expect(own).toBe(manifests.forCluster("west"));
      expect(own.rendered("manifests/20-service-accounts.yaml")).toBe(
        manifests.rendered("manifests/west/20-service-accounts.yaml"),
      );
      expect(() => manifests.chart("more", { order: 50 })).toThrow(refusal("manifest-missing"));
      expect(() => manifests.forCluster("../west")).toThrow(refusal("cluster-invalid"));
      expect(() => manifests.record({ apiServer: "1.35" })).toThrow(refusal("manifest-missing"));
    });
  });

  it("records clusters that have only the user's own objects, of the same name", () => {
    const outdir = synthesized((app) => {
      const stack = providersStack(app);
      const manifests = new Manifests(stack, "manifests", { perCluster: true });
      for (const name of ["own", "other"])
        new ConfigMap(manifests.forCluster(name).chart("more", { order: 50 }), "x", {
          namespace: "shop",
          name: "x",
          data: { of: name },
        });
    });
    expect(stackOf(outdir).identity).toMatchObject({
      clusters: [{ name: "other" }, { name: "own" }],
      manifests: ["other", "own"].map((cluster) => ({ file: `manifests/${cluster}/50-more.yaml`, cluster })),
    });
    expect(explain([outdir])).toEqual([]);
  });

  it.each<[string, ICluster<never>, string]>([
    [
      "another issuer of one name",
      plainCluster({ name: "east", issuer: "https://oidc.example.com/other" }),
      "cluster-mismatch",
    ],
    ["a name that is no folder", { ...CLUSTERS.east, name: "East/1" }, "cluster-invalid"],
  ])("refuses %s before anything is written for it", (_, cluster, code) => {
    synthesized((app) => {
      const stack = providersStack(app);
      const manifests = new Manifests(stack, "manifests", { perCluster: true });
      declare(stack, "east");
      const before = [...manifests.render()];
      const workloads = [{ serviceAccount: "shop/other", may: may.aws }];
      expect(() => new WorkloadAccess(stack, "second", { cluster, workloads, identities: [roles] })).toThrow(
        refusal(code as "cluster-mismatch"),
      );
      expect([...manifests.render()]).toEqual(before);
    });
  });
});

describe("user data of two clusters", () => {
  const pools = (edit: (userData: string) => string): Readonly<Record<string, readonly string[]>> => {
    const outdir = synthesized((app) => {
      const stack = providersStack(app);
      new Manifests(stack, "manifests", { perCluster: true });
      for (const name of NAMES) {
        const issuer = `https://oidc.eks.eu-west-1.amazonaws.com/id/${name.toUpperCase()}`;
        const { manifests } = new ImagePulls(stack, name, {
          cluster: eks({ name, region: "eu-west-1", version: "1.35", issuer, plugins: { ecr: "1.35.2" } }),
          carriers: [nodeadm()],
          pulls: [{ serviceAccount: "shop/web", from: fromEcr(`${name}/*`) }],
          identities: [makers.aws()],
        });
        new LaunchTemplate(stack, `${name}-nodes`, {
          name,
          userData: manifests.rendered("nodes/nodeadm.txt"),
        });
      }
    });
    const path = join(outdir, "stacks/prod/cdk.tf.json");
    const terraform = JSON.parse(readFileSync(path, "utf8")) as { resource: { aws_launch_template: object } };
    const templates = Object.values(terraform.resource.aws_launch_template) as { user_data: string }[];
    for (const [place, template] of templates.entries())
      if (place === 1)
        template.user_data = edit(
          readFileSync(join(outdir, "stacks/prod/nodes/west/nodeadm.txt"), "utf8").replaceAll("${", "$${"),
        );
    writeFileSync(path, JSON.stringify(terraform));
    return verdicts(outdir);
  };

  it("is compared with the file of which it is a copy", () => {
    expect(pools((text) => text)).toEqual({ east: ["allowed"], west: ["allowed"] });
    expect(pools((text) => text.replaceAll("sts.amazonaws.com", "other.example"))["west"]).not.toContain(
      "allowed",
    );
  });
});

describe("the record of a stack with manifests per cluster", () => {
  const entry = { file: "manifests/a/20-x.yaml", appliesTo: "cluster", cluster: "a" };
  const read = (version: number, manifests: object, others: object = {}): unknown =>
    readWorkloadIdentity(
      JSON.stringify({
        version,
        stack: "prod",
        clusters: [{ name: "a" }],
        manifests: [manifests],
        nodes: [],
        placeholders: {},
        ...others,
      }),
      "record.json",
    );
  const delivery = { delivery: { stack: "x", clusters: [{ provider: "kubernetes", appliesTo: "cluster" }] } };

  it.each<[string, () => unknown]>([
    ["a file of no cluster", () => read(3, { ...entry, cluster: undefined })],
    ["a file of a cluster that has no facts", () => read(3, { ...entry, cluster: "b" })],
    ["a file in another folder", () => read(3, { ...entry, file: "manifests/b/20-x.yaml" })],
    ["a file in no folder", () => read(3, { ...entry, file: "manifests/20-x.yaml" })],
    ["folders in the version without", () => read(2, entry)],
    ["a folder above", () => read(3, { ...entry, file: "manifests/../20-x.yaml", cluster: ".." })],
    ["a provider of no cluster", () => read(3, entry, delivery)],
    ["a later version", () => read(4, entry)],
  ])("is refused with %s", (_, refused) => {
    expect(() => read(3, entry)).not.toThrow();
    expect(refused).toThrow(refusal("bind-invalid"));
  });
});

describe("KubernetesManifests of several clusters", () => {
  type Providers = (east: KubernetesProvider, west: KubernetesProvider) => Partial<KubernetesManifestsProps>;

  const delivered = (providers: Providers, perCluster = true): string =>
    synthesized((app) => {
      const stack = providersStack(app);
      new Manifests(stack, "manifests", { perCluster });
      for (const name of perCluster ? NAMES : NAMES.slice(0, 1)) declare(stack, name);
      const objects = new TerraformStack(app, "objects");
      const [east, west] = NAMES.map(
        (alias) => new KubernetesProvider(objects, alias, { alias, configContext: alias }),
      );
      if (!east || !west) return;
      new KubernetesManifests(objects, "manifests", { of: stack, ...providers(east, west) });
    });
  const each: Providers = (east, west) => ({ clusters: { east, west } });

  it("gives each cluster its objects through its own provider", () => {
    const outdir = delivered(each);
    const objects = writtenStacks(outdir).find(({ name }) => name === "objects");
    const accounts = resources(objects?.terraform ?? {}, "kubernetes_manifest").filter(
      ({ manifest }) => record(manifest)["kind"] === "ServiceAccount",
    );
    expect(accounts.map(({ provider }) => provider).sort()).toEqual([
      ...Array<string>(3).fill("kubernetes.east"),
      ...Array<string>(3).fill("kubernetes.west"),
    ]);
    expect(verdicts(outdir)).toEqual({ east: ["allowed"], west: ["allowed"] });
  });

  it("is judged per cluster by its own resources", () => {
    const outdir = delivered(each);
    const path = join(outdir, "stacks/objects/cdk.tf.json");
    const terraform = readFileSync(path, "utf8").replaceAll("kubernetes.west", "kubernetes.east");
    writeFileSync(path, terraform);
    expect(verdicts(outdir)["west"]).not.toContain("allowed");
  });

  it.each<[string, Providers, boolean, string]>([
    ["no provider of a cluster", (east) => ({ clusters: { east } }), true, "delivery-missing"],
    ["the provider of one cluster", (provider) => ({ provider }), true, "delivery-conflict"],
    ["one provider for two", (east) => ({ clusters: { east, west: east } }), true, "delivery-conflict"],
    ["providers per cluster for one", (east) => ({ clusters: { east } }), false, "delivery-conflict"],
  ])("refuses %s", (_, providers, perCluster, code) => {
    expect(() => delivered(providers, perCluster)).toThrow(refusal(code as "delivery-missing"));
  });
});
