/*
 * Kubernetes objects in chains: what an API server prints is understood; whatever no table has opens the chain, at any
 * place in an object.
 */

import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { explain } from "../../../lib/explain";
import { type Coverage, notUnderstood, words } from "../../../lib/explain/coverage/coverage";
import { KINDS } from "../../../lib/explain/coverage/kinds";
import { type Json, at, record } from "../../../lib/model/parsed";
import { podSpecPath } from "../../../lib/rules/pod-specs";
import { heldFolder, synthesized } from "../../fixtures/explain/artefacts";
import { dump } from "../../fixtures/explain/dump";
import { cluster, plain } from "../../fixtures/explain/plain";
import { type BlockSchema, schemaOf } from "../../support/provider-schema";
import { sampleNote, sampleOf } from "../../support/sample";

const kindOf = (object: unknown): string => String(at(object, "kind"));
const byKind = dump.map((each) => [kindOf(each), each] as const);

describe("objects as an API server prints them", () => {
  test.each(byKind)("%s", (kind, object) => {
    expect(notUnderstood(object, KINDS[kind] ?? {}, "written")).toEqual([]);
  });

  test("leave a pull allowed", () => {
    expect(verdict(dump)).toBe("allowed");
  });
});

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1";

/** Whether `team/puller` pulls its image. */
function verdict(objects: readonly object[], rbac: string = plain["rbac.yaml"] ?? ""): string | undefined {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const files = { ...plain, "app/deployment.yaml": list, "rbac.yaml": rbac };
  const ask = { serviceAccount: "team/puller", image: IMAGE };
  return explain([heldFolder(files)], ask, { cluster })[0]?.verdict;
}

/** The object with another value at each place that the row and the object have, by path. */
function* attacked(
  value: unknown,
  row: Coverage,
  path = "",
): Generator<readonly [path: string, changed: unknown]> {
  if (Array.isArray(value)) {
    const [first, ...others] = value as readonly unknown[];
    for (const [place, each] of attacked(first, row, `${path}[0]`)) yield [place, [each, ...others]];
    return;
  }
  const object = record(value);
  yield [`${path}.tomorrow`, { ...object, tomorrow: "x" }];
  for (const name of Object.keys(row.only ?? {}))
    yield [`${path}.${name}`, { ...object, [name]: "tomorrow" }];
  for (const [name, inner] of Object.entries(row.blocks ?? {}))
    if (name in object)
      for (const [place, each] of attacked(object[name], inner, `${path}.${name}`))
        yield [place, { ...object, [name]: each }];
}

/** Of what no pull rests on, or not this one. */
const ELSEWHERE = ["ConfigMap", "Secret", "Role", "RoleBinding", "ClusterRole"];

const SAMPLE = 4;

describe("a field that no table has", () => {
  test.each(byKind)("is seen anywhere in a %s", (kind, object) => {
    const row = KINDS[kind] ?? {};
    const changes = [...attacked(object, row)];
    const survivors = changes.filter(
      ([, changed]) => notUnderstood(record(changed), row, "written").length === 0,
    );
    expect(survivors.map(([path]) => path)).toEqual([]);
    expect(changes.length).toBeGreaterThan(1);
  });

  const ofPulls = byKind.filter(([kind]) => !ELSEWHERE.includes(kind));
  test.each(sampleOf(ofPulls, SAMPLE, ([kind]) => kind))(
    `in a %s makes the pull unknown${sampleNote(SAMPLE)}`,
    (_, object) => {
      expect(verdict(dump.map((each) => (each === object ? { ...each, tomorrow: "x" } : each)))).toBe(
        "unknown",
      );
    },
  );

  test.each(["ClusterRole", "ClusterRoleBinding"])(
    "in the %s that grants the audience is a doubt",
    (kind) => {
      const rbac = (plain["rbac.yaml"] ?? "").replace(`kind: ${kind}\n`, `kind: ${kind}\n    tomorrow: x\n`);
      expect(verdict(dump, rbac)).toBe("unknown");
    },
  );

  test(`in the objects of components makes these unknown${sampleNote(SAMPLE)}`, () => {
    const files = synthesized("openshift-manual-aws");
    const allowed = (changed: ReadonlyMap<string, string>): number =>
      explain([heldFolder(changed)]).filter((each) => each.verdict === "allowed").length;
    const all = [...files].filter(
      ([file, text]) => /\.ya?ml$/.test(file) && /^kind: (?:Secret|Authentication)$/m.test(text),
    );
    expect(all.length).toBeGreaterThan(1);
    for (const [file, text] of sampleOf(all, SAMPLE, ([file]) => file)) {
      const documents = parseAllDocuments(text).map((each) =>
        JSON.stringify({ ...record(each.toJS()), tomorrow: 1 }),
      );
      expect(allowed(new Map([...files, [file, documents.join("\n---\n")]])), file).toBeLessThan(
        allowed(files),
      );
    }
  });
});

