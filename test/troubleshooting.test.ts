import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECK_HELP, HELP } from "../lib/explain/check-help";
import { ROOT } from "./support/markdown";

const page = readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8");
const checks = Object.keys(HELP);

/** What stands after "Check:" or "Checks:", and in the tables' columns of checks. */
const named = [
  ...[...page.matchAll(/Checks?(?:, [^:]*)?:\s((?:`[a-z-]+`(?:,\s)?)+)/g)].map(([, list = ""]) => list),
  ...page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|")[2] ?? ""),
].flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, id = ""]) => id));

/** Nothing fails that a text could be searched for: it is asked before the change, the node's identity takes over, a secret lies open. */
const SILENT = ["still-pulled", "otherwise", "secret-free", "all-understood"];

/** Headings with what stands below them. */
const sections = page.split(/^### /m).slice(1);

it("every check is asked by a link of some job", () => {
  const asked = CHECK_HELP.map(({ id }) => id);
  expect(checks.filter((id) => !asked.includes(id))).toEqual([]);
});

describe("docs/troubleshooting.md", () => {
  it.each([
    "no basic auth credentials",
    'audience "…" not found in pod spec volume',
    "InvalidIdentityToken: No OpenIDConnect provider found in your account",
    "InvalidIdentityToken: Incorrect token audience",
    "InvalidIdentityToken: Couldn't retrieve verification key from your identity provider",
    "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
    "EntityAlreadyExists",
    "AADSTS70021",
    "AADSTS700211",
    "AADSTS700213",
    "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
    "The given credential is rejected by the attribute condition",
    "409: Requested entity already exists",
    "ErrImageNeverPull",
  ])("has an entry for %s, which says what finds it", (text) => {
    const found = sections.filter((section) => section.split("\n")[0]?.includes(`\`${text}`));
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toMatch(/Checks?\b[^:]*:|\| check\b/);
  });

  it("names checks that exist", () => {
    expect(named.filter((id) => !checks.includes(id))).toEqual([]);
  });

  it("leads to every check whose failure shows a text in a cluster or a cloud", () => {
    expect(checks.filter((id) => !named.includes(id))).toEqual(SILENT);
  });
});
