/*
 * Whether the API servers of a self-managed spoke trust the hub's issuer.
 * Sources: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation.
 */

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { INodeCarrier } from "../../../../lib/model/node-carrier";
import { butane, ignition, k3s, kubeadm, nodeadm, rke2, talos } from "../../../../lib/node";
import { HUBS, twoHubs } from "../../../fixtures/explain/all-spokes";
import { type Artefacts, explained } from "../../../fixtures/explain/artefacts";
import { put } from "../../../fixtures/explain/documents";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, authentication, unrecorded } from "../../../fixtures/explain/fleet-damages";
import { entering } from "../../../fixtures/explain/one-spoke";
import { refusal } from "../../../support/refusal";

const ID = "issuer-trusted";
const { issuer } = HUBS.eks;
const REFUSED = "the spoke's API servers refuse the AuthenticationConfiguration: it has";
const entry = (key: string, value: unknown): Damage => authentication(put(["jwt", 0, "issuer", key], value));

fleetChecks(ID, "a self-managed spoke", spokeOf("own"), [
  ["as written", [], "pass"],
  [
    "whose files are found by their own name, without a record",
    unrecorded,
    "pass",
    "",
    { cluster: { issuer, apiServer: "1.35" }, verdict: "unknown" },
  ],
  ["another issuer", entry("url", `${issuer}0`), "fail", `the spoke does not trust the issuer ${issuer}`],
  [
    "no issuer",
    authentication(put(["jwt"], [])),
    "unknown",
    "no AuthenticationConfiguration of the spoke was read",
  ],
  [
    "another kind",
    authentication(put(["kind"], "Other")),
    "unknown",
    "no AuthenticationConfiguration of the spoke was read",
  ],
  [
    "a certificate that is none",
    entry("certificateAuthority", "nope"),
    "fail",
    `${REFUSED} a certificateAuthority`,
  ],
  [
    "a discovery URL that is the issuer",
    entry("discoveryURL", issuer),
    "fail",
    `${REFUSED} a discoveryURL that is the issuer's own URL`,
  ],
  [
    "the issuer twice",
    authentication(put(["jwt"], (list: unknown) => [...(list as object[]), ...(list as object[])])),
    "fail",
    `${REFUSED} the url ${issuer} twice`,
  ],
  [
    "a version that no API server supports",
    authentication(put(["apiVersion"], "apiserver.config.k8s.io/v9")),
    "fail",
    `${REFUSED} the apiVersion apiserver.config.k8s.io/v9`,
  ],
]);

const issued =
  (other: string): Damage =>
  (all) =>
    new Map([...all].map(([path, text]) => [path, text.replaceAll(issuer, other)]));
const ITSELF = "is the spoke itself, which has other keys";

// The hub's own server is another one on the spoke.
fleetChecks(ID, "the issuer of the hub", spokeOf("own"), [
  ["the default", issued("https://kubernetes.default.svc"), "fail", ITSELF],
  ["the default of kubeadm", issued("https://kubernetes.default.svc.cluster.local"), "fail", ITSELF],
  [
    "the default with a domain of the cluster",
    issued("https://kubernetes.default.svc.corp.example"),
    "fail",
    ITSELF,
  ],
  ["a host of a like name", issued("https://kubernetes.default.svc-keys.example"), "pass"],
  ["of a private network", issued("https://oidc.corp.internal:6443"), "pass"],
  [
    "the default with a discovery URL",
    (all) =>
      entry("discoveryURL", "https://keys.example/openid")(issued("https://kubernetes.default.svc")(all)),
    "unknown",
    "whether https://kubernetes.default.svc is also the spoke's own issuer is not known",
  ],
]);

const verdicts = (artefacts: Artefacts): readonly string[] =>
  explained(artefacts).map(({ verdict }) => verdict);

it("two hubs cannot both write the file of one spoke's API servers", () => {
  const results = explained(twoHubs());
  expect(results.map(({ stack, verdict }) => [stack, verdict])).toEqual([
    ["hub-a", "unknown"],
    ["hub-b", "unknown"],
  ]);
  for (const { checks } of results)
    expect(checks.find(({ id }) => id === ID)?.reason).toContain(
      "writes another AuthenticationConfiguration for the same API servers",
    );
});

