/*
 * What OpenShift adds to a pull: MachineConfigs that overwrite each other, and mirrors of the nodes' runtime.
 */

import { describe, expect, it } from "vitest";
import type { CheckResult, ExplainResult } from "../../lib/explain";
import { type Artefacts, explained, firstFailed, synthesized } from "../fixtures/explain/artefacts";

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const CONFIG = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
const DROP_INS = "/etc/systemd/system/kubelet.service.d";
const DIGEST = `@sha256:${"a".repeat(64)}`;
const artefacts = synthesized("openshift-aws");
const machineConfigs = [...artefacts.keys()].find((path) => path.endsWith("machine-configs.yaml")) ?? "";

function withObjects(...objects: readonly object[]): Artefacts {
  const text = [artefacts.get(machineConfigs) ?? "", ...objects.map((each) => JSON.stringify(each))].join(
    "\n---\n",
  );
  return new Map([...artefacts, [machineConfigs, text]]);
}

function ask(files: Artefacts, image = `${HOST}/shop/web:1`): ExplainResult {
  const [result] = explained(files, { serviceAccount: "shop/web", image });
  if (!result) throw new Error("no result");
  return result;
}

const check = ({ checks }: ExplainResult, id: string): CheckResult | undefined =>
  checks.find((each) => each.id === id);
const seenTexts = (result: ExplainResult, id: string): readonly string[] =>
  (check(result, id)?.evidence ?? []).map(({ text }) => text);

function machineConfig(name: string, config: object): object {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { config: { ignition: { version: "3.2.0" }, ...config } },
  };
}

const file = (name: string, path: string, text: string): object =>
  machineConfig(name, {
    storage: { files: [{ path, contents: { source: `data:,${encodeURIComponent(text)}` } }] },
  });

const other = JSON.stringify({
  apiVersion: "kubelet.config.k8s.io/v1",
  kind: "CredentialProviderConfig",
  providers: [{ name: "acr-credential-provider", matchImages: ["*.azurecr.io"] }],
});

describe("two MachineConfigs for one file", () => {
  it("are both named where the one that counts does not match the image", () => {
    const result = ask(withObjects(file("99-worker-zzz", CONFIG, other)));
    expect(firstFailed(result)).toBe("provider-matches-image");
    expect(check(result, "provider-matches-image")?.reason).toBe(
      `the only pattern *.azurecr.io does not match ${HOST}/shop/web; MachineConfig 99-worker-zzz overwrites ${CONFIG} of 99-worker-kubelet-credential-provider; such files are not merged`,
    );
    expect(seenTexts(result, "provider-matches-image")).toEqual([
      "nodes worker: acr-credential-provider",
      `MachineConfig 99-worker-zzz writes ${CONFIG}; it sorts last, so it takes effect`,
      "MachineConfig 99-worker-kubelet-credential-provider is overwritten there",
    ]);
  });

  it("are both named where the one that counts serves the pull", () => {
    const result = ask(withObjects(file("10-worker-aaa", CONFIG, other)));
    expect(result.verdict).toBe("allowed");
    expect(seenTexts(result, "provider-matches-image").slice(1)).toEqual([
      `MachineConfig 99-worker-kubelet-credential-provider writes ${CONFIG}; it sorts last, so it takes effect`,
      "MachineConfig 10-worker-aaa is overwritten there",
    ]);
  });

  it("are both named where the one that counts is refused", () => {
    const result = ask(
      withObjects(file("99-worker-zzz", CONFIG, other.replace('"*.azurecr.io"', '"*.*.*.*.*.com"'))),
    );
    expect(firstFailed(result)).toBe("provider-on-node");
    expect(seenTexts(result, "provider-on-node")).toContain(
      "MachineConfig 99-worker-kubelet-credential-provider is overwritten there",
    );
  });

  it("say nothing where the files differ", () => {
    const result = ask(withObjects(file("99-worker-zzz", "/etc/other", other)));
    expect(seenTexts(result, "provider-matches-image")).toHaveLength(1);
  });
});

