import { describe, expect, it } from "vitest";
import { readTerraformOutputs } from "../../../lib/synth/bind/outputs";
import { refusal } from "../../support/refusal";

const wanted = { output: "d_id", path: ["prod", "Manifests", "d_id"], expression: "${terraform_data.d.id}" };

describe("readTerraformOutputs", () => {
  it.each([
    // `terraform output -json` of Terraform 1.11
    ['{"d_id":{"sensitive":false,"type":"string","value":"1"}}', "terraform", "1"],
    ['{"d_id":{"sensitive":true,"type":"string","value":"1"}}', "terraform", "1"],
    ['{"other":{"sensitive":false,"type":"string","value":"1"}}', "terraform", undefined],
    ['{"d_id":{"sensitive":false,"type":"number","value":1}}', "terraform", 1],
    // No outputs at all: the form of several stacks, so that the refusal names the output that is missing.
    ["{}", "cdktf", undefined],
    // `cdktf deploy --outputs-file` of cdktf-cli 0.21.0, two stacks
    ['{"prod":{"Manifests":{"d_id":"1"},"top":"2"},"two":{"other":"3"}}', "cdktf", "1"],
    ['{"prod":{"top":"2"}}', "cdktf", undefined],
    // `cdktf output --outputs-file` of cdktf-cli 0.21.0: by name, not by path
    ['{"prod":{"d_id":"1","top":"2"},"two":{"d_id":"3"}}', "cdktf", "1"],
    ['{"two":{"d_id":"3"}}', "cdktf", undefined],
    ['{"prod":{"Manifests":"d_id"}}', "cdktf", undefined],
    // Outputs with the names of Terraform's own keys
    ['{"value":{"value":{"type":"x"}},"prod":{"Manifests":{"d_id":"1"}}}', "cdktf", "1"],
  ])("%s", (text, form, value) => {
    const outputs = readTerraformOutputs(text, "o.json");
    expect(outputs.form).toBe(form);
    expect(outputs.valueOf(wanted, "prod")).toBe(value);
  });

  it("does not take a property of every object for an output", () => {
    const outputs = readTerraformOutputs('{"prod":{"Manifests":{}}}', "o.json");
    expect(
      outputs.valueOf({ ...wanted, path: ["prod", "Manifests", "constructor"] }, "prod"),
    ).toBeUndefined();
  });

  it.each([
    ["", "is not JSON"],
    ["{", "is not JSON"],
    ["[]", "is not a JSON object"],
    ["null", "is not a JSON object"],
    ['"text"', "is not a JSON object"],
  ])("refuses %s", (text, reason) => {
    expect(() => readTerraformOutputs(text, "o.json")).toThrowError(
      refusal("bind-invalid", { problem: `outputs file ${reason}`, value: "o.json" }),
    );
  });
});