it("two hubs can write files of which one or both have the entries of both", () => {
  const files = twoHubs();
  const [ofA, ofB] = ["hub-a", "hub-b"].map((hub) => {
    const setup = parse(files.get(`stacks/${hub}/spokes/own_control-plane.yaml`) ?? "") as {
      files: { content: string }[];
    };
    return (parse(setup.files[0]?.content ?? "") as { jwt: Record<string, unknown>[] }).jwt;
  });
  expect(verdicts(twoHubs({ "hub-a": ofB ?? [], "hub-b": ofA ?? [] }))).toEqual(["allowed", "allowed"]);
  // With the other hub's file, the spoke would not know the second hub.
  expect(verdicts(twoHubs({ "hub-b": ofA ?? [] }))).toEqual(["allowed", "unknown"]);
});

const PATH = "/etc/kubernetes/authentication-configuration.yaml";
const named = (argument: object): object => ({ apiServer: argument });
const volume = {
  name: "authentication-config",
  hostPath: PATH,
  mountPath: PATH,
  readOnly: true,
  pathType: "File",
};

/*
 * Sources: those of lib/rules/node/authentication.ts. Each row: the file with the argument, and what is in it.
 */
describe.each<[string, INodeCarrier<never>, string, object]>([
  [
    "kubeadm",
    kubeadm(),
    "own_control-plane-config.yaml",
    named({ extraArgs: [{ name: "authentication-config", value: PATH }], extraVolumes: [volume] }),
  ],
  [
    "kubeadm v1beta3",
    kubeadm({ version: "v1beta3", by: butane({ variant: "flatcar" }) }),
    "own_control-plane-config.yaml",
    named({ extraArgs: { "authentication-config": PATH }, extraVolumes: [volume] }),
  ],
  [
    "k3s",
    k3s(),
    "own_control-plane.yaml",
    {
      write_files: [
        { path: PATH, permissions: "0600" },
        {
          path: "/etc/rancher/k3s/config.yaml.d/60-authentication.yaml",
          content: `kube-apiserver-arg+:\n  - authentication-config=${PATH}\n`,
        },
      ],
    },
  ],
  ["rke2", rke2({ by: ignition() }), "own_control-plane.ign", {}],
  [
    "talos",
    talos({ version: "1.13" }),
    "own_control-plane.yaml",
    {
      machine: { files: [{ path: `/var${PATH}`, permissions: 0o644, op: "create" }] },
      cluster: {
        apiServer: {
          extraArgs: { "authentication-config": `/var${PATH}` },
          extraVolumes: [
            { hostPath: "/var/etc/kubernetes", mountPath: "/var/etc/kubernetes", readonly: true },
          ],
        },
      },
    },
  ],
])("the configuration brought by %s", (_, carrier, file, expected) => {
  const files = entering(carrier);
  const path = [...files.keys()].find((each) => each.endsWith(`spokes/${file}`)) ?? "";

  it("is written in its form, and read there", () => {
    expect(parse(files.get(path) ?? "")).toMatchObject(expected);
    expect(verdicts(files)).toEqual(["allowed"]);
  });

  it.skipIf(file.endsWith(".ign"))("is not read by API servers whose argument names another file", () => {
    const text = (files.get(path) ?? "").replace(
      /(authentication-config(?:=|: |\n +value: ))\S+/,
      "$1/etc/other.yaml",
    );
    const [result] = explained(new Map([...files, [path, text]]));
    expect(result?.checks.find(({ id }) => id === ID)).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("and their argument names /etc/other.yaml") as string,
    });
  });
});

it.each<[string, () => INodeCarrier<never>]>([
  ["Talos 1.14", () => talos({ version: "1.14" })],
  ["nodeadm", () => nodeadm()],
])("%s brings no configuration", (_, carrier) => {
  expect(() => entering(carrier())).toThrow(refusal("node-unsupported"));
});
