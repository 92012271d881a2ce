import { TerraformOutput, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { Manifests } from "../../lib/synth";
import { renderedFile } from "../../lib/synth/rendered-file";
import { addAccount, stackFixture } from "../fixtures/synth/stack-fixture";

const LATE = "@late(terraform_data.d.output)@";
const rendered = (text: string): string =>
  renderedFile("manifests/10-x.yaml", text, () => ({
    output: "x",
    path: [],
    expression: "${terraform_data.d.output}",
  }));

describe("a file that Terraform renders", () => {
  it("has its bytes, but for late scalars, which are strings of JSON", () => {
    expect(rendered(`# header\nkind: X\nspec:\n  id: "${LATE}"\n  text: |\n    a \${b}\n    ${LATE}\n`)).toBe(
      '# header\nkind: X\nspec:\n  id: ${jsonencode("${terraform_data.d.output}")}\n  text: ${jsonencode("a $${b}\\n${terraform_data.d.output}\\n")}\n',
    );
  });

  it("is a local of the stack, the same one however often it is asked for", () => {
    const { stack, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    const file = "manifests/20-service-accounts.yaml";
    expect(manifests.rendered(file)).toBe(manifests.rendered(file));
    new TerraformOutput(stack, "accounts", { value: manifests.rendered(file), staticId: true });
    const { locals, output } = JSON.parse(Testing.synth(stack)) as Record<string, Record<string, unknown>>;
    expect(output?.["accounts"]).toEqual({ value: "${local.manifests_20_service_accounts_yaml}" });
    expect(locals?.["manifests_20_service_accounts_yaml"]).toContain(
      'example.com/id: ${jsonencode("${terraform_data.d.id}")}',
    );
  });

  it("has what was added between two syntheses", () => {
    const { stack, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    manifests.rendered("manifests/20-service-accounts.yaml");
    expect(Testing.synth(stack)).not.toContain("jobs");
    addAccount(manifests, data.id, "jobs");
    expect(Testing.synth(stack)).toContain("jobs");
  });

  it("serves another stack through remote state, as cdktf makes it", () => {
    const { app, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    const other = new TerraformStack(app, "other");
    new TerraformOutput(other, "accounts", {
      value: manifests.rendered("manifests/20-service-accounts.yaml"),
      staticId: true,
    });
    app.synth();
    expect(Manifests.of(other).render().size).toBe(0);
    expect(JSON.stringify(other.toTerraform())).toContain("terraform_remote_state");
  });

  it("is refused where it is longer than what Terraform hands to a provider", () => {
    expect(() => rendered("x".repeat(2 ** 28 + 1))).toThrowError(
      expect.objectContaining({ code: "delivery-limit", allowed: "at most 268435456" }),
    );
  });

  it("is refused where the synth writes no such file", () => {
    const { stack, manifests, data } = stackFixture();
    addAccount(manifests, data.id);
    manifests.rendered("manifests/20-accounts.yaml");
    expect(() => Testing.synth(stack)).toThrowError(
      expect.objectContaining({ code: "manifest-unknown", allowed: "manifests/20-service-accounts.yaml" }),
    );
  });
});