describe("flags from drop-ins of the kubelet's unit", () => {
  const flags = (path: string): string =>
    `[Service]\nEnvironment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=--image-credential-provider-bin-dir=/usr/libexec --image-credential-provider-config=${path}"\n`;
  const dropIn = (name: string, path: string): object =>
    machineConfig(name, {
      systemd: {
        units: [{ name: "kubelet.service", dropins: [{ name: `${name}.conf`, contents: flags(path) }] }],
      },
    });

  it("of two, the later file sets them, and both are named", () => {
    const result = ask(
      withObjects(
        file("99-worker-dir", "/etc/mine/a.json", other),
        dropIn("50-mine", "/etc/mine"),
        dropIn("40-theirs", CONFIG),
      ),
    );
    expect(firstFailed(result)).toBe("provider-matches-image");
    expect(seenTexts(result, "provider-matches-image")).toEqual([
      "nodes worker: acr-credential-provider",
      `MachineConfig 50-mine writes ${DROP_INS}/50-mine.conf; it sorts last, so it takes effect`,
      "MachineConfig 40-theirs is overwritten there",
    ]);
  });

  it("may name a directory, whose files of several MachineConfigs are all read, and may not repeat a name", () => {
    const result = ask(
      withObjects(
        file("99-worker-a", "/etc/mine/a.json", other.replace('"*.azurecr.io"', '"*.*.*.*.*.com"')),
        file("99-worker-b", "/etc/mine/b.json", other),
        dropIn("50-mine", "/etc/mine"),
      ),
    );
    expect(check(result, "provider-on-node")).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("refuses the file"),
    });
    expect(check(result, "provider-matches-image")?.status).toBe("pass");
  });
});

