/*
 * Recorded outputs of the clouds' command lines beside what kubectl prints. Sources of the shapes: AWS CLI reference, iam
 * get-account-authorization-details and eks describe-cluster; Azure CLI reference and the REST references behind it; REST
 * references of Google Cloud's IAM and Kubernetes Engine.
 */

import { describe, expect, it } from "vitest";
import { type ExplainOptions, Explainer } from "../../lib/explain";
import { folderOf } from "../fixtures/explain/artefacts";

type Json = Record<string, unknown>;
type World = Record<string, unknown>;

const ISSUER = "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
const discovery = (issuer: string): Json => ({
  issuer,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["id_token"],
});

/** The verdict on shop/web, with the link that is not passed. */
function answer(world: World, options: ExplainOptions = {}, job: "workload" | "image-pull" = "workload"): string {
  const files = Object.entries(world).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value, undefined, 1),
  ]);
  const read = Explainer.read([folderOf(Object.fromEntries(files) as Record<string, string>)], options);
  const [result] = [...read.all({ job })].filter(({ subject }) => subject === "shop/web");
  const open = result?.checks.find(({ status }) => status === "fail" || status === "unknown");
  return `${result?.verdict}${open ? `: ${open.id}: ${open.reason}; ${open.evidence.map(({ source }) => source?.path).join(", ")}` : ""}`;
}

const ACCOUNT = "111122223333";
const HOST = ISSUER.replace("https://", "");
const roleArn = `arn:aws:iam::${ACCOUNT}:role/web`;
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/${HOST}`;
const policy = (...Statement: readonly Json[]): Json => ({ Version: "2012-10-17", Statement });
const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::shop/*" };
const trust = (more: Json = {}): Json =>
  policy({
    Effect: "Allow",
    Principal: { Federated: PROVIDER },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: {
      StringEquals: {
        [`${HOST}:sub`]: "system:serviceaccount:shop:web",
        [`${HOST}:aud`]: "sts.amazonaws.com",
        ...more,
      },
    },
  });
const role = (more: Json = {}): Json => ({
  Path: "/",
  RoleName: "web",
  RoleId: "AROA",
  Arn: roleArn,
  CreateDate: "2026-01-01T00:00:00+00:00",
  AssumeRolePolicyDocument: trust(),
  ...more,
});
const detail = (more: Json = {}): Json =>
  role({
    InstanceProfileList: [],
    RolePolicyList: [{ PolicyName: "read", PolicyDocument: policy(READ) }],
    AttachedManagedPolicies: [],
    Tags: [],
    RoleLastUsed: {},
    ...more,
  });
const details = (more: Json = {}, policies: readonly Json[] = []): Json => ({
  UserDetailList: [],
  GroupDetailList: [],
  RoleDetailList: [detail(more)],
  Policies: policies,
  IsTruncated: false,
});
const providerAnswer = (more: Json = {}, arn = PROVIDER): Json => ({
  "iam get-open-id-connect-provider": {
    [arn]: { Url: arn.split(":oidc-provider/")[1], ClientIDList: ["sts.amazonaws.com"], Tags: [], ...more },
  },
});
const account = (annotations: Json, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "web", namespace: "shop", annotations },
  ...more,
});
const kubernetes = (items: readonly Json[]): Json => ({ apiVersion: "v1", kind: "List", items });
const aws = (more: World = {}): World => ({
  "objects.json": kubernetes([account({ "eks.amazonaws.com/role-arn": roleArn })]),
  "openid.json": discovery(ISSUER),
  "provider.json": providerAnswer(),
  "details.json": details(),
  ...more,
});

describe("try", () => {
  it("aws", () => {
    console.log(answer(aws()));
    console.log(answer(aws({ "details.json": { Role: role() } })));
    console.log(answer(aws({ "details.json": details({ Foo: 1 }) })));
    console.log(answer(aws({ "provider.json": { Url: HOST, ClientIDList: ["sts.amazonaws.com"] } })));
  });
});
