import { type Known, Reference, textOf } from "../../model/known";
import { once, remembered } from "../../model/once";

const valuesOf = once((_: object) => new Map<string, Known<string>>());

/** A value that no resource states, such as the account of a Terraform provider: one reference for each owner and name. */
export function unstated(owner: object, name: string, target?: object): Known<string> {
  return remembered(valuesOf(owner), name, () => textOf([new Reference(name, target)]));
}
