/*
 * What takes a `provider` gives it to everything that it declares: with the default one a resource would be made in
 * another account.
 */

import { Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { awsEntries } from "./aws-entries";
import { azureEntries } from "./azure-entries";
import type { Entry } from "./entry";
import { googleEntries } from "./google-entries";
import { World } from "./world";

type Blocks = Readonly<Record<string, Readonly<Record<string, { readonly provider?: string }>>>>;

/** The Terraform provider of each resource and data source, by address. */
function providersIn({ stack }: World): readonly (readonly [string, string | undefined])[] {
  const { resource = {}, data = {} } = JSON.parse(Testing.synth(stack)) as Readonly<Record<string, Blocks>>;
  return [resource, data].flatMap((blocks) =>
    Object.entries(blocks).flatMap(([type, named]) =>
      Object.entries(named).map(([name, { provider }]) => [`${type}.${name}`, provider] as const),
    ),
  );
}

/** Those that are told a provider. */
const TOLD = Object.entries({ aws: awsEntries, azurerm: azureEntries, google: googleEntries }).flatMap(
  ([cloud, entries]) =>
    Object.entries<Entry>(entries)
      .filter(([, { settings }]) => "provider" in settings(new World()))
      .map(([name, entry]) => [cloud, name, entry] as const),
);

describe.each(TOLD)("%s: %s", (cloud, _, { settings, call, declare }) => {
  it("gives its Terraform provider to everything", () => {
    const world = new World();
    const made = call(settings(world), world);
    declare?.(made, world);
    const providers = providersIn(world);
    expect(providers).not.toEqual([]);
    expect(providers.filter(([, provider]) => provider !== `${cloud}.other`)).toEqual([]);
  });
});

it("is asked of everything that takes one", () => {
  expect(TOLD.map(([cloud, name]) => `${cloud} ${name}`)).toContain("google IssuerBucket");
  expect(TOLD.length).toBeGreaterThan(35);
});
