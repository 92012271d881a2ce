import { Testing, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { IComponentIdentities } from "../../lib/model/components";
import { encode } from "../../lib/model/late";
import { Issuer } from "../../lib/model/issuer";
import { PlatformComponents, bind } from "../../lib/synth";
import { applyConfiguration } from "../cloud/aws/applied";
import { LateData, filesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { record } from "../support/json";
import { releaseRequests } from "../support/platform-components";

const HOST = "acme.z6.web.core.windows.net";
const CLIENT = 'id "with" ${quotes}, %{ signs }\nand é';

const absent = spawnSync("terraform", ["version"]).status !== 0;

/** A cloud of which every value is known only after apply, plain and within base64. */
function lateCloud(client: string): IComponentIdentities<Construct> {
  return {
    cloud: "late",
    job: "components",
    providerKind: "AWSProviderSpec",
    declare: (_, { requests }) => ({
      grants: requests.map((request) => ({
        request,
        identity: client,
        secret: {
          ...request.secret,
          stringData: { id: client },
          data: { file: encode("base64", JSON.stringify({ type: "é" }) + client) },
        },
      })),
      secrets: [{ file: "further", namespace: "openshift-x", name: "further", stringData: { id: client } }],
    }),
  };
}

it.skipIf(absent)(
  `late issuers and identities come through terraform apply and bind unharmed${absent ? " (skipped: no terraform on PATH)" : ""}`,
  () => {
    const app = Testing.app({ outdir: temporaryFolder() });
    const stack = new TerraformStack(app, "prod");
    const late = (id: string, text: string): string => {
      const data = new LateData(stack, id);
      // No escaping of cdktf or HCL is in the way, so that the resource holds exactly the text.
      data.addOverride("input", `\${base64decode("${Buffer.from(text).toString("base64")}")}`);
      return data.output;
    };
    const requests = releaseRequests("aws", "4.22");
    new PlatformComponents(stack, "components", {
      clusterName: "prod",
      issuer: { issuer: Issuer.exactly(`https://${late("host", HOST)}/`) },
      requests,
      identities: lateCloud(late("client", CLIENT)),
    });
    app.synth();

    const file = join(temporaryFolder(), "outputs.json");
    writeFileSync(file, JSON.stringify(applyConfiguration(Testing.synth(stack))));
    const to = temporaryFolder();
    bind({ outputs: file, from: app.outdir, to });

    const { ".workload-identity-files": _, ...files } = filesOf(to);
    expect(Object.keys(files)).toHaveLength(requests.requests.length + 2);
    for (const [path, text] of Object.entries(files)) {
      const { kind, stringData, data, spec } = record(parse(text));
      if (kind === "Authentication") expect(spec).toEqual({ serviceAccountIssuer: `https://${HOST}/` });
      else expect(stringData, path).toEqual({ id: CLIENT });
      if (data !== undefined)
        expect(Buffer.from(String(record(data)["file"]), "base64").toString()).toBe(`{"type":"é"}${CLIENT}`);
    }
  },
);
