/*
 * A synth folder and what `bind` made of it, read together: the finished files say what their templates say.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { readFacts } from "../../../lib/explain/read/facts";
import { whyNot } from "../../../lib/model/known";
import { bind } from "../../../lib/synth";
import { INGRESS, accessArtefacts } from "../../fixtures/explain/access";
import { folderOf, synthesized } from "../../fixtures/explain/artefacts";

const three = synthesized("three-clouds");
const ACR = { serviceAccount: "shop/web", image: "acmeshop.azurecr.io/models/x" };
const ACCOUNTS = "edge-1/manifests/20-service-accounts.yaml";
const CLIENT_ID = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const ROLES = "edge-1/manifests/10-token-audience.yaml";

/** The synth folder, and the one that is bound to. */
function bound(): readonly [from: string, to: string] {
  const from = folderOf(three);
  const [name = ""] = /azurerm_user_assigned_identity_\w+_client_id/.exec([...three.values()].join()) ?? [];
  const outputs = folderOf({ "o.json": JSON.stringify({ "edge-1": { [name]: CLIENT_ID } }) });
  const to = folderOf({});
  bind({ outputs: join(outputs, "o.json"), from, to });
  return [from, to];
}

function edit(folder: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replace(from, to));
}

const verdict = (paths: readonly string[]): string | undefined => explain(paths, ACR)[0]?.verdict;

it("both together", () => {
  const paths = bound();
  expect(verdict(paths)).toBe("allowed");
  expect(readFacts(paths, { computed: [], cluster: {} }).skipped).toEqual([]);
});

it.each<[string, (to: string, from: string) => void]>([
  [
    "a finished file that was edited",
    (to) => edit(to, ACCOUNTS, "annotations:", "annotations:\n    acme.example/team: a"),
  ],
  ["a finished file of another synth", (to) => edit(to, ACCOUNTS, "shop_web", "shop_other")],
  ["a finished file whose value is gone", (to) => edit(to, ACCOUNTS, CLIENT_ID, '""')],
  [
    "a finished file with another text behind the value",
    (to, from) => {
      edit(from, `stacks/${ACCOUNTS}`, 'client_id)@"', 'client_id)@ of prod"');
      edit(to, ACCOUNTS, CLIENT_ID, `${CLIENT_ID} of test`);
    },
  ],
  [
    "a file beside that is not listed",
    (to) => writeFileSync(join(to, "own.yaml"), readFileSync(join(to, ACCOUNTS))),
  ],
  ["a list that was lost", (to) => writeFileSync(join(to, ".workload-identity-files"), "")],
])("%s is a document like others", (_, change) => {
  const [from, to] = bound();
  change(to, from);
  const serviceAccounts = readFacts([from, to], { computed: [], cluster: {} }).clusters[0]?.serviceAccounts;
  const { annotations = new Map<string, never>() } = serviceAccounts?.get("shop/web") ?? {};
  expect([...annotations.values()].map((each) => whyNot(each)?.kind)).toContain("contested");
});

it("a document more in a finished file counts", () => {
  const [from, to] = bound();
  edit(
    to,
    ROLES,
    "apiVersion",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: a}]}\n---\napiVersion",
  );
  expect(readFacts([from, to], { computed: [], cluster: {} }).clusters[0]?.workloads).toHaveLength(1);
});

it("the list is no document, also where it is named", () => {
  const [from, to] = bound();
  const list = join(to, ".workload-identity-files");
  expect(readFacts([from, list], { computed: [], cluster: {} }).skipped).toEqual([]);
  expect(readFacts([list, to], { computed: [], cluster: {} }).skipped).toEqual([]);
});

it("finished files alone are read", () => {
  const [, to] = bound();
  expect(readFacts([to], { computed: [], cluster: {} }).clusters[0]?.serviceAccounts.size).toBeGreaterThan(0);
});

const SECRET = "fixture/manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml";
const REGISTRY = "fixture/manifests/openshift-image-registry-installer-cloud-credentials-credentials.yaml";
const CLIENT = /azure_client_id: (\S+)/;

