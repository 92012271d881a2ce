import { existsSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type ExpectedToken,
  type SynthesizedStack,
  allowsAssume,
  allowsPull,
  deniesPull,
  hasNoLateValues,
  rejectsAssume,
  removeSynthesized,
  synthStack,
} from "../../lib/testing";
import { ProdEu } from "../../examples/openshift-aws/stack";
import { aroHcp, emptyStack, lateIssuer, prodEu, roleStack, threeClouds } from "./stacks";
import { refusal } from "../support/refusal";

// An ES module, which `require` of a CommonJS test cannot load.
beforeAll(() => import("cdktf-workload-identity/vitest"));

const eu = prodEu();
const edge = threeClouds();
const manual = lateIssuer();
const WEB = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1";
const BATCH = "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner:v1";

/** The message of a failing expectation. */
function failure(expectation: () => void): string {
  try {
    expectation();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the expectation did not fail");
}

describe("toAllowPull and toDenyPull", () => {
  it.each([
    ["shop/web", WEB, "allowed", undefined],
    ["batch/jobs", BATCH, "allowed", undefined],
    // The role of shop/web has no permission there.
    ["shop/web", BATCH, "denied", "repository-permitted"],
    ["shop/other", WEB, "denied", "service-account-present"],
    ["shop/web", "registry.acme.example/nginx", "denied", "provider-matches-image"],
  ] as const)("%s pulls %s: %s at %s", (serviceAccount, image, verdict, check) => {
    const pull = { serviceAccount, image };
    const [first] = eu.explain(pull);
    expect(first?.verdict).toBe(verdict);
    expect(first?.checks.find(({ status }) => status === "fail")?.id).toBe(check);
    if (verdict === "allowed") {
      expect(eu).toAllowPull(pull);
      expect(eu).not.toDenyPull(pull);
      const text = failure(() => expect(eu).toDenyPull(pull));
      expect(text).toContain(`toDenyPull: the pull of ${image} by ${serviceAccount} is allowed`);
      expect(text).toContain("pass    repository-permitted");
      expect(failure(() => expect(eu).not.toAllowPull(pull))).toContain(".not.toAllowPull: the pull of");
      return;
    }
    expect(eu).toDenyPull(pull);
    expect(eu).toDenyPull({ ...pull, check });
    expect(eu).not.toAllowPull(pull);
    const text = failure(() => expect(eu).toAllowPull(pull));
    expect(text).toContain(`toAllowPull: the pull of ${image} by ${serviceAccount} is denied`);
    expect(text).toContain(`fail    ${check}: `);
    expect(text).not.toContain(eu.outdir);
  });

  it("fails toDenyPull where another check is the first to fail, and names it", () => {
    const pull = { serviceAccount: "shop/web", image: BATCH, check: "subject-admitted" } as const;
    expect(eu).not.toDenyPull(pull);
    expect(failure(() => expect(eu).toDenyPull(pull))).toContain("first failing check repository-permitted");
  });

  it("takes neither side of what cannot be determined", () => {
    const old = synthStack((app) => new ProdEu(app, "prod-eu"), { cluster: { plugins: {} } });
    const pull = { serviceAccount: "shop/web", image: WEB };
    expect(old.explain(pull)[0]?.verdict).toBe("unknown");
    expect(allowsPull(old, pull).holds).toBe(false);
    expect(deniesPull(old, pull).holds).toBe(false);
    expect(allowsPull(old, pull).text).toMatch(/ is unknown\n[^]*unknown provider-on-node/);
  });

  it("refuses a stack without cluster", () => {
    const stack = synthStack(emptyStack);
    expect(() => allowsPull(stack, { serviceAccount: "shop/web", image: WEB })).toThrowError(
      refusal("testing-missing"),
    );
  });
});

const AWS_ISSUER = "https://d111111abcdef8.cloudfront.net";
const EDGE = "https://oidc.acme.example/edge-1";
const STS = "sts.amazonaws.com";
const ENTRA = "api://AzureADTokenExchange";
const POOL =
  "https://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1";
const WEB_SUBJECT = "system:serviceaccount:shop:web";
const INGRESS = {
  sub: "system:serviceaccount:openshift-ingress-operator:ingress-operator",
  aud: "openshift",
};
const TOOLS_SUBJECT = "system:serviceaccount:shop:tools";

describe("toAllowAssume and toRejectAssume", () => {
  const rows: readonly (readonly [string, SynthesizedStack, ExpectedToken, boolean])[] = [
    ["role", eu, { iss: AWS_ISSUER, sub: WEB_SUBJECT, aud: STS }, true],
    [
      "role of that name",
      eu,
      { iss: AWS_ISSUER, sub: WEB_SUBJECT, aud: STS, identity: "prod-eu_shop_web" },
      true,
    ],
    [
      "role of that ARN",
      eu,
      {
        iss: AWS_ISSUER,
        sub: WEB_SUBJECT,
        aud: STS,
        identity: "arn:aws:iam::111122223333:role/prod-eu_shop_web",
      },
      true,
    ],
    [
      "other role",
      eu,
      { iss: AWS_ISSUER, sub: WEB_SUBJECT, aud: STS, identity: "prod-eu_batch_jobs" },
      false,
    ],
    ["issuer with a slash", eu, { iss: `${AWS_ISSUER}/`, sub: WEB_SUBJECT, aud: STS }, false],
    ["other audience", eu, { iss: AWS_ISSUER, sub: WEB_SUBJECT, aud: "kubernetes" }, false],
    ["longer subject", eu, { iss: AWS_ISSUER, sub: `${WEB_SUBJECT}-2`, aud: STS }, false],
    ["credential", edge, { iss: EDGE, sub: WEB_SUBJECT, aud: ENTRA }, true],
    [
      "credential of that identity",
      edge,
      { iss: EDGE, sub: WEB_SUBJECT, aud: ENTRA, identity: "edge-1_shop_web" },
      true,
    ],
    ["credential, other subject", edge, { iss: EDGE, sub: TOOLS_SUBJECT, aud: ENTRA }, false],
    ["pool provider", edge, { iss: EDGE, sub: TOOLS_SUBJECT, aud: POOL }, true],
    [
      "pool provider of that id",
      edge,
      { iss: EDGE, sub: TOOLS_SUBJECT, aud: POOL, identity: "k8s-edge-1/k8s-edge-1" },
      true,
    ],
    ["pool provider, other subject", edge, { iss: EDGE, sub: WEB_SUBJECT, aud: POOL }, false],
    ["pool provider, no service account", edge, { iss: EDGE, sub: "system:node:n1", aud: POOL }, false],
    ["role, issuer of the stack", eu, { sub: WEB_SUBJECT, aud: STS }, true],
    ["role, issuer of the stack, other subject", eu, { sub: `${WEB_SUBJECT}-2`, aud: STS }, false],
    ["credential, issuer of the stack", edge, { sub: WEB_SUBJECT, aud: ENTRA }, true],
    ["pool provider, issuer of the stack", edge, { sub: TOOLS_SUBJECT, aud: POOL }, true],
    ["role, late issuer of the stack", manual, INGRESS, true],
    ["late issuer, other audience", manual, { ...INGRESS, aud: STS }, false],
    ["late issuer, other subject", manual, { ...INGRESS, sub: `${INGRESS.sub}-2` }, false],
    [
      "late issuer, other role",
      manual,
      { ...INGRESS, identity: "prod-aws-openshift-image-registry-installer-cloud-credentials" },
      false,
    ],
    ["pool provider, other issuer", edge, { iss: AWS_ISSUER, sub: TOOLS_SUBJECT, aud: POOL }, false],
  ];

  it.each(rows)("%s", (_, stack, token, admitted) => {
    if (admitted) {
      expect(stack).toAllowAssume(token);
      expect(stack).not.toRejectAssume(token);
      expect(failure(() => expect(stack).toRejectAssume(token))).toMatch(
        /toRejectAssume: the token of .* is allowed\n\nallowed {2}/,
      );
    } else {
      expect(stack).toRejectAssume(token);
      expect(stack).not.toAllowAssume(token);
      expect(failure(() => expect(stack).toAllowAssume(token))).toMatch(
        /toAllowAssume: the token of .* is denied\n[^]* {2}fail /,
      );
    }
  });

  it("presumes an OIDC provider that is declared elsewhere", () => {
    const stack = roleStack({
      Effect: "Allow",
      Principal: { Federated: "arn:aws:iam::111122223333:oidc-provider/oidc.acme.example/edge-1" },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringEquals: { "oidc.acme.example/edge-1:sub": WEB_SUBJECT } },
    });
    expect(stack).toAllowAssume({ iss: EDGE, sub: WEB_SUBJECT, aud: STS });
    expect(stack).toRejectAssume({ iss: EDGE, sub: TOOLS_SUBJECT, aud: STS });
  });

  it.each([
    // A principal that names no OIDC provider is no refusal.
    [{ Effect: "Allow", Principal: "*", Action: "sts:AssumeRoleWithWebIdentity" }, false],
    [{ Effect: "Allow", Principal: { Federated: "*" }, Action: "sts:AssumeRoleWithWebIdentity" }, false],
    [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }, true],
  ])("rejects with the trust %j: %s", (statement, rejected) => {
    expect(rejectsAssume(roleStack(statement), { iss: EDGE, sub: WEB_SUBJECT, aud: STS }).holds).toBe(
      rejected,
    );
  });

  it("takes neither side of another issuer while the stack's own is late", () => {
    const token = { ...INGRESS, iss: AWS_ISSUER };
    expect(rejectsAssume(manual, token).holds).toBe(false);
    expect(allowsAssume(manual, token).text).toMatch(/ is unknown\n/);
    expect(allowsAssume(manual, INGRESS).text).toContain(
      "(issuer https://<aws_cloudfront_distribution.issuer_Distribution_6D5A4523.domain_name>, audience openshift) is allowed",
    );
  });

  it("needs the issuer where the stack has no cluster", () => {
    for (const find of [allowsAssume, rejectsAssume])
      expect(() => find(synthStack(emptyStack), { sub: WEB_SUBJECT, aud: STS })).toThrowError(
        'the token states no issuer, and the stack does not have exactly one, got "none"',
      );
  });

  it("is no rejection where nothing could admit", () => {
    const finding = rejectsAssume(synthStack(emptyStack), { iss: EDGE, sub: WEB_SUBJECT, aud: STS });
    expect(finding.holds).toBe(false);
    expect(finding.text).toContain("the stack declares no identity");
  });

  it.each([
    [{ iss: EDGE, sub: WEB_SUBJECT, aud: STS, identity: "edge-1_shop_wbe" }, "testing-unknown"],
    [{ iss: EDGE, sub: WEB_SUBJECT, aud: "" }, "testing-invalid"],
    [{ iss: EDGE, sub: ` ${WEB_SUBJECT}`, aud: STS }, "testing-invalid"],
    [{ iss: "${TfToken[TOKEN.1]}", sub: WEB_SUBJECT, aud: STS }, "testing-invalid"],
  ])("refuses %j: %s", (token, code) => {
    for (const find of [allowsAssume, rejectsAssume])
      expect(() => find(edge, token)).toThrowError(expect.objectContaining({ code }));
  });
});

