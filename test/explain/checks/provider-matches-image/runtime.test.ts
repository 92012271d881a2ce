import { expect, it } from "vitest";
import { runtimeRefusal } from "../../../../lib/explain/jobs/runtime";
import { type Known, known, unread } from "../../../../lib/model/known";
import { AskedNames } from "../../../../lib/rules/asked-names";

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
it.each<[string, string, string | undefined, "unknown" | undefined]>([
  ["a mirror of containerd", `${CERTS}/${HOST}/hosts.toml`, '[host."https://mirror.example"]', "unknown"],
  [
    "the port between underscores",
    `${CERTS}/registry.example_5000_/hosts.toml`,
    'server = "https://m"',
    "unknown",
  ],
  ["for all others", `${CERTS}/_default/hosts.toml`, '[host."http://127.0.0.1:30020"]', "unknown"],
  ["headers", `${CERTS}/${HOST}/hosts.toml`, `[host."https://${HOST}".header]\nx = "y"`, "unknown"],
  ["another registry", `${CERTS}/docker.io/hosts.toml`, '[host."https://mirror.example"]', undefined],
  ["not readable", `${CERTS}/${HOST}/hosts.toml`, undefined, "unknown"],
  ["certificates", `${CERTS}/${HOST}/ca.crt`, "", undefined],
  ["containerd's configuration", CONTAINERD, cri(HOST), "unknown"],
  ["for every registry", CONTAINERD, cri("*"), "unknown"],
  ["for another registry", CONTAINERD, cri("docker.io"), undefined],
  ["mirrors in another folder", CONTAINERD, 'config_path = "/opt/certs.d"\n', "unknown"],
  ["mirrors in the usual folder", CONTAINERD, 'config_path = "/etc/containerd/certs.d"\n', undefined],
  ["files besides", CONTAINERD, 'imports = ["/opt/*.toml"]\n', "unknown"],
  [
    "another policy of CRI-O",
    "/etc/crio/crio.conf.d/9.conf",
    '[crio.image]\nsignature_policy = "/x"\n',
    "unknown",
  ],
  ["limits of CRI-O", "/etc/crio/crio.conf.d/9.conf", "[crio.runtime]\npids_limit = 4096\n", undefined],
  ["nothing of registries", CONTAINERD, "version = 2\n", undefined],
  ["k3s", K3S, `mirrors:\n  "${HOST}":\n    endpoint: ["https://mirror.example"]\n`, "unknown"],
  ["k3s for every registry", K3S, 'mirrors:\n  "*": {}\n', "unknown"],
  ["k3s for another registry", K3S, "mirrors:\n  docker.io: {}\n", undefined],
  ["everything accepted", POLICY, policy(accept, { "docker.io": accept }), undefined],
  ["another registry's rejected", POLICY, policy(accept, { "docker.io": reject }), "unknown"],
  ["rejected by default", POLICY, policy(reject), "unknown"],
  ["rejected by default, and not here", POLICY, policy(reject, { [HOST]: accept }), "unknown"],
  ["rejected here", POLICY, policy(accept, { [HOST]: accept, [`${HOST}/shop`]: reject }), "unknown"],
  ["rejected for the transport", POLICY, policy(accept, { "": reject }), "unknown"],
  ["signed", POLICY, policy([...accept, { type: "signedBy" }]), "unknown"],
  ["no requirement", POLICY, policy([]), "unknown"],
  ["no policy", POLICY, "{", "unknown"],
  ["no file of a runtime", "/etc/kubernetes/kubelet.conf", undefined, undefined],
])("files of the runtime: %s", (_, path, content, effect) => {
  const text: Known<string> = content === undefined ? unread("it is compressed") : known(content);
  const file = { content: text, source: { file: "n.yaml", path: "" }, owner: undefined, overwrites: [] };
  const node = { name: "worker", files: new Map([[path, file]]) };
  const found = AskedNames.one("shop/web").worst(
    (name) => runtimeRefusal(NOTHING, node, { host: HOST, path: name }),
    () => 0,
  );
  expect(found?.said).toEqual(
    effect && expect.objectContaining({ status: effect, reason: expect.stringContaining(path) as string }),
  );
});
