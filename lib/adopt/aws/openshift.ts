/* What `ccoctl aws` created for a cluster (openshift/cloud-credential-operator, pkg/cmd/provisioning/aws). */

import type { CredentialsRequest } from "../../model/credentials-request";
import { componentRoleName } from "../../rules/aws/component";
import type { ExistingDistribution } from "../../rules/aws/distribution";
import { bucketHost, importId } from "../../rules/aws/issuer";
import { ccoctlTags } from "../../rules/aws/names";
import {
  type AdoptedPart,
  type Adoption,
  type AdoptionChoice,
  Code,
  AdoptionFindings,
  stated,
} from "../adoption";
import type { CommandAnswer } from "../../model/command-answer";
import { ASK } from "../../rules/aws/commands";
import { type Account, type Provider, type Role, accountOf } from "./answers";

const CCOCTL_TAG = /^openshift\.io\/cloud-credential-operator\/(.+)$/;
/** The audiences that the OIDC provider gets from ccoctl, and from the components of this library. */
const CCOCTL_AUDIENCES = ["openshift", "sts.amazonaws.com"];

export function ccoctlCluster(answers: CommandAnswer, choice: AdoptionChoice): Adoption {
  const findings = new AdoptionFindings();
  const account = accountOf(answers, findings);
  const name =
    choice.name ??
    findings.choose(
      "the name that ccoctl was given",
      account.providers.flatMap(({ tags }) => namesIn(tags)),
      {
        none: `run \`aws ${ASK.provider}\` for each OIDC provider, or give --name`,
        several: "choose one with --name",
      },
    );
  if (name === undefined) return findings.done("unknown", choice.issuer, []);
  const clusterProviders = account.providers.filter(({ tags }) => namesIn(tags).includes(name));
  const issuer = choice.issuer ?? issuerOf(name, clusterProviders, findings);
  const provider = clusterProviders.find((each) => each.issuer === issuer);
  if (issuer !== undefined && !provider)
    findings.lacks(`the OIDC provider of ${issuer}`, `run \`aws ${ASK.provider}\` for it`);
  if (provider) findings.import("aws_iam_openid_connect_provider", provider.arn);
  const region = bucketRegion(answers, `${name}-oidc`, findings) ?? regionIn(issuer);
  if (region === undefined)
    findings.lacks("the region", `run \`aws ${ASK.location}\` for the bucket ${name}-oidc`);
  const place = { name, issuer, account: account.id, region };
  const bucket = issuerBucket(answers, place, findings);
  const shared = provider && sharedProvider(provider, place);
  const roles = componentRoles(account, { ...place, choice, hasProvider: shared !== undefined }, findings);
  return findings.done(name, issuer, [bucket ?? [], shared ?? [], roles].flat());
}

/** What is known of a cluster before its parts are looked for. */
interface Place {
  readonly name: string;
  readonly issuer: string | undefined;
  readonly account: string;
  readonly region: string | undefined;
}

function issuerOf(
  name: string,
  providers: readonly Provider[],
  findings: AdoptionFindings,
): string | undefined {
  return findings.choose(
    `the OIDC provider of ${name}`,
    providers.map(({ issuer }) => issuer),
    {
      none: `run \`aws ${ASK.provider}\` for the OIDC provider of the cluster's issuer`,
      several: "choose with --issuer the one that `oc get authentication cluster` shows",
    },
  );
}

function namesIn(tags: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(tags).flatMap((key) => CCOCTL_TAG.exec(key)?.[1] ?? []);
}

/** Declared if it has more than ccoctl gave it, because Terraform removes what the configuration does not state. */
function sharedProvider(
  { issuer, audiences, tags }: Provider,
  { name, account, region }: Place,
): AdoptedPart | undefined {
  const extra = without(tags, ccoctlTags(name));
  const same = audiences.length === 2 && CCOCTL_AUDIENCES.every((audience) => audiences.includes(audience));
  if (same && Object.keys(extra).length === 0) return undefined;
  const props = stated({ issuer, account, region, audiences, tags, adopt: true });
  return { name: "oidcProvider", call: "new OidcProvider", entry: "aws", props };
}

function without(
  tags: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tags).filter(([key, value]) => known[key] !== value));
}

function regionIn(issuer: string | undefined): string | undefined {
  return /^https:\/\/[^/]+\.s3\.([a-z0-9-]+)\.amazonaws\./.exec(issuer ?? "")?.[1];
}

function bucketRegion(
  answers: CommandAnswer,
  bucket: string,
  findings: AdoptionFindings,
): string | undefined {
  const location = answers.at(ASK.location).entry(bucket);
  if (!location)
    findings.lacks(
      `whether there is a bucket ${bucket}`,
      `run \`aws ${ASK.location} --bucket ${bucket}\`; if there is none, add null as the answer`,
    );
  if (location?.exists !== true) return undefined;
  // S3 names two regions in its own way: no constraint, and EU.
  const constraint = location.at("LocationConstraint").text() ?? "us-east-1";
  return constraint === "EU" ? "eu-west-1" : constraint;
}