describe("toHaveNoLateValues", () => {
  it("holds where everything is final", () => {
    expect(eu).toHaveNoLateValues();
    expect(failure(() => expect(eu).not.toHaveNoLateValues())).toContain("prod-eu holds no late value");
  });

  it("names file, line and what fills it", () => {
    expect(edge).not.toHaveNoLateValues();
    expect(failure(() => expect(edge).toHaveNoLateValues())).toMatch(
      /edge-1 holds 1 late value\n\n {2}manifests\/20-service-accounts\.yaml:\d+: \$\{azurerm_user_assigned_identity\.\w+\.client_id\}\n/,
    );
  });

  it("sees what stands encoded", () => {
    expect(hasNoLateValues(aroHcp()).text).toMatch(
      /50-node-pool-config\.yaml:\d+: data-url of a text with @late\(.+\)@\n/,
    );
  });
});

describe("synthStack", () => {
  it("gives what was written, and removes it", () => {
    const stack = prodEu();
    expect(existsSync(join(stack.dir, "cdk.tf.json"))).toBe(true);
    expect(Object.keys(stack.terraform["resource"] as object)).toContain("aws_iam_role");
    expect(stack.manifests.map((object) => (object as { kind: string }).kind)).toContain("MachineConfig");
    stack.remove();
    expect(existsSync(stack.outdir)).toBe(false);
  });

  it("leaves no folder where building fails, and refuses a stack of another app", () => {
    let outdir = "";
    const foreign = (app: App): TerraformStack => {
      outdir = app.outdir;
      return emptyStack(new App());
    };
    expect(() => synthStack(foreign)).toThrowError(refusal("testing-foreign"));
    expect(existsSync(outdir)).toBe(false);
  });

  it("removes all folders at once", () => {
    const stack = synthStack(emptyStack, { context: { colour: "blue" } });
    const { dir } = stack;
    expect(existsSync(dir)).toBe(true);
    stack.remove();
    const again = synthStack(emptyStack);
    removeSynthesized();
    expect(existsSync(again.outdir)).toBe(false);
  });
});

it("says what a matcher needs", () => {
  expect(failure(() => expect("cdktf.out").toHaveNoLateValues())).toContain("synthStack");
});