describe("mirrors", () => {
  const set = (kind: string, rule: object, apiVersion = "config.openshift.io/v1"): object => {
    const key = { ImageTagMirrorSet: "imageTagMirrors", ImageDigestMirrorSet: "imageDigestMirrors" }[kind];
    return {
      apiVersion,
      kind,
      metadata: { name: "acme" },
      spec: { [key ?? "repositoryDigestMirrors"]: [rule] },
    };
  };
  const never = { mirrorSourcePolicy: "NeverContactSource" };
  const mirrors = ["mirror.acme.example/shop"];

  it.each<[string, string, object, string, string, string]>([
    [
      "the source is never contacted: no credentials reach the mirror, by digest",
      `${HOST}/shop/web${DIGEST}`,
      set("ImageDigestMirrorSet", { source: `${HOST}/shop`, mirrors, ...never }),
      "denied",
      "fail",
      `the runtime never contacts ${HOST} for ${HOST}/shop/web, only the mirror mirror.acme.example/shop, and shows no credentials of the pod to another host`,
    ],
    [
      "the source is blocked for tags too, for which there is then nothing at all",
      `${HOST}/shop/web:1`,
      set("ImageDigestMirrorSet", { source: HOST, mirrors, ...never }),
      "denied",
      "fail",
      "never contacts",
    ],
    [
      "by tag",
      `${HOST}/shop/web:1`,
      set("ImageTagMirrorSet", { source: "*.eu-west-1.amazonaws.com", mirrors, ...never }),
      "denied",
      "fail",
      "never contacts",
    ],
    [
      "a mirror on the same host gets the credentials, and is another repository",
      `${HOST}/shop/web:1`,
      set("ImageTagMirrorSet", { source: `${HOST}/shop`, mirrors: [`${HOST}/copy`], ...never }),
      "unknown",
      "unknown",
      `the runtime never pulls ${HOST}/shop/web itself, only its mirror ${HOST}/copy`,
    ],
    [
      "the source is still contacted, with the credentials",
      `${HOST}/shop/web${DIGEST}`,
      set("ImageDigestMirrorSet", { source: `${HOST}/shop`, mirrors }),
      "allowed",
      "pass",
      "the runtime tries the mirror mirror.acme.example/shop first, without the pod's credentials",
    ],
    [
      "ImageContentSourcePolicy never blocks",
      `${HOST}/shop/web${DIGEST}`,
      set("ImageContentSourcePolicy", { source: HOST, mirrors, ...never }, "operator.openshift.io/v1alpha1"),
      "allowed",
      "pass",
      "the runtime tries the mirror",
    ],
    [
      "a mirror that is the source alone is none",
      `${HOST}/shop/web:1`,
      set("ImageTagMirrorSet", { source: HOST, mirrors: [HOST], ...never }),
      "allowed",
      "pass",
      "ecr-credential-provider matches by *.dkr.ecr.*.amazonaws.com",
    ],
    [
      "another source, although its name begins so",
      `${HOST}/shop/web:1`,
      set("ImageTagMirrorSet", { source: `${HOST}/sho`, mirrors, ...never }),
      "allowed",
      "pass",
      "matches by",
    ],
    [
      "an API version that is not served",
      `${HOST}/shop/web:1`,
      set("ImageTagMirrorSet", { source: HOST, mirrors, ...never }, "config.openshift.io/v2"),
      "allowed",
      "pass",
      "matches by",
    ],
  ])("%s", (_, image, object, verdict, status, reason) => {
    const result = ask(withObjects(object), image);
    expect(result.verdict).toBe(verdict);
    expect(check(result, "provider-matches-image")).toMatchObject({
      status,
      reason: expect.stringContaining(reason),
    });
  });

  it("of the longest source alone count", () => {
    const broad = set("ImageTagMirrorSet", { source: HOST, mirrors, ...never });
    const narrow = set("ImageTagMirrorSet", { source: `${HOST}/shop`, mirrors: ["near.acme.example/shop"] });
    const result = ask(withObjects(broad, narrow));
    expect(result.verdict).toBe("allowed");
    expect(check(result, "provider-matches-image")?.reason).toContain(
      "tries the mirror near.acme.example/shop first",
    );
  });

  it("may serve a pull that the chain does not, and that is no success of it", () => {
    const result = ask(withObjects(set("ImageTagMirrorSet", { source: HOST, mirrors, ...never })));
    expect(result).toMatchObject({ verdict: "denied", as: null });
    expect(check(result, "otherwise")).toMatchObject({
      status: "unknown",
      reason:
        "the mirror mirror.acme.example/shop may serve the image, anonymously or with the nodes' global pull secret",
    });
  });

  it.each([
    ["the mirror", [`${HOST}/shop`]],
    ["one of the mirrors", [...mirrors, `${HOST}/shop`]],
  ])("are named where an entry is for %s and the pod names the source", (_, listed) => {
    const object = set("ImageTagMirrorSet", { source: "quay.io/acme", mirrors: listed });
    const result = ask(withObjects(object), "quay.io/acme/web:1");
    expect(check(result, "provider-matches-image")?.reason).toContain(
      "; an entry matches the mirror, but the kubelet matches the name in the pod; the runtime tries the mirror",
    );
  });

  it.each<[string, string, string, string]>([
    [
      "a mirror",
      "registries.conf",
      `[[registry]]\nprefix = "${HOST}"\nblocked = true\n[[registry.mirror]]\nlocation = "m.example"\n`,
      "unknown",
    ],
    [
      "a domain",
      "registries.conf.d/50-mine.conf",
      `[[registry]]\nprefix = '*.amazonaws.com'\nblocked=true\n`,
      "unknown",
    ],
    ["a path", "registries.conf", `registry = [{ location = "${HOST}/shop" }]`, "unknown"],
    ["another host", "registries.conf", '[[registry]]\nlocation = "quay.io"\nblocked = true\n', "pass"],
    ["a file of another name", "registries.d/x.yaml", `location = "${HOST}"`, "pass"],
  ])("in a registries.conf of the nodes cannot be determined: %s", (_, name, text, status) => {
    const result = ask(withObjects(file("99-worker-registries", `/etc/containers/${name}`, text)));
    expect(check(result, "provider-matches-image")?.status).toBe(status);
    expect(result.verdict).toBe(status === "pass" ? "allowed" : "unknown");
  });

  it("may be rejected by a policy of the nodes", () => {
    const policy = JSON.stringify({ default: [{ type: "reject" }] });
    const result = ask(withObjects(file("99-policy", "/etc/containers/policy.json", policy)));
    expect(check(result, "provider-matches-image")).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("or reject the image"),
    });
  });

  // openshift/api, config/v1: nodes check signatures of what the scopes cover.
  it.each([
    ["ClusterImagePolicy", [HOST], "unknown"],
    ["ImagePolicy", [`${HOST}/shop`], "unknown"],
    ["ClusterImagePolicy", ["quay.io"], "allowed"],
  ])("of which signatures are asked: %s of %j", (kind, scopes, verdict) => {
    const policy = {
      ...set(kind, {}),
      metadata: { name: "signed", namespace: "shop" },
      spec: { scopes },
    };
    expect(ask(withObjects(policy)).verdict).toBe(verdict);
  });

  it("are judged for each repository where a scope is one", () => {
    const image = {
      apiVersion: "config.openshift.io/v1",
      kind: "Image",
      metadata: { name: "cluster" },
      spec: { registrySources: { blockedRegistries: [`${HOST}/shop/web`] } },
    };
    const containers = ["other", "shop/web"].map((path) => ({ name: "a", image: `${HOST}/${path}:1` }));
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "shop" },
      spec: { serviceAccountName: "web", containers },
    };
    const results = explained(withObjects(image, pod), { origin: "workload" });
    expect(results.map(({ verdict }) => verdict)).toEqual(["denied", "denied"]);
    expect(results.map(firstFailed)).toEqual(["repository-permitted", "provider-matches-image"]);
  });

  it("in the registries.conf that the operator writes of mirror sets are judged by the mirror sets", () => {
    const text = `[[registry]]\nlocation = "${HOST}"\n`;
    const written = file("99-worker-generated-registries", "/etc/containers/registries.conf", text);
    const rule = set("ImageTagMirrorSet", { source: HOST, mirrors });
    expect(ask(withObjects(written)).verdict).toBe("unknown");
    expect(ask(withObjects(written, rule)).verdict).toBe("allowed");
  });
});

