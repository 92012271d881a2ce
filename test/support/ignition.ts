import type { IgnitionConfig } from "../../lib/rules/openshift/machine-config";
import type { NodeFile } from "../../lib/model/node-file";

/** The files of an Ignition configuration, base64 data URLs decoded. */
export function ignitionFiles(config: IgnitionConfig): readonly NodeFile[] {
  return config.storage.files.map(({ path, mode, contents }) => {
    const [, data] = /^data:[^,]*;base64,(.*)$/.exec(String(contents.source)) ?? [];
    if (contents.compression !== "" || data === undefined) throw new Error(`${path} has another form`);
    return { path, mode, content: Buffer.from(data, "base64").toString("utf8") };
  });
}
