/*
 * User data for EKS nodes: what is written is read back, late values included, and what nodeadm or Karpenter would not
 * take is refused.
 */

import type { Construct } from "constructs";
import { Fn } from "cdktf";
import { describe, expect, it } from "vitest";
import { eks } from "../../lib/cloud/aws";
import { Explainer, explain } from "../../lib/explain";
import { LateText } from "../../lib/model/late";
import type { INodeCarrier } from "../../lib/model/node-carrier";
import type { NodeSetup } from "../../lib/model/node-file";
import { type Ec2NodeClassProps, ec2NodeClass, nodeadm } from "../../lib/node";
import { CONFIG_FLAG } from "../../lib/rules/node/host";
import { NODEADM_FORM, nodeadmUserData } from "../../lib/rules/node/nodeadm";
import { Manifests } from "../../lib/synth";
import { REGION, fromAcr, fromEcr, makers, synthesizedPulls } from "../support/image-pulls";
import { type Refusal, refusal, refusedWith } from "../support/refusal";

const CONFIG = "/etc/eks/image-credential-provider/service-account-tokens.yaml";
const SPEC = {
  role: "nodes",
  amiSelectorTerms: [{ alias: "al2023@v20260714" }],
  subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "prod" } }],
  securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "prod" } }],
};
const CLUSTER_PART = {
  contentType: "application/node.eks.aws",
  content:
    "---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n    name: prod\n    apiServerEndpoint: https://example.com\n    certificateAuthority: Y2VydGlmaWNhdGVBdXRob3JpdHk=\n    cidr: 10.100.0.0/16\n  kubelet:\n    flags:\n    - --node-labels=team=shop\n",
};
const PYTHON = "\n--//\nContent-Type: text/x-shellscript\n\n#!/usr/bin/python3\nprint()\n--//--";
const SCRIPT = { contentType: "text/x-shellscript", content: "#!/bin/sh\ntouch /tmp/x\n" };

function carried(carrier: INodeCarrier<Construct>, azure = false) {
  return synthesizedPulls((stack) => {
    if (!azure)
      stack.addOverride(
        "locals.user_data",
        Fn.base64encode(Manifests.of(stack).rendered("nodes/nodeadm.txt")),
      );
    return {
      cluster: eks({
        name: "prod",
        version: "1.35",
        region: REGION,
        issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A",
        plugins: { ecr: "1.35.2", acr: "1.36.5" },
      }),
      carriers: [carrier],
      identities: [makers.aws(), ...(azure ? [makers.azure()] : [])],
      pulls: [{ serviceAccount: "shop/web", from: azure ? [fromEcr(), fromAcr()] : fromEcr() }],
    };
  });
}

function verdicts(outdir: string): readonly string[] {
  return explain([outdir]).map(({ verdict }) => verdict);
}

describe("user data for EKS nodes", () => {
  it("of a launch template is a MIME archive that explain reads", () => {
    const { outdir, written } = carried(nodeadm({ parts: [CLUSTER_PART] }));
    const text = written.files.get("nodes/nodeadm.txt") ?? "";
    expect(text).toMatch(
      /^MIME-Version: 1\.0\nContent-Type: multipart\/mixed; boundary="\/\/"\n\n\n--\/\/\n/,
    );
    expect(text).toContain("#cloud-config\nmerge_how:\n");
    expect(text).toContain(
      `    flags:\n      - --image-credential-provider-bin-dir=/etc/eks/image-credential-provider\n      - --${CONFIG_FLAG}=${CONFIG}\n`,
    );
    expect(text.endsWith("\n--//--\n")).toBe(true);
    expect(verdicts(outdir)).toEqual(["allowed"]);
    expect(Explainer.read([outdir]).skipped).toEqual([]);
    expect(JSON.stringify(written.terraform["locals"])).toContain("base64encode(local.");
  });

  it("of Karpenter's EC2NodeClass is read from the object", () => {
    const { outdir, written } = carried(ec2NodeClass({ name: "default", spec: SPEC }), true);
    expect([...written.files.keys()]).toContain("manifests/50-ec2-node-classes.yaml");
    expect(verdicts(outdir)).toEqual(["allowed", "allowed"]);
  });

  it("has what is known only after apply encoded", () => {
    const { outdir, written } = carried(nodeadm(), true);
    expect(written.files.get("nodes/nodeadm.txt")).toMatch(
      /path: \/etc\/kubernetes\/acr-azure\.json\n[^]*content: "@late\(base64\.\w+\)@"\n\s+encoding: b64\n/,
    );
    expect(verdicts(outdir)).toEqual(["allowed", "allowed"]);
  });
});

const SETUP: NodeSetup = {
  files: [{ path: CONFIG, mode: 0o644, content: "kind: CredentialProviderConfig\n" }],
  kubeletFlags: { [CONFIG_FLAG]: CONFIG },
};

function read(archive: string) {
  expect(NODEADM_FORM.is(archive)).toBe(true);
  return NODEADM_FORM.read([archive]);
}

const LATER_FILES =
  "\n--//\nContent-Type: text/cloud-config\n\n#cloud-config\nwrite_files: [{ path: /etc/motd, content: hi }]\n--//--";

