/* What nodeadm says about user data: nodeadm/internal/api/bridge/decode.go, and Go's mime/multipart for the boundaries. */

import { expect, it } from "vitest";
import { NODEADM_FORM, nodeadmUserData } from "../../../lib/rules/node/nodeadm";

const PATH = "/etc/eks/image-credential-provider/config.json";
const archive = String(
  nodeadmUserData(
    {
      files: [{ path: PATH, mode: 0o644, content: "kind: X\n" }],
      kubeletFlags: { "image-credential-provider-config": PATH },
    },
    [],
  ),
);

it.each<[string, (text: string) => string, string | undefined]>([
  ["what the carrier writes", (text) => text, undefined],
  [
    "a part of another kind",
    (text) => text.replace("kind: NodeConfig", "kind: NodeClass"),
    "that is not a NodeConfig",
  ],
  [
    "a part of another group",
    (text) => text.replace("node.eks.aws/v1alpha1", "node.eks.aws/v1"),
    "nodeadm refuses a part of type application/node.eks.aws that is not a NodeConfig",
  ],
  ["no last boundary", (text) => text.trimEnd().replace(/--$/, ""), "without its last boundary"],
])("%s", (_, damage, problem) => {
  const said = NODEADM_FORM.read([damage(archive)]).problem;
  expect(said).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
});
