/*
 * The pod identity webhooks whose configuration is among a cluster's objects.
 */

import { at, list, record, text, texts } from "../../model/parsed";
import { POD_IDENTITY_AGENTS, POD_IDENTITY_WEBHOOK_ROWS, agentOf } from "../../rules/pod-identity-webhooks";
import { type KubernetesObject, type Objects, keyOf } from "./objects";
import { type Source, below } from "./source";

/** The place that shows it, for each cloud whose webhook certainly runs, and for each agent of a cluster. */
export function readWebhooks(objects: Objects): ReadonlyMap<string, Source> {
  const configured = objects.of("MutatingWebhookConfiguration").flatMap(webhooksIn);
  const rows = POD_IDENTITY_WEBHOOK_ROWS.flatMap(({ cloud, names, otherArguments, selectors, secret }) => {
    const webhook = configured.find(
      ({ name, conditions }) => names.includes(name) && conditions.every((each) => selectors.includes(each)),
    );
    const isOther = webhook && otherArguments && programs(objects).some((each) => otherArguments.test(each));
    const source = isOther ? undefined : (webhook?.source ?? (secret && secretOf(objects, secret)));
    return source === undefined ? [] : [[cloud, source] as const];
  });
  return new Map([...rows, ...objects.of("DaemonSet").flatMap(agentsIn)]);
}

/** An agent that runs on every node: one with a node selector may not, and one without ready pods does not. */
function agentsIn({ value, source }: KubernetesObject): readonly (readonly [string, Source])[] {
  const spec = at(value, "spec", "template", "spec");
  const isSelective = Object.keys(record(at(spec, "nodeSelector"))).length > 0;
  if (isSelective || at(value, "status", "numberReady") === 0) return [];
  const args = list(at(spec, "containers")).flatMap((each) => texts(at(each, "args")));
  return POD_IDENTITY_AGENTS.filter(({ key }) => key === keyOf(value)).map(
    ({ key, cluster }) => [agentOf(key, valueOf(cluster, args)), source] as const,
  );
}

/** The value of an argument, after it or after its equals sign; empty if it is not there. */
function valueOf(name: string, args: readonly string[]): string {
  const place = args.findIndex((each) => each === name || each.startsWith(`${name}=`));
  if (place < 0) return "";
  return args[place]?.slice(name.length + 1) || (args[place + 1] ?? "");
}

interface Webhook {
  readonly name: string;
  /** On the labels of pods and namespaces: key, operator and values. */
  readonly conditions: readonly string[];
  readonly source: Source;
}

/** The webhooks that change new pods. */
function webhooksIn({ value, source }: KubernetesObject): readonly Webhook[] {
  return list(at(value, "webhooks")).flatMap((hook, place): readonly Webhook[] => {
    const isOfPods = list(at(hook, "rules")).some(
      (rule) =>
        has(rule, "apiGroups", "") && has(rule, "resources", "pods") && has(rule, "operations", "CREATE"),
    );
    const conditions = [at(hook, "namespaceSelector"), at(hook, "objectSelector")].flatMap(conditionsIn);
    return isOfPods && list(at(hook, "matchConditions")).length === 0
      ? [{ name: text(at(hook, "name")), conditions, source: below(source, `webhooks[${place}]`) }]
      : [];
  });
}

function has(rule: unknown, key: string, wanted: string): boolean {
  return texts(at(rule, key)).some((each) => each === wanted || each === "*");
}

function conditionsIn(selector: unknown): readonly string[] {
  const condition = (key: string, operator: string, values: readonly string[]): string =>
    [key, operator, ...(values.length === 0 ? [] : [[...values].sort().join(",")])].join(" ");
  const labels = Object.entries(record(at(selector, "matchLabels"))).map(([key, value]) =>
    condition(key, "In", [String(value)]),
  );
  const expressions = list(at(selector, "matchExpressions")).map((each) =>
    condition(text(at(each, "key")), text(at(each, "operator")), texts(at(each, "values"))),
  );
  return [...labels, ...expressions];
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
