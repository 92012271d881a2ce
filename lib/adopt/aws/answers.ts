/*
 * AWS. The answers have the members of the API: GetOpenIDConnectProvider, GetRole (ListRoles leaves out boundary and
 * tags), ListRolePolicies, GetRolePolicy, ListAttachedRolePolicies, GetCallerIdentity (IAM and STS API references),
 * DescribeCluster, ListPodIdentityAssociations, DescribePodIdentityAssociation (EKS), GetBucketLocation,
 * GetPublicAccessBlock (S3), ListDistributions (CloudFront). The command line prints policies decoded.
 */

import { fail } from "../../errors";
import { parseOidcProviderArn } from "../../rules/aws/arn";
import { ASK } from "../../rules/aws/commands";
import type { AdoptionFindings } from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";

export interface Provider {
  readonly arn: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

export interface Role {
  readonly name: string;
  readonly arn: string;
  readonly path: string | undefined;
  readonly description: string | undefined;
  /** In seconds. */
  readonly maxSession: string;
  readonly boundary: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly trust: CommandAnswer;
}

export interface Account {
  readonly id: string;
  readonly providers: readonly Provider[];
  readonly roles: ReadonlyMap<string, Role>;
}

function tagsOf(list: CommandAnswer): Readonly<Record<string, string>> {
  return Object.fromEntries(
    list.list().map((tag) => [tag.at("Key").text() ?? "", tag.at("Value").text() ?? ""]),
  );
}

export function accountOf(answers: CommandAnswer, findings: AdoptionFindings): Account {
  const providers = answers
    .at(ASK.provider)
    .entries()
    .filter(([, provider]) => provider.exists)
    .map(([arn, provider]) => ({
      arn,
      issuer: `https://${provider.at("Url").text() ?? parseOidcProviderArn(arn).hostPath}`,
      audiences: provider.at("ClientIDList").texts(),
      tags: tagsOf(provider.at("Tags")),
    }));
  const roles = answers
    .at(ASK.role)
    .entries()
    .filter(([, role]) => role.exists)
    .map(([name, answer]) => [name, roleOf(name, answer.at("Role"))] as const);
  const caller = answers.at(ASK.caller, "Account").text();
  const accounts = new Set([
    ...(caller === undefined ? [] : [caller]),
    ...providers.map(({ arn }) => parseOidcProviderArn(arn).account),
  ]);
  if (accounts.size > 1)
    fail("adopt-mismatch", {
      problem: "the answers come from several accounts",
      value: [...accounts],
      allowed: "the answers of one account",
      remedy: "collect them again, all with the same profile",
    });
  const [id = ""] = accounts;
  if (id === "") findings.lacks("the account", `run \`aws ${ASK.caller}\``);
  return { id, providers, roles: new Map(roles) };
}

function roleOf(name: string, role: CommandAnswer): Role {
  return {
    name,
    arn: role.at("Arn").text() ?? name,
    path: role.at("Path").text(),
    description: role.at("Description").text() || undefined,
    maxSession: role.at("MaxSessionDuration").text() ?? "3600",
    boundary: role.at("PermissionsBoundary", "PermissionsBoundaryArn").text(),
    tags: tagsOf(role.at("Tags")),
    trust: role.at("AssumeRolePolicyDocument"),
  };
}
