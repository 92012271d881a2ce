import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownKubernetesMinors } from "../../../lib/rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../../lib/rules/kubelet/validate-credential-provider-config";

interface Case {
  readonly note: string;
  readonly gate?: boolean;
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly document?: unknown;
  readonly outcomes: Readonly<Record<string, string>>;
}

const { cases } = JSON.parse(
  readFileSync(join(__dirname, "../../fixtures/kubelet/credential-provider-config.json"), "utf8"),
) as { cases: readonly Case[] };

const smallest = {
  name: "a",
  matchImages: ["x.io"],
  defaultCacheDuration: "1m",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
};

function file(...providers: readonly unknown[]): unknown {
  return { apiVersion: "kubelet.config.k8s.io/v1", kind: "CredentialProviderConfig", providers };
}

function gates(on: boolean): Readonly<Record<string, boolean>> {
  return { KubeletServiceAccountTokenForCredentialProviders: on };
}

/** One message stands bare, several as `[a, b, c]`: how the kubelet prints an aggregate. */
function aggregate(document: unknown, kubelet: string, gate: boolean | undefined): string {
  const options = gate === undefined ? { kubelet } : { kubelet, featureGates: gates(gate) };
  const messages = validateCredentialProviderConfig(document, options).map(({ message }) => message);
  const text = messages.length > 1 ? `[${messages.join(", ")}]` : messages.join("");
  return text.replace(/in scheme ".*"$/, "in scheme …");
}

describe.each(knownKubernetesMinors)("as kubelet %s does", (kubelet) => {
  it.each(cases)("$note", ({ provider, document, gate, outcomes }) => {
    const since = Object.keys(outcomes)
      .filter((minor) => minor <= kubelet)
      .at(-1);
    const actual = aggregate(provider ? file({ ...smallest, ...provider }) : document, kubelet, gate);
    expect(actual).toBe(outcomes[since ?? ""]);
  });
});

describe("validateCredentialProviderConfig", () => {
  // The line in plugin.go where the scheme is made, part of the text.
  it.each([
    ["1.31", 58],
    ["1.32", 58],
    ["1.33", 66],
    ["1.34", 69],
    ["1.36", 69],
  ])("names the scheme of %s", (kubelet, line) => {
    const document = { apiVersion: "v1", kind: "X" };
    expect(validateCredentialProviderConfig(document, { kubelet })).toEqual([
      {
        field: "kind",
        message: `no kind "X" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/credentialprovider/plugin/plugin.go:${line}"`,
      },
    ]);
  });

  it("gives the field beside the message", () => {
    const document = file({ ...smallest, name: "a b", matchImages: ["%zz"] });
    expect(validateCredentialProviderConfig(document, { kubelet: "1.35" })).toEqual([
      {
        field: "providers.name",
        message: 'providers.name: Invalid value: "a b": provider name cannot contain spaces',
      },
      {
        field: "providers.matchImages",
        message:
          'providers.matchImages: Invalid value: "%zz": match image is invalid: parse "https://%zz": invalid URL escape "%zz"',
      },
    ]);
    expect(validateCredentialProviderConfig(file({ ...smallest, x: 1 }), { kubelet: "1.35" })).toEqual([
      { field: "providers[0].x", message: 'strict decoding error: unknown field "providers[0].x"' },
    ]);
  });

  it("keeps no more than 100 unknown fields, as the decoder does", () => {
    const extra = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));
    const [issue] = validateCredentialProviderConfig(file({ ...smallest, ...extra }), { kubelet: "1.36" });
    expect(issue?.message.match(/unknown field/g)).toHaveLength(100);
  });

  it.each([
    ["1.38", "version-unknown"],
    ["1.30", "version-unknown"],
    ["2.0", "version-unknown"],
    ["next", "version-invalid"],
  ])("refuses to speak for kubelet %s", (kubelet, code) => {
    expect(() => validateCredentialProviderConfig(file(smallest), { kubelet })).toThrowError(
      expect.objectContaining({ code }) as Error,
    );
  });

  it("takes a patch level for its minor", () => {
    expect(validateCredentialProviderConfig(file(smallest), { kubelet: "v1.34.9" })).toEqual([]);
  });

  it("never throws on a document, whatever it holds", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        for (const document of [value, file(value), file({ ...smallest, tokenAttributes: value })]) {
          expect(Array.isArray(validateCredentialProviderConfig(document, { kubelet: "1.36" }))).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("never throws on a document whose properties do", () => {
    const document = {
      get apiVersion(): string {
        throw new Error("no");
      },
    };
    expect(validateCredentialProviderConfig(document, { kubelet: "1.36" })).toEqual([
      { field: "", message: "the given value cannot be read as a parsed document" },
    ]);
  });

  it("refuses to answer for no version", () => {
    expect(() => validateCredentialProviderConfig({}, undefined as never)).toThrowError(
      expect.objectContaining({ code: "property-missing" }) as Error,
    );
  });

  it("ends on cycles and on depth", () => {
    const cycle: Record<string, unknown> = {};
    cycle["a"] = cycle;
    cycle["b"] = [cycle];
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    for (const document of [cycle, deep, file(cycle), file({ ...smallest, env: [cycle] })]) {
      expect(validateCredentialProviderConfig(document, { kubelet: "1.36" })).toHaveLength(1);
    }
    const [issue] = validateCredentialProviderConfig(cycle, { kubelet: "1.36" });
    expect(issue?.message).toMatch(/^Object 'Kind' is missing in '\{"a":\{"a":/);
  });
});
