import { type Json, own, record } from "./access";
import type { Source } from "./source";

/** A pod, the template of many, or what somebody wrote that pods need. */
export interface PodFact {
  /** `Deployment shop/web`. */
  readonly title: string;
  /** Labels of the pods. */
  readonly labels: Json;
  /** The pods' spec, as written. */
  readonly spec: Json;
  /** Where it stands. */
  readonly source: Source;
}

const FILE = /^pods\/([^.]+)\.(.+)\.yaml$/;

/** The service account, `namespace/name`, of a file `pods/<namespace>.<name>.yaml`. */
export function fragmentAccount(path: string): string {
  const [, namespace = "", name = ""] = FILE.exec(path) ?? [];
  return `${namespace}/${name}`;
}

/** What such a file says, as the pod that it asks for. */
export function podFragment(value: unknown, source: Source): PodFact {
  const { env, volumeMounts, volumes } = record(value);
  return {
    title: "what its pods need",
    labels: record(own(value, "labels")),
    spec: { containers: [{ env, volumeMounts }], volumes },
    source,
  };
}