/** Components on Azure, synthesized and bound, and a state with what was filled in: by outputs, or by attributes. */
function components(): {
  readonly from: string;
  readonly to: string;
  readonly state: (by: "outputs" | "attributes") => string;
} {
  const from = folderOf(accessArtefacts("azure"));
  const record = JSON.parse(readFileSync(join(from, "stacks/fixture/workload-identity.json"), "utf8")) as {
    stack: string;
    placeholders: Record<string, { output?: string; expression?: string }>;
  };
  const entries = Object.values(record.placeholders).filter(({ output }) => output !== undefined);
  const values = entries.map(({ output = "", expression = "" }, place) => ({
    output,
    reference: /^\$\{(\w+)\.([\w-]+)\.(\w+)\}$/.exec(expression),
    value: `aaaaaaaa-1111-4222-8333-00000000${String(place).padStart(4, "0")}`,
  }));
  const byOutput = Object.fromEntries(values.map(({ output, value }) => [output, value]));
  const outputs = join(folderOf({ "o.json": JSON.stringify({ [record.stack]: byOutput }) }), "o.json");
  const to = folderOf({});
  bind({ outputs, from, to });
  const state = (by: "outputs" | "attributes"): string => {
    const resources = values.flatMap(({ reference, value }) => {
      const [, type = "", name = "", attribute = ""] = reference ?? [];
      return type === ""
        ? []
        : [{ address: `${type}.${name}`, mode: "managed", type, name, values: { [attribute]: value } }];
    });
    const shown = by === "outputs" ? Object.entries(byOutput).map(([name, value]) => [name, { value }]) : [];
    const root_module = { resources: by === "attributes" ? resources : [] };
    const document = {
      format_version: "1.0",
      values: { outputs: Object.fromEntries(shown) as object, root_module },
    };
    return join(folderOf({ "state.json": JSON.stringify(document) }), "state.json");
  };
  return { from, to, state };
}

const clientOf = (folder: string, file: string): string =>
  CLIENT.exec(readFileSync(join(folder, file), "utf8"))?.[1] ?? "";
/** Where the Secret of the ingress operator counts from. */
function readFrom(...paths: readonly string[]): string | undefined {
  const { secrets } = readFacts(paths, { computed: [], cluster: {} }).clusters[0] ?? {};
  return secrets?.get("openshift-ingress-operator/cloud-credentials")?.source.file;
}

describe("what was filled in", () => {
  it("is no news where it is right", () => {
    const { from, to, state } = components();
    expect(clientOf(to, SECRET)).not.toBe(clientOf(to, REGISTRY));
    for (const paths of [
      [from, to],
      [from, to, state("outputs")],
      [from, to, state("attributes")],
    ])
      expect(readFrom(...paths)).toContain(from);
  });

  it("counts where a state says something else, by output or by attribute", () => {
    const { from, to, state } = components();
    edit(to, SECRET, clientOf(to, SECRET), "bbbbbbbb-1111-4222-8333-000000000000");
    expect(readFrom(from, to)).toContain(from);
    expect(readFrom(from, to, state("outputs"))).toContain(to);
    expect(readFrom(from, to, state("attributes"))).toContain(to);
  });

  it.each(["outputs", "attributes"] as const)("of another cluster denies, with both values, by %s", (by) => {
    const { from, to, state } = components();
    const [right, other] = [clientOf(to, SECRET), "bbbbbbbb-1111-4222-8333-000000000000"];
    edit(to, SECRET, right, other);
    const [result] = explain([from, to, state(by)]).filter(({ subject }) => subject === INGRESS);
    const check = result?.checks.find(({ id }) => id === "identity-found");
    expect([result?.verdict, check?.status]).toEqual(["denied", "fail"]);
    expect(check?.reason).toContain(`${other} was filled in, but the state has ${right} there`);
  });

  it("counts where it is another resource's as well", () => {
    const { from, to } = components();
    edit(to, SECRET, clientOf(to, SECRET), clientOf(to, REGISTRY));
    expect(readFrom(from, to)).toContain(to);
  });

  it("counts where two folders were filled in different ways", () => {
    const { from, to } = components();
    const other = folderOf(
      new Map(
        [".workload-identity-files", SECRET].map((file) => [file, readFileSync(join(to, file), "utf8")]),
      ),
    );
    expect(readFrom(from, to, other)).toContain(from);
    edit(other, SECRET, clientOf(other, SECRET), "bbbbbbbb-1111-4222-8333-000000000000");
    expect(readFrom(from, to, other)).toContain(other);
  });
});
