import { Chart, Testing } from "cdk8s";
import { Token } from "cdktf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  SpokeRoleBinding,
  type SpokeUser,
  controller,
  selfManagedSpoke,
  selfManagedUsers,
} from "../../lib/fleet";
import { Subject } from "../../lib/model/subject";
import type { AccessGrant } from "../../lib/model/workloads";
import { CA, LATE } from "../fixtures/fleet/spokes";
import { refusal, refusedBy } from "../support/refusal";

const workload = {
  kind: "Deployment",
  namespace: "fleet",
  name: "own",
  container: "own",
  serviceAccount: "sa",
} as const;
const consumer = controller({ title: "own", workloads: [workload] });
const RBAC = "rbac.authorization.k8s.io";
const user = (over: Partial<SpokeUser>): SpokeUser => ({
  subject: Subject.of("fleet/own"),
  groups: [],
  authorized: false,
  ...over,
});

describe("SpokeRoleBinding", () => {
  const bound = (users: readonly SpokeUser[], over: object = {}): unknown[] => {
    const chart = new Chart(Testing.app(), "spoke", { namespace: "other" });
    new SpokeRoleBinding(chart, "rbac", {
      spoke: "spoke-a",
      hub: "prod-hub",
      consumer,
      clusterRole: "fleet-controller",
      users,
      ...over,
    });
    return chart.toJson();
  };

  it("binds groups where there are any, users otherwise, and no one whom the cloud authorizes", () => {
    expect(
      bound([
        user({ user: LATE }),
        user({ user: "ignored", groups: ["hub-controllers"] }),
        user({ user: "again", groups: ["hub-controllers"] }),
        user({ user: "cloud", authorized: true }),
      ]),
    ).toEqual([
      {
        apiVersion: `${RBAC}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: "prod-hub:fleet:own:fleet-controller" },
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "fleet-controller" },
        subjects: [
          { apiGroup: RBAC, kind: "Group", name: "hub-controllers" },
          { apiGroup: RBAC, kind: "User", name: LATE },
        ],
      },
    ]);
  });

  it("keeps the order of names known only after apply, whatever number cdktf gives them", () => {
    const late = (): string => Token.asString({ resolve: () => "x" });
    let [first, second] = [late(), late()];
    while (first < second) [first, second] = [second, late()];
    const [binding] = bound([first, "z", "a", second].map((name) => user({ user: name })));
    const { subjects } = binding as { subjects: readonly { name: string }[] };
    expect(subjects.map(({ name }) => name)).toEqual([first, second, "a", "z"]);
  });

  it("has one name per hub, controller and role, so that no apply replaces another one's subjects", () => {
    const names = [
      {},
      { hub: "other-hub" },
      { consumer: controller({ title: "other", workloads: [{ ...workload, name: "other" }] }) },
      { clusterRole: "view" },
    ].map((over) => (bound([user({ user: "u" })], over)[0] as { metadata: { name: string } }).metadata.name);
    expect(names).toEqual([
      "prod-hub:fleet:own:fleet-controller",
      "other-hub:fleet:own:fleet-controller",
      "prod-hub:fleet:other:fleet-controller",
      "prod-hub:fleet:own:view",
    ]);
  });

  it("cuts a long name without losing which one it is", () => {
    const [a, b] = ["a", "b"].map((end) => {
      const role = `${"r".repeat(240)}${end}`;
      const [binding] = bound([user({ user: "u" })], { clusterRole: role });
      return (binding as { metadata: { name: string } }).metadata.name;
    });
    expect([a?.length, a === b]).toEqual([253, false]);
  });

  it("binds in namespaces", () => {
    expect(bound([user({ user: "u" })], { namespaces: ["b", "a", "b"] })).toMatchObject([
      { kind: "RoleBinding", metadata: { name: "prod-hub:fleet:own:fleet-controller", namespace: "a" } },
      { kind: "RoleBinding", metadata: { name: "prod-hub:fleet:own:fleet-controller", namespace: "b" } },
    ]);
  });

  const named = [user({ user: "u" })];

  it.each(
    refusedBy<readonly [readonly SpokeUser[], object?]>({
      "fleet-missing: the controller has no permissions on spoke": {
        "no one": [[]],
        "no one that is left": [[user({ user: "u", authorized: true })]],
        "someone without name": [[user({})]],
        "no namespace": [named, { namespaces: [] }],
      },
      "fleet-invalid: name of a ClusterRole": { "a bad role": [named, { clusterRole: "a/b" }] },
      "late-value": { "a late role": [named, { clusterRole: LATE }] },
      "property-invalid": { "a text as namespaces": [named, { namespaces: "shop" }] },
      "property-missing": { "no role": [named, { clusterRole: undefined }] },
      "cluster-invalid": { "a bad name of the hub": [named, { hub: "A" }] },
      "identities-invalid": { "a bad namespace": [named, { namespaces: ["A"] }] },
    }),
  )("refuses %s", (_, [users, over], code) => {
    expect(() => bound(users, over)).toThrowError(refusal(code));
  });
});

describe("selfManagedSpoke", () => {
  const props = {
    hub: "prod-hub",
    spoke: "spoke-k",
    apiServer: "1.34",
    issuer: "https://hub.example",
    audience: "spoke-k",
    serviceAccounts: ["kueue-system/kueue-controller-manager"],
    endpoint: { server: "https://k.example:6443", certificateAuthorityData: CA },
  };

  it("trusts the tokens of the hub, of the named service accounts alone", () => {
    const { nodeSetup, parameters, cloud } = selfManagedSpoke(props);
    expect([cloud, parameters]).toEqual(["kubernetes", { tokenAudience: "spoke-k" }]);
    const [file] = nodeSetup.files;
    expect([file?.path, file?.mode]).toEqual(["/etc/kubernetes/authentication-configuration.yaml", 0o600]);
    const expression =
      "user.username in ['prod-hub:system:serviceaccount:kueue-system:kueue-controller-manager']";
    expect(parse(file?.content ?? "")).toMatchObject({
      kind: "AuthenticationConfiguration",
      jwt: [{ userValidationRules: [{ expression }] }],
    });
  });

  it("says who the controllers are, as the API server will call them", () => {
    const controllers = [{ subject: Subject.of("fleet/own") } as AccessGrant];
    const entry = { hub: "prod-hub", spoke: "k", controllers };
    const { users } = selfManagedSpoke({ ...props, userPrefix: "prod:" }).declare(undefined, entry);
    const name = "prod:system:serviceaccount:fleet:own";
    expect(users).toEqual([{ subject: controllers[0]?.subject, user: name, groups: [], authorized: false }]);
    expect(selfManagedUsers(["fleet/own"], { hub: "a" })[0]?.user).toBe("a:system:serviceaccount:fleet:own");
  });

  it("puts a late issuer into quotes, as a placeholder begins with @, which no plain YAML text may", () => {
    const { nodeSetup } = selfManagedSpoke({ ...props, issuer: LATE });
    expect(nodeSetup.files[0]?.content).toContain(`url: "${LATE}"\n`);
  });

  it("is the YAML that is meant whatever URL is filled in for a late one", () => {
    const { nodeSetup } = selfManagedSpoke({ ...props, issuer: LATE, discoveryUrl: `https://${LATE}/keys` });
    const content = nodeSetup.files[0]?.content ?? "";
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const filled = parse(
          content.replaceAll(LATE, () => url),
          { version: "1.1" },
        );
        expect(filled.jwt[0].issuer).toMatchObject({ url, discoveryURL: `https://${url}/keys` });
      }),
    );
    // Placeholders are such texts, too: `@` begins no plain YAML text.
    expect(parse(content.replaceAll(LATE, "@late(var.issuer)@")).jwt[0].issuer.url).toBe(
      "@late(var.issuer)@",
    );
  });

  it.each<[string, object, string]>([
    ["a late CA", { certificateAuthority: LATE }, "late-value"],
    ["a damaged CA", { certificateAuthority: "nope" }, "fleet-invalid: certificate authority of the issuer"],
    ["AWS's audience", { audience: "sts.amazonaws.com" }, "fleet-unsafe: the audience is also accepted by"],
    ["service accounts that are a text", { serviceAccounts: "fleet/own" }, "property-invalid"],
    ["a relative path", { path: "x" }, "node-invalid"],
    ["no one", { serviceAccounts: [] }, "fleet-missing: would not trust any controller"],
    ["an old API server", { apiServer: "1.29" }, "version-unsupported"],
  ])("refuses %s", (_, over, code) => {
    expect(() => selfManagedSpoke({ ...props, ...over })).toThrowError(refusal(code));
  });
});
