import { Token, TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import {
  type ComponentNarrowing,
  type ComponentOverride,
  ComponentRole,
  type ComponentRoleProps,
  type ComponentRolesProps,
  OidcProvider,
  componentRoles,
} from "../../../lib/cloud/aws";
import type { ComponentsDeclaration } from "../../../lib/model/components";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  PROVIDER,
  REGION,
  code,
  document,
  newStack,
  numbered,
  only,
  otherProvider,
  refusedBy,
  resources,
  trusts,
  warnings,
} from "./synthesized";

const EXTRA = { Effect: "Allow", Action: "s3:ListBucket", Resource: "arn:aws:s3:::images" } as const;
const KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/1234abcd`;

function request(more: Partial<CredentialsRequest> = {}): CredentialsRequest {
  return {
    name: "registry",
    annotations: {},
    secret: { namespace: "openshift-image-registry", name: "installer-cloud-credentials" },
    subjects: [Subject.of("openshift-image-registry/registry")],
    cloudTokenPath: undefined,
    providerKind: "AWSProviderSpec",
    providerSpec: {
      statementEntries: [
        { effect: "Allow", action: ["s3:GetObject", "s3:PutObject", "kms:Decrypt"], resource: "*" },
        { effect: "Deny", action: ["s3:DeleteBucket"], resource: "*" },
      ],
    },
    source: { file: "registry.yaml", document: 2 },
    ...more,
  };
}

/** A request with one statement, of every action of S3 where nothing else is stated. */
function entry(more: object): Partial<CredentialsRequest> {
  const statement = { effect: "Allow", action: ["s3:*"], resource: "*", ...more };
  return { providerSpec: { statementEntries: [statement] } };
}

function declare(
  stack: TerraformStack,
  props: ComponentRolesProps = {},
  requests: readonly CredentialsRequest[] = [request()],
  issuer: Issuer = Issuer.of(ISSUER),
): ComponentsDeclaration {
  return componentRoles(props).declare(stack, { clusterName: "prod", issuer, requests });
}

function role(stack: TerraformStack, more: Partial<ComponentRoleProps> = {}): ComponentRole {
  return new ComponentRole(stack, "component", {
    request: request(),
    clusterName: "prod",
    oidcProvider: OidcProvider.fromArn(stack, "oidc", PROVIDER),
    ...more,
  });
}

const statements = (stack: TerraformStack): unknown[] =>
  document(only(stack, "aws_iam_role_policy"), "policy").Statement;

describe("componentRoles", () => {
  it("declares OIDC provider, role and policy as one would by hand, with a literal Secret", () => {
    const stack = newStack();
    const { grants, secrets } = declare(stack, {
      account: ACCOUNT,
      region: REGION,
      tags: { team: "platform" },
    });
    expect(only(stack, "aws_iam_openid_connect_provider")).toEqual({
      url: ISSUER,
      client_id_list: ["openshift", "sts.amazonaws.com"],
      tags: { team: "platform" },
      lifecycle: { prevent_destroy: true },
    });
    const name = "prod-openshift-image-registry-installer-cloud-credentials";
    expect(only(stack, "aws_iam_role")).toEqual({
      name,
      description: "OpenShift role for openshift-image-registry/installer-cloud-credentials",
      assume_role_policy: expect.any(String),
      tags: { team: "platform" },
      depends_on: [expect.stringMatching(/^aws_iam_openid_connect_provider\./)],
    });
    expect(secrets).toEqual([]);
    expect(grants).toEqual([
      {
        request: expect.objectContaining({ name: "registry" }),
        identity: `arn:aws:iam::${ACCOUNT}:role/${name}`,
        secret: {
          namespace: "openshift-image-registry",
          name: "installer-cloud-credentials",
          stringData: {
            credentials:
              "[default]\nsts_regional_endpoints = regional\n" +
              `role_arn = arn:aws:iam::${ACCOUNT}:role/${name}\n` +
              "web_identity_token_file = /var/run/secrets/openshift/serviceaccount/token",
          },
        },
      },
    ]);
  });

  it("admits the component's service accounts, for its audience only", () => {
    const stack = newStack();
    declare(stack, { account: ACCOUNT, region: REGION });
    expect(trusts(stack, "openshift", "openshift-image-registry/registry")).toBe("allowed");
    expect(trusts(stack, "sts.amazonaws.com", "openshift-image-registry/registry")).toBe("denied");
    expect(trusts(stack, "openshift", "openshift-image-registry/other")).toBe("denied");
  });

  it("admits any audience only for a reason, which stands in the description", () => {
    const stack = newStack();
    declare(stack, { account: ACCOUNT, region: REGION, anyAudienceReason: "the webhook mounts the token" });
    const made = only(stack, "aws_iam_role");
    expect(made["description"]).toBe(
      "OpenShift role for openshift-image-registry/installer-cloud-credentials. Any audience: the webhook mounts the token",
    );
    expect(document(made, "assume_role_policy").Statement).toEqual([
      expect.objectContaining({
        Condition: {
          StringEquals: {
            "oidc.example.com/c1:sub": "system:serviceaccount:openshift-image-registry:registry",
          },
        },
      }),
    ]);
  });

  it("honours the request's token path, which is where the component mounts its token", () => {
    const stack = newStack();
    const [grant] = declare(stack, {}, [request({ cloudTokenPath: "/var/run/token" })]).grants;
    expect(grant?.secret.stringData?.["credentials"]).toMatch(
      /\nweb_identity_token_file = \/var\/run\/token$/,
    );
  });

  it("shortens a long name with a hash, and keeps two that share their beginning apart", () => {
    const stack = newStack();
    const secret = (name: string): Partial<CredentialsRequest> => ({
      name,
      secret: { namespace: "openshift-cloud-credential-operator", name: `cloud-credential-operator-${name}` },
    });
    declare(stack, {}, [request(secret("creds-a")), request(secret("creds-b"))]);
    const names = resources(stack, "aws_iam_role").map(({ name }) => String(name));
    expect(names.every((name) => name.length === 64)).toBe(true);
    expect(new Set(names).size).toBe(2);
  });

  it("adopts the OIDC provider, and the roles that exist", () => {
    const stack = newStack();
    const other = request({ name: "new", secret: { namespace: "openshift-new", name: "creds" } });
    const props = { account: ACCOUNT, region: REGION, permissionsBoundary: "none", adopt: ["registry"] };
    declare(stack, props, [request(), other]);
    const written = JSON.parse(Testing.synth(stack)) as { import: { id: string; to: string }[] };
    expect(written.import.map(({ id }) => id).sort()).toEqual([
      PROVIDER,
      "prod-openshift-image-registry-installer-cloud-credentials",
      "prod-openshift-image-registry-installer-cloud-credentials:prod-openshift-image-registry-installer-cloud-credentials",
    ]);
    expect(written.import.every(({ to }) => /^aws_iam_\w+\.[\w-]+$/.test(to))).toBe(true);
  });

  it("adopts some roles under ccoctl's names, and names the others as stated", () => {
    const stack = newStack();
    const other = request({ name: "new", secret: { namespace: "openshift-new", name: "creds" } });
    const props: ComponentRolesProps = {
      account: ACCOUNT,
      region: REGION,
      permissionsBoundary: "none",
      adopt: ["registry"],
      naming: "derived",
      ccoctlName: "old",
    };
    declare(stack, props, [request(), other]);
    expect(resources(stack, "aws_iam_role").map(({ name, tags }) => [name, tags])).toEqual([
      [
        "old-openshift-image-registry-installer-cloud-credentials",
        { "openshift.io/cloud-credential-operator/old": "owned", Name: "old" },
      ],
      ["prod-openshift-new-creds", undefined],
    ]);
    expect(resources(stack, "aws_iam_role_policy").map(({ name }) => name)).toEqual([
      "old-openshift-image-registry-installer-cloud-credentials",
      "component",
    ]);
  });

  it("finds the construct behind a grant", () => {
    const stack = newStack();
    const props = { account: ACCOUNT, region: REGION, overrides: { registry: { kmsKeys: [KEY] } } };
    const found = declare(stack, props).grants.map((grant) => ComponentRole.ofGrant(grant));
    expect(found.map(({ arn, keyPolicyStatements: [first] }) => [arn, first?.Principal])).toEqual([
      [expect.stringMatching(/installer-cloud-credentials$/), { AWS: found[0]?.arn }],
    ]);
    const copies = found.map(({ grant }) => ({ ...grant }));
    for (const copy of copies)
      expect(() => ComponentRole.ofGrant(copy)).toThrowError(
        code("aws-foreign: grant was not created by componentRoles()"),
      );
  });

  it("uses an OIDC provider that exists, and waits for nothing", () => {
    const stack = newStack();
    declare(stack, { oidcProvider: OidcProvider.fromArn(stack, "oidc", PROVIDER) });
    expect(resources(stack, "aws_iam_openid_connect_provider")).toEqual([]);
    expect(only(stack, "aws_iam_role")["depends_on"]).toBeUndefined();
  });

  const REFUSED_REQUESTS = refusedBy<Partial<CredentialsRequest>>({
    "aws-foreign: the CredentialsRequest is for another cloud": {
      "another cloud's request": { providerKind: "AzureProviderSpec" },
    },
    "aws-invalid: has no statements": { "no statements": { providerSpec: { statementEntries: [] } } },
    "aws-invalid: statementEntries[0].action names no actions": {
      "statement without actions": entry({ action: [] }),
    },
    "aws-invalid: .action names an action that is not one of AWS": {
      "an action without service": entry({ action: ["ec2 Describe"] }),
    },
    "aws-invalid: .effect is not an effect": { "statement without effect": entry({ effect: undefined }) },
    "aws-invalid: .resource names no resource": {
      "statement without resource": entry({ resource: undefined }),
    },
    "aws-invalid: has an unknown field": { "unknown field": entry({ notAction: [] }) },
    "aws-invalid: is not a condition": {
      "a condition that is none": entry({ policyCondition: { Bool: "x" } }),
    },
    "aws-unsupported: the CredentialsRequest itself names a role (stsIAMRoleARN), so": {
      "a brokered request": {
        providerSpec: { stsIAMRoleARN: "arn:aws:iam::1:role/x", statementEntries: [] },
      },
    },
    "aws-limit: is too long": {
      "a policy over IAM's limit": entry({ action: numbered(700, (index) => `ec2:Action${index}x`) }),
    },
  });

  const override = (change: object | null): ComponentRolesProps => ({
    overrides: { registry: change as ComponentOverride },
  });

  const existing = { adopt: true, permissionsBoundary: "none" } as const;

  it.each(
    refusedBy<readonly [ComponentRolesProps, RegExp?]>({
      "aws-unknown: override is for a CredentialsRequest that is not among the requests": {
        "an override of no request": [{ overrides: { registri: {} } }, /"registri"; allowed: registry/],
      },
      "property-unknown": {
        "an override with an unknown field": [override({ narow: [] }), /write narrow/],
        "an override that would place one role elsewhere": [
          override({ path: "/p/" }),
          /overrides\.registry\.path/,
        ],
      },
      "aws-mismatch: an adopted role keeps ccoctl's name": {
        "adopting everything under derived names": [
          { ...existing, naming: "derived" },
          /so that `naming` applies/,
        ],
      },
      "aws-unused: ccoctlName is set, but nothing is adopted or named as ccoctl does": {
        "a name of ccoctl without use": [{ ccoctlName: "old" }, /"old"/],
      },
      "aws-invalid: the name that was passed to ccoctl is not valid": {
        "an empty name of ccoctl": [{ ...existing, ccoctlName: "" }, /got ""/],
      },
      "aws-unknown: adopt names a CredentialsRequest that is not among the requests": {
        "an adopted role of no request": [{ adopt: ["registri"] }, /"registri"; allowed: registry/],
      },
      "late-value": { "adopting where the ARN is late": [existing, /OIDC provider to adopt/] },
      "aws-mismatch: the OIDC provider belongs to another issuer than the cluster": {
        "another issuer's OIDC provider": [
          { oidcProvider: otherProvider({ issuer: Issuer.of(`${ISSUER}2`) }) },
        ],
      },
      "aws-mismatch: the permissions boundary is a policy of another account than the IAM role": {
        "a boundary of another account": [
          { account: ACCOUNT, permissionsBoundary: `arn:aws:iam::${OWNER}:policy/b` },
        ],
      },
    }),
  )("refuses %s, and declares no role", (_, [props, text], refusal) => {
    const stack = newStack();
    expect(() => declare(stack, props)).toThrowError(code(refusal, text));
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it.each(REFUSED_REQUESTS)("refuses %s, names the request, and declares no role", (_, more, refusal) => {
    const stack = newStack();
    expect(() => declare(stack, {}, [request(more)])).toThrowError(
      code(refusal, /^registry\.yaml, document 2, CredentialsRequest registry: /),
    );
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it("names both requests that would share a role, and checks the last before it declares the first", () => {
    const stack = newStack();
    const ambiguous = [
      request({ name: "a", secret: { namespace: "openshift-a", name: "b-creds" } }),
      request({ name: "b", secret: { namespace: "openshift-a-b", name: "creds" } }),
    ];
    expect(() => declare(stack, {}, ambiguous)).toThrowError(
      code(
        "aws-conflict: would share one IAM role",
        /CredentialsRequest a and registry\.yaml, document 2, CredentialsRequest b would share/,
      ),
    );
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it("scales to many clusters in one stack", () => {
    const stack = newStack();
    for (let i = 0; i < 20; i++)
      componentRoles({ account: ACCOUNT, region: REGION }).declare(new Construct(stack, `c${i}`), {
        clusterName: `c${i}`,
        issuer: Issuer.of(`https://oidc.example.com/c${i}`),
        requests: [request()],
      });
    expect(resources(stack, "aws_iam_role")).toHaveLength(20);
  });
});

