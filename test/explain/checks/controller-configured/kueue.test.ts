/*
 * Sources: kubernetes-sigs/kueue:pkg/config/validation.go, and its strict decoding; kubernetes-sigs/kueue:pkg/features;
 * k8s.io/component-base/featuregate.
 */

import { fleetChecks, spokeOf } from "../../../fixtures/explain/fleet-checks";
import { entry } from "../../../fixtures/explain/fleet-damages";
import { BY_FLAG, fleet, hub } from "../../../fixtures/explain/one-spoke";

const ID = "controller-configured";
const gates = (...lines: readonly string[]): ReturnType<typeof hub> =>
  hub(["      MultiKueueClusterProfile: true\n", lines.map((line) => `      ${line}\n`).join("")]);
const PROFILE_OFF = "leaves the feature gate MultiKueueClusterProfile off";
const MULTIKUEUE_OFF = "leaves the feature gate MultiKueue off";
const base = { artefacts: fleet(), spoke: "a" };

fleetChecks(ID, "gates in the file", base, [
  ["of profiles", [], "pass", "uses profiles"],
  ["all alpha features", gates("AllAlpha: true"), "pass"],
  [
    "MultiKueue beside its stage",
    gates("MultiKueueClusterProfile: true", "AllBeta: false", "MultiKueue: true"),
    "pass",
  ],
  ["no gate of profiles", gates("Other: true"), "fail", PROFILE_OFF],
  ["a gate of profiles that is off", gates("MultiKueueClusterProfile: false"), "fail", PROFILE_OFF],
  ["MultiKueue off", gates("MultiKueueClusterProfile: true", "MultiKueue: false"), "fail", MULTIKUEUE_OFF],
  [
    "all gates of MultiKueue's stage off",
    gates("MultiKueueClusterProfile: true", "AllBeta: false"),
    "fail",
    MULTIKUEUE_OFF,
  ],
]);

fleetChecks(ID, "the configuration", base, [
  [
    "of an older API",
    hub(["config.kueue.x-k8s.io/v1beta2", "config.kueue.x-k8s.io/v1beta1"]),
    "fail",
    "is not of kind Configuration of config.kueue.x-k8s.io/v1beta2",
  ],
  ["of another kind", hub(["kind: Configuration", "kind: Config"]), "fail", "is not of kind Configuration"],
  [
    "without interactiveMode",
    hub(["interactiveMode: Never", "provideClusterInfo: false"]),
    "fail",
    "has no interactiveMode in the entry aws-a",
  ],
  [
    "with a key that Kueue does not know",
    hub(["- name: aws-a\n", "- name: aws-a\n            profileSourcedEnvVarsPolicy: Replace\n"]),
    "fail",
    "has the key profileSourcedEnvVarsPolicy",
  ],
  [
    "with a key beside the list that Kueue does not know",
    hub(["      clusterProfile:\n", "      clusterProfile:\n        profiles: []\n"]),
    "fail",
    "has the key profiles in multiKueue.clusterProfile",
  ],
  [
    "with the key of an older version",
    hub(["accessProviders:", "credentialProviders:"]),
    "fail",
    "credentialProviders",
  ],
  [
    "in a ConfigMap of another name",
    hub(["name: kueue-manager-config", "name: other"]),
    "unknown",
    "whether MultiKueue reads the ConfigMap other is not known",
  ],
  [
    "under another key",
    hub(["controller_manager_config.yaml: ", "x: "]),
    "unknown",
    "no list of access providers was read",
  ],
]);

fleetChecks(ID, "an entry of the list", spokeOf("eks-p"), [
  ["the name of another", entry("aws-eks-g", ["name"], "aws-eks-p"), "fail", "only the first would be used"],
  [
    "a version of credentials that client-go does not know",
    entry("aws-eks-p", ["execConfig", "apiVersion"], "client.authentication.k8s.io/v1alpha1"),
    "fail",
    "has none of the apiVersions of client-go",
  ],
]);

/** A whole manifest of Kueue's manager, as its release has it, beside what this library writes. */
const manager = (
  args: readonly string[],
  { configMap = "kueue-manager-config", version = "v0.19.0", more = {} } = {},
): { others: Record<string, string> } => ({
  others: {
    "manager.json": JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace: "kueue-system", name: "kueue-controller-manager" },
      spec: {
        template: {
          spec: {
            serviceAccountName: "kueue-controller-manager",
            containers: [
              {
                name: "manager",
                image: `registry.k8s.io/kueue/kueue:${version}`,
                args: ["--config=/controller_manager_config.yaml", ...args],
                ...more,
                volumeMounts: [
                  {
                    name: "manager-config",
                    mountPath: "/controller_manager_config.yaml",
                    subPath: "controller_manager_config.yaml",
                  },
                ],
              },
            ],
            volumes: [{ name: "manager-config", configMap: { name: configMap } }],
          },
        },
      },
    }),
  },
});

const FLAG = "--feature-gates=";
const GATE = `${FLAG}Other=false,MultiKueueClusterProfile=true`;
const SPACED = GATE.replaceAll("=M", " = M").replaceAll(",", " , ").replace("Profile=", "Profile = ");

fleetChecks(ID, "gates on the command line", { artefacts: fleet(BY_FLAG), spoke: "a" }, [
  ["which are not read", [], "pass"],
  [
    "beside gates in the file",
    hub(["kind: Configuration\n", "kind: Configuration\n    featureGates:\n      Other: true\n"]),
    "fail",
    "has featureGates, which Kueue refuses together with --feature-gates",
  ],
  ["of profiles", [], "pass", "uses profiles", manager([GATE])],
  ["none", [], "fail", PROFILE_OFF, manager([])],
  ["of others", [], "fail", "leaves MultiKueueClusterProfile off", manager([`${FLAG}Other=true`])],
  [
    "without MultiKueue",
    [],
    "fail",
    "leaves MultiKueue off",
    manager([`${FLAG}MultiKueueClusterProfile=true,MultiKueue=false`]),
  ],
  ["with white space", [], "pass", "uses", manager([SPACED])],
  ["of all alpha features", [], "pass", "uses", manager([`${FLAG}AllAlpha=true`])],
  ["with one dash", [], "pass", "uses profiles", manager([GATE.slice(1)])],
  ["of a variable", [], "unknown", "is not known", manager([`${FLAG}$(GATES)`])],
  ["in a script", [], "unknown", "is not known", manager(["-c", `exec /manager ${GATE}`])],
  [
    "beside variables of a ConfigMap, which are no flags",
    [],
    "fail",
    PROFILE_OFF,
    manager([], { more: { envFrom: [{ configMapRef: { name: "c" } }] } }),
  ],
]);

fleetChecks(ID, "the whole manifest, with gates in the file", base, [
  ["no flag", [], "pass", "uses profiles", manager([])],
  ["an empty flag", [], "pass", "uses", manager([FLAG])],
  ["the flag too", [], "fail", "which Kueue refuses together with --feature-gates", manager([GATE])],
  [
    "another ConfigMap",
    [],
    "fail",
    "does not mount the ConfigMap kueue-manager-config",
    manager([], { configMap: "other" }),
  ],
  ["too old a version", [], "fail", "is too old", manager([], { version: "v0.14.2" })],
]);
