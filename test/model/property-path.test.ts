import { describe, expect, it } from "vitest";
import { objectTitle, propertyPath } from "../../lib/model/property-path";

describe("propertyPath", () => {
  it.each([
    [[], ""],
    [["spec"], "spec"],
    [["metadata", "annotations", "example.com/id"], 'metadata.annotations["example.com/id"]'],
    [["subjects", 0, "name"], "subjects[0].name"],
    [["data", "a.b", "0"], 'data["a.b"]["0"]'],
  ])("%j", (keys, expected) => {
    expect(propertyPath(keys)).toBe(expected);
  });
});

describe("objectTitle", () => {
  it.each([
    ["ServiceAccount", "shop", "web", "ServiceAccount shop/web: "],
    ["ClusterRole", undefined, "pulls", "ClusterRole pulls: "],
    ["List", undefined, undefined, "List: "],
    [undefined, undefined, undefined, ""],
  ])("%s %s %s", (kind, namespace, name, expected) => {
    expect(objectTitle(kind, namespace, name)).toBe(expected);
  });
});
