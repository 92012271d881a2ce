import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../../lib/errors";
import { lookupRepository } from "../../../lib/rules/kubelet/image-reference";
import { refusal } from "../../support/refusal";
import { runsOf } from "../../support/sample";

type Row = readonly [image: string, repository: string | null, error?: string];

const { cases } = JSON.parse(
  readFileSync(join(__dirname, "../../fixtures/kubelet/image-names.json"), "utf8"),
) as { cases: readonly Row[] };

/** `{a*64}` stands for 64 times a. */
function grow(text: string): string {
  return text.replace(/\{(\w)\*(\d+)\}/g, (_, letter: string, times: string) => letter.repeat(Number(times)));
}

const accepted = cases.flatMap(([image, repository]) =>
  repository === null ? [] : [{ image: grow(image), repository: grow(repository) }],
);
const refused = cases.flatMap(([image, repository, error = ""]) =>
  repository === null ? [{ image: grow(image), error: grow(error) }] : [],
);

describe("lookupRepository", () => {
  it.each(accepted)("looks $image up as $repository", ({ image, repository }) => {
    expect(lookupRepository(image)).toBe(repository);
  });

  it.each(refused)("refuses $image: $error", ({ image, error }) => {
    const problem = expect.stringMatching(/^the kubelet refuses this image name/) as string;
    expect(() => lookupRepository(image)).toThrowError(refusal("image-invalid", { problem }) as Error);
    expect(() => lookupRepository(image)).toThrowError(`: ${error}, got `);
  });

  it.each([
    [undefined, "image-invalid"],
    [5, "image-invalid"],
    ["${TfToken[TOKEN.1]}/app", "late-value"],
  ])("refuses %j with %s", (image, code) => {
    expect(() => lookupRepository(image as string)).toThrowError(refusal(code) as Error);
  });

  it("refuses what cannot be shown as text", () => {
    for (const image of [1n, Symbol("a"), {}])
      expect(() => lookupRepository(image as unknown as string)).toThrowError(
        refusal("image-invalid", { value: typeof image }) as Error,
      );
  });

  it("has the kubelet's own text, and a remedy, in the message", () => {
    expect(() => lookupRepository("acme/Tool")).toThrowError(
      'the kubelet refuses this image name (InvalidImageName): couldn\'t parse image name "acme/Tool": invalid ' +
        'reference format: repository name (acme/Tool) must be lowercase, got "acme/Tool"; allowed: ' +
        "[registry[:port]/]path[:tag][@digest], the path in lower case; write the image in a form that `podman pull` or " +
        "`docker pull` accepts",
    );
  });

  it("throws nothing but its own code", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (image) => {
        try {
          expect(lookupRepository(image)).toContain("/");
        } catch (error) {
          expect(isWorkloadIdentityError(error) && error.code).toBe("image-invalid");
        }
      }),
      { numRuns: runsOf(2000, 5) },
    );
  });

  it("drops tag and digest, and is its own fixed point", () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    const tail = fc.constantFrom("", ":v1", `@sha256:${"a".repeat(64)}`, `:v1@sha256:${"b".repeat(64)}`);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), tail, (parts, suffix) => {
        const repository = lookupRepository(`registry.example.com:5000/${parts.join("/")}${suffix}`);
        expect(repository).toBe(`registry.example.com:5000/${parts.join("/")}`);
        expect(lookupRepository(repository)).toBe(repository);
      }),
    );
  });

  it.each(["a", "a-", "a.", "a/", ":", "@", "[", "A", "_", "f"])(
    "takes linear time for a million times %j",
    (text) => {
      const image = text.repeat(1 << 20);
      expect(() => lookupRepository(image)).toThrowError(refusal("image-invalid") as Error);
    },
    20_000,
  );
});
