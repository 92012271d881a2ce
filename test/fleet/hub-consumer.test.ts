import { Chart } from "cdk8s";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  AccessProvidersFile,
  ClusterInventory,
  HubConsumer,
  type HubConsumerProps,
  MultiKueueCluster,
  SpokeCluster,
  type SpokeFacts,
  argoCd,
  controller,
  knativeOperator,
  multiKueue,
  resolveExec,
} from "../../lib/fleet";
import { Subject } from "../../lib/model/subject";
import type { AccessGrant } from "../../lib/model/workloads";
import { ACCESS, LATE, hub } from "../fixtures/fleet/spokes";
import { refusal, refusedBy } from "../support/refusal";

const NO_POD = { labels: {}, env: [], volumeMounts: [], volumes: [] };

const grant = (key: string, over: Partial<AccessGrant> = {}): AccessGrant => ({
  subject: Subject.of(key),
  identity: "x",
  annotations: {},
  pod: NO_POD,
  ...over,
});

const aws = (key: string): AccessGrant =>
  grant(key, {
    pod: {
      labels: {},
      env: [{ name: "AWS_ROLE_ARN", value: "arn:aws:iam::111122223333:role/hub" }],
      volumeMounts: [{ name: "aws-token", mountPath: "/var/run/secrets/aws", readOnly: true }],
      volumes: [{ name: "aws-token", projected: { sources: [] } }],
    },
  });

const azure = (key: string): AccessGrant =>
  grant(key, {
    annotations: { "azure.workload.identity/client-id": LATE },
    pod: { ...NO_POD, labels: { "azure.workload.identity/use": "true" } },
  });

