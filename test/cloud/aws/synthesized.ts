import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack, Testing } from "cdktf";
import { expect } from "vitest";
import { type EcrProps, type EcrSource, type IOidcProvider, ecr } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { evaluateAwsTrust } from "../../../lib/rules/aws/policy/trust";

export type Json = Record<string, unknown>;

/** What a stack of the test is made with. */
export const ACCOUNT = "111122223333";
export const OWNER = "444455556666";
export const ISSUER = "https://oidc.example.com/c1";
export const REGION = "eu-west-1";

export const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/c1`;

export { code, refusedBy } from "../../support/refusal";
export { warnings } from "../../support/stacks";

export function newStack(region: string = REGION): TerraformStack {
  const stack = new TerraformStack(Testing.app(), "prod");
  new AwsProvider(stack, "aws", { region });
  return stack;
}

export function alias(stack: TerraformStack, name: string): AwsProvider {
  return new AwsProvider(stack, `aws-${name}`, { region: REGION, alias: name });
}

export function own(more: Partial<EcrProps> = {}): EcrSource {
  return ecr({ account: ACCOUNT, region: REGION, repositories: ["shop/web"], ...more });
}

/** All resources of a type, in the order of their names. */
export function resources(
  stack: TerraformStack,
  type: string,
  kind: "resource" | "data" = "resource",
): Json[] {
  const document = JSON.parse(Testing.synth(stack)) as Record<string, Record<string, Record<string, Json>>>;
  return Object.values(document[kind]?.[type] ?? {});
}

export function only(stack: TerraformStack, type: string, kind: "resource" | "data" = "resource"): Json {
  const found = resources(stack, type, kind);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

/** The document in an argument, read back. */
export function document(resource: Json, argument: string): { Statement: Json[] } {
  return JSON.parse(String(resource[argument])) as { Statement: Json[] };
}

/** An OIDC provider that none of the library's constructs declares. */
export function otherProvider(more: Partial<IOidcProvider> = {}): IOidcProvider {
  const conditionPrefix = "oidc.example.com/c1";
  const issuer = Issuer.of(ISSUER);
  return { arn: PROVIDER, issuer, conditionPrefix, audiences: undefined, dependencies: [], ...more };
}

/** What the trust policy of the only role answers to a token of this audience and service account. */
export function trusts(stack: TerraformStack, audience: string, serviceAccount: string): string {
  const policy = only(stack, "aws_iam_role")["assume_role_policy"];
  const sub = `system:serviceaccount:${serviceAccount.replace("/", ":")}`;
  const claims = { iss: ISSUER, aud: [audience], sub };
  return evaluateAwsTrust(policy, { providerArn: PROVIDER, claims }).outcome;
}

/** Texts that differ by a number. */
export function numbered(count: number, text: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => text(index));
}