describe("ComponentRole", () => {
  it("narrows actions to resources and conditions, and leaves a Deny alone", () => {
    const stack = newStack();
    role(stack, {
      narrow: [
        {
          actions: ["s3:Get*"],
          resources: ["arn:aws:s3:::images/*"],
          conditions: { Bool: { "aws:SecureTransport": true } },
        },
      ],
      statements: [EXTRA],
    });
    expect(statements(stack)).toEqual([
      {
        Effect: "Allow",
        Action: ["s3:GetObject"],
        Resource: "arn:aws:s3:::images/*",
        Condition: { Bool: { "aws:SecureTransport": true } },
      },
      { Effect: "Allow", Action: ["s3:PutObject", "kms:Decrypt"], Resource: "*" },
      { Effect: "Deny", Action: ["s3:DeleteBucket"], Resource: "*" },
      EXTRA,
    ]);
  });

  it("restricts KMS actions to keys, and says what their policies need", () => {
    const stack = newStack();
    const made = role(stack, { kmsKeys: [KEY] });
    expect(statements(stack)[1]).toEqual({ Effect: "Allow", Action: ["kms:Decrypt"], Resource: KEY });
    expect(made.keyPolicyStatements).toEqual([
      expect.objectContaining({ Principal: { AWS: made.arn }, Resource: "*" }),
      expect.objectContaining({ Condition: { Bool: { "kms:GrantIsForAWSResource": true } } }),
    ]);
    expect(warnings(stack)).toEqual([]);
  });

  it("gives KMS actions to a request without any, and warns of a key of another account", () => {
    const stack = newStack();
    const foreign = KEY.replace(ACCOUNT, OWNER);
    role(stack, { request: request(entry({ action: ["ec2:CreateVolume"] })), kmsKeys: [foreign] });
    expect(statements(stack).slice(1)).toEqual([
      expect.objectContaining({ Action: expect.arrayContaining(["kms:Decrypt"]), Resource: foreign }),
      expect.objectContaining({
        Action: ["kms:CreateGrant", "kms:ListGrants", "kms:RevokeGrant"],
        Resource: foreign,
        Condition: { Bool: { "kms:GrantIsForAWSResource": true } },
      }),
    ]);
    expect(warnings(stack)).toEqual([expect.stringContaining(`${foreign} is in another account`)]);
  });

  const narrow = (more: object): Partial<ComponentRoleProps> => ({
    narrow: [{ actions: ["s3:*"], ...more }],
  });
  const untyped = (value: unknown): never => value as never;
  const bucket = "arn:aws:s3:::a";

  it.each(
    refusedBy<Partial<ComponentRoleProps>>({
      "aws-unused: the override narrows an action that no Allow statement of the request has": {
        "narrowing an action that is not asked for": narrow({ actions: ["s3:ListBucket"], resources: ["*"] }),
        "narrowing a Deny, which would permit more": narrow({
          actions: ["s3:DeleteBucket"],
          resources: ["*"],
        }),
      },
      "aws-conflict: the override narrows an action twice": {
        "narrowing one action twice": {
          narrow: ["s3:*", "s3:GetObject"].map((action) => ({ actions: [action], resources: [bucket] })),
        },
      },
      "aws-invalid: override:": {
        "no resources": narrow({ resources: [] }),
        "a resource that is not an ARN": narrow({ resources: ["my-bucket"] }),
        "an entry that narrows nothing": narrow({}),
        "narrowing to what is asked for": narrow({ resources: ["*"] }),
        "no actions": narrow({ actions: [], resources: [bucket] }),
        "empty conditions": narrow({ conditions: {} }),
        "a condition without values": narrow({ conditions: { StringEquals: { "aws:x": [] } } }),
        "an operator that IAM does not have": narrow({ conditions: { StringEqual: { "aws:x": "y" } } }),
      },
      "property-missing": { "missing actions": { narrow: untyped([{ resources: [bucket] }]) } },
      "property-unknown": { "an entry with an unknown field": narrow({ resource: bucket }) },
      "aws-conflict: two statements of one policy have the same Sid, which IAM refuses": {
        "two extra statements of one Sid": {
          statements: ["s3:GetObject", "s3:PutObject"].map((Action) => ({ ...EXTRA, Sid: "A", Action })),
        },
      },
      "aws-unsafe: the permission covers every action, or every action of a service": {
        "a wide extra statement without reason": {
          statements: [{ ...EXTRA, Action: "*", Resource: "arn:aws:*" }],
        },
      },
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "keys of another partition": { kmsKeys: [KEY.replace("arn:aws:", "arn:aws-cn:")] },
      },
      "aws-unsafe: the request permits actions of any service, so `kmsKeys` would not limit it to these keys":
        {
          "keys where every action is permitted anyway": {
            kmsKeys: [KEY],
            request: request(entry({ action: ["*"] })),
          },
        },
      "openshift-invalid": {
        "a token path of a request made by hand that adds a line to the Secret": {
          request: request({ cloudTokenPath: "/x\nrole_arn = evil" }),
        },
      },
      "aws-unsupported: an adopted role would be replaced: ccoctl creates roles without a path": {
        "a path for a role that exists": { adopt: true, path: "/x/" },
      },
      "aws-mismatch: an adopted role keeps ccoctl's name": {
        "a role that exists with derived name": { adopt: true, naming: "derived" },
      },
      "aws-missing: `permissionsBoundary` is not stated, so adopting would remove": {
        "a role that exists without word on its boundary": { adopt: true },
      },
      "aws-invalid: tags": { "a tag that AWS keeps for itself": { tags: { "aws:x": "y" } } },
      "aws-invalid: the KMS key is not the ARN of a key": {
        "an alias in the place of a key": { kmsKeys: [`arn:aws:kms:${REGION}:${ACCOUNT}:alias/x`] },
        "no keys": { kmsKeys: [] },
      },
      "aws-invalid": {
        "an extra statement without resource": { statements: [{ Effect: "Allow", Action: "s3:ListBucket" }] },
      },
      "audience-mismatch": {
        "an audience that the OIDC provider refuses": {
          oidcProvider: otherProvider({ audiences: ["sts.amazonaws.com"] }),
        },
      },
    }),
  )("refuses %s", (_, more, refusal) => {
    expect(() => role(newStack(), more)).toThrowError(
      code(refusal, /component: .*registry\.yaml, document 2|prod\/component/),
    );
  });

  const other = Token.asString({ resolve: () => "arn:aws:s3:::other" });
  const key = (name: string): Partial<ComponentNarrowing> => ({ conditions: { Bool: { [name]: false } } });

  it.each(
    refusedBy<Partial<ComponentNarrowing>>({
      "aws-unsafe: the override would give the component more access than its request asks for": {
        "beyond the request's resource": { resources: ["arn:aws:s3:::other/*"] },
        "to an ARN that cannot be compared": { resources: [other] },
      },
      "aws-conflict: override states a condition that the request already has,": {
        "with a condition that the request has in other letters": key("KMS:grantisforawsresource"),
        "with a condition that the request has": key("kms:GrantIsForAWSResource"),
      },
    }),
  )("refuses narrowing %s", (_, narrowing, refusal) => {
    const narrowed = request(
      entry({
        action: ["s3:GetObject"],
        resource: "arn:aws:s3:::images*",
        policyCondition: { Bool: { "kms:GrantIsForAWSResource": true } },
      }),
    );
    const narrow = [{ actions: ["s3:GetObject"], ...narrowing }];
    expect(() => role(newStack(), { request: narrowed, narrow })).toThrowError(code(refusal));
  });

  it("takes a wide statement with a reason, which stands in the description", () => {
    const stack = newStack();
    role(stack, {
      statements: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }],
      wideReason: "moves buckets of all teams",
    });
    expect(only(stack, "aws_iam_role")["description"]).toMatch(
      /\. Every resource: moves buckets of all teams$/,
    );
  });

  it("states no boundary for a role that exists without one, and escapes tags", () => {
    const stack = newStack();
    role(stack, { adopt: true, permissionsBoundary: "none", tags: { team: "${x} %{y}" } });
    const made = only(stack, "aws_iam_role");
    expect(made["permissions_boundary"]).toBeUndefined();
    expect(made["tags"]).toMatchObject({ team: "$${x} %%{y}" });
  });

  it("warns of a key whose account may be another one than the role's", () => {
    const stack = newStack();
    role(stack, {
      oidcProvider: new OidcProvider(stack, "late", { issuer: ISSUER, audiences: ["openshift"] }),
      kmsKeys: [KEY],
    });
    expect(warnings(stack)).toEqual([expect.stringContaining(`${KEY} may be in another account`)]);
  });

  it("escapes policy variables for Terraform, once", () => {
    const stack = newStack();
    role(stack, {
      narrow: [{ actions: ["s3:GetObject"], resources: ["arn:aws:s3:::images/${aws:PrincipalTag/team}/*"] }],
    });
    expect(String(only(stack, "aws_iam_role_policy")["policy"])).toContain(
      "images/$${aws:PrincipalTag/team}/*",
    );
  });

  it("has a late ARN in its Secret where the account is not known", () => {
    const stack = newStack();
    const oidcProvider = OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: "openshift" });
    expect(Token.isUnresolved(role(stack, { oidcProvider }).secret.stringData?.["credentials"])).toBe(true);
  });
});
