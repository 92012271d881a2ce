import { ApiObject } from "cdk8s";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Subject } from "../../lib/model/subject";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { bind } from "../../lib/synth";
import { filesOf, stackFixture, stackFilesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";

const NOTHING = { labels: {}, env: [], volumeMounts: [], volumes: [] };

describe("files with exact names", () => {
  it("have no digits, stand where their order says, and are read again", () => {
    const { app, manifests } = stackFixture();
    for (const [name, order, exactName] of [
      ["late", 90, false],
      ["installer.secret", 5, true],
      ["a-first", 0, true],
      ["early", 10, false],
    ] as const)
      new ApiObject(manifests.chart(name, { order, exactName }), "x", { apiVersion: "v1", kind: "List" });
    app.synth();
    const text = stackFilesOf(app)["workload-identity.json"] ?? "";
    expect(readWorkloadIdentity(text, "f").manifests.map(({ file }) => file)).toEqual([
      "manifests/a-first.yaml",
      "manifests/installer.secret.yaml",
      "manifests/10-early.yaml",
      "manifests/90-late.yaml",
    ]);
  });

  // [name, options of the first, options of the second, code]
  it.each([
    ["a path", "../x", "manifest-invalid"],
    ["a path inside", "x/y", "manifest-invalid"],
    ["upper case", "Secret", "manifest-invalid"],
    ["a dot in front", ".hidden", "manifest-invalid"],
    ["a name that no file system takes", "a".repeat(251), "manifest-invalid"],
    ["an order out of range", "x", "manifest-invalid"],
  ] as const)("refuses %s", (_, name, code) => {
    const order = code === "manifest-invalid" ? 100 : 5;
    expect(() => stackFixture().manifests.chart(name, { order, exactName: true })).toThrowError(
      expect.objectContaining({ code }),
    );
  });

  it("takes a name of 250 characters", () => {
    const name = `${"a".repeat(124)}.${"b".repeat(125)}`;
    expect(() => stackFixture().manifests.chart(name, { order: 5, exactName: true })).not.toThrow();
  });

  it("refuses a second manifest of the same file", () => {
    const { manifests } = stackFixture();
    manifests.chart("10-roles", { order: 5, exactName: true });
    expect(() => manifests.chart("roles", { order: 10 })).toThrowError(
      expect.objectContaining({
        code: "manifest-conflict",
        message:
          'the manifests 10-roles and roles would be written to one file, got "manifests/10-roles.yaml"; allowed: one manifest per file; give one of them another name',
      }),
    );
  });

  it("takes true and false for exactName, and nothing else", () => {
    expect(() => stackFixture().manifests.chart("x", { order: 5, exactName: "no" as never })).toThrowError(
      expect.objectContaining({
        code: "property-invalid",
        message: 'options.exactName of manifest x is "no"; allowed: true, false; correct the value',
      }),
    );
  });

  it("refuses another order of the same name", () => {
    const { manifests } = stackFixture();
    manifests.chart("x", { order: 5, exactName: true });
    expect(() => manifests.chart("x", { order: 6, exactName: true })).toThrowError(
      expect.objectContaining({
        code: "manifest-mismatch",
        message:
          "the manifest x was created with another order, got 6; allowed: 5; use the same order, or another name for a second file",
      }),
    );
  });
});

describe("fragments of pods", () => {
  it("are written where there is something in them, sorted, and are gone after the next synth without", () => {
    const { app, manifests } = stackFixture();
    const labels = { "example.com/use": "true" };
    manifests.podFragment(Subject.of("shop/web"), { ...NOTHING, labels });
    manifests.podFragment(Subject.of("shop/api"), { ...NOTHING, env: [{ name: "A", value: "b" }] });
    manifests.podFragment(Subject.of("shop/none"), NOTHING);
    app.synth();
    const files = stackFilesOf(app);
    expect(Object.keys(files)).toEqual([
      "pods/shop.api.yaml",
      "pods/shop.web.yaml",
      "workload-identity.json",
    ]);
    expect(files["pods/shop.web.yaml"]).toBe(
      [
        "# Add this to pod templates in namespace shop with `serviceAccountName: web`; it is not applied by itself.",
        "# Labels and volumes belong to the pod; env and volumeMounts to each container that uses the cloud.",
        "# Restart running pods: a webhook changes pods only while they are created.",
        "labels:",
        '  example.com/use: "true"',
        "",
      ].join("\n"),
    );
    manifests.podFragment(Subject.of("shop/api"), NOTHING);
    app.synth();
    expect(Object.keys(stackFilesOf(app))).toEqual(["pods/shop.web.yaml", "workload-identity.json"]);
  });

  it("are among the finished files of bind", () => {
    const { app, manifests, data } = stackFixture();
    manifests.podFragment(Subject.of("shop/web"), { ...NOTHING, env: [{ name: "A", value: data.id }] });
    app.synth();
    const outputs = join(temporaryFolder(), "outputs.json");
    writeFileSync(
      outputs,
      JSON.stringify({ terraform_data_d_id: { sensitive: false, type: "string", value: "x" } }),
    );
    const to = temporaryFolder();
    bind({ outputs, from: app.outdir, to });
    expect(filesOf(to)["prod/pods/shop.web.yaml"]).toContain("value: x\n");
  });

  it("refuses a service account whose name is too long for a file", () => {
    const subject = Subject.of(`shop/${"a".repeat(246)}`);
    expect(() => stackFixture().manifests.podFragment(subject, NOTHING)).toThrowError(
      expect.objectContaining({ code: "manifest-invalid" }),
    );
  });
});

describe("facts of clusters", () => {
  it("of one name are put together, also where one is late", () => {
    const { manifests, data } = stackFixture();
    const issuer = `https://${data.id}`;
    manifests.record({ name: "a", issuer, pulls: [] });
    manifests.record({ name: "b" });
    manifests.record({ name: "a", issuer, workloads: [] });
    expect(manifests.recorded).toEqual([{ name: "a", issuer, pulls: [], workloads: [] }, { name: "b" }]);
  });

  it.each([
    ["a literal after a late value", false],
    ["a late value after a literal", true],
  ])("refuses %s, which may differ", (_, literalFirst) => {
    const { manifests, data } = stackFixture();
    const issuers = [`https://${data.id}`, "https://oidc.example.com"];
    const [first, second] = literalFirst ? issuers.reverse() : issuers;
    manifests.record({ name: "a", issuer: first });
    expect(() => manifests.record({ name: "a", issuer: second })).toThrowError(
      expect.objectContaining({
        code: "cluster-mismatch",
        message: `the issuer of cluster a is already recorded with another value, got ${literalFirst ? '"known after apply"; allowed: "https://oidc.example.com"' : '"https://oidc.example.com"; allowed: "known after apply"'}; give every construct of the cluster the same issuer; if it is known only after apply, pass the same object, for example the construct that publishes the issuer`,
      }),
    );
    expect(manifests.recorded).toEqual([{ name: "a", issuer: first }]);
  });

  it("refuses two late values", () => {
    const { manifests, data } = stackFixture();
    manifests.record({ name: "a", issuer: `https://${data.id}` });
    expect(() => manifests.record({ name: "a", issuer: `https://${data.output}` })).toThrowError(
      expect.objectContaining({ code: "cluster-mismatch" }),
    );
  });

  it("refuses two literals for one fact", () => {
    const { manifests } = stackFixture();
    manifests.record({ name: "a", issuer: "https://one.example.com" });
    expect(() => manifests.record({ name: "a", issuer: "https://two.example.com" })).toThrowError(
      expect.objectContaining({
        code: "cluster-mismatch",
        message:
          'the issuer of cluster a is already recorded with another value, got "https://two.example.com"; allowed: "https://one.example.com"; give every construct of the cluster the same issuer; if it is known only after apply, pass the same object, for example the construct that publishes the issuer',
      }),
    );
  });
});
