import { App, ApiObject, Chart, Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { ServiceAccount, ServiceAccountAnnotations } from "../../lib/kubernetes";
import { refusal } from "../support/refusal";

const LATE = "${TfToken[TOKEN.3]}";
const ARN = { "eks.amazonaws.com/ecr-role-arn": "arn:aws:iam::111122223333:role/prod_shop_web" };
const web = { namespace: "shop", name: "web", annotations: ARN };

/** A chart of a user with settings of its own. */
const ownChart = (): Chart =>
  new Chart(new App(), "own", { namespace: "other", labels: { "example.com/team": "a", "x~y": "b" } });

describe("ServiceAccount", () => {
  it("is what one would write by hand", () => {
    const chart = Testing.chart();
    new ServiceAccount(chart, "web", web);
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "web", namespace: "shop", annotations: ARN },
      },
    ]);
  });

  it("passes late annotation values through", () => {
    const chart = Testing.chart();
    const annotations = { "kubernetes.azure.com/acr-client-id": LATE };
    new ServiceAccount(chart, "web", { ...web, annotations });
    expect(Testing.synth(chart)[0].metadata.annotations).toEqual(annotations);
  });

  it("takes the labels of a user's own chart, but its own namespace", () => {
    const chart = ownChart();
    new ServiceAccount(chart, "web", { ...web, labels: { "app.kubernetes.io/name": "shop" } });
    expect(chart.toJson()[0].metadata).toMatchObject({
      namespace: "shop",
      labels: { "example.com/team": "a", "app.kubernetes.io/name": "shop" },
    });
  });

  it("exposes its subject and its manifest", () => {
    const account = new ServiceAccount(Testing.chart(), "web", web);
    expect(account.subject.toString()).toBe("system:serviceaccount:shop:web");
    expect(ApiObject.of(account)).toBe(account.resource);
  });

  // apimachinery, pkg/api/validation/objectmeta.go (annotations), pkg/apis/meta/v1/validation (labels).
  it.each([
    [{ namespace: "Shop" }, "identities-invalid"],
    [{ namespace: "shop.web" }, "identities-invalid"],
    [{ namespace: LATE }, "late-value"],
    [{ name: "web_1" }, "identities-invalid"],
    [{ name: "a/b" }, "identities-invalid"],
    [{ annotations: { "a/b/c": "x" } }, "kubernetes-invalid: annotation key"],
    [{ annotations: { "": "x" } }, "kubernetes-invalid: annotation key"],
    [{ annotations: { "exa mple.com/a": "x" } }, "kubernetes-invalid: annotation key"],
    [{ annotations: { ["a".repeat(64)]: "x" } }, "kubernetes-invalid: annotation key"],
    [{ annotations: { [LATE]: "x" } }, "late-value"],
    [{ labels: { a: "not valid" } }, "kubernetes-invalid: not a valid label"],
    [{ labels: { "A.example/a": "x" } }, "kubernetes-invalid: not a valid label"],
    [{ labels: { a: "x".repeat(64) } }, "kubernetes-invalid: not a valid label"],
  ])("refuses %j with %s", (wrong, code) => {
    const chart = Testing.chart();
    expect(() => new ServiceAccount(chart, "web", { ...web, ...wrong })).toThrowError(refusal(code));
  });

  it.each(["a", "Example.com/A_b.c-d", "example.com/a"])("accepts the annotation key %s", (key) => {
    const chart = Testing.chart();
    new ServiceAccount(chart, "web", { ...web, annotations: { [key]: "x" } });
    expect(Testing.synth(chart)[0].metadata.annotations).toEqual({ [key]: "x" });
  });
});

describe("one service account in one chart", () => {
  it.each([
    ["declared twice", ServiceAccount, ServiceAccount],
    ["declared and annotated", ServiceAccount, ServiceAccountAnnotations],
    ["annotated twice", ServiceAccountAnnotations, ServiceAccountAnnotations],
  ])("%s is refused, since applying both keeps one only", (_, First, Second) => {
    const chart = new Chart(new App(), "own");
    new First(chart, "a", web);
    expect(() => new Second(chart, "b", web)).toThrowError(
      refusal("kubernetes-conflict", {
        value: "shop/web",
        message: expect.stringContaining("own/a already writes"),
      }),
    );
  });

  it("may stand in two charts, which may be of two clusters, and beside its neighbours", () => {
    const app = new App();
    const [one, two] = [new Chart(app, "one"), new Chart(app, "two")];
    new ServiceAccount(one, "a", web);
    new ServiceAccount(two, "a", web);
    new ServiceAccount(one, "b", { ...web, namespace: "batch" });
    expect([one.toJson().length, two.toJson().length]).toEqual([2, 1]);
  });
});

describe("ServiceAccountAnnotations", () => {
  it("holds nothing but identity and annotations, whatever the chart adds", () => {
    const chart = ownChart();
    const annotations = new ServiceAccountAnnotations(chart, "web", web);
    expect(chart.toJson()).toEqual([
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "web", namespace: "shop", annotations: ARN },
      },
    ]);
    expect(annotations.subject.key).toBe("shop/web");
    expect(ApiObject.of(annotations)).toBe(annotations.resource);
  });

  it.each([
    [{ annotations: {} }, "kubernetes-missing: is empty"],
    [{ annotations: { "a b": "x" } }, "kubernetes-invalid: annotation key"],
    [{ namespace: "-" }, "identities-invalid"],
  ])("refuses %j with %s", (wrong, code) => {
    const chart = Testing.chart();
    expect(() => new ServiceAccountAnnotations(chart, "web", { ...web, ...wrong })).toThrowError(
      refusal(code),
    );
  });
});
