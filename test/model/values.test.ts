import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateAudience } from "../../lib/model/audience";
import { Duration } from "../../lib/model/duration";
import { clusterName } from "../../lib/model/kubernetes-name";
import { LateEncoding, encode, encodeNow, isLate, literal } from "../../lib/model/late";
import { nodeFile } from "../../lib/model/node-file";
import { Subject } from "../../lib/model/subject";
import { compareVersions, minorOf, parseVersion } from "../../lib/model/version";

const LATE = "${TfToken[TOKEN.7]}";
/** The double that cdktf writes for a late number. */
const LATE_NUMBER = -8.109562212591381e298;

const code = (expected: string): unknown => expect.objectContaining({ code: expected });

describe("Subject", () => {
  it("prints the sub claim that kube-apiserver writes", () => {
    const subject = Subject.of("shop/web.v2");
    expect([subject.key, String(subject)]).toEqual(["shop/web.v2", "system:serviceaccount:shop:web.v2"]);
    expect(Subject.of(subject)).toBe(subject);
  });

  it.each([
    ["web", "identities-invalid"],
    ["shop/web/x", "identities-invalid"],
    ["", "identities-invalid"],
    ["/web", "identities-invalid"],
    ["Shop/web", "identities-invalid"],
    ["sh.op/web", "identities-invalid"],
    ["-shop/web", "identities-invalid"],
    [`${"n".repeat(64)}/web`, "identities-invalid"],
    ["shop/", "identities-invalid"],
    ["shop/Web", "identities-invalid"],
    ["shop/we_b", "identities-invalid"],
    ["shop/*", "identities-invalid"],
    ["*/web", "identities-invalid"],
    ["undefined/web", "property-invalid"],
    ["shop/a..b", "identities-invalid"],
    [`shop/${"a".repeat(254)}`, "identities-invalid"],
    [`${LATE}/web`, "late-value"],
  ])("refuses %s with %s", (value, expected) => {
    expect(() => Subject.of(value)).toThrowError(code(expected));
  });

  it.each(["shop/*", "*/web", "shop/we?"])("says of %s that it is a pattern", (pattern) => {
    expect(() => Subject.of(pattern)).toThrowError(
      /^service account is a pattern, but one service account is meant, .* `wildcards` of `trusts` of PullRole and WorkloadRole/,
    );
  });

  it("accepts the longest names and one-letter names", () => {
    expect(Subject.of(`${"n".repeat(63)}/${"a".repeat(253)}`).name).toHaveLength(253);
    expect(Subject.of("n/a").key).toBe("n/a");
  });
});

describe("clusterName", () => {
  it("is a DNS label", () => {
    expect(clusterName("prod-eu")).toBe("prod-eu");
    for (const bad of ["", "prod.eu", "Prod", "prod_eu", "a".repeat(64)]) {
      expect(() => clusterName(bad)).toThrowError(code("cluster-invalid"));
    }
  });
});

describe("validateAudience", () => {
  it.each(["sts.amazonaws.com", "api://AzureADTokenExchange", "openshift", "x".repeat(256)])(
    "accepts %s",
    (value) => {
      expect(validateAudience(value)).toBe(value);
    },
  );

  it.each([
    ["", "audience-invalid"],
    [" ", "audience-invalid"],
    ["a b", "audience-invalid"],
    ["a\n", "audience-invalid"],
    ["ä", "audience-invalid"],
    ["*", "audience-invalid"],
    ["x".repeat(257), "audience-invalid"],
    [LATE, "late-value"],
  ])("refuses %j with %s", (value, expected) => {
    expect(() => validateAudience(value)).toThrowError(code(expected));
  });
});

describe("Duration", () => {
  it.each([
    [Duration.hours(12), "12h"],
    [Duration.minutes(10), "10m"],
    [Duration.seconds(90), "1m30s"],
    [Duration.seconds(3661), "1h1m1s"],
    [Duration.seconds(0), "0s"],
  ])("prints the form of Go's time.ParseDuration", (duration, text) => {
    expect(duration.toString()).toBe(text);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s seconds", (amount) => {
    expect(() => Duration.seconds(amount)).toThrowError(code("property-invalid"));
  });
});