describe("the form", () => {
  const archive = String(nodeadmUserData(SETUP, []));

  it("gives files and flags back", () => {
    const setup = read(archive);
    expect(setup.files).toMatchObject([
      { path: CONFIG, content: "kind: CredentialProviderConfig\n", encoding: "plain" },
    ]);
    expect(setup.flags?.[CONFIG_FLAG]).toBe(CONFIG);
    expect(setup.doubt).toBeUndefined();
  });

  const encoded = archive.replace(
    /^Content-Type: text\/cloud-config.*$/m,
    "$&\nContent-Transfer-Encoding: quoted-printable",
  );
  const appended = LATER_FILES.replace("#", "merge_how: dict(no_replace,recurse_list)+list(append)\n#");
  const earlier = LATER_FILES.replace(/--$/, "\n");
  const written = "/etc/eks/image-credential-provider/config.json";
  const bounded = archive.replaceAll("//\n", "x\n").replace('"//"', "x").replace("--//--", "--x--");

  // [what, change of the archive, the flag, doubt]
  it.each([
    ["carriage returns", archive.replaceAll("\n", "\r\n"), CONFIG, undefined],
    ["another boundary", bounded, CONFIG, undefined],
    [
      "a later part",
      archive.replace(
        "\n--//--",
        `\n--//\nContent-Type: application/node.eks.aws\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags: [--${CONFIG_FLAG}, /other]\n--//--`,
      ),
      "/other",
      undefined,
    ],
    ["no flags", archive.replace(/ +- --image[^\n]*\n/, ""), written, undefined],
    [
      "a file that nodeadm writes",
      archive.replace(`path: ${CONFIG}`, `path: ${written}`),
      CONFIG,
      /nodeadm overwrites/,
    ],
    // RFC 2045: its lines may be folded and its signs escaped.
    ["a part in another encoding", encoded, CONFIG, /encoding quoted-printable/],
    ["a script", String(nodeadmUserData(SETUP, [SCRIPT])), CONFIG, undefined],
    ["a script of another program", archive.replace("\n--//--", PYTHON), CONFIG, /text\/x-shellscript/],
    // cloudinit/handlers/cloud_config.py: dict(replace) unless the part itself says how it is merged.
    ["a later part with files", archive.replace("\n--//--", LATER_FILES), CONFIG, /replaces earlier ones/],
    ["a later part that appends", archive.replace("\n--//--", appended), CONFIG, undefined],
    ["an earlier part with files", archive.replace("\n--//\n", earlier), CONFIG, undefined],
  ])("%s", (_, changed, flag, doubt) => {
    const setup = read(changed);
    expect(setup.flags?.[CONFIG_FLAG]).toBe(flag);
    if (doubt) expect(setup.doubt).toMatch(doubt);
    else expect(setup.doubt).toBeUndefined();
  });

  // nodeadm/internal/api/bridge/decode.go; Go's mime/multipart.
  it.each([
    ["no kind", archive.replace("kind: NodeConfig\n", ""), /not a NodeConfig/],
    ["another version", archive.replace("aws/v1alpha1", "aws/v9"), /not a NodeConfig/],
    ["another group", archive.replace("node.eks.aws/v1alpha1", "eks.aws/v1alpha1"), /not a NodeConfig/],
    ["no YAML", archive.replace("kind: NodeConfig", "kind: ["), /not a NodeConfig/],
    ["no last boundary", archive.replace("\n--//--\n", ""), /last boundary/],
  ])("is refused with %s", (_, changed, problem) => {
    expect(read(archive).problem).toBeUndefined();
    expect(read(changed).problem).toMatch(problem);
  });

  it("is none without MIME-Version", () => {
    expect(NODEADM_FORM.is(archive.replace("MIME-Version: 1.0\n", ""))).toBe(false);
  });

  it.each(["", "#cloud-config\n", "MIME-Version: 1.0\nContent-Type: text/plain\n\nx"])(
    "is not %j",
    (other) => {
      expect(NODEADM_FORM.is(other)).toBe(false);
    },
  );

  it("is a text with encoded parts where a file is late", () => {
    const late = { ...SETUP, files: [{ path: "/etc/x.json", mode: 0o644, content: "${TfToken[TOKEN.1]}" }] };
    expect(nodeadmUserData(late, [])).toBeInstanceOf(LateText);
  });
});

describe("refused", () => {
  const huge = { ...SETUP, files: [{ path: CONFIG, mode: 0o644, content: "x".repeat(20_000) }] };
  it.each(
    refusedWith<readonly [NodeSetup, Partial<typeof SCRIPT>?]>({
      "node-limit": [[huge]],
      "node-invalid: a further part of the user data has a content type": [
        [SETUP, { contentType: "script" }],
        [SETUP, { contentType: "x-injected: 1\ntext/x-shellscript" }],
        [SETUP, { contentType: "text/x-shellscript\nx-injected: 1" }],
      ],
      "node-invalid: a further part of the user data contains a line": [[SETUP, { content: "a\n--//\n" }]],
      "node-invalid: a further part of the user data contains": [[SETUP, { content: "${TfToken[TOKEN.1]}" }]],
    }),
  )("%s: %#", (expected, [setup, part]) => {
    const parts = part ? [{ ...SCRIPT, ...part }] : [];
    expect(() => nodeadmUserData(setup, parts)).toThrowError(refusal(expected));
  });

  it.each<readonly [Refusal, Partial<Ec2NodeClassProps>]>([
    ["kubernetes-invalid", { name: "No" }],
    ["node-conflict", { spec: { ...SPEC, userData: "x" } }],
    ["node-unsupported: AMIs", { spec: { role: "nodes" } }],
    ["node-unsupported: AMIs", { spec: { ...SPEC, amiFamily: "Bottlerocket" } }],
    ["node-unsupported: AMIs", { spec: { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] } }],
  ])("%s", (expected, change) => {
    expect(() => ec2NodeClass({ name: "default", spec: SPEC, ...change })).toThrowError(refusal(expected));
  });

  it("Bottlerocket says what its settings lack", () => {
    const spec = { ...SPEC, amiSelectorTerms: [{ alias: "bottlerocket@latest" }] };
    expect(() => ec2NodeClass({ name: "default", spec })).toThrowError(/but not tokens/);
  });
});
