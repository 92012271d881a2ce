import { fail } from "../errors";
import { objectTitle } from "../artefact/property-path";
import { isRecord } from "../model/record";

/** The objects of one file. */
interface WrittenObjects {
  /** The file, and the cluster that it is for. */
  readonly chart: {
    readonly file: string;
    readonly appliesTo: string;
    readonly spoke?: string;
  };
  /** Its objects. */
  readonly objects: readonly object[];
}

/** Kinds that are always written whole, so that the one applied last would replace the other. */
const WHOLE: readonly unknown[] = ["ConfigMap", "Secret"];

/** Refuses two Secrets or ConfigMaps of one name for one cluster. */
export function refuseSameObjects(files: readonly WrittenObjects[]): void {
  const owners = new Map<string, string>();
  for (const { chart, objects } of files)
    for (const object of objects) {
      const { apiVersion, kind, metadata } = object as Readonly<Record<string, unknown>>;
      if (apiVersion !== "v1" || !WHOLE.includes(kind) || !isRecord(metadata)) continue;
      const title = objectTitle(kind, metadata["namespace"], metadata["name"]).replace(/: $/, "");
      const key = JSON.stringify([chart.appliesTo, chart.spoke, title]);
      const first = owners.get(key);
      if (first !== undefined)
        fail("manifest-conflict", {
          problem: `${title} is written twice, into ${first} and into ${chart.file}, and the one applied last would replace the other`,
          allowed: "each Secret and ConfigMap once per cluster",
          remedy: "put all its keys into one, or give one of them another name",
        });
      owners.set(key, chart.file);
    }
}
