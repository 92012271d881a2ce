import { ApiObject } from "cdk8s";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Subject } from "../../lib/model/subject";
import { readWorkloadIdentity } from "../../lib/artefact/workload-identity-file";
import { bind } from "../../lib/synth";
import { filesOf, stackFixture, stackFilesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { refusal } from "../support/refusal";

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

  it.each([
    ["a path", "../x", 5],
    ["a path inside", "x/y", 5],
    ["upper case", "Secret", 5],
    ["a dot in front", ".hidden", 5],
    ["a name that no file system takes", "a".repeat(251), 5],
    ["an order out of range", "x", 100],
  ])("refuses %s", (_, name, order) => {
    expect(() => stackFixture().manifests.chart(name, { order, exactName: true })).toThrowError(
      refusal("manifest-invalid"),
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
      refusal("manifest-conflict", {
        message:
          'the manifests 10-roles and roles would be written to one file, got "manifests/10-roles.yaml"; allowed: one manifest per file; give one of them another name',
      }),
    );
  });

  it("takes true and false for exactName, and nothing else", () => {
    expect(() => stackFixture().manifests.chart("x", { order: 5, exactName: "no" as never })).toThrowError(
      refusal("property-invalid", {
        message: 'options.exactName of manifest x is "no"; allowed: true, false; correct the value',
      }),
    );
  });

  it("refuses another order of the same name", () => {
    const { manifests } = stackFixture();
    manifests.chart("x", { order: 5, exactName: true });
    expect(() => manifests.chart("x", { order: 6, exactName: true })).toThrowError(
      refusal("manifest-mismatch", {
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
      refusal("manifest-invalid"),
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

  const [LATE, OTHER_LATE] = ["id", "output"];
  it.each([
    ["a literal after a late value", LATE, "one", '"https://one"; allowed: "known after apply"'],
    ["a late value after a literal", "one", LATE, '"known after apply"; allowed: "https://one"'],
    ["two late values", LATE, OTHER_LATE, '"known after apply"; allowed: "known after apply"'],
    ["two literals", "one", "two", '"https://two"; allowed: "https://one"'],
  ])("refuses %s for one fact", (_, first, second, got) => {
    const { manifests, data } = stackFixture();
    const issuers = [first, second].map((name) =>
      name === "id" || name === "output" ? `https://${data[name]}` : `https://${name}`,
    );
    manifests.record({ name: "a", issuer: issuers[0] });
    expect(() => manifests.record({ name: "a", issuer: issuers[1] })).toThrowError(
      refusal("cluster-mismatch", {
        message: `the issuer of cluster a is already recorded with another value, got ${got}; give every construct of the cluster the same issuer; if it is known only after apply, pass the same object, for example the construct that publishes the issuer`,
      }),
    );
    expect(manifests.recorded).toEqual([{ name: "a", issuer: issuers[0] }]);
  });
});
