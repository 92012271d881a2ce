import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { type PlannedPull, type SpreadOptions, spread } from "../../../lib/rules/azure/identity-plan";
import { parseLoginServer } from "../../../lib/rules/azure/login-server";
import { pullPermissions } from "../../../lib/rules/azure/pull-permission";
import { shardOf } from "../../../lib/rules/azure/shard";

const PREFIX =
  "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries";

function pull(key: string, registry = "myteam"): PlannedPull {
  const permissions = pullPermissions([
    {
      registry: `${PREFIX}/${registry}`,
      loginServer: parseLoginServer(`${registry}.azurecr.io`),
      roleAssignmentMode: "LegacyRegistryPermissions",
      repositories: undefined,
    },
  ]);
  return { subject: Subject.of(key), permissions };
}

/** The identity of each service account. */
function places(pulls: readonly PlannedPull[], options: SpreadOptions): Map<string, string> {
  const identities = spread(pulls, options);
  return new Map(identities.flatMap((own) => own.subjects.map((s) => [s.key, own.identityName])));
}

describe("shardOf", () => {
  // The contract: `printf %s shop/web | sha256sum | cut -c1-8`, as a hexadecimal number, modulo the shards.
  it.each([
    ["shop/web", 4, 2],
    ["shop/jobs", 4, 1],
    ["shop/web", 16, 6],
    ["shop/jobs", 16, 13],
    ["default/default", 16, 2],
    ["team-a/api", 16, 2],
    ["acr-sa-test/acr-pull-sa", 16, 11],
    ["kube-system/builder", 16, 15],
    ["shop/web", 1, 0],
  ])("%s of %d is in %d", (key, shards, bucket) => {
    expect(shardOf(Subject.of(key), shards)).toBe(bucket);
  });

  it("is the big-endian number of the first four bytes, also above 2^31", () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,20}$/);
    fc.assert(
      fc.property(label, label, fc.integer({ min: 1, max: 65_536 }), (namespace, name, shards) => {
        const bytes = createHash("sha256").update(`${namespace}/${name}`).digest();
        expect(shardOf(Subject.of(`${namespace}/${name}`), shards)).toBe(bytes.readUInt32BE(0) % shards);
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, 65_537])("refuses %d shards", (shards) => {
    expect(() => shardOf(Subject.of("shop/web"), shards)).toThrowError(
      expect.objectContaining({ code: "azure-shards-invalid" }),
    );
  });
});

describe("spread", () => {
  it("gives each service account an identity of its own, named after it", () => {
    const identities = spread([pull("shop/web"), pull("shop/jobs.v2")], { namePrefix: "prod-eu" });
    expect(identities.map((own) => [own.id, own.identityName, own.subjects.map((s) => s.key)])).toEqual([
      ["shop_web", "prod-eu_shop_web", ["shop/web"]],
      ["shop_jobs.v2", "prod-eu_shop_jobs-v2_70769746", ["shop/jobs.v2"]],
    ]);
  });

  it("shares an identity only among equal permissions", () => {
    const pulls = [pull("a/one"), pull("b/two"), pull("c/three", "other")];
    const identities = spread(pulls, { namePrefix: "prod-eu", shards: 1 });
    expect(identities.map((own) => own.subjects.map((s) => s.key))).toEqual([
      ["a/one", "b/two"],
      ["c/three"],
    ]);
    for (const own of identities) expect(own.identityName).toMatch(/^prod-eu_pulls-[0-9a-f]{8}_0$/);
  });

  it("holds 20 in a bucket and refuses 21, saying what to do", () => {
    const pulls = (count: number): PlannedPull[] =>
      Array.from({ length: count }, (_, i) => pull(`shop/web-${i}`));
    expect(spread(pulls(20), { namePrefix: "p", shards: 1 })).toHaveLength(1);
    expect(() => spread(pulls(21), { namePrefix: "p", shards: 1 })).toThrowError(
      expect.objectContaining({
        code: "azure-credentials-too-many",
        value: 21,
        remedy: expect.stringContaining("raise shards (now 1)") as string,
      }),
    );
    expect(spread(pulls(21), { namePrefix: "p" })).toHaveLength(21);
  });

  it.each(["", "-x", "a_b", "a".repeat(64), "ä"])("refuses the prefix %s", (namePrefix) => {
    expect(() => spread([pull("shop/web")], { namePrefix })).toThrowError(
      expect.objectContaining({ code: "azure-name-invalid" }),
    );
  });

  it("never moves a service account when others come or go", () => {
    const key = fc.tuple(fc.stringMatching(/^[a-d]{1,3}$/), fc.stringMatching(/^[a-d]{1,3}$/));
    const entry = fc.tuple(key, fc.constantFrom("myteam", "other"));
    const entries = fc.uniqueArray(entry, {
      selector: ([[a, b]]) => `${a}/${b}`,
      minLength: 2,
      maxLength: 15,
    });
    const shards = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined });
    fc.assert(
      fc.property(entries, shards, (all, n) => {
        const options: SpreadOptions = { namePrefix: "prod-eu", shards: n };
        const pulls = all.map(([[namespace, name], registry]) => pull(`${namespace}/${name}`, registry));
        const [added, ...before] = pulls;
        const after = places(pulls, options);
        for (const [subject, identity] of places(before, options)) expect(after.get(subject)).toBe(identity);
        expect(after.has(added?.subject.key ?? "")).toBe(true);
      }),
    );
  });

  it("never gives two service accounts one name by accident", () => {
    const label = fc.stringMatching(/^[a-z]([-a-z]{0,60}[a-z])?$/);
    const account = fc.stringMatching(/^[a-z]([-.]?[a-z]){0,90}$/);
    const keys = fc.uniqueArray(fc.tuple(label, account), {
      selector: (pair) => pair.join("/"),
      maxLength: 8,
    });
    fc.assert(
      fc.property(keys, (pairs) => {
        const names = spread(
          pairs.map(([namespace, name]) => pull(`${namespace}/${name}`)),
          { namePrefix: "prod-eu" },
        ).map((own) => own.identityName);
        expect(new Set(names).size).toBe(pairs.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/);
      }),
    );
  });
});
