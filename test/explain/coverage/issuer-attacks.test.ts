/*
 * Each argument of what hosts an issuer that is neither harmless nor computed gets a hostile value, and no chain that
 * asks the issuer for its keys stays allowed. The tables and the providers' schemas name the same arguments.
 */

import { describe, expect, it, test } from "vitest";
import {
  DISTRIBUTION,
  PRIVATE_BUCKET,
  PUBLIC_BUCKET,
  S3_DOCUMENT,
} from "../../../lib/explain/coverage/aws-issuer";
import { BLOB, STORAGE } from "../../../lib/explain/coverage/azure-issuer";
import { type Coverage, type Rows, words } from "../../../lib/explain/coverage/coverage";
import { OBJECT, STORAGE as GOOGLE_STORAGE } from "../../../lib/explain/coverage/google-issuer";
import { list, record } from "../../../lib/model/parsed";
import { answer } from "../../fixtures/explain/checks";
import { type Change, type Configuration, added, configured } from "../../fixtures/explain/configuration";
import { TERRAFORM } from "../../fixtures/explain/access";
import { type Host, hosted, workloadAt } from "../../fixtures/explain/issuer-hosts";
import { type BlockSchema, schemaOf } from "../../support/provider-schema";
import { sampleNote, sampleOf } from "../../support/sample";

const TABLES: readonly (readonly [Host, Rows])[] = [
  ["S3, public", { ...PUBLIC_BUCKET, ...S3_DOCUMENT }],
  ["CloudFront", { ...PRIVATE_BUCKET, ...S3_DOCUMENT, ...DISTRIBUTION }],
  ["container", { ...STORAGE, ...BLOB }],
  ["website", { ...STORAGE, ...BLOB }],
  ["Cloud Storage", { ...GOOGLE_STORAGE, ...OBJECT }],
];

/** What is not read and may change what it names. */
const BESIDE: readonly { name: string; beside: (reference: string) => Change }[] = [
  {
    name: "a module",
    beside: (reference) => (all) =>
      Object.assign(all, { module: { cdn: { source: "./cdn", origin: reference } } }),
  },
  {
    name: "a program",
    beside: (reference) =>
      added("terraform_data", { input: reference, provisioner: [{ "local-exec": { command: "sync" } }] }),
  },
  { name: "a template", beside: (name) => added("aws_cloudformation_stack", { parameters: { name } }) },
];

/** What no value closes, and why. */
const OPEN: readonly string[] = [
  // Without this part S3 encrypts with its own keys.
  "aws_s3_bucket_server_side_encryption_configuration.bucket",
  // The issuer is at the distribution's own domain.
  "aws_cloudfront_distribution.aliases",
  // azurerm takes only one of this and the id.
  "azurerm_storage_container.storage_account_name",
];
/** What no value closes for a website, whose issuer and documents name the account by reference. */
const OPEN_FOR_WEBSITES: readonly string[] = [
  "azurerm_storage_account.allow_nested_items_to_be_public",
  "azurerm_storage_account.name",
];
/** Arguments of other versions than those whose bindings are installed, and attributes that these leave out. */
const OTHER_VERSIONS: readonly string[] = [
  ...["aws_cloudfront_distribution.trusted_key_groups", "aws_cloudfront_distribution.trusted_signers"],
  ...["azurerm_storage_blob.storage_container_id", "azurerm_storage_container.url"],
  ...["azurerm_storage_table.storage_account_id", "azurerm_storage_table.url"],
  ...["google_storage_bucket.effective_labels", "google_storage_bucket.terraform_labels"],
];

type Path = readonly string[];
interface Attack {
  readonly type: string;
  readonly id: string;
  readonly path: Path;
  readonly value: unknown;
}

/** Paths of the arguments that matter, in the blocks that the form has as well. */
function paths(row: Coverage, schema: BlockSchema, written: object): readonly Path[] {
  const inert = [...words(row.harmless), ...words(row.computed), "id", "timeouts"];
  return [...schema.arguments].flatMap(([name, block]): readonly Path[] => {
    if (inert.includes(name)) return [];
    const [nested, inner] = [row.blocks?.[name], record(written)[name]];
    const [first = inner] = list(inner);
    return nested && block && first !== undefined
      ? paths(nested, block, record(first)).map((path) => [name, ...path])
      : [[name]];
  });
}

function valueAt(values: unknown, path: Path): unknown {
  return path.reduce<unknown>((outer, name) => {
    const found = record(outer)[name];
    return list(found)[0] ?? found;
  }, values);
}

function attacksOn(type: string, id: string, row: Coverage, values: object): readonly Attack[] {
  return paths(row, schemaOf(type) ?? { arguments: new Map() }, values).flatMap((path) => {
    const before = valueAt(values, path);
    const isRead = words(row.read).includes(path[0] ?? "");
    const all = typeof before === "boolean" ? [!before] : isRead ? ["hostile", false] : ["hostile"];
    return all.map((value) => ({ type, id, path, value }));
  });
}

function set({ resource }: Configuration, { type, id, path, value }: Attack): void {
  const end = valueAt(resource[type]?.[id], path.slice(0, -1)) as Record<string, unknown>;
  end[path.at(-1) ?? ""] = value;
}

const SAMPLE = 4;

describe.each(TABLES)("%s", (host, rows) => {
  const { resource } = JSON.parse(hosted(host).get(TERRAFORM) ?? "") as Configuration;
  const attacks = Object.entries(rows).flatMap(([type, row]) =>
    Object.entries(resource[type] ?? {}).flatMap(([id, values]) => attacksOn(type, id, row, values)),
  );

  it("is allowed as written", () => {
    expect(answer(workloadAt(host)).verdict).toBe("allowed");
  });

  it.each(BESIDE)("is not allowed with $name that names a part of it", ({ beside }) => {
    const parts = Object.keys(rows).flatMap((type) =>
      Object.keys(resource[type] ?? {})
        .slice(0, 1)
        .map((id) => `${type}.${id}`),
    );
    const survived = parts.filter(
      (part) => answer(workloadAt(host), configured(beside(`\${${part}.id}`))).verdict === "allowed",
    );
    expect(survived).toEqual([]);
  });

  it(`is not allowed with a hostile value of any argument${sampleNote(SAMPLE)}`, () => {
    const survived = sampleOf(attacks, SAMPLE, (each) => JSON.stringify([host, each])).filter(
      (attack) =>
        answer(
          workloadAt(host),
          configured((all) => set(all, attack)),
        ).verdict === "allowed",
    );
    const open = host === "website" ? [...OPEN, ...OPEN_FOR_WEBSITES] : OPEN;
    const named = new Set(survived.map(({ type, path }) => [type, ...path].join(".")));
    expect([...named].filter((each) => !open.includes(each))).toEqual([]);
  });
});

const namesIn = ({ read, harmless, computed, only = {}, blocks = {} }: Coverage): readonly string[] => [
  ...[read, harmless, computed].flatMap(words),
  ...Object.keys(only),
  ...Object.keys(blocks),
];
const all = TABLES.flatMap(([, rows]) => Object.entries(rows));

test.each([...new Map(all)])("the row of %s names what the type has, each once", (type, row) => {
  const schema = schemaOf(type);
  const names = namesIn(row);
  const unheard = names
    .filter((name) => name !== "lifecycle" && !schema?.arguments.has(name) && !schema?.computed.has(name))
    .map((name) => `${type}.${name}`);
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  expect([unheard.filter((each) => !OTHER_VERSIONS.includes(each)), twice]).toEqual([[], []]);
});