const google = (key: string): AccessGrant =>
  grant(key, {
    pod: { ...NO_POD, env: [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/g/credentials.json" }] },
    credentialFile: { configMap: "google-credentials", fileName: "credentials.json", content: LATE },
  });

const ARGO = ["argocd/argocd-application-controller", "argocd/argocd-server"];
const KUEUE = ["kueue-system/kueue-controller-manager"];
const CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";
const own = {
  kind: "Deployment",
  namespace: "fleet",
  name: "own",
  container: "own",
  serviceAccount: "own",
} as const;

const built = (
  clouds: readonly (keyof typeof ACCESS)[],
  props: Omit<HubConsumerProps, "spokes" | "hub" | "identities"> & Partial<HubConsumerProps>,
  namespace = "kueue-system",
): { readonly consumer: HubConsumer; readonly rest: Chart; readonly spokes: readonly SpokeCluster[] } => {
  const { inventory, rest } = hub(namespace);
  const spokes = clouds.map(
    (cloud) => new SpokeCluster(inventory, `spoke-${cloud}`, { access: ACCESS[cloud] }),
  );
  const consumer = new HubConsumer(rest, "consumer", {
    hub: { version: "1.35" },
    identities: {},
    ...props,
    spokes,
  });
  return { consumer, rest, spokes };
};

const PLUGINS = [
  { plugin: "aws-iam-authenticator", image: "example.com/aws-iam-authenticator:v0.7.18" },
  { plugin: "projected-token", image: "docker.io/library/busybox:1.37-musl" },
] as const;

describe("HubConsumer: Argo CD", () => {
  const argo = () =>
    built(
      ["aws", "azure", "google"],
      {
        consumer: argoCd({ version: "3.5" }),
        identities: { aws: ARGO.map(aws), azure: ARGO.map(azure), google: ARGO.map(google) },
      },
      "argocd",
    );

  it("runs argocd-k8s-auth for all clouds, one provider per spoke", () => {
    const { consumer, spokes } = argo();
    const file = JSON.parse(consumer.file.resource?.toJson().data["clusterprofile-provider-file.json"]);
    const commands = spokes.map(({ statusDocument }) => resolveExec(file.providers, statusDocument));
    expect(commands).toMatchObject([
      { exec: { command: "argocd-k8s-auth", args: ["aws", "--cluster-name", "prod-eu"] } },
      { exec: { command: "argocd-k8s-auth", args: ["azure"] } },
      { exec: { command: "argocd-k8s-auth", args: ["gcp"] } },
    ]);
    expect(consumer.file.resource?.metadata.toJson()).toEqual({
      name: "clusterprofile-provider-file-argocd-clusterprofile-controller",
      namespace: "argocd",
    });
    expect(consumer.flag).toBe(
      "--clusterprofile-provider-file=/etc/clusterprofile/clusterprofile-provider-file.json",
    );
  });

  it("gives every executing service account its identity", () => {
    const { consumer } = argo();
    expect(consumer.serviceAccounts.map(({ subject }) => subject.key)).toEqual(ARGO);
    expect(consumer.serviceAccounts[1]?.resource.toJson().metadata.annotations).toEqual({
      "azure.workload.identity/client-id": LATE,
    });
    const [controllerPatch, serverPatch, reader] = consumer.patches.map((patch) => patch.toJson());
    expect([controllerPatch.kind, serverPatch.kind, reader.metadata.name]).toEqual([
      "StatefulSet",
      "Deployment",
      "argocd-clusterprofile-controller",
    ]);
    expect(serverPatch.spec.template).toEqual({
      metadata: { labels: { "azure.workload.identity/use": "true" } },
      spec: {
        containers: [
          {
            name: "argocd-server",
            env: [
              { name: "AWS_ROLE_ARN", value: "arn:aws:iam::111122223333:role/hub" },
              { name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/g/credentials.json" },
            ],
            volumeMounts: [{ name: "aws-token", mountPath: "/var/run/secrets/aws", readOnly: true }],
          },
        ],
        volumes: [{ name: "aws-token", projected: { sources: [] } }],
      },
    });
  });

  it("gives the file and its hash to the controller that reads it, and no identity", () => {
    const { consumer } = argo();
    const text: string = consumer.file.resource?.toJson().data["clusterprofile-provider-file.json"];
    expect(consumer.patches[2]?.toJson().spec.template).toEqual({
      metadata: {
        annotations: {
          "checksum/clusterprofile-provider-file": createHash("sha256").update(text).digest("hex"),
        },
      },
      spec: {
        containers: [
          {
            name: "argocd-clusterprofile-controller",
            volumeMounts: [
              { name: "clusterprofile-provider-file", mountPath: "/etc/clusterprofile", readOnly: true },
            ],
          },
        ],
        volumes: [
          {
            name: "clusterprofile-provider-file",
            configMap: { name: "clusterprofile-provider-file-argocd-clusterprofile-controller" },
          },
        ],
      },
    });
    const resources = { apiGroups: ["multicluster.x-k8s.io"], resources: ["clusterprofiles"] };
    expect(consumer.readers.map((reader) => reader.toJson())).toMatchObject([
      { kind: "Role", rules: [{ ...resources, verbs: ["get", "list", "watch"] }] },
      { kind: "RoleBinding", subjects: [{ namespace: "argocd", name: "argocd-clusterprofile-controller" }] },
    ]);
  });

  it("writes one credential file per ConfigMap, though two service accounts read it", () => {
    expect(argo().consumer.credentialFiles.map((file) => file.toJson())).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "google-credentials", namespace: "argocd" },
        data: { "credentials.json": LATE },
      },
    ]);
  });
});

