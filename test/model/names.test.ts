/*
 * Names as Kubernetes checks them (apimachinery, pkg/util/validation: IsDNS1123Label, IsDNS1123Subdomain), paths of node
 * files, and names that others rely on.
 */

import { describe, expect, it } from "vitest";
import { COMPONENT_AUDIENCE, COMPONENT_TOKEN_PATH } from "../../lib/model/components";
import { isDnsLabel, isDnsSubdomain } from "../../lib/model/kubernetes-name";
import { isCleanPath } from "../../lib/model/node-file";
import { PROOF_CONTEXT } from "../../lib/model/proof-context";
import { compareVersions, minorOf } from "../../lib/model/version";
import { DIGITS, LOWER, sorted, takenCharacters } from "../support/characters";

const EDGE = sorted(DIGITS + LOWER);
const INNER = sorted(`-${DIGITS}${LOWER}`);

describe("a DNS label", () => {
  it("has these characters at its ends, in it, and alone", () => {
    expect(takenCharacters((each) => isDnsLabel(`${each}aa`))).toBe(EDGE);
    expect(takenCharacters((each) => isDnsLabel(`a${each}a`))).toBe(INNER);
    expect(takenCharacters((each) => isDnsLabel(`aa${each}`))).toBe(EDGE);
    expect(takenCharacters((each) => isDnsLabel(each))).toBe(EDGE);
  });

  it("has 1 to 63 characters", () => {
    expect([0, 1, 63, 64].map((length) => isDnsLabel("a".repeat(length)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("a DNS subdomain", () => {
  it.each([
    ["alone", ""],
    ["behind a dot", "aa."],
  ])("has these characters in each part, %s", (_, before) => {
    expect(takenCharacters((each) => isDnsSubdomain(`${before}${each}aa`))).toBe(EDGE);
    expect(takenCharacters((each) => isDnsSubdomain(`${before}a${each}a`))).toBe(sorted(`${INNER}.`));
    expect(takenCharacters((each) => isDnsSubdomain(`${before}aa${each}`))).toBe(EDGE);
    expect(takenCharacters((each) => isDnsSubdomain(`${before}${each}`))).toBe(EDGE);
  });

  it("has 1 to 253 characters, and no empty part", () => {
    expect([0, 1, 253, 254].map((length) => isDnsSubdomain("a".repeat(length)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(["a..a", "a.-a", "a-.a"].map((name) => isDnsSubdomain(name))).toEqual([false, false, false]);
  });
});

describe("a clean path", () => {
  it("has any character but a zero byte, and no segment that means another", () => {
    const all = takenCharacters((each) => isCleanPath(`/a${each}b`));
    expect(takenCharacters(() => true).replace(all, "")).toBe("\0");
    expect(
      ["/.", "/a/.", "/..", "/a/../b", "/...", "/a/.b", "/a//b", "/a/", "a"].map((path) => isCleanPath(path)),
    ).toEqual([false, false, false, false, true, true, false, false, false]);
  });
});

it("versions end with a pre-release or a build, or with their numbers", () => {
  expect(["1.35.2-rc.1", "1.35.2+k3s1", "1.35-x", "v1.35"].map((version) => minorOf("x", version))).toEqual([
    "1.35",
    "1.35",
    "1.35",
    "1.35",
  ]);
  expect(
    takenCharacters((each) => {
      try {
        return minorOf("x", `1.35${each}x`) === "1.35";
      } catch {
        return false;
      }
    }),
  ).toBe("+-");
  expect([
    compareVersions("2.0", "1.9"),
    compareVersions("1.9", "1.10"),
    compareVersions("1.9", "1.9.0"),
  ]).toEqual([1, -1, 0]);
});

it("names that others write or read", () => {
  expect([COMPONENT_AUDIENCE, COMPONENT_TOKEN_PATH, PROOF_CONTEXT]).toEqual([
    "openshift",
    "/var/run/secrets/openshift/serviceaccount/token",
    "cdktf-workload-identity/proof",
  ]);
});
