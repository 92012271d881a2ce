/*
 * Names in the three clouds, whole: which characters they take at each place, and how long they may be. Sources: the
 * clouds' own references, named beside each rule in lib/rules.
 */

import { describe, expect, it } from "vitest";
import { accountId, parseRoleArn } from "../../lib/rules/aws/arn";
import { customAttributeName } from "../../lib/rules/google/mapping";
import {
  bucketName as googleBucket,
  projectId,
  projectNumber,
  serviceAccountId,
  workloadIdentityId,
} from "../../lib/rules/google/names";
import { repositoryName as googleRepository, imagePatterns } from "../../lib/rules/google/registry";
import { customRoleId } from "../../lib/rules/google/role";
import { ccoctlNameOf, roleDescription, roleName, rolePath } from "../../lib/rules/aws/names";
import { repositoryName as ecrRepository } from "../../lib/rules/aws/registry";
import { eksClusterName } from "../../lib/rules/aws/spoke";
import { bucketName as awsBucket } from "../../lib/rules/aws/issuer";
import { guid, identityName, parseClusterId, parseRegistryId } from "../../lib/rules/azure/names";
import { identityNamePrefix } from "../../lib/rules/azure/pull";
import { blobContainerName, storageAccountName } from "../../lib/rules/azure/issuer";
import { DIGITS, LETTERS, LOWER, passes, sorted, takenCharacters } from "../support/characters";

/** A rule, the characters at the first place, within, and at the last place, and the lengths. */
type Row = readonly [
  rule: string,
  check: (name: string) => unknown,
  first: string,
  within: string,
  last: string,
  lengths: readonly [min: number, max: number],
];

const AZURE = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/g/providers";
const lower = `${DIGITS}${LOWER}`;
const alnum = `${DIGITS}${LETTERS}`;
const ROLE = `${alnum}_+=,.@-`;
const visible = Array.from({ length: 94 }, (_, code) => String.fromCharCode(0x21 + code)).join("");

const ROWS: readonly Row[] = [
  ["name of an EKS cluster", eksClusterName, alnum, `${alnum}_-`, `${alnum}_-`, [1, 100]],
  ["name of an S3 bucket", awsBucket, lower, `${lower}-`, lower, [3, 63]],
  ["name of ccoctl", ccoctlNameOf, `${alnum}._-`, `${alnum}._-`, `${alnum}._-`, [1, 89]],
  ["repository of ECR", ecrRepository, lower, `${lower}._-/`, lower, [2, 256]],
  [
    "role in an ARN",
    (name) => parseRoleArn(`arn:aws:iam::111122223333:role/${name}`),
    ROLE,
    // `/` ends the path.
    `${ROLE}/`,
    ROLE,
    [1, 64],
  ],
  ["storage account", storageAccountName, lower, lower, lower, [3, 24]],
  ["blob container", blobContainerName, lower, `${lower}-`, lower, [3, 63]],
  [
    "container registry",
    (name) => parseRegistryId(`${AZURE}/Microsoft.ContainerRegistry/registries/${name}`),
    alnum,
    alnum,
    alnum,
    [5, 50],
  ],
  [
    "AKS cluster",
    (name) => parseClusterId(`${AZURE}/Microsoft.ContainerService/managedClusters/${name}`),
    alnum,
    `${alnum}_-`,
    alnum,
    [1, 63],
  ],
  ["user-assigned identity", identityName, alnum, `${alnum}_-`, `${alnum}_-`, [3, 128]],
  ["prefix of identities", identityNamePrefix, alnum, `${alnum}-`, `${alnum}-`, [1, 63]],
  ["Google project", projectId, LOWER, `${lower}-`, lower, [6, 30]],
  ["domain of a project", (name) => projectId(`${name}.com:project`), lower, `${lower}-.`, lower, [1, 63]],
  ["project in a domain", (name) => projectId(`a.com:${name}`), LOWER, `${lower}-`, lower, [1, 63]],
  ["project number", projectNumber, DIGITS.slice(1), DIGITS, DIGITS, [1, 19]],
  [
    "workload identity pool",
    (name) => workloadIdentityId("pool", name),
    `${lower}-`,
    `${lower}-`,
    `${lower}-`,
    [4, 32],
  ],
  ["Google service account", serviceAccountId, LOWER, `${lower}-`, lower, [6, 30]],
  ["custom role", customRoleId, `${alnum}_.`, `${alnum}_.`, `${alnum}_.`, [3, 64]],
  ["custom attribute", customAttributeName, `${lower}_`, `${lower}_`, `${lower}_`, [1, 100]],
  ["Google bucket", googleBucket, lower, `${lower}-_`, lower, [3, 63]],
  ["Artifact Registry repository", googleRepository, LOWER, `${lower}-`, lower, [1, 63]],
  [
    "image pattern",
    (name) => imagePatterns("europe-docker.pkg.dev", [name]),
    `${lower}*`,
    `${lower}._*-/`,
    `${lower}*`,
    [1, 400],
  ],
];

