/*
 * Contents of files through each form: written, read back as `explain` does, and where they are late, after `bind`.
 */

import type { Construct } from "constructs";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentsIn } from "../../lib/explain/read/documents";
import { nodesOfDocuments } from "../../lib/explain/read/node-forms";
import { known, orElse } from "../../lib/model/known";
import type { INodeCarrier } from "../../lib/model/node-carrier";
import {
  PlainCarrier,
  butane,
  ignition,
  kubeadm,
  kubeadmConfigTemplate,
  kops,
  rke2,
  talos,
} from "../../lib/node";
import { bind } from "../../lib/synth/bind/bind-folder";
import { stackFixture, temporaryFolder } from "../fixtures/synth/stack-fixture";

/** What YAML, JSON, shells and templates each take for something else; the last is as long as user data may be. */
const HOSTILE: Readonly<Record<string, string>> = {
  quotes: "\" ' \\ ` and\n",
  templates: "${x} %{if true} $${y} %%{z} {{ .v }} $(id)\n",
  lines: "lf\ncrlf\r\ncr\rno end",
  blanks: "  lead\n\n\n\ttab \n",
  words: "yes",
  empty: "",
  unicode: "é 日本 \u{1f600} \u2028 \u0085 \u007f\n",
  document: "---\na: 1\n...\n# @ & * ! | > %\n",
  long: "0123456789abcde\n".repeat(6_400),
};

const ROOT = "/var/lib/kubelet";
const TALOS = {
  "image-credential-provider-config": "/etc/kubernetes/kubelet-credentialproviderconfig.yaml",
  "image-credential-provider-bin-dir": "/usr/local/lib/kubelet/credentialproviders",
};
const FLAGS = {
  "image-credential-provider-config": "/etc/kubernetes/credentials.yaml",
  "image-credential-provider-bin-dir": "/opt/plugins",
};

type Row = readonly [name: string, carrier: INodeCarrier<Construct>, takesLate: boolean];

const ROWS: readonly Row[] = [
  ["plain data", new PlainCarrier({ name: "x" }), true],
  ["cloud-init", rke2({ name: "x" }), true],
  ["Ignition", rke2({ name: "x", by: ignition() }), true],
  ["Butane", rke2({ name: "x", by: butane({ variant: "fcos" }) }), true],
  ["kubeadm", kubeadm({ name: "x" }), true],
  ["Cluster API", kubeadmConfigTemplate({ name: "x", namespace: "n" }), true],
  ["Talos", talos({ name: "x", version: "1.12" }), true],
  ["kOps", kops({ name: "x" }), false],
];

/** Contents by path, as they are read from what was written; with bound late values where they are given. */
function readBack(
  carrier: INodeCarrier<Construct>,
  contents: Readonly<Record<string, string>>,
  late?: string,
): object {
  const { app, manifests, data } = stackFixture();
  const files = Object.entries(contents).map(([name, content]) => ({
    path: `${ROOT}/${name}`,
    mode: 0o644,
    content: late === undefined ? content : `${content}${data.output}${content}`,
  }));
  carrier.carry(manifests, { files, kubeletFlags: carrier.rewritesConfig ? TALOS : FLAGS });
  app.synth();
  let folder = join(app.outdir, "stacks/prod");
  if (late !== undefined) {
    const to = temporaryFolder();
    const outputs = join(to, "outputs.json");
    writeFileSync(
      outputs,
      JSON.stringify({ terraform_data_d_output: { value: late, type: "string", sensitive: false } }),
    );
    bind({ outputs, from: folder, to: join(to, "to") });
    folder = join(to, "to/prod");
  }
  const file =
    [...manifests.render().keys()].find((name) => /^nodes\/x\.|kubeadm-config-template/.test(name)) ?? "";
  const place = { late: known<string>, management: false, ofStack: true, spoke: undefined };
  const documents = documentsIn(readFileSync(join(folder, file), "utf8"), file);
  const nodes = nodesOfDocuments(documents.map((document) => ({ ...document, ...place })));
  const read = nodes.flatMap((node) =>
    [...node.files].map(([path, { content }]) => [
      path.replace(`${ROOT}/`, ""),
      orElse(content, () => "unread"),
    ]),
  );
  return Object.fromEntries(read) as object;
}

describe("contents", () => {
  it.each(ROWS)("%s: come back as they were", (name, carrier) => {
    const { long: _long, empty: _empty, ...short } = HOSTILE;
    const contents = name === "Cluster API" ? short : HOSTILE;
    expect(readBack(carrier, contents)).toMatchObject(contents);
  });

  it.each(ROWS.filter(([, , takesLate]) => takesLate))(
    "%s: with late values, once they are bound",
    (_, carrier) => {
      const { long: _long, words, ...contents } = HOSTILE;
      const late = "id \" ' ${x} \\ \n é";
      const expected = Object.entries({ words, ...contents }).map(([name, each]) => [
        name,
        `${each}${late}${each}`,
      ]);
      expect(readBack(carrier, { words: words ?? "", ...contents }, late)).toMatchObject(
        Object.fromEntries(expected),
      );
    },
  );
});
