import { describe, expect, it } from "vitest";
import { grantableRole, permissionNames, roleWarnings } from "../../../lib/rules/google/role";
import { componentRights } from "../../../lib/rules/google/component";
import { componentRequest } from "../../fixtures/google/requests";
import { refusal } from "../../support/refusal";
import { optionalRequests, payloadRequests, requestReleases } from "../../support/credentials-requests";

interface Spec {
  readonly spec: {
    readonly providerSpec: {
      readonly permissions?: readonly string[];
      readonly predefinedRoles?: readonly string[];
    };
  };
}

const specs = [
  ...requestReleases.flatMap((release) => payloadRequests("google", release)),
  ...optionalRequests("google"),
].map((document) => (document as unknown as Spec).spec.providerSpec);

describe("roleWarnings", () => {
  // Names of roles are compared exactly.
  it.each([
    ["roles/storage.objectViewr", "roles/storage.objectViewer"],
    ["roles/storage.objectviewer", "roles/storage.objectViewer"],
    ["roles/secretmanager.secretAccesor", "roles/secretmanager.secretAccessor"],
  ])("names for %s the predefined role %s", (role, nearest) => {
    expect(roleWarnings([role, role])).toEqual([
      expect.stringContaining(`role ${role} is not known, but ${nearest} is; `),
    ]);
  });

  it.each([
    "roles/storage.objectViewer",
    "roles/cloudkms.cryptoKeyEncrypter",
    "roles/run.invoker",
    "projects/shop-prod/roles/storage.objectViewr",
    "${TfToken[TOKEN.1]}",
  ])("says nothing of %s", (role) => {
    expect(roleWarnings([role])).toEqual([]);
  });
});

describe("permissions", () => {
  it("accepts those of every request that OpenShift ships", () => {
    const all = specs.flatMap(({ permissions = [] }) => permissions);
    expect(permissionNames(all)).toEqual([...new Set(all)].sort());
    expect(all.length).toBeGreaterThan(100);
  });

  it("writes each once, sorted", () => {
    expect(permissionNames(["b.c.d", "a.b.c", "b.c.d"])).toEqual(["a.b.c", "b.c.d"]);
  });

  it.each([
    "compute.*",
    "compute.instances.*",
    "compute.instances",
    "*",
    "",
    "compute instances get",
    "roles/viewer",
  ])("refuses %j", (permission) => {
    expect(() => permissionNames(["a.b.c", permission])).toThrowError(
      refusal("google-invalid: not a permission that a custom role can hold"),
    );
  });
});

it("are those of a request, each once and sorted", () => {
  const predefinedRoles = ["roles/storage.admin", "roles/dns.admin", "roles/storage.admin"];
  const request = componentRequest({ permissions: ["b.c.d", "a.b.c"], predefinedRoles });
  expect(componentRights(request)).toEqual({
    permissions: ["a.b.c", "b.c.d"],
    roles: ["roles/dns.admin", "roles/storage.admin"],
  });
  expect(
    componentRights(request, { permissions: [], predefinedRoles: ["roles/viewer"], reason: "x" }),
  ).toEqual({
    permissions: [],
    roles: ["roles/viewer"],
  });
});

describe("roles", () => {
  it("accepts those of every request that OpenShift ships", () => {
    const all = specs.flatMap(({ predefinedRoles = [] }) => predefinedRoles);
    expect(all.map((role) => grantableRole(role))).toEqual(all);
    expect(all).toContain("roles/compute.storageAdmin");
  });

  it.each([
    "projects/shop-prod/roles/mine",
    "projects/example.com:shop/roles/a.b_c",
    "organizations/1/roles/mine",
  ])("accepts %s", (role) => {
    expect(grantableRole(role)).toBe(role);
  });

  it.each(["storage.admin", "roles/", "roles/a b", "role/storage.admin", "organizations/o/roles/x", ""])(
    "refuses %j",
    (role) => {
      expect(() => grantableRole(role)).toThrowError(refusal("google-invalid: not the full name of a role"));
    },
  );

  // https://cloud.google.com/iam/docs/roles-overview, "Basic roles".
  it.each(["owner", "editor", "viewer", "admin", "writer", "reader"])(
    "needs a reason for roles/%s",
    (name) => {
      expect(() => grantableRole(`roles/${name}`)).toThrowError(
        refusal("google-unsafe: a basic role reaches"),
      );
      expect(grantableRole(`roles/${name}`, "migration")).toBe(`roles/${name}`);
    },
  );
});