/** A required node affinity with one term for each list of systems, or for anything. */
const required = (...systems: readonly (readonly string[] | undefined)[]): object => {
  const nodeSelectorTerms = systems.map((values) => ({
    matchExpressions: values ? [{ key: "kubernetes.io/os", operator: "In", values }] : [],
  }));
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  };
};

describe("pods that choose their nodes", () => {
  it.each<[string, object, string]>([
    ["no pool", {}, "pass"],
    ["workers", { nodeSelector: { "node-role.kubernetes.io/worker": "" } }, "pass"],
    [
      "a pool that takes the workers' files",
      { nodeSelector: { "node-role.kubernetes.io/infra": "" } },
      "pass",
    ],
    ["masters", { nodeSelector: { "node-role.kubernetes.io/master": "" } }, "unknown"],
    ["the control plane", { nodeSelector: { "node-role.kubernetes.io/control-plane": "" } }, "unknown"],
    ["Linux", { nodeSelector: { "kubernetes.io/os": "linux" } }, "pass"],
    ["Windows", { nodeSelector: { "kubernetes.io/os": "windows" } }, "unknown"],
    ["Windows, by the pod's system", { os: { name: "windows" } }, "unknown"],
    ["Windows, by required affinity", required(["windows"]), "unknown"],
    ["Windows or Linux, by required affinity", required(["windows", "linux"]), "pass"],
    ["Windows or anything, by required affinity", required(["windows"], undefined), "pass"],
  ])("%s", (_, spec, status) => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "shop" },
      spec: {
        serviceAccountName: "web",
        containers: [{ name: "a", image: `${HOST}/shop/web:1` }],
        ...spec,
      },
    };
    const [result] = explained(withObjects(pod), { origin: "workload" });
    expect(result && check(result, "service-account-present")?.status).toBe(status);
    expect(result?.verdict).toBe(status === "pass" ? "allowed" : "unknown");
  });
});

it("what fails on the nodes of one pool names the pool", () => {
  const entry = {
    name: "ecr-credential-provider",
    matchImages: ["*.dkr.ecr.*.amazonaws.com"],
    defaultCacheDuration: "12h",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  };
  const config = { ...JSON.parse(other), providers: [entry] } as object;
  const { metadata, ...rest } = file("99-master", CONFIG, JSON.stringify(config)) as { metadata: object };
  const labels = { "machineconfiguration.openshift.io/role": "master" };
  const result = ask(withObjects({ ...rest, metadata: { ...metadata, labels } }));
  expect(result.verdict).toBe("denied");
  expect(check(result, "provider-on-node")?.reason).toMatch(/^on the nodes master: the entry/);
});
