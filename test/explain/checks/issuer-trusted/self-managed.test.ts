/*
 * Whether the API servers of a self-managed spoke trust the hub's issuer.
 * Sources: KEP-3331; kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation.
 */

import { expect, it } from "vitest";
import { parse } from "yaml";
import { HUBS, twoHubs } from "../../../fixtures/explain/all-spokes";
import { type Artefacts, explained } from "../../../fixtures/explain/artefacts";
import { put } from "../../../fixtures/explain/documents";
import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { type Damage, authentication, unrecorded } from "../../../fixtures/explain/fleet-damages";

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