describe("HubConsumer: MultiKueue", () => {
  const kueue = (version: string) =>
    built(["aws", "kubernetes"], {
      consumer: multiKueue({ version }),
      identities: { aws: KUEUE.map(aws) },
      plugins: PLUGINS,
      kueueConfiguration: CONFIGURATION,
    });

  it.each([
    ["0.18", "credentialsProviders"],
    ["0.19", "accessProviders"],
  ])("%s has the list in its configuration, as %s", (version, field) => {
    const { consumer } = kueue(version);
    const { metadata, data } = consumer.file.resource?.toJson();
    expect(metadata).toEqual({ name: "kueue-manager-config", namespace: "kueue-system" });
    expect(data["controller_manager_config.yaml"]).toContain(
      `multiKueue:\n  clusterProfile:\n    ${field}:\n      - name: aws-spoke-aws\n`,
    );
    expect(consumer.flag).toBeUndefined();
    expect(consumer.readers).toEqual([]);
  });

  it("mounts static plugins, tokens of its spokes and the identity into the one manager", () => {
    const { consumer } = kueue("0.19");
    expect(consumer.patches).toHaveLength(1);
    const { metadata, spec } = consumer.patches[0]?.toJson().spec.template;
    expect(metadata).toEqual({
      annotations: { "checksum/clusterprofile-provider-file": consumer.file.hash },
    });
    expect(spec.containers[0].name).toBe("manager");
    expect(spec.containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual([
      "/var/run/secrets/aws",
      "/var/run/secrets/spoke-tokens",
      "/plugins/aws-iam-authenticator",
      "/plugins/projected-token",
    ]);
    expect(spec.volumes[1]).toEqual({
      name: "spoke-tokens",
      projected: {
        sources: [
          { serviceAccountToken: { audience: "spoke-k", expirationSeconds: 3600, path: "spoke-kubernetes" } },
        ],
      },
    });
    const exec = consumer.file.providers[1]?.execConfig;
    expect([exec?.command, exec?.args.at(-1)]).toEqual([
      "/plugins/projected-token/bin/busybox",
      "/var/run/secrets/spoke-tokens/spoke-kubernetes",
    ]);
  });

  it("refers to the profile", () => {
    const { rest, spokes } = kueue("0.19");
    const [spoke] = spokes;
    expect(spoke && new MultiKueueCluster(rest, "worker", { spoke }).resource.toJson()).toEqual({
      apiVersion: "kueue.x-k8s.io/v1beta2",
      kind: "MultiKueueCluster",
      metadata: { name: "spoke-aws" },
      spec: { clusterSource: { clusterProfileRef: { name: "spoke-aws" } } },
    });
    const { inventory } = hub("fleet");
    const other = new SpokeCluster(inventory, "spoke-a", { access: ACCESS.aws });
    expect(() => new MultiKueueCluster(rest, "other", { spoke: other })).toThrowError(
      refusal("fleet-mismatch: MultiKueue reads only ClusterProfiles"),
    );
  });
});

describe("HubConsumer: refusals", () => {
  const generic = controller({ title: "own", workloads: [own] });
  const identities = { aws: [aws("fleet/own")] };
  const [iam, busybox] = PLUGINS;

  type Props = Partial<HubConsumerProps> & { readonly namespace?: string };
  const exec = (command: string) => ({
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    args: [],
    env: [],
    provideClusterInfo: false,
  });
  const PLUGIN = "/plugins/aws-iam-authenticator";
  const more = (execConfig: object, name = "s"): Props => ({
    additionalProviders: [{ name, execConfig: { ...exec("/x"), ...execConfig } as ReturnType<typeof exec> }],
  });
  const kueue: Props = {
    consumer: multiKueue({ version: "0.19" }),
    identities: { aws: KUEUE.map(aws) },
    kueueConfiguration: CONFIGURATION,
  };
  const untyped = (value: unknown): never => value as never;

  it.each(
    refusedBy<Props>({
      "fleet-mismatch: MultiKueue reads only ClusterProfiles": {
        "Kueue profiles elsewhere": { ...kueue, namespace: "fleet" },
      },
      "fleet-invalid: configuration of Kueue": {
        "Kueue without its configuration": { ...kueue, kueueConfiguration: undefined },
      },
      "fleet-unused: the consumer is not MultiKueue": {
        "Kueue's configuration elsewhere": { kueueConfiguration: CONFIGURATION },
      },
      "fleet-missing: waits for the condition ControlPlaneHealthy": {
        "a profile without health for Knative": {
          consumer: knativeOperator({ version: "1.22" }),
          identities: { aws: [aws("knative-operator/knative-operator")] },
        },
      },
      "fleet-missing: has no identity in": {
        "no identity": { identities: {} },
        "an identity of one of two service accounts": {
          consumer: argoCd({ version: "3.5" }),
          identities: { aws: [aws("argocd/argocd-server")] },
          plugins: undefined,
        },
      },
      "fleet-foreign: runs no plugin of this consumer": {
        "an identity of someone else": { identities: { aws: [aws("fleet/own"), aws("a/b")] } },
      },
      "fleet-missing: names no image for it": { "no image of the plugin": { plugins: undefined } },
      "fleet-unused: `plugins` contains a plugin that no spoke needs": {
        "an image of a plugin that is not used": { plugins: [iam, busybox] },
      },
      "fleet-unsupported: needs libraries or programs": {
        "the AWS CLI in a distroless image": {
          plugins: undefined,
          pluginByCloud: { aws: "aws-eks-get-token" },
        },
      },
      "fleet-unsupported: cannot return credentials for a spoke": {
        "a plugin of another cloud": { plugins: undefined, pluginByCloud: { aws: "kubelogin" } },
      },
      "fleet-unsupported: no image volumes": { "an old hub": { hub: { version: "1.34" } } },
      "fleet-conflict: two access providers have the same name": {
        "a provider of one name twice": more(exec(`${PLUGIN}/x`), "aws-spoke-aws"),
      },
      "fleet-missing: kubelogin is called without --server-id": {
        "kubelogin without server id": more(exec(`${PLUGIN}/kubelogin`)),
      },
      "fleet-unsafe: stored tokens": { "a stored token": more(exec(`${PLUGIN}/secretreader-plugin`)) },
      "fleet-unsafe: secret material": {
        "a client secret": more({ command: `${PLUGIN}/x`, args: ["--client-secret", "x"] }),
        "a secret beside an entry in a wrong form": more({
          env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "hunter2" }, 5],
        }),
      },
      "fleet-conflict: the plugin has two sources": {
        "two sources of one plugin": { plugins: [iam, { ...iam, image: "e.com/b:v2" }] },
      },
      "property-invalid": {
        "plugins that are no list": { plugins: untyped({}) },
        "null as plugin": { plugins: untyped([null]) },
        "additional providers that are no list": { additionalProviders: untyped({}) },
        "null as additional provider": { plugins: undefined, additionalProviders: untyped([null]) },
      },
      "property-missing": {
        "no consumer": { plugins: undefined, consumer: untyped(undefined) },
        "no hub": { plugins: undefined, hub: untyped(undefined) },
      },
      "fleet-invalid: the access provider ": {
        "args that are no texts": more({ args: [1] }),
        "a mode that asks for a terminal": more({ interactiveMode: "Always" }),
      },
      "late-value": { "a late additional provider": more(exec(LATE)) },
      "fleet-missing: no mount of the container": { "a command without mount": more(exec("/other/x")) },
    }),
  )("%s", (_, { namespace, ...props }, code) => {
    const make = (): unknown =>
      built(["aws"], { consumer: generic, identities, plugins: [iam], ...props }, namespace);
    expect(make).toThrowError(refusal(code));
  });

  it("a spoke with the audience of another one", () => {
    const { inventory, rest } = hub();
    const spokes = ["a", "b"].map((name) => new SpokeCluster(inventory, name, { access: ACCESS.kubernetes }));
    const props = { consumer: generic, hub: { version: "1.35" }, identities: {}, plugins: [busybox], spokes };
    expect(() => new HubConsumer(rest, "c", props)).toThrowError(
      refusal("fleet-conflict: accept the same audience"),
    );
  });

  it("takes an entry as short as upstream takes it, and writes its hint", () => {
    const { apiVersion, command } = exec(`${PLUGIN}/x`);
    const execConfig = { apiVersion, command, installHint: "mount it" };
    const additionalProviders = [{ name: "s", execConfig: untyped(execConfig) }];
    const { consumer } = built(["aws"], {
      consumer: generic,
      identities,
      plugins: [iam],
      additionalProviders,
    });
    const file = JSON.parse(consumer.file.resource?.toJson().data["clusterprofile-provider-file.json"]);
    const written = { ...execConfig, interactiveMode: "Never" };
    expect(file.providers[1]).toEqual({ name: "s", execConfig: written });
  });

  it("refuses what a list of entries would lose, and warns of what older releases do with it", () => {
    const { inventory, rest } = hub();
    const spoke = new SpokeCluster(inventory, "a", { access: ACCESS.aws });
    const commands = { "aws-iam-authenticator": "/x/aws-iam-authenticator" };
    const file = (id: string, entry: object, consumer = generic) =>
      new AccessProvidersFile(rest, id, {
        consumer,
        spokes: [spoke],
        commands,
        additionalProviders: [{ name: "more", execConfig: exec("/x/y"), ...entry }],
        ...(consumer === generic ? {} : { kueueConfiguration: CONFIGURATION }),
      });
    expect(() => file("old", { ClusterProfileSourcedEnvVarsPolicy: "Replace" })).toThrowError(
      refusal("fleet-unknown: older draft", { allowed: "profileSourcedEnvVarsPolicy" }),
    );
    expect(() => file("args", { profileSourcedCLIArgsPolicy: "Append" })).toThrowError(
      refusal("fleet-unsupported: additional-args"),
    );
    const replace = { profileSourcedEnvVarsPolicy: "Replace" };
    expect(() => file("kueue", replace, multiKueue({ version: "0.19" }))).toThrowError(
      refusal("fleet-unknown: a value that the controllers do not know"),
    );
    expect(file("good", replace).warnings).toEqual([expect.stringMatching(/^more: access library 0\.1\.3/)]);
    expect(file("none", {}).warnings).toEqual([]);
  });

  it("refuses a self-managed spoke without audience, and a command that is not absolute", () => {
    const { inventory, rest } = hub();
    const silent: SpokeFacts = { ...ACCESS.kubernetes, parameters: {} };
    const spoke = new SpokeCluster(inventory, "k", { access: silent });
    const file = (command: string) => () => {
      const commands = { "projected-token": command };
      return new AccessProvidersFile(rest, command, { consumer: generic, spokes: [spoke], commands });
    };
    expect(file("/x/busybox")).toThrowError(refusal("fleet-missing: is called without"));
    expect(file("busybox")).toThrowError(refusal("fleet-invalid: neither an absolute path nor on the PATH"));
  });
});

describe("many spokes", () => {
  it("have one entry each, in their order", () => {
    const { rest, profiles, statuses } = hub();
    const inventory = new ClusterInventory(profiles, "many", {
      namespace: "fleet",
      clusterManager: "m",
      statusScope: statuses,
    });
    const spokes = Array.from(
      { length: 500 },
      (_, index) => new SpokeCluster(inventory, `spoke-${index}`, { access: ACCESS.aws }),
    );
    const { file } = new HubConsumer(rest, "consumer", {
      consumer: controller({ title: "own", workloads: [own] }),
      hub: { version: "1.35" },
      spokes,
      identities: { aws: [aws("fleet/own")] },
      plugins: [PLUGINS[0]],
    });
    expect(file.providers.map(({ name }) => name)).toEqual(spokes.map(({ providerName }) => providerName));
    // A ConfigMap holds at most one MiB.
    expect(JSON.stringify(file.resource?.toJson()).length).toBeLessThan(2 ** 20);
  });
});
