/*
 * Roles that reach everything at their scope. Source: learn.microsoft.com, "Azure built-in roles", names and ids.
 */

import { describe, expect, it } from "vitest";
import { accessRoles, checkReason } from "../../../lib/rules/azure/access";
import { roleWarnings } from "../../../lib/rules/azure/roles";
import { refusal } from "../../support/refusal";

const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const GROUP = `${SUBSCRIPTION}/resourceGroups/shop`;
const definition = (id: string): string =>
  `${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${id}`;

const BROAD: readonly (readonly [name: string, id: string])[] = [
  ["Owner", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"],
  ["Contributor", "b24988ac-6180-42a0-ab88-20f7382dd24c"],
  ["User Access Administrator", "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"],
  ["Role Based Access Control Administrator", "f58310d9-a9f6-439a-9e8d-f62e7b41a168"],
];

describe("roleWarnings", () => {
  it.each([
    ["Contributer", "Contributor"],
    ["Storage Blob Data Raeder", "Storage Blob Data Reader"],
    ["AcrPul", "AcrPull"],
  ])("names for %s the built-in role %s", (role, nearest) => {
    expect(roleWarnings([role, role])).toEqual([
      expect.stringContaining(
        `role ${role} is not a built-in role that this library knows, but ${nearest} is`,
      ),
    ]);
  });

  it.each(["Contributor", "contributor", "Shop Operator", definition("x"), "${TfToken[TOKEN.1]}"])(
    "says nothing of %s",
    (role) => {
      expect(roleWarnings([role])).toEqual([]);
    },
  );
});

describe.each(BROAD)("%s", (name, id) => {
  const forms = [name, name.toLowerCase(), name.toUpperCase(), definition(id), definition(id.toUpperCase())];

  it.each(forms)("needs a reason at a subscription, and none within a resource group: %s", (role) => {
    expect(() => accessRoles([{ role, scope: SUBSCRIPTION }])).toThrowError(
      refusal("azure-unsafe: would give access to everything"),
    );
    expect(accessRoles([{ role, scope: SUBSCRIPTION, reason: "a backup of all" }])).toHaveLength(1);
    expect(accessRoles([{ role, scope: GROUP }])).toHaveLength(1);
  });
});

it("other roles need none, Reader (acdd72a7-3385-48ef-bd42-f606fba81ae7) say", () => {
  for (const role of [
    "Reader",
    definition("acdd72a7-3385-48ef-bd42-f606fba81ae7"),
    "Storage Blob Data Owner",
  ])
    expect(accessRoles([{ role, scope: SUBSCRIPTION }])).toEqual([{ role, scope: SUBSCRIPTION }]);
});

it("a reason has 1 to 1024 characters", () => {
  const refused = expect.objectContaining({
    code: "azure-invalid",
    problem: expect.stringContaining("is empty or too long") as string,
  });
  expect(() => checkReason("a".repeat(1024))).not.toThrow();
  for (const reason of ["", " ", "a".repeat(1025)]) expect(() => checkReason(reason)).toThrowError(refused);
});
