import { PLUGINS } from "../../registries/plugins";
import { type Shape, TEXT, TEXTS, textKeys } from "../../artefact/fact-shape";

const GATES: Shape = { byName: "true or false" };
const SOURCE: Shape = { keys: { url: TEXT, sha256: TEXT } };
const PLUGIN: Shape = {
  keys: { version: TEXT, abilities: TEXTS, names: TEXTS, unusable: TEXT, source: SOURCE },
};
const TOKEN_REGISTRY: Shape = {
  keys: {
    ...textKeys("plugin audience issuer"),
    echoesToken: "true or false",
    args: TEXTS,
    env: { each: { keys: { name: TEXT, value: TEXT } } },
    pulls: {
      each: {
        keys: { serviceAccount: TEXT, repositories: TEXTS, identity: TEXT, annotations: { byName: TEXT } },
        needed: ["serviceAccount", "repositories"],
      },
    },
  },
  needed: ["plugin", "audience", "issuer", "pulls"],
};
const CONTROLLER: Shape = { keys: textKeys("kind namespace name container serviceAccount") };
const GRANTED: Shape = {
  keys: {
    request: TEXT,
    file: TEXT,
    document: "anything",
    secret: TEXT,
    serviceAccounts: TEXTS,
    tokenPath: TEXT,
    identity: TEXT,
    asks: { byName: "anything" },
    intends: { keys: { rights: { byName: "anything" }, reason: TEXT } },
    places: TEXTS,
  },
};
const SPOKE: Shape = {
  keys: textKeys("name cloud server project projectNumber provider rights"),
};
const FLEET: Shape = {
  keys: {
    consumer: {
      keys: {
        title: TEXT,
        kind: TEXT,
        needsHealthy: "true or false",
        form: { keys: { kind: TEXT, configMap: TEXT, key: TEXT, field: TEXT, gateByFlag: "true or false" } },
        isDistroless: "true or false",
        onPath: TEXTS,
      },
    },
    reader: CONTROLLER,
    workloads: { each: CONTROLLER },
    plugins: { each: { keys: { plugin: TEXT, path: TEXT } } },
    statusWriters: TEXTS,
    ...textKeys("clusterManager namespace"),
    podIdentityWebhooks: TEXTS,
    identities: { each: { keys: { serviceAccount: TEXT, cloud: TEXT, identity: TEXT } } },
    spokes: { each: SPOKE },
  },
};

/** A cluster as `workload-identity.json` records it, including keys that explain does not need. */
export const CLUSTER: Shape = {
  keys: {
    ...textKeys("name cloudName"),
    podIdentityWebhooks: TEXTS,
    ...textKeys("distribution issuer"),
    additionalIssuers: TEXTS,
    ...textKeys("kubelet microShift credentialProviderConfigHash apiServer"),
    featureGates: GATES,
    kubeletFeatureGates: GATES,
    apiServerFeatureGates: GATES,
    registries: { byName: { byName: TEXT } },
    tokenRegistries: { byName: TOKEN_REGISTRY },
    plugins: { byName: PLUGIN, known: Object.keys(PLUGINS) },
    openShift: {
      keys: { version: TEXT, controlPlaneVersion: TEXT, platform: TEXT, pools: TEXTS, nodePools: TEXTS },
    },
    pulls: { each: { keys: { serviceAccount: TEXT, images: TEXTS } } },
    components: {
      keys: { cloud: TEXT, audience: TEXT, granted: { each: GRANTED }, skipped: { each: "anything" } },
    },
    workloads: {
      each: { keys: { serviceAccount: TEXT, cloud: TEXT, identity: TEXT, asks: { byName: "anything" } } },
    },
    fleet: FLEET,
  },
};
