import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import {
  authenticationModeIssues,
  authorizationIssues,
  identityIssues,
  profileReaderIssues,
  statusWriterIssues,
} from "../../../lib/rules/fleet/access-checks";
import { authenticationConfiguration } from "../../../lib/rules/fleet/authentication-configuration";
import { controllerPatch } from "../../../lib/rules/fleet/controller-patch";
import { spokeTokens } from "../../../lib/rules/fleet/spoke-tokens";
import { readRbac } from "../../../lib/rules/rbac/evaluate";
import { LATE } from "../../fixtures/fleet/spokes";

const subject = Subject.of("fleet/controller");

describe("RBAC of the hub", () => {
  const policy = (rule: object): ReturnType<typeof readRbac> =>
    readRbac([
      {
        kind: "Role",
        metadata: { namespace: "inv", name: "r" },
        rules: [{ apiGroups: ["multicluster.x-k8s.io"], ...rule }],
      },
      {
        kind: "RoleBinding",
        metadata: { namespace: "inv", name: "r" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [{ kind: "ServiceAccount", namespace: "fleet", name: "controller" }],
      },
    ]);

  it("lists the verbs that a reader lacks", () => {
    const rules = policy({ resources: ["clusterprofiles"], verbs: ["get", "list"] });
    expect(profileReaderIssues(rules, subject, "inv").map(({ problem }) => problem)).toEqual([
      "fleet/controller may not watch clusterprofiles",
    ]);
    expect(profileReaderIssues(rules, subject, "other").map(({ code }) => code)).toEqual(
      Array(3).fill("fleet-rbac-missing"),
    );
  });

  it("holds a writer to its profile", () => {
    const rules = policy({
      resources: ["clusterprofiles/status"],
      verbs: ["get", "patch"],
      resourceNames: ["a"],
    });
    expect(statusWriterIssues(rules, subject, { namespace: "inv", name: "a" })).toEqual([]);
    expect(
      statusWriterIssues(rules, subject, { namespace: "inv", name: "b" }).map(({ problem }) => problem),
    ).toEqual([
      "fleet/controller may not get clusterprofiles/status",
      "fleet/controller may not patch clusterprofiles/status",
    ]);
  });
});

describe("trust and authorisation", () => {
  const token = {
    issuer: "https://hub.example",
    subject: "system:serviceaccount:fleet:controller",
    audience: "a",
  };

  it("compares to the letter", () => {
    expect(identityIssues(token, token)).toEqual([]);
    const trusted = { ...token, issuer: "https://hub.example/", audience: "A" };
    expect(identityIssues(token, trusted).map(({ code, value, allowed }) => [code, value, allowed])).toEqual([
      ["fleet-identity-mismatch", "https://hub.example/", "https://hub.example"],
      ["fleet-identity-mismatch", "A", "a"],
    ]);
  });

  it.each<[string, object, readonly string[], number]>([
    ["the cloud allows", { authorized: true, groups: [] }, [], 0],
    ["a group is bound", { authorized: false, groups: ["g"] }, ["g"], 0],
    ["the user is bound", { authorized: false, groups: [], user: "u" }, ["u"], 0],
    ["nobody is bound", { authorized: false, groups: ["g"], user: "u" }, ["x"], 1],
  ])("%s", (_, user, bound, count) => {
    const issues = authorizationIssues("spoke", [{ subject, groups: [], authorized: false, ...user }], bound);
    expect(issues.map(({ code }) => code)).toEqual(Array(count).fill("spoke-authorisation-missing"));
  });

  it.each([
    ["API", 0],
    ["API_AND_CONFIG_MAP", 0],
    [LATE, 0],
    ["CONFIG_MAP", 1],
  ])("authentication mode %s", (mode, count) => {
    expect(authenticationModeIssues("spoke", mode).map(({ code }) => code)).toEqual(
      Array(count).fill("spoke-authentication-mode"),
    );
  });
});

describe("authenticationConfiguration", () => {
  const props = {
    spoke: "spoke-k",
    apiServer: "1.34",
    issuer: "https://hub.example",
    audience: "spoke-k",
    serviceAccounts: ["fleet/controller"],
  };

  it("pins issuer, audience and every subject", () => {
    expect(
      authenticationConfiguration({ ...props, serviceAccounts: ["fleet/b", "fleet/a", "fleet/b"] }),
    ).toEqual({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: { url: "https://hub.example", audiences: ["spoke-k"] },
          claimMappings: { username: { claim: "sub", prefix: "hub:" } },
          userValidationRules: [
            {
              expression:
                "user.username in ['hub:system:serviceaccount:fleet:a', 'hub:system:serviceaccount:fleet:b']",
              message: "only the named controllers of the hub may sign in",
            },
          ],
        },
      ],
    });
  });

  // KEP-3331: v1beta1 from 1.30, v1 from 1.34.
  it.each([
    ["1.30", "v1beta1"],
    ["1.33.4", "v1beta1"],
    ["1.34", "v1"],
  ])("%s reads %s", (apiServer, version) => {
    expect(authenticationConfiguration({ ...props, apiServer })["apiVersion"]).toBe(
      `apiserver.config.k8s.io/${version}`,
    );
  });

  it("passes a late issuer, and keeps the spoke's own entries", () => {
    const own = { issuer: { url: "https://people.example", audiences: ["kubectl"] } };
    const document = authenticationConfiguration({ ...props, issuer: LATE, additionalAuthenticators: [own] });
    expect(document["jwt"]).toMatchObject([{ issuer: { url: LATE } }, own]);
  });

  it.each<[string, object, string]>([
    ["an old API server", { apiServer: "1.29" }, "version-unsupported"],
    ["nobody", { serviceAccounts: [] }, "spoke-authentication-empty"],
    ["a prefix without colon", { userPrefix: "hub" }, "spoke-authentication-prefix"],
    ["no prefix", { userPrefix: "" }, "spoke-authentication-prefix"],
    ["the prefix of the cluster itself", { userPrefix: "system:" }, "spoke-authentication-prefix"],
    ["a quote in the prefix", { userPrefix: "a':" }, "spoke-authentication-prefix"],
    ["any service account", { serviceAccounts: ["fleet/*"] }, "service-account-invalid"],
    ["any audience", { audience: "*" }, "audience-invalid"],
    ["a slash behind the issuer", { issuer: "https://hub.example/" }, "issuer-trailing-slash"],
  ])("refuses %s", (_, over, code) => {
    expect(() => authenticationConfiguration({ ...props, ...over })).toThrowError(
      expect.objectContaining({ code }),
    );
  });
});

