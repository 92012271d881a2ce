import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOutputsFile } from "../../../lib/synth/bind/outputs";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { refusal } from "../../support/refusal";

const TEXT = '{"d_id":{"sensitive":false,"type":"string","value":"é€😀"}}';
const wanted = { output: "d_id", path: ["prod", "Manifests", "d_id"], expression: "${terraform_data.d.id}" };

function file(bytes: Buffer): string {
  const path = join(temporaryFolder(), "o.json");
  writeFileSync(path, bytes);
  return path;
}

describe("readOutputsFile", () => {
  // RFC 3629 §6 and RFC 2781 §3.2 have the marks; the second and third are what Windows PowerShell 5.1 writes.
  it.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${TEXT}`)],
    ["UTF-16, little-endian", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
    ["UTF-16, big-endian", Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16()],
  ])("reads %s", (_, bytes) => {
    const outputs = readOutputsFile(file(bytes));
    expect([outputs.form, outputs.valueOf(wanted, "prod")]).toEqual(["terraform", "é€😀"]);
  });

  it.each([
    ["Latin-1", Buffer.from('{"a":"é"}', "latin1"), "outputs file is not UTF-8 text"],
    ["half a UTF-16 character", Buffer.from([0xff, 0xfe, 0x7b]), "outputs file is not UTF-16LE text"],
    ["an empty file", Buffer.alloc(0), "outputs file is not JSON"],
  ])("refuses %s", (_, bytes, problem) => {
    const path = file(bytes);
    expect(() => readOutputsFile(path)).toThrowError(refusal("bind-invalid", { problem, value: path }));
  });
});