function issuerBucket(
  answers: CommandAnswer,
  { name, issuer, account, region }: Place,
  findings: AdoptionFindings,
): AdoptedPart | undefined {
  const bucketName = `${name}-oidc`;
  if (!answers.at(ASK.location, bucketName).exists || issuer === undefined || region === undefined)
    return undefined;
  const isPublic = issuer === `https://${bucketHost(bucketName, region)}`;
  const distribution = isPublic ? undefined : distributionOf(answers, issuer, bucketName, findings);
  // A bucket without its distribution would get another one, and the issuer would change.
  if (!isPublic && !distribution) return undefined;
  const block = answers.at(ASK.publicAccess).entry(bucketName);
  if (!block)
    findings.lacks(
      `the public access block of ${bucketName}`,
      `run \`aws ${ASK.publicAccess} --bucket ${bucketName}\`; if there is none, add null as the answer`,
    );
  const hasPolicy = block?.exists !== false;
  const withPolicy = ["aws_s3_bucket_policy", "aws_s3_bucket_public_access_block"];
  for (const type of ["aws_s3_bucket", ...(hasPolicy ? withPolicy : [])])
    findings.import(type, importId(bucketName, region));
  for (const path of [".well-known/openid-configuration", "keys.json"])
    findings.import("aws_s3_object", importId(`${bucketName}/${path}`, region));
  if (distribution) findings.import("aws_cloudfront_distribution", distribution.id);
  const props = stated({
    bucketName,
    region,
    account: account === "" ? undefined : account,
    access: isPublic ? "public" : undefined,
    keys: new Code("keys"),
    adopt: stated({ ccoctlName: name, policy: hasPolicy ? undefined : false, distribution }),
  });
  return { name: "issuer", call: "new IssuerBucket", entry: "aws", props };
}

function distributionOf(
  answers: CommandAnswer,
  issuer: string,
  bucket: string,
  findings: AdoptionFindings,
): ExistingDistribution | undefined {
  const host = issuer.slice("https://".length);
  const distributions = answers
    .at(ASK.distributions, "DistributionList", "Items")
    .list()
    .filter((each) => each.at("DomainName").text() === host);
  const id = findings.choose(
    `the distribution of ${issuer}`,
    distributions.flatMap((each) => each.at("Id").text() ?? []),
    {
      none: `run \`aws ${ASK.distributions}\``,
      several: "state its id in `adopt.distribution`",
    },
  );
  if (id === undefined) return undefined;
  const origin = distributions[0]
    ?.at("Origins", "Items")
    .list()
    .find((each) => each.at("DomainName").text()?.startsWith(`${bucket}.`));
  const identity = origin?.at("S3OriginConfig", "OriginAccessIdentity").text()?.split("/").at(-1);
  return { id, domainName: host, ...(identity && { originAccessIdentity: identity }) };
}

interface Components extends Place {
  readonly choice: AdoptionChoice;
  /** Whether the OIDC provider is declared too. */
  readonly hasProvider: boolean;
}

function componentRoles(
  { id, roles }: Account,
  { name, region, choice, hasProvider }: Components,
  findings: AdoptionFindings,
): AdoptedPart {
  const byRole = requestsByRole(name, choice.requests ?? []);
  const adopted: string[] = [];
  const existing: Role[] = [];
  for (const [roleName, [request = "", ...others]] of byRole) {
    const role = roles.get(roleName);
    if (!role) findings.notes.push(`${request}: has no role ${roleName}; it will be created`);
    else if (others.length > 0)
      findings.notes.push(
        `${[request, ...others].join(" and ")}: share the role ${roleName}, which is left alone; state naming: "derived"`,
      );
    else {
      adopted.push(request);
      existing.push(role);
      findings.import("aws_iam_role", roleName);
      findings.import("aws_iam_role_policy", `${roleName}:${roleName}`);
    }
  }
  if (roles.size === 0)
    findings.lacks("the roles", `run \`aws ${ASK.role}\` for each role whose name begins with ${name}-`);
  for (const role of roles.values())
    if (namesIn(role.tags).includes(name) && !byRole.has(role.name))
      findings.notes.push(`ccoctl made the role ${role.name}, but no request needs it; it is left alone`);
  const props = stated({
    account: id === "" ? undefined : id,
    region,
    ccoctlName: name,
    oidcProvider: hasProvider ? new Code("oidcProvider") : undefined,
    permissionsBoundary: boundaryOf(existing, findings),
    tags: findings.extraTags(
      "roles",
      "the roles",
      existing.map(({ tags }) => without(tags, ccoctlTags(name))),
    ),
    adopt: adopted.sort(),
  });
  return { name: "identities", call: "componentRoles", entry: "aws", props };
}

/** Names of requests by the name of their role; ccoctl cuts long names, so two requests may share one. */
function requestsByRole(
  name: string,
  requests: readonly CredentialsRequest[],
): ReadonlyMap<string, readonly string[]> {
  const byRole = new Map<string, string[]>();
  for (const { name: request, secret } of requests) {
    const role = componentRoleName(name, secret, "ccoctl");
    byRole.set(role, [...(byRole.get(role) ?? []), request]);
  }
  return byRole;
}

function boundaryOf(roles: readonly Role[], findings: AdoptionFindings): string | undefined {
  if (roles.length === 0) return undefined;
  return findings.choose(
    "the permissions boundary",
    roles.map(({ boundary }) => boundary ?? "none"),
    {
      none: `run \`aws ${ASK.role}\` for each role`,
      several:
        "the roles have different boundaries, but the settings take only one: state it, or leave some roles out of `adopt`",
    },
  );
}