describe("controllerPatch", () => {
  const workload = {
    kind: "Deployment",
    namespace: "fleet",
    name: "c",
    container: "manager",
    serviceAccount: "controller",
  } as const;
  const nothing = { identities: [], plugins: [], annotations: {}, files: [] };
  const fragment = (value: string) => ({
    labels: { "azure.workload.identity/use": "true" },
    env: [{ name: "A", value }],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
    volumes: [{ name: "v", emptyDir: {} }],
  });

  it("is empty where nothing is needed", () => {
    expect(controllerPatch(workload, nothing)).toEqual({});
  });

  it("joins equal parts and refuses different ones", () => {
    expect(controllerPatch(workload, { ...nothing, identities: [fragment("1"), fragment("1")] })).toEqual({
      metadata: { labels: { "azure.workload.identity/use": "true" } },
      spec: {
        containers: [
          {
            name: "manager",
            env: [{ name: "A", value: "1" }],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    });
    expect(() =>
      controllerPatch(workload, { ...nothing, identities: [fragment("1"), fragment("2")] }),
    ).toThrowError(expect.objectContaining({ code: "fleet-identity-conflict", value: "fleet/controller" }));
  });

  it("has one token per spoke, each for one audience", () => {
    const { volumes } = spokeTokens([
      { spoke: "b", audience: "for-b" },
      { spoke: "a", audience: "for-a" },
    ]);
    expect(volumes).toEqual([
      {
        name: "spoke-tokens",
        projected: {
          sources: ["a", "b"].map((path) => ({
            serviceAccountToken: { audience: `for-${path}`, expirationSeconds: 3600, path },
          })),
        },
      },
    ]);
    expect(spokeTokens([]).volumes).toEqual([]);
  });
});
