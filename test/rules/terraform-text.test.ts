import { describe, expect, it } from "vitest";
import { optionalTerraformText, terraformText } from "../../lib/rules/terraform-text";

describe("terraformText", () => {
  it.each([
    ["${aws:username}", "$${aws:username}"],
    ["%{ if }", "%%{ if }"],
    ["$5 and 5%", "$5 and 5%"],
    ["${TfToken[TOKEN.4]}", "${TfToken[TOKEN.4]}"],
    ["${a}${TfToken[TOKEN.4]}", "$${a}${TfToken[TOKEN.4]}"],
  ])("%s becomes %s", (text, escaped) => expect(terraformText(text)).toBe(escaped));
});

describe("optionalTerraformText", () => {
  it("leaves out what is absent", () => {
    expect(optionalTerraformText(undefined)).toBeUndefined();
    expect(optionalTerraformText("${a}")).toBe("$${a}");
  });
});
