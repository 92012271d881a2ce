import { isDnsSubdomain } from "../../model/kubernetes-name";
import { derivedName } from "../names";
import type { FleetConsumer, ProviderListForm } from "./consumer";

const CONFIG_MAP = { max: 253, allowed: /[a-z0-9.-]/, separator: "-" } as const;

/**
 * How a consumer takes its list. Two controllers of a namespace have a ConfigMap each: of one, the list that is applied
 * last would be read by both.
 */
export function listFormOf({ form, reader }: Pick<FleetConsumer, "form" | "reader">): ProviderListForm {
  if (form.kind !== "file") return form;
  const plain = `${form.configMap}-${reader.name}`;
  const configMap = isDnsSubdomain(plain) ? plain : derivedName([form.configMap, reader.name], CONFIG_MAP);
  return { ...form, configMap };
}
