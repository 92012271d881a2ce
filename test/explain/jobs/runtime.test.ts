import { expect, it } from "vitest";
import { runtimeRefusal } from "../../../lib/explain/jobs/runtime";
import { type Known, known, unread } from "../../../lib/model/known";
import { AskedNames } from "../../../lib/rules/asked-names";

const HOST = "registry.example:5000";
const NOTHING = { mirrors: [], registrySources: [], imagePolicies: [] };
const CERTS = "/etc/containerd/certs.d";
const CONTAINERD = "/etc/containerd/config.toml";
const K3S = "/etc/rancher/k3s/registries.yaml";
const POLICY = "/etc/containers/policy.json";

const cri = (host: string): string =>
  `[plugins."io.containerd.grpc.v1.cri".registry.mirrors."${host}"]\n  endpoint = ["https://mirror.example"]\n`;
const accept = [{ type: "insecureAcceptAnything" }];
const reject = [{ type: "reject" }];
const policy = (byDefault: unknown, docker?: object): string =>
  JSON.stringify({ default: byDefault, ...(docker && { transports: { docker } }) });

// containerd, docs/hosts.md and docs/cri/registry.md; containers-policy.json(5); docs.k3s.io, private registry.
it.each<[string, string, string | undefined, "mirrors" | "rejects" | undefined]>([
  ["a mirror of containerd", `${CERTS}/${HOST}/hosts.toml`, '[host."https://mirror.example"]', "mirrors"],
  [
    "the port between underscores",
    `${CERTS}/registry.example_5000_/hosts.toml`,
    'server = "https://m"',
    "mirrors",
  ],
  ["for all others", `${CERTS}/_default/hosts.toml`, '[host."http://127.0.0.1:30020"]', "mirrors"],
  [
    "the registry itself",
    `${CERTS}/${HOST}/hosts.toml`,
    `server = "https://${HOST}"\n[host."https://${HOST}/v2"]`,
    undefined,
  ],
  ["headers", `${CERTS}/${HOST}/hosts.toml`, `[host."https://${HOST}".header]\nx = "y"`, "mirrors"],
  ["another registry", `${CERTS}/docker.io/hosts.toml`, '[host."https://mirror.example"]', undefined],
  ["not readable", `${CERTS}/${HOST}/hosts.toml`, undefined, "mirrors"],
  ["certificates", `${CERTS}/${HOST}/ca.crt`, "", undefined],
  ["containerd's configuration", CONTAINERD, cri(HOST), "mirrors"],
  ["for every registry", CONTAINERD, cri("*"), "mirrors"],
  ["for another registry", CONTAINERD, cri("docker.io"), undefined],
  ["nothing of registries", CONTAINERD, "version = 2\n", undefined],
  ["k3s", K3S, `mirrors:\n  "${HOST}":\n    endpoint: ["https://mirror.example"]\n`, "mirrors"],
  ["k3s for every registry", K3S, 'mirrors:\n  "*": {}\n', "mirrors"],
  ["k3s for another registry", K3S, "mirrors:\n  docker.io: {}\n", undefined],
  ["k3s without mirrors", K3S, `configs:\n  "${HOST}": {}\n`, undefined],
  ["everything accepted", POLICY, policy(accept, { "docker.io": reject }), undefined],
  ["rejected by default", POLICY, policy(reject), "rejects"],
  ["rejected by default, and not here", POLICY, policy(reject, { [HOST]: accept }), undefined],
  ["rejected here", POLICY, policy(accept, { [HOST]: accept, [`${HOST}/shop`]: reject }), "rejects"],
  [
    "accepted besides a wildcard",
    POLICY,
    policy(reject, { "*.example:5000": reject, [HOST]: accept }),
    undefined,
  ],
  ["rejected for the transport", POLICY, policy(accept, { "": reject }), "rejects"],
  ["signed", POLICY, policy([...accept, { type: "signedBy" }]), "rejects"],
  ["no requirement", POLICY, policy([]), "rejects"],
  ["no policy", POLICY, "{", "rejects"],
  ["no file of a runtime", "/etc/kubernetes/kubelet.conf", undefined, undefined],
])("files of the runtime: %s", (_, path, content, effect) => {
  const text: Known<string> = content === undefined ? unread("it is compressed") : known(content);
  const file = { content: text, source: { file: "n.yaml", path: "" }, owner: undefined, overwrites: [] };
  const node = { name: "worker", files: new Map([[path, file]]) };
  const found = AskedNames.one("shop/web").worst(
    (name) => runtimeRefusal(NOTHING, node, { host: HOST, path: name }),
    () => 0,
  );
  const reason = effect === "mirrors" ? "to a mirror" : "may reject the image";
  expect(found?.said).toEqual(
    effect &&
      expect.objectContaining({ status: "unknown", reason: expect.stringContaining(reason) as string }),
  );
});
