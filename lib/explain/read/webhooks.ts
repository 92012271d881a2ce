/*
 * The pod identity webhooks whose configuration is among a cluster's objects.
 */

import { at, list, record, text, texts } from "../../model/parsed";
import { POD_IDENTITY_WEBHOOK_ROWS, POD_IDENTITY_WEBHOOK_SELECTORS } from "../../rules/pod-identity-webhooks";
import { type KubernetesObject, type Objects, keyOf } from "./objects";
import { type Source, below } from "./source";

/** The place that shows it, for each cloud whose webhook certainly runs. */
export function readWebhooks(objects: Objects): ReadonlyMap<string, Source> {
  const configured = objects.of("MutatingWebhookConfiguration").flatMap(webhooksIn);
  const rows = POD_IDENTITY_WEBHOOK_ROWS.flatMap(({ cloud, names, otherPrefix, secret }) => {
    const found = configured.find(({ name }) => names.includes(name));
    const isOther = found && otherPrefix && programs(objects).some((each) => otherPrefix.test(each));
    const source = isOther ? undefined : (found?.source ?? (secret && secretOf(objects, secret)));
    return source === undefined ? [] : [[cloud, source] as const];
  });
  return new Map(rows);
}

interface Webhook {
  readonly name: string;
  readonly source: Source;
}

/** The webhooks that change every new pod, as far as selectors show. */
function webhooksIn({ value, source }: KubernetesObject): readonly Webhook[] {
  return list(at(value, "webhooks")).flatMap((each, place): readonly Webhook[] => {
    const isOfPods = list(at(each, "rules")).some(
      (rule) => has(rule, "resources", "pods") && has(rule, "operations", "CREATE"),
    );
    const selectors = [at(each, "namespaceSelector"), at(each, "objectSelector")].flatMap(labelsIn);
    const isLimited = selectors.some((label) => !POD_IDENTITY_WEBHOOK_SELECTORS.includes(label));
    return isOfPods && !isLimited && list(at(each, "matchConditions")).length === 0
      ? [{ name: text(at(each, "name")), source: below(source, `webhooks[${place}]`) }]
      : [];
  });
}

function has(rule: unknown, key: string, wanted: string): boolean {
  return texts(at(rule, key)).some((each) => each === wanted || each === "*");
}

function labelsIn(selector: unknown): readonly string[] {
  const expressions = list(at(selector, "matchExpressions")).map((each) => text(at(each, "key")));
  return [...Object.keys(record(at(selector, "matchLabels"))), ...expressions];
}

function programs(objects: Objects): readonly string[] {
  return objects
    .of("Deployment", "DaemonSet")
    .map(({ value }) => JSON.stringify(at(value, "spec", "template", "spec", "containers") ?? []));
}

function secretOf(
  objects: Objects,
  [namespace, name, key]: readonly [string, string, string],
): Source | undefined {
  return objects
    .of("Secret")
    .find(
      ({ value }) =>
        keyOf(value) === `${namespace}/${name}` &&
        [value["data"], value["stringData"]].some((part) => key in record(part)),
    )?.source;
}