describe("versions", () => {
  it("reads the forms that people write", () => {
    expect(parseVersion("kubelet", "1.35")).toEqual({ major: 1, minor: 35, patch: undefined });
    expect(parseVersion("kubelet", "v1.35.2+k3s1")).toEqual({ major: 1, minor: 35, patch: 2 });
    expect(minorOf("kubelet", "v1.30.1")).toBe("1.30");
    expect(["1.9", "1.10", "1.10.2"].sort(compareVersions)).toEqual(["1.9", "1.10", "1.10.2"]);
  });

  it.each(["", "1", "1.x", "latest", "1.35.2.1"])("refuses %j", (version) => {
    expect(() => parseVersion("kubelet", version)).toThrowError(code("version-invalid"));
  });
});

describe("nodeFile", () => {
  const file = { path: "/etc/kubernetes/a.yaml", mode: 0o644, content: "" };

  it.each(["etc/a", "/etc//a", "/etc/../a", "/etc/./a", "/etc/a/", "/", ""])(
    "refuses the path %j",
    (path) => {
      expect(() => nodeFile({ ...file, path })).toThrowError(code("node-invalid"));
    },
  );

  it.each([-1, 0o1000, 420.5])("refuses the mode %s", (mode) => {
    expect(() => nodeFile({ ...file, mode })).toThrowError(code("node-invalid"));
  });

  it.each([undefined, null, 1, {}])("refuses the content %j, which is not a string", (content) => {
    expect(() => nodeFile({ ...file, content: content as unknown as string })).toThrowError(
      expect.objectContaining({ message: expect.stringMatching(/^content of nodeFile\(\) is /) as string }),
    );
  });

  it("returns a good one", () => {
    expect(nodeFile(file)).toBe(file);
  });
});

describe("late values", () => {
  it.each([
    [LATE, true],
    [`prefix-${LATE}`, true],
    ["#{TfToken[TOKEN.4]}", true],
    ["&{TfToken[TOKEN.4]}", true],
    [["a", LATE], true],
    [{ a: { b: LATE } }, true],
    [{ [LATE]: 1 }, true],
    [LATE_NUMBER, true],
    [new LateEncoding("base64", "x"), true],
    ["${aws_iam_role.r.arn}", false],
    ["TfToken[", false],
    [1, false],
    [-8e298, false],
    [null, false],
    [undefined, false],
  ])("recognises %j as %s", (value, expected) => {
    expect(isLate(value)).toBe(expected);
  });

  it("looks into what holds itself, and into what is very deep", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = [circular];
    expect(isLate(circular)).toBe(false);
    circular["late"] = LATE;
    expect(isLate(circular)).toBe(true);
    let deep: object = { a: LATE };
    for (let depth = 0; depth < 20_000; depth++) deep = { a: deep, b: [deep] };
    expect(isLate(deep)).toBe(true);
  });

  it("names the property where a literal is needed", () => {
    expect(() => literal(LATE, "cluster.issuer")).toThrowError(
      /^cluster\.issuer is known only after Terraform apply/,
    );
  });

  it("encodes literal text at once and leaves late text for bind", () => {
    expect(encode("base64", "ä")).toBe("w6Q=");
    expect(encode("data-url", "a")).toBe("data:text/plain;charset=utf-8;base64,YQ==");
    expect(encode("data-url", LATE)).toEqual(new LateEncoding("data-url", LATE));
  });

  it("refuses to be written by a cdk8s App that does not know late values", () => {
    expect(() => new LateEncoding("base64", LATE).resolve()).toThrowError(code("manifest-missing"));
  });

  it("loses nothing in encoding", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(Buffer.from(encodeNow("base64", text), "base64").toString("utf8")).toBe(text);
      }),
    );
  });
});
