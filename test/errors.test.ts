import { Construct, RootConstruct } from "constructs";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../lib/error-codes";
import { type Problem, at, fail, isWorkloadIdentityError } from "../lib/errors";

const thrown = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

const subjectInvalid = (value: unknown): Problem => ({
  problem: "service account is not written as namespace/name",
  value,
  allowed: "namespace/name, for example shop/web",
  remedy: "write the namespace, one slash and the service account's name",
});

const shown = (value: unknown): string => {
  const error = thrown(() => fail("identities-invalid", subjectInvalid(value)));
  return isWorkloadIdentityError(error) ? (/, got (.*); allowed/s.exec(error.message)?.[1] ?? "") : "";
};

describe("WorkloadIdentityError", () => {
  it("says what is wrong, the value, what is allowed and what to do", () => {
    const error = thrown(() => fail("identities-invalid", subjectInvalid("web")));
    expect(error).toMatchObject({
      name: "WorkloadIdentityError",
      code: "identities-invalid",
      problem: "service account is not written as namespace/name",
      value: "web",
      allowed: "namespace/name, for example shop/web",
      remedy: "write the namespace, one slash and the service account's name",
      message:
        'service account is not written as namespace/name, got "web"; allowed: namespace/name, for example shop/web; ' +
        "write the namespace, one slash and the service account's name",
    });
    expect(Object.keys(error as object)).toEqual(["code", "name"]);
  });

  it("knows its codes", () => {
    expect(errorCodes).toEqual([...errorCodes].sort());
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes).toContain("image-invalid");
  });

  it.each<[unknown, string]>([
    ["a", '"a"'],
    [1, "1"],
    [null, "null"],
    [Symbol("x"), "Symbol(x)"],
    [() => 1, "a function"],
    [{ a: [1] }, '{"a":[1]}'],
    [{ a: 1n }, "an object without a JSON form"],
    [1n, "1"],
    [
      new Construct(new Construct(new RootConstruct("app"), "stack"), "role"),
      "a Construct at app/stack/role",
    ],
    [new Map(), "a Map"],
    ["x".repeat(400), `"${"x".repeat(299)}… (402 characters)`],
  ])("shows %s", (value, text) => {
    expect(shown(value)).toBe(text);
  });

  it("shows a circular value as such", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(shown(circular)).toBe("an object without a JSON form");
  });
});

describe("at", () => {
  const construct = new Construct(new RootConstruct("app"), "pulls");

  it("puts the construct's path before the message, once", () => {
    const failing = (): never =>
      at(construct, () => at(construct, () => fail("identities-invalid", subjectInvalid("web"))));
    expect(failing).toThrowError(/^app\/pulls: service account is not written/);
    expect(failing).toThrowError(expect.objectContaining({ code: "identities-invalid", value: "web" }));
  });

  it("tells a path from one that merely begins like it", () => {
    const longer = new Construct(new RootConstruct("app"), "pulls2");
    const failing = (): never =>
      at(construct, () => at(longer, () => fail("identities-invalid", subjectInvalid("web"))));
    expect(failing).toThrowError(/^app\/pulls: app\/pulls2: service account is not written/);
    const service = { node: { path: "service" } };
    expect(() => at(service, () => fail("identities-invalid", subjectInvalid("web")))).toThrowError(
      /^service: service account/,
    );
    const child = { node: { path: "app/pulls/web" } };
    expect(() =>
      at(construct, () => at(child, () => fail("identities-invalid", subjectInvalid("web")))),
    ).toThrowError(/^app\/pulls\/web: service account/);
  });

  it("keeps the stack of what failed, and its cause", () => {
    const cause = new RangeError("x");
    const inner = thrown(() => fail("identities-invalid", subjectInvalid("web"))) as Error;
    inner.cause = cause;
    const outer = thrown(() =>
      at(construct, () => {
        throw inner;
      }),
    ) as Error;
    expect(outer.stack).toBe(inner.stack?.replace(inner.message, () => outer.message));
    expect(outer.stack).not.toBe(inner.stack);
    expect(outer.cause).toBe(cause);
  });

  it("leaves other errors alone", () => {
    const other = new RangeError("x");
    expect(
      thrown(() =>
        at(construct, () => {
          throw other;
        }),
      ),
    ).toBe(other);
  });
});
