import { describe, expect, it } from "vitest";
import type { Status } from "../../../lib/explain";
import { type Artefacts, edited } from "../../fixtures/explain/artefacts";
import { CLUSTER_SECRETS, config } from "../../fixtures/explain/cluster-secrets";
import { put } from "../../fixtures/explain/documents";
import { withoutDocument } from "../../fixtures/explain/fleet";
import { checkOf } from "../../fixtures/explain/checks";
import { entered, fleetChecks, spokeIn, spokeOf } from "../../fixtures/explain/fleet-checks";
import {
  type Damage,
  HUB,
  both,
  container,
  entry,
  volume,
  withoutNamed,
  workload,
} from "../../fixtures/explain/fleet-damages";
import { AIA, fleet, hub, props } from "../../fixtures/explain/one-spoke";

const ID = "plugin-present";
const FOLDER = "/plugins/aws-iam-authenticator";
const BINARY = "/aws-iam-authenticator";
const KUBELOGIN = "/plugins/kubelogin/usr/local/bin/kubelogin";

const command = (value: string): Damage => entry("azure-aks", ["execConfig", "command"], value);
const NO_MOUNT = "no mount of the container manager contains the command";
const NO_VOLUME = `has no volume plugin-kubelogin that holds ${KUBELOGIN}`;

fleetChecks(ID, "the container", spokeOf("aks"), [
  ["as written", [], "pass"],
  ["another command", command("/plugins/x"), "fail", NO_MOUNT],
  [
    "a command on the PATH",
    command("kubelogin"),
    "fail",
    "is neither an absolute path nor on the PATH of the controller's image",
  ],
  ["no mount", container(["volumeMounts"], withoutNamed("plugin-kubelogin")), "fail", NO_MOUNT],
  ["no volume", workload(["volumes"], withoutNamed("plugin-kubelogin")), "fail", NO_VOLUME],
  ["a volume without an image", volume("plugin-kubelogin", ["image"], {}), "fail", NO_VOLUME],
  [
    "another folder of the image",
    container(["volumeMounts", "=plugin-kubelogin", "mountPath"], "/plugins/kubelogin/usr"),
    "unknown",
    "whether the image has the plugin at /local/bin/kubelogin is not said",
  ],
  [
    "another container",
    container(["name"], "controller"),
    "unknown",
    "which container of Deployment kueue-system/kueue-controller-manager runs",
    { spoke: "eks-p" },
  ],
  [
    "no workload",
    (all) => withoutDocument(all, HUB, "kind: Deployment"),
    "unknown",
    "no workload of MultiKueue was read",
  ],
]);

const version = (to: string): readonly [string, string, string] => [
  "workload-identity.json",
  '"apiServer": "1.35",',
  to,
];

fleetChecks(ID, "the hub's version", spokeIn("fleet-multikueue", "cpu-1"), [
  ["without image volumes", version('"apiServer": "1.32",'), "fail", "1.32"],
  ["that is not known", version(""), "unknown", "the version of the hub is not known"],
]);

const MOUNT = `mountPath: ${FOLDER}\n`;

fleetChecks(ID, "an image volume", { artefacts: fleet(), spoke: "a" }, [
  ["of the image", [], "pass"],
  [
    "where the gate ImageVolume is on",
    () => fleet(props({ apiServer: "1.33", featureGates: { ImageVolume: true } })),
    "pass",
  ],
  [
    "with a plugin elsewhere in its image",
    () => fleet(props({}, { plugins: [{ ...AIA, path: "/bin/aws-iam-authenticator" }] })),
    "pass",
  ],
  [
    "with another path of the command",
    hub([`command: ${FOLDER}${BINARY}`, `command: ${FOLDER}/bin${BINARY}`]),
    "unknown",
    "whether the image has the plugin at /bin/aws-iam-authenticator is not said",
  ],
  [
    "of which a part is mounted",
    hub([MOUNT, `${MOUNT}              subPath: x\n`]),
    "unknown",
    "with a subPath",
  ],
]);

const copied = fleet(props({ apiServer: "1.32" }, { plugins: [{ ...AIA, hasCopy: true }] }));
const first = (key: string, value: unknown): Damage => workload(["initContainers", 0, key], value);

/** Judged is what this library writes; what else init containers do is not known. */
describe("an init container that copies the plugin", () => {
  const present = (change: Damage): Status =>
    checkOf(entered({ artefacts: copied, spoke: "a" }, change), ID).status;

  it.each<[string, readonly string[], Status]>([
    ["into the folder", ["cp", BINARY, `${FOLDER}/`], "pass"],
    ["by a whole path", ["/bin/cp", BINARY, FOLDER + BINARY], "unknown"],
    ["by the absolute path of cp", ["/usr/bin/cp", BINARY, `${FOLDER}/`], "pass"],
    ["into what is mounted", ["/usr/bin/cp", "-fv", BINARY, FOLDER], "unknown"],
    ["as an archive", ["cp", "-a", BINARY, `${FOLDER}/`], "unknown"],
    ["with its mode", ["cp", "--preserve=mode", BINARY, FOLDER], "unknown"],
    ["under another name", ["cp", BINARY, `${FOLDER}/other`], "unknown"],
    ["into another folder", ["cp", BINARY, "/other/"], "unknown"],
    ["of another file", ["cp", "/bin/other", FOLDER + BINARY], "unknown"],
    ["of several files", ["cp", BINARY, "/bin/other", `${FOLDER}/`], "unknown"],
    ["of a folder", ["cp", "-r", BINARY, `${FOLDER}/bin`], "unknown"],
    ["with the folder first", ["cp", "-t", FOLDER, BINARY], "unknown"],
    ["to a relative path", ["cp", BINARY, FOLDER.slice(1)], "unknown"],
    ["of nothing", ["cp", BINARY], "unknown"],
    ["by a script", ["sh", "-c", `cp ${BINARY} ${FOLDER}/`], "unknown"],
    ["by another program", ["true", BINARY, `${FOLDER}/`], "unknown"],
  ])("%s", (_, whole, status) => {
    expect(present(first("command", whole))).toBe(status);
    const [program, ...args] = whole;
    expect(present(both(first("command", [program]), first("args", args)))).toBe(status);
  });

  it.each<[readonly string[], Status]>([
    [["cp", "/gcp-auth-plugin", `${FOLDER}/`], "pass"],
    [["cp", "/other", `${FOLDER}/`], "fail"],
    [["cp", "-r", "/bin", `${FOLDER}/`], "unknown"],
    [["cp", "-t", FOLDER, "/gcp-auth-plugin"], "unknown"],
  ])("of an image that is not published: %j", (whole, status) => {
    const other = (all: Artefacts): Artefacts =>
      edited(all, [[HUB, `command: ${FOLDER + BINARY}`, `command: ${FOLDER}/gcp-auth-plugin`]]);
    expect(present(both(other, first("command", whole)))).toBe(status);
  });
});

fleetChecks(ID, "a copied plugin", { artefacts: copied, spoke: "a" }, [
  ["as written", [], "pass"],
  [
    "that is not copied",
    first("command", ["true"]),
    "unknown",
    "in the volume plugin-aws-iam-authenticator is not known: init containers fill it",
  ],
  ["through a mount of a part", first("volumeMounts", put([0, "subPath"], "a")), "unknown"],
  ["through no mount", first("volumeMounts", []), "fail"],
]);

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  [
    "a plugin that Argo CD's image does not have",
    config(["execProviderConfig", "command"], "kubelogin"),
    "fail",
    "neither an absolute path nor on the PATH",
  ],
]);
