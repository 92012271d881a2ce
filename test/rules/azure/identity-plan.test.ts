import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import {
  type PlannedPull,
  type SpreadOptions,
  bucketOf,
  shardOf,
  spread,
} from "../../../lib/rules/azure/pull";
import { parseLoginServer } from "../../../lib/rules/azure/registry";
import { pullPermissions } from "../../../lib/rules/azure/permission";
import { refusal } from "../../support/refusal";

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
  // The contract: `printf %s shop/web | sha256sum | cut -c1-16`, as a hexadecimal number, given to the Go package
  // github.com/dgryski/go-jump at e1f439676b57.
  it.each([
    ["shop/web", [0, 3, 3, 3, 977, 10586]],
    ["shop/jobs", [0, 2, 2, 2, 381, 55171]],
    ["default/default", [0, 0, 9, 9, 896, 12998]],
    ["team-a/api", [0, 2, 13, 13, 226, 17213]],
    ["acr-sa-test/acr-pull-sa", [0, 3, 3, 3, 185, 43916]],
    ["kube-system/builder", [0, 2, 2, 2, 68, 45795]],
  ])("%s of 1, 4, 16, 17, 1000 and 65536 is in %j", (key, buckets) => {
    expect([1, 4, 16, 17, 1000, 65_536].map((shards) => shardOf(Subject.of(key), shards))).toEqual(buckets);
  });

  // The first five rows are that package's own test table.
  it.each([
    [1n, 1, 0],
    [42n, 57, 43],
    [0xdead10ccn, 1, 0],
    [0xdead10ccn, 666, 361],
    [256n, 1024, 520],
    [1n << 63n, 1000, 453],
    [(1n << 64n) - 1n, 65_536, 18_311],
  ])("%d of %d is in %d", (seed, buckets, bucket) => {
    expect(bucketOf(seed, buckets)).toBe(bucket);
  });

  it("moves with one more shard only into the new one, and few", () => {
    const subjects = Array.from({ length: 2000 }, (_, i) => Subject.of(`team-${i % 37}/app-${i}`));
    for (const shards of [1, 2, 9, 50]) {
      const moved = subjects.filter((own) => shardOf(own, shards) !== shardOf(own, shards + 1));
      for (const own of moved) expect(shardOf(own, shards + 1)).toBe(shards);
      const expected = subjects.length / (shards + 1);
      expect(moved.length).toBeGreaterThan(expected / 2);
      expect(moved.length).toBeLessThan(expected * 1.5);
    }
  });

  it.each([0, -1, 1.5, Number.NaN, 65_537])("refuses %d shards", (shards) => {
    expect(() => shardOf(Subject.of("shop/web"), shards)).toThrowError(refusal("azure-invalid: shards"));
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
      refusal("azure-limit: federated identity credentials", {
        value: 21,
        remedy:
          "set shards to 2 (now 1), so that all service accounts fit; about 50 % of them then move to another identity, so plan that apply; or remove `shards` to get one identity per service account",
      }),
    );
    expect(spread(pulls(21), { namePrefix: "p", shards: 2 })).toHaveLength(2);
    const moving = { namePrefix: "p", shards: 1, issuers: 2 };
    expect(spread(pulls(10), moving)).toHaveLength(1);
    expect(() => spread(pulls(11), moving)).toThrowError(
      refusal("azure-limit", {
        value: 22,
        remedy: expect.stringMatching(/^set shards to 2 \(now 1\)/) as string,
      }),
    );
    expect(spread(pulls(21), { namePrefix: "p" })).toHaveLength(21);
  });

  it("computes a number of shards for every permission set at once", () => {
    const pulls = ["myteam", "other"].flatMap((registry) =>
      Array.from({ length: 150 }, (_, i) => pull(`${registry}/web-${i}`, registry)),
    );
    const attempt = (shards: number): unknown => {
      try {
        return spread(pulls, { namePrefix: "p", shards });
      } catch (error) {
        return error;
      }
    };
    const [, fitting] = /set shards to (\d+) /.exec(String(attempt(3))) ?? [];
    expect(attempt(Number(fitting))).toBeInstanceOf(Array);
    expect(Number(fitting)).toBeGreaterThan(3);
  });

  it.each(["", "-x", "a_b", "a".repeat(64), "ä"])("refuses the prefix %s", (namePrefix) => {
    expect(() => spread([pull("shop/web")], { namePrefix })).toThrowError(
      refusal("azure-invalid: is not a valid name"),
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