test.each<[title: string, kind: string, change: (object: Json) => Json, verdict: string]>([
  ["an account that is being deleted", "ServiceAccount", deleted, "unknown"],
  ["a pod that is being deleted", "Pod", deleted, "allowed"],
  ["an unrelated role that is being deleted", "Role", deleted, "allowed"],
  ["a job of another controller", "Job", specified({ managedBy: "kueue.x-k8s.io/multikueue" }), "unknown"],
  [
    "a job of the usual controller",
    "Job",
    specified({ managedBy: "kubernetes.io/job-controller" }),
    "allowed",
  ],
  ["an annotation that changes images", "Deployment", annotated("image.openshift.io/triggers"), "unknown"],
  ["one that resolves images", "Pod", annotated("alpha.image.policy.openshift.io/resolve-names"), "unknown"],
  ["any other annotation", "Pod", annotated("example.com/a"), "allowed"],
  ["a misspelled field", "ServiceAccount", (each) => ({ ...each, imagePullSecret: [] }), "unknown"],
])("%s", (_, kind, change, expected) => {
  expect(verdict(dump.map((each) => (kindOf(each) === kind ? change(record(each)) : each)))).toBe(expected);
});

function deleted(object: Json): Json {
  return {
    ...object,
    metadata: { ...record(object["metadata"]), deletionTimestamp: "2026-03-01T10:00:00Z" },
  };
}

function specified(values: Json) {
  return (object: Json): Json => ({ ...object, spec: { ...record(object["spec"]), ...values } });
}

function annotated(name: string) {
  return (object: Json): Json => {
    const metadata = record(object["metadata"]);
    return {
      ...object,
      metadata: { ...metadata, annotations: { ...record(metadata["annotations"]), [name]: "x" } },
    };
  };
}

/** Types of Terraform's Kubernetes provider with pods in them. */
const TYPES: readonly (readonly [type: string, kind: string])[] = [
  ["kubernetes_pod_v1", "Pod"],
  ["kubernetes_deployment_v1", "Deployment"],
  ["kubernetes_stateful_set_v1", "StatefulSet"],
  ["kubernetes_daemon_set_v1", "DaemonSet"],
  ["kubernetes_job_v1", "Job"],
  ["kubernetes_cron_job_v1", "CronJob"],
];

/** What no rule makes of a name of the provider. */
const NAMES: Readonly<Record<string, string>> = {
  ceph_fs: "cephfs",
  downward_api: "downwardAPI",
  host_aliases: "hostAliases",
  host_ipc: "hostIPC",
  host_pid: "hostPID",
  set_hostname_as_fqdn: "setHostnameAsFQDN",
  strategy: "updateStrategy",
  timezone: "timeZone",
};
/** No volume of a pod, although the provider has it. */
const NO_FIELD = /\.volumes\.local$/;

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

function unlisted(schema: BlockSchema, row: Coverage, path: string): readonly string[] {
  const known = [row.read, row.harmless].flatMap(words).concat(Object.keys(row.only ?? {}));
  return [...schema.arguments].flatMap(([argument, block]) => {
    const name = [camel(argument), `${camel(argument)}s`, NAMES[argument] ?? ""].find(
      (each) => row.blocks?.[each] ?? known.includes(each),
    );
    const inner = name === undefined ? undefined : row.blocks?.[name];
    if (inner && block) return unlisted(block, inner, `${path}.${name}`);
    return name === undefined ? [`${path}.${argument}`] : [];
  });
}

test.each(TYPES)("%s has no field that the table of %s leaves out", (type, kind) => {
  const path = podSpecPath(kind) ?? [];
  const schema = schemaOf(type)?.arguments.get("spec");
  expect(path.length).toBeGreaterThan(0);
  const left = unlisted(schema ?? { arguments: new Map() }, KINDS[kind]?.blocks?.["spec"] ?? {}, kind);
  expect(left.filter((each) => !NO_FIELD.test(each))).toEqual([]);
  expect(schema?.arguments.size).toBeGreaterThan(3);
});
