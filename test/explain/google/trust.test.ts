/*
 * Pool providers: what Google and its organizations refuse, projects that are not known, keys, and references.
 */

import { describe, expect, it } from "vitest";
import { known } from "../../../lib/model/known";
import type { Edit } from "../../fixtures/explain/artefacts";
import { TF, declared, puller } from "../../fixtures/explain/google";

const CONDITION = "assertion.sub in ['system:serviceaccount:shop:tools']";
const ISSUER = "https://oidc.acme.example/edge-1";
const POOL = "google_iam_workload_identity_pool";
const PROVIDER = '"google": [';
const PROVIDER_ID = '"workload_identity_pool_provider_id": "k8s-edge-1"';

type Row = readonly [why: string, edits: readonly Edit[], status: string, says: string];
type Link = "issuer" | "audience" | "subject";

function says(link: Link, edits: readonly Edit[], status: string, words: string): void {
  const answer = puller(edits).identity.trust[link];
  expect([answer.status, answer.reason]).toEqual([status, expect.stringContaining(words)]);
}

/** One more argument before another. */
const before = (text: string, more: string): readonly Edit[] => [[TF, text, `${more}, ${text}`]];

describe("the issuer", () => {
  const policy = (rules: readonly object[], more: object = {}): Edit =>
    declared("google_org_policy_policy", {
      name: "projects/acme-images/policies/iam.workloadIdentityPoolProviders",
      parent: "projects/acme-images",
      spec: [{ rules }],
      ...more,
    });
  const older = (list: object, more: object = {}): Edit =>
    declared("google_project_organization_policy", {
      project: "acme-images",
      constraint: "constraints/iam.workloadIdentityPoolProviders",
      list_policy: [list],
      ...more,
    });
  const MAY_REFUSE = "organization policy google_org_policy_policy.more may refuse";

  it.each<Row>([
    ["as the example has it", [], "pass", "trusts"],
    ["under a policy, whose rules are not read", [policy([{ allow_all: "TRUE" }])], "unknown", MAY_REFUSE],
    [
      "under a policy of another constraint",
      [policy([{ deny_all: "TRUE" }], { name: "projects/acme-images/policies/compute.vmExternalIpAccess" })],
      "pass",
      "trusts",
    ],
    ["under an older policy", [older({ allow: [{ values: [ISSUER] }] })], "unknown", "may refuse"],
    [
      "of a pool of a project that nothing states",
      [
        [TF, PROVIDER, `${PROVIDER}{"alias": "bare"}, `],
        [
          TF,
          `"${POOL}": {`,
          `"${POOL}": {"other": {"provider": "google.bare", "workload_identity_pool_id": "k8s-edge-1", "disabled": true},`,
        ],
      ],
      "pass",
      "trusts",
    ],
    [
      "of a provider whose project nothing states, beside a pool of a project",
      [
        [TF, PROVIDER, `${PROVIDER}{"alias": "bare"}, `],
        [TF, PROVIDER_ID, `${PROVIDER_ID}, "project": null, "provider": "google.bare"`],
      ],
      "unknown",
      "the pool k8s-edge-1 that was read is in another project",
    ],
    [
      "of a pool in which Google makes the providers",
      before('"workload_identity_pool_id": "k8s-edge-1"', '"mode": "SYSTEM_TRUST_DOMAIN"'),
      "unknown",
      "in a pool with the mode SYSTEM_TRUST_DOMAIN",
    ],
    ["that count decides", before('"attribute_condition"', '"count": "${var.many}"'), "unknown", ""],
    [
      "verified by keys of other kinds",
      before('"issuer_uri"', '"jwks_json": "{\\"keys\\":[{\\"kty\\":\\"OKP\\",\\"kid\\":\\"a\\"}]}"'),
      "fail",
      "a is not for RS256, ES256, which Google Cloud takes",
    ],
    [
      "refused for too many attributes, whatever its issuer",
      [
        ...before(
          '"google.subject": "assertion.sub"',
          Array.from({ length: 49 }, (_, n) => `"attribute.a${n}": "assertion.sub"`).join(", "),
        ),
        [TF, `"issuer_uri": "${ISSUER}"`, '"issuer_uri": "${var.issuer}"'],
      ],
      "fail",
      "more than 50 custom attributes",
    ],
  ])("%s", (_why, edits, status, words) => says("issuer", edits, status, words));
});

// cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes: the issuer is the iss of the tokens, exactly.
describe("what almost fits is named", () => {
  const uri = (issuer: string): Edit => [TF, `"issuer_uri": "${ISSUER}"`, `"issuer_uri": "${issuer}"`];
  const id = (name: string): Edit => [TF, PROVIDER_ID, PROVIDER_ID.replace("k8s-edge-1", name)];
  const names = { workload_identity_pool_id: "k8s-edge-1", workload_identity_pool_provider_id: "beside" };
  const beside = JSON.stringify({ ...names, oidc: { issuer_uri: "https://oidc.acme.example/EDGE" } });
  const WRONG = `but the cluster's tokens are from ${ISSUER}`;

  it.each<[...Row, Link?]>([
    ["a slash", [uri(`${ISSUER}/`)], "fail", `${WRONG}; ${ISSUER}/ differs only in a trailing slash`],
    [
      "letter case",
      [uri("https://oidc.acme.example/Edge-1")],
      "fail",
      `${WRONG}; https://oidc.acme.example/Edge-1 differs only in letter case`,
    ],
    ["nothing", [uri("https://oidc.acme.example/other")], "fail", WRONG],
    [
      "another pool provider of the pool",
      [
        uri("https://oidc.acme.example/other"),
        [TF, `"${POOL}_provider": {`, `"${POOL}_provider": {"beside": ${beside.replace("EDGE", "edge-1")},`],
      ],
      "fail",
      `${WRONG}; the pool provider beside of the same pool trusts it`,
    ],
    [
      "a pool provider that was not read, beside one of a similar name",
      [id("k8s-edge-2")],
      "unknown",
      "the pool provider k8s-edge-1/k8s-edge-1 is not among what was read; the nearest is k8s-edge-1/k8s-edge-2",
    ],
    [
      "a slash in the audience",
      [[TF, "/providers/k8s-edge-1", "/providers/k8s-edge-1/"]],
      "fail",
      "/providers/k8s-edge-1/ differs only in a trailing slash",
      "audience",
    ],
  ])("%s", (_why, edits, status, words, link = "issuer") => {
    const answer = puller(edits).identity.trust[link];
    expect([answer.status, answer.reason]).toEqual([status, expect.stringMatching(new RegExp(`${words}$`))]);
  });
});

describe("the project's number", () => {
  const BEFORE = "//iam.googleapis.com/projects/123456789012/";
  const to = (number: string, pool = "k8s-edge-1"): readonly Edit[] => [
    [
      "all-nodes.yaml",
      `--sts-audience=${BEFORE}`,
      `--sts-audience=${BEFORE.replace("123456789012", number)}`,
    ],
    [TF, "workloadIdentityPools/k8s-edge-1/providers", `workloadIdentityPools/${pool}/providers`],
  ];
  it.each<Row>([
    ["in the audience and the plugin's argument", [], "pass", "trusts"],
    [
      "in the audience, another in the plugin's argument",
      to("999999999999"),
      "unknown",
      "names the pool of project 123456789012, but the plugin exchanges the token at that of 999999999999",
    ],
    ["in an audience of another pool", to("999999999999", "other"), "pass", "trusts"],
  ])("%s", (_why, edits, status, words) => says("issuer", edits, status, words));
});

describe("the subject", () => {
  const condition = (expression: string): readonly Edit[] => [[TF, CONDITION, expression]];
  it.each<Row>([
    ["refused whatever it is", condition("assertion.sub == 'repo:${var.x}'"), "fail", "does not admit"],
    [
      "admitted anyway",
      condition("assertion.sub in ['${var.x}', 'system:serviceaccount:shop:tools']"),
      "pass",
      "",
    ],
    [
      "decided by it",
      condition("assertion.sub == 'system:serviceaccount:shop:${var.x}'"),
      "unknown",
      "after apply",
    ],
    [
      "by audience",
      condition("assertion.aud[0].startsWith('https://iam.googleapis.com/')"),
      "pass",
      "admits",
    ],
    ["refused by Google", condition(`assertion.sub != '${"x".repeat(4096)}'`), "fail", "accepts 4096"],
    [
      "with an attribute known only after apply",
      before('"google.subject": "assertion.sub"', '"attribute.env": "\'${var.env}\'"'),
      "unknown",
      "attribute.env may have no value",
    ],
  ])("%s", (_why, edits, status, words) => says("subject", edits, status, words));
});

it("lists the pool provider for tests of trust, and judges any subject", () => {
  const [identity, ...others] = puller([]).cloud.identities;
  expect(others).toEqual([]);
  expect(identity?.names).toContain("k8s-edge-1");
  const audience = `https://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1`;
  const trust = (subject: string): readonly (string | undefined)[] => {
    const shown = identity?.trust({ issuer: known(ISSUER), audience, subject });
    return [shown?.issuer.status, shown?.audience.status, shown?.subject.status];
  };
  expect(trust("system:serviceaccount:shop:tools")).toEqual(["pass", "pass", "pass"]);
  expect(trust("repo:acme/app")).toEqual(["pass", "pass", "fail"]);
});