/** A name of a good length with the character at a place; digits where a rule takes nothing else. */
function filled(check: Row[1], min: number, at: (fill: string) => string): string {
  const fill = passes(() => check("a".repeat(Math.max(min, 8)))) ? "a" : "1";
  return at(fill.repeat(Math.max(min, 4)));
}

describe.each(ROWS)("%s", (_, check, first, within, last, [min, max]) => {
  const taken = (at: (fill: string, each: string) => string): string =>
    takenCharacters((each) => passes(() => check(filled(check, min, (fill) => at(fill, each)))));

  it("takes these characters", () => {
    expect(taken((fill, each) => each + fill)).toBe(sorted(first));
    expect(taken((fill, each) => fill + each + fill)).toBe(sorted(within));
    expect(taken((fill, each) => fill + each)).toBe(sorted(last));
  });

  it(`has ${min} to ${max} characters`, () => {
    const fits = (length: number): boolean =>
      passes(() => check("a".repeat(length))) || passes(() => check("1".repeat(length)));
    expect([fits(min - 1), fits(min), fits(max)]).toEqual([false, true, true]);
    if (max < 400) expect(fits(max + 1)).toBe(false);
  });
});

describe("texts of IAM", () => {
  it("role names, longer ones cut", () => {
    expect(takenCharacters((each) => passes(() => roleName(`a${each}a`)))).toBe(sorted(ROLE));
  });

  it("paths", () => {
    expect(takenCharacters((each) => passes(() => rolePath(`/a${each}/`)))).toBe(visible);
    expect(["/", "//", "/a", "a/", ""].filter((path) => passes(() => rolePath(path)))).toEqual(["/"]);
  });

  it("descriptions: Latin-1 without most of its control characters", () => {
    const taken = takenCharacters((each) => passes(() => roleDescription(`a${each}a`, "description")));
    expect(taken).toBe(`\t\n\r ${visible}é`);
  });

  it("account ids: twelve digits", () => {
    expect(takenCharacters((each) => passes(() => accountId(`${each}11122223333`)))).toBe(DIGITS);
    expect([11, 12, 13].map((length) => passes(() => accountId("1".repeat(length))))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

it("GUIDs: hexadecimal digits in groups", () => {
  const check = (text: string): boolean => passes(() => guid("tenant", text));
  const good = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
  expect(takenCharacters((each) => check(`${each}${good.slice(1)}`))).toBe(sorted(`${DIGITS}abcdefABCDEF`));
  const groups = good.split("-");
  for (const index of groups.keys()) {
    const changed = (group: (text: string) => string): string =>
      groups.map((text, at) => (at === index ? group(text) : text)).join("-");
    expect(check(changed((text) => `${text}0`))).toBe(false);
    expect(check(changed((text) => text.slice(1)))).toBe(false);
    expect(takenCharacters((each) => check(changed((text) => each + text.slice(1))))).toBe(
      sorted(`${DIGITS}abcdefABCDEF`),
    );
  }
  expect(check(`${good}-0000`)).toBe(false);
});
