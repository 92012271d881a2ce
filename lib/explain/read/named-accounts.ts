/*
 * The service accounts that an object of a kind that is not read names.
 */

import { list, text } from "../../model/parsed";
import { isRecord } from "../../model/record";

/** `serviceAccount`, `serviceAccountName`, `service_accounts`, `serviceAccountRef`. */
const KEY = /service_?accounts?(?:_?(?:names?|refs?))?$/i;
const SUBJECT = /\bsystem:serviceaccount:([\w-]+):([\w.-]+)|\[([\w-]+)\/([\w.-]+)\]$/g;
const NAME = /^(?:([\w-]+)[/:])?([\w.-]+)$/;

/** `namespace/name` of each; a name alone is in the object's own namespace. */
export function accountsIn(value: unknown, namespace: string, isNamed = false): readonly string[] {
  if (typeof value === "string") {
    const [, own = namespace, name] = (isNamed ? NAME.exec(value) : null) ?? [];
    const subjects = [...value.matchAll(SUBJECT)].map(
      ([, first, second, third, fourth]) => `${first ?? third}/${second ?? fourth}`,
    );
    return name === undefined ? subjects : [...subjects, `${own}/${name}`];
  }
  if (Array.isArray(value)) return list(value).flatMap((each) => accountsIn(each, namespace, isNamed));
  if (!isRecord(value)) return [];
  const { kind, name, namespace: own } = value;
  const isAccount = kind === "ServiceAccount" || (isNamed && kind === undefined);
  return [
    ...(isAccount && text(name) !== "" ? [`${text(own) || namespace}/${text(name)}`] : []),
    ...Object.entries(value).flatMap(([key, each]) => {
      const isHolder = isNamed && key === "metadata";
      return accountsIn(each, namespace, KEY.test(key) || isHolder);
    }),
  ];
}
