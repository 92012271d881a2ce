import { type Known, known, textOf } from "../../../lib/model/known";
import { ecrRoleAnnotation } from "../../../lib/rules/aws/pull";
import { ClosedWorld } from "../../../lib/explain/coverage/closed-world";
import type { Answer } from "../../../lib/explain/answer";
import { askedImage, askedPattern } from "../../../lib/explain/asked-image";
import { awsReader } from "../../../lib/explain/aws/reader";
import type { Cloud, PullIdentity } from "../../../lib/explain/cloud";
import type { NodeConfiguration, ProviderEntry } from "../../../lib/explain/read/node-configuration";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { readTerraformShow } from "../../../lib/explain/read/terraform-show";
import { PublishedIssuers } from "../../../lib/explain/shared/issuers";

/** Account of the role. */
export const ACCOUNT = "111122223333";
/** Another account. */
export const OTHER = "444455556666";
/** The role. */
export const ARN = `arn:aws:iam::${ACCOUNT}:role/web`;
/** Host of the registry of the role's account. */
export const HOST = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`;

/** A Terraform that was read. */
export interface ReadTerraform {
  readonly cloud: Cloud;
  /** What an expression of the first configuration is. */
  readonly text: (expression: string) => Known<string>;
}

/** Configurations, and states (with `format_version`), as AWS sees them. */
export function aws(...documents: readonly object[]): ReadTerraform {
  const terraform = new Terraform(awsReader.computed);
  const scopes = documents.map((value, id) => {
    const source = { file: `${id}.tf.json`, path: "" };
    return "format_version" in value
      ? readTerraformShow(terraform, value as Record<string, unknown>, source)
      : readConfiguration(
          terraform,
          `${id}`,
          [{ value: value as Record<string, unknown>, source }],
          undefined,
        );
  });
  const world = new ClosedWorld(terraform);
  const issuers = new PublishedIssuers(awsReader.stores(terraform), world);
  return {
    cloud: awsReader.read(terraform, issuers, world),
    text: (expression) => scopes[0]?.text(expression) ?? textOf([]),
  };
}

/** An entry of the plugin. */
export function entry(args: readonly string[] = [], env: Record<string, string> = {}): ProviderEntry {
  return {
    name: "ecr-credential-provider",
    matchImages: [],
    args: args.map((each) => known(each)),
    env: new Map(Object.entries(env).map(([name, value]) => [name, known(value)])),
    tokenAttributes: {
      audience: known("sts.amazonaws.com"),
      requiredKeys: [ecrRoleAnnotation],
      optionalKeys: [],
      requireServiceAccount: true,
      cacheType: known("ServiceAccount"),
    },
    source: { file: "nodes.yaml", path: "" },
  };
}

/** A node of which nothing is asked. */
export const node: NodeConfiguration = {
  name: "worker",
  documents: [],
  entries: [],
  isRead: known({ reads: true }),
  gates: [],
  source: { file: "nodes.yaml", path: "" },
  contested: new Map(),
  files: new Map(),
};

/** Who pulls as a service account, which is annotated with a role. */
export function puller(
  { cloud }: ReadTerraform,
  arn: Known<string> = known(ARN),
  issuer: Known<string> = known("https://oidc.example.com/id"),
  key = "shop/web",
): PullIdentity {
  const [namespace = "", name = ""] = key.split("/");
  return cloud.pulls.puller({
    cluster: {},
    token: { issuer, audience: known("sts.amazonaws.com"), namespace, name },
    entry: entry(),
    node,
    account: {
      key,
      annotations: new Map([[ecrRoleAnnotation, arn]]),
      patch: undefined,
      pullSecrets: [],
      source: { file: "accounts.yaml", path: "" },
      documents: [],
    },
  });
}

/** Whether the role may read a repository, or every one of a pattern. */
export function repository(read: ReadTerraform, image = `${HOST}/shop/web`, arn?: Known<string>): Answer {
  const asked = image.includes("*") ? askedPattern(image) : askedImage(image);
  if (asked.repository === undefined) throw new Error(asked.problem);
  return puller(read, arn).rights.repository(asked.repository);
}

/** A policy as text. */
export function policy(...Statement: readonly unknown[]): string {
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

/** A provider that is limited to an account. */
export function limited(account: string = ACCOUNT, more: object = {}): object {
  return { aws: { region: "eu-west-1", allowed_account_ids: [account], ...more } };
}
