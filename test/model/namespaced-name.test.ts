import { describe, expect, it } from "vitest";
import {
  namespacedName,
  serviceAccountOfUser,
  serviceAccountText,
  serviceAccountUser,
} from "../../lib/model/namespaced-name";

describe("namespacedName", () => {
  it.each([
    ["shop/web", { namespace: "shop", name: "web" }],
    ["shop/", { namespace: "shop", name: "" }],
    ["shop", { namespace: "shop", name: "" }],
  ])("takes %s apart", (key, parts) => {
    expect(namespacedName(key)).toEqual(parts);
  });
});

describe("the user name of a service account", () => {
  it("is read back as it was written", () => {
    const web = { namespace: "shop", name: "web" };
    expect(serviceAccountUser(web)).toBe("system:serviceaccount:shop:web");
    expect(serviceAccountOfUser(serviceAccountUser(web))).toEqual(web);
  });

  it.each([
    "system:node:a",
    "system:serviceaccount:shop",
    "system:serviceaccount:a:b:c",
    "x:system:serviceaccount:a:b",
  ])("is not %s", (user) => {
    expect(serviceAccountOfUser(user)).toBeUndefined();
  });

  it.each([
    ["system:serviceaccount:shop:web", "shop/web"],
    ["system:serviceaccount:shop:*", "shop/*"],
    ["system:serviceaccount:*", "*"],
    ["system:node:a", "system:node:a"],
  ])("is shown for %s as %s", (user, text) => {
    expect(serviceAccountText(user)).toBe(text);
  });
});
