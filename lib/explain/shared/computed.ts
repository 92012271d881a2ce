import { type Known, partsOf } from "../../model/known";
import type { Resource } from "../read/block";
import type { ComputedAttribute } from "../read/terraform";

/** A computed attribute by its names; one that is unknown for a reason other than apply stays a reference. */
export function computed(
  type: string,
  attributes: readonly string[],
  value: (resource: Resource) => Known<string>,
): readonly ComputedAttribute[] {
  const kept = (resource: Resource): Known<string> | undefined => {
    const text = value(resource);
    return partsOf(text) && text;
  };
  return attributes.map((attribute) => ({ type, attribute, value: kept }));
}
