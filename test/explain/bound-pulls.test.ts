/*
 * Pulls by manifests that were filled in with the outputs of another cluster.
 */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { bind } from "../../lib/synth";
import { folderOf, synthesized } from "../fixtures/explain/artefacts";

const three = synthesized("three-clouds");
const ACR = { serviceAccount: "shop/web", image: "acmeshop.azurecr.io/models/x" };
const OWN = "aaaaaaaa-1111-4222-8333-000000000000";
const OTHER = "bbbbbbbb-1111-4222-8333-000000000000";

const [output = ""] = /azurerm_user_assigned_identity_\w+_client_id/.exec([...three.values()].join()) ?? [];
const [, address = ""] =
  /\$\{(azurerm_user_assigned_identity\.[\w-]+)\.client_id\}/.exec([...three.values()].join()) ?? [];

/** A folder that was bound with this client id. */
function boundWith(client: string): readonly [from: string, to: string] {
  const from = folderOf(three);
  const outputs = folderOf({ "o.json": JSON.stringify({ "edge-1": { [output]: client } }) });
  const to = folderOf({});
  bind({ outputs: join(outputs, "o.json"), from, to });
  return [from, to];
}

/** A state that has the client id as output, or as attribute. */
function stateOf(client: string, by: "outputs" | "attributes"): string {
  const [type = "", name = ""] = address.split(".");
  const resource = { address, mode: "managed", type, name, values: { client_id: client } };
  const document = {
    format_version: "1.0",
    values: {
      outputs: by === "outputs" ? { [output]: { value: client } } : {},
      root_module: { resources: by === "attributes" ? [resource] : [] },
    },
  };
  return folderOf({ "state.json": JSON.stringify(document) });
}

describe.each(["outputs", "attributes"] as const)(
  "a pull by files that were filled in, by %s of a state",
  (by) => {
    it("is allowed with the own outputs", () => {
      expect(explain([...boundWith(OWN), stateOf(OWN, by)], ACR)[0]?.verdict).toBe("allowed");
    });

    it("is denied with the outputs of another cluster, with both values", () => {
      const [result] = explain([...boundWith(OTHER), stateOf(OWN, by)], ACR);
      expect(result?.verdict).toBe("denied");
      const said = JSON.stringify(result?.checks.find(({ status }) => status === "fail"));
      expect(said).toContain(OWN);
      expect(said).toContain(OTHER);
    });
  },
);
