import * as registries from "../../lib/registries";
import { type Entry, of } from "./entry";

const HOST = "registry.example.com";
const COMMON = { host: HOST, repositories: ["shop/*"], executable: "plugin", audience: "registry" };
const ECHO = { executable: "plugin", cacheType: "Token", echoesToken: true, args: ["-v"] };
const PLUGIN = {
  ...ECHO,
  env: [{ name: "A", value: "b" }],
  annotationKeys: ["a/b"],
  optionalAnnotationKeys: ["c"],
};

/** Entry points of `./registries`. */
export const registriesEntries: Readonly<Record<string, Entry>> = {
  oidcRegistry: of(registries.oidcRegistry, ["host", "audience", "plugin"], () => ({
    ...COMMON,
    plugin: PLUGIN,
    annotations: { "a/b": "x" },
    identity: "robot",
  })),
  zot: of(registries.zot, ["host"], () => ({ ...COMMON, plugin: ECHO })),
  harbor: of(registries.harbor, ["host"], () => ({
    ...COMMON,
    bridge: { endpoint: "https://127.0.0.1:30443", caBundle: "/etc/ca.crt" },
  })),
  quay: of(registries.quay, ["host", "robot"], () => ({ ...COMMON, robot: "acme+web" })),
  artifactory: of(registries.artifactory, ["host", "user"], () => ({
    ...COMMON,
    user: "puller",
    roleArn: "arn:aws:iam::111122223333:role/puller",
    provider: "kubernetes",
  })),
  cloudsmith: of(registries.cloudsmith, ["host", "organization", "service"], () => ({
    ...COMMON,
    organization: "acme",
    service: "web",
  })),
  vaultSecret: of(registries.vaultSecret, ["host", "address", "role", "secretMount", "secretName"], () => ({
    ...COMMON,
    address: "https://vault.example.com",
    role: "pull",
    authMount: "kubernetes",
    secretMount: "kv",
    secretName: "registry",
  })),
};
