import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain, readClusterFile } from "../../lib/explain";
import { type ExampleName, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const read = (text: string, name = "cluster.yaml"): unknown =>
  readClusterFile(join(folderOf({ [name]: text }), name));

describe("facts of a cluster in a file", () => {
  it.each(["cluster.json", "cluster.yaml", "cluster"])("are read from %s", (name) => {
    expect(read(JSON.stringify(cluster), name)).toMatchObject({ issuer: cluster.issuer, kubelet: "1.34" });
  });

  it("are read from YAML", () => {
    const text = `# ours\nissuer: ${cluster.issuer}\nkubelet: "1.34"\napiServer: '1.34'\nplugins:\n  ecr: {version: 1.34.2}\n`;
    expect(read(text)).toEqual(read(JSON.stringify(cluster)));
    const facts = join(folderOf({ "facts.yaml": text }), "facts.yaml");
    const asked = {
      serviceAccount: "team/puller",
      image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web",
    };
    const [result] = explain([folderOf(plain)], asked, { cluster: readClusterFile(facts) });
    expect(result?.verdict).toBe("allowed");
  });

  it.each<ExampleName>([
    "aro-hcp",
    "fleet-argocd",
    "fleet-multikueue",
    "openshift-aws",
    "openshift-manual-aws",
    "openshift-manual-azure",
    "openshift-manual-google",
    "three-clouds",
  ])("may be what a synth has recorded: %s", (name) => {
    const artefacts = [...synthesized(name)];
    const [, text = "{}"] = artefacts.find(([path]) => path.endsWith("/workload-identity.json")) ?? [];
    const { clusters } = JSON.parse(text) as { readonly clusters: readonly object[] };
    expect(clusters).not.toHaveLength(0);
    for (const recorded of clusters)
      expect(read(JSON.stringify(recorded), "c.json")).toMatchObject({ name: expect.any(String) as unknown });
  });

  it.each([
    ["a misspelt key", "kubelet: '1.34'\nisuer: x\n", 2, "has isuer, which is unknown", /name, .*issuer, /],
    ["a misspelt plugin", "plugins:\n  erc: {}\n", 2, "has plugins.erc, which is unknown", /^ecr, acr, gcp$/],
    [
      "a misspelt key inside of a list",
      "pulls:\n- serviceAccount: a/b\n  images: []\n- serviceacount: a/b\n",
      4,
      "has pulls[1].serviceacount, which is unknown",
      /^serviceAccount, images$/,
    ],
    ["a version that YAML takes for a number", "a: 1\nkubelet: 1.30\n", 1, "has a, which is unknown", /name/],
    ["a number", "name: x\nkubelet: 1.30\n", 2, "has kubelet with a number, not a text", /^a text$/],
    [
      "a text for a switch",
      "featureGates:\n  A: true\n  B: 'true'\n",
      3,
      "has featureGates.B with a text, not true or false",
      /^true or false$/,
    ],
    ["null", "issuer:\n", 1, "has issuer with null, not a text", /^a text$/],
    ["an object for a list", "pulls: {}\n", 1, "has pulls with an object, not a list", /^a list$/],
    ["a name of every object", "constructor: {}\n", 1, "has constructor, which is unknown", /name/],
    ["a list", "- name: x\n", 1, "is a list, not an object", /^an object$/],
    ["nothing", "# nothing\n", 1, "has 0 documents", /^one document$/],
    ["two documents", "name: x\n---\nname: y\n", 1, "has 2 documents", /^one document$/],
    ["no YAML", "name: [\n", 2, "is not YAML", /^YAML or JSON/],
  ])("are refused: %s", (_, text, line, reason, allowed) => {
    expect(() => read(text)).toThrowError(
      expect.objectContaining({
        code: "explain-file-invalid",
        problem: expect.stringContaining(`file ${reason}`) as unknown,
        value: expect.stringMatching(new RegExp(`cluster\\.yaml:${line}$`)) as unknown,
        allowed: expect.stringMatching(allowed) as unknown,
      }),
    );
  });

  it("are refused in JSON, with the line", () => {
    const text = JSON.stringify({ name: "x", openShift: { version: 4.22 } }, null, 2);
    expect(() => read(text, "c.json")).toThrowError(
      expect.objectContaining({
        problem: "file has openShift.version with a number, not a text",
        value: expect.stringMatching(/c\.json:4$/) as unknown,
      }),
    );
  });
});
