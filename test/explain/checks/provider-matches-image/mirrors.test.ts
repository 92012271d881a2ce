/*
 * What keeps the nodes' runtime from the registry that the image names: mirrors, blocked registries, policies.
 */

import { expect, it } from "vitest";
import { explained, firstFailed } from "../../../fixtures/explain/artefacts";
import { answer, checkOf, checks, damaged } from "../../../fixtures/explain/checks";
import { file, openshift } from "../../../fixtures/explain/machine-configs";
import { HOST, ecr, objects } from "../../../fixtures/explain/three-clouds";

const ID = "provider-matches-image";
const DIGEST = { image: `${HOST}/shop/web@sha256:${"a".repeat(64)}` };

const KEYS: Readonly<Record<string, string>> = {
  ImageTagMirrorSet: "imageTagMirrors",
  ImageDigestMirrorSet: "imageDigestMirrors",
};
const set = (kind: string, rule: object, apiVersion = "config.openshift.io/v1"): object => ({
  apiVersion,
  kind,
  metadata: { name: "acme" },
  spec: { [KEYS[kind] ?? "repositoryDigestMirrors"]: [rule] },
});
const tags = (rule: object, apiVersion?: string): object => set("ImageTagMirrorSet", rule, apiVersion);
const digests = (rule: object): object => set("ImageDigestMirrorSet", rule);
const mirrors = ["mirror.acme.example/shop"];
const never = { mirrors, mirrorSourcePolicy: "NeverContactSource" };
const MATCHES = "ecr-credential-provider matches by *.dkr.ecr.*.amazonaws.com";

checks(ID, "mirrors", openshift, [
  [
    "the source is never contacted: no credentials reach the mirror, by digest",
    objects(digests({ ...never, source: `${HOST}/shop` })),
    "unknown",
    "lets the runtime contact only the mirror mirror.acme.example/shop",
    DIGEST,
  ],
  [
    "the source is blocked for tags too, for which there is then nothing at all",
    objects(digests({ ...never, source: HOST })),
    "unknown",
    "lets the runtime contact only",
  ],
  [
    "by tag",
    objects(tags({ ...never, source: "*.eu-west-1.amazonaws.com" })),
    "unknown",
    "lets the runtime contact only",
  ],
  [
    "a mirror on the same host gets the credentials, and is another repository",
    objects(tags({ ...never, source: `${HOST}/shop`, mirrors: [`${HOST}/copy`] })),
    "unknown",
    `lets the runtime contact only the mirror ${HOST}/copy`,
  ],
  [
    "the source is still contacted, with the credentials",
    objects(digests({ source: `${HOST}/shop`, mirrors })),
    "pass",
    "the runtime tries the mirror mirror.acme.example/shop first, without the pod's credentials",
    DIGEST,
  ],
  [
    "ImageContentSourcePolicy never blocks",
    objects(set("ImageContentSourcePolicy", { ...never, source: HOST }, "operator.openshift.io/v1alpha1")),
    "pass",
    "the runtime tries the mirror",
    DIGEST,
  ],
  [
    "a mirror that is the source alone is none",
    objects(tags({ ...never, source: HOST, mirrors: [HOST] })),
    "pass",
    MATCHES,
  ],
  [
    "another source, although its name begins so",
    objects(tags({ ...never, source: `${HOST}/sho` })),
    "pass",
    MATCHES,
  ],
  [
    "an API version that is not served",
    objects(tags({ ...never, source: HOST }, "config.openshift.io/v2")),
    "pass",
    MATCHES,
  ],
  [
    "the longest source alone",
    objects(
      tags({ ...never, source: HOST }),
      tags({ source: `${HOST}/shop`, mirrors: ["near.acme.example/shop"] }),
    ),
    "pass",
    "tries the mirror near.acme.example/shop first",
  ],
  ...[[`${HOST}/shop`], [...mirrors, `${HOST}/shop`]].map(
    (listed) =>
      [
        `${listed.length} of another source, of which one is an entry's`,
        objects(tags({ source: "quay.io/acme", mirrors: listed })),
        "fail",
        "; an entry matches the mirror, but the kubelet matches the name in the pod; the runtime tries the mirror",
        { image: "quay.io/acme/web:1" },
      ] as const,
  ),
]);

// openshift/api, config/v1/types_image.go: "Only one of BlockedRegistries or AllowedRegistries may be set."
const image = (registrySources: object, apiVersion = "config.openshift.io/v1"): object => ({
  apiVersion,
  kind: "Image",
  metadata: { name: "cluster" },
  spec: { registrySources },
});
const blocked = (...blockedRegistries: readonly string[]) => image({ blockedRegistries });

checks(ID, "Image/cluster", ecr, [
  ["blocks the registry", objects(blocked(HOST)), "unknown"],
  ["blocks its domain", objects(blocked("*.amazonaws.com")), "unknown"],
  ["blocks the repository", objects(blocked(`${HOST}/shop/web`)), "unknown"],
  ["blocks another one", objects(blocked(`${HOST}/other`, "quay.io")), "pass"],
  ["allows others", objects(image({ allowedRegistries: ["quay.io", `${HOST}/base`] })), "unknown"],
  ["allows it", objects(image({ allowedRegistries: ["quay.io", HOST] })), "pass"],
  ["has both lists", objects(image({ allowedRegistries: [HOST], blockedRegistries: [HOST] })), "unknown"],
  ["has neither", objects(image({})), "pass"],
  ["is of another API", objects(image({ blockedRegistries: [HOST] }, "image.openshift.io/v1")), "pass"],
]);

const containers = (name: string, text: string) =>
  objects(file("99-worker-registries", `/etc/containers/${name}`, text));
const location = `[[registry]]\nlocation = "${HOST}"\n`;
const generated = file("99-worker-generated-registries", "/etc/containers/registries.conf", location);
// openshift/api, config/v1: nodes check signatures of what the scopes cover.
const policy = (kind: string, scope: string) =>
  objects({
    apiVersion: "config.openshift.io/v1",
    kind,
    metadata: { name: "signed", namespace: "shop" },
    spec: { scopes: [scope] },
  });

checks(ID, "files of the nodes and policies of signatures", openshift, [
  [
    "a mirror in registries.conf",
    containers(
      "registries.conf",
      `[[registry]]\nprefix = "${HOST}"\nblocked = true\n[[registry.mirror]]\nlocation = "m.example"\n`,
    ),
    "unknown",
  ],
  [
    "a domain",
    containers("registries.conf.d/50-mine.conf", `[[registry]]\nprefix = '*.amazonaws.com'\nblocked=true\n`),
    "unknown",
  ],
  ["a path", containers("registries.conf", `registry = [{ location = "${HOST}/shop" }]`), "unknown"],
  [
    "another host",
    containers("registries.conf", '[[registry]]\nlocation = "quay.io"\nblocked = true\n'),
    "pass",
  ],
  ["a file of another name", containers("registries.d/x.yaml", `location = "${HOST}"`), "pass"],
  ["what the operator writes, without mirror sets", objects(generated), "unknown"],
  ["what the operator writes of mirror sets", objects(generated, tags({ source: HOST, mirrors })), "pass"],
  [
    "a policy that rejects",
    containers("policy.json", JSON.stringify({ default: [{ type: "reject" }] })),
    "unknown",
    "rejects images",
  ],
  ["a ClusterImagePolicy of the host", policy("ClusterImagePolicy", HOST), "unknown"],
  ["an ImagePolicy of the path", policy("ImagePolicy", `${HOST}/shop`), "unknown"],
  ["a ClusterImagePolicy of another host", policy("ClusterImagePolicy", "quay.io"), "pass"],
]);

it("judges each repository where a scope is one", () => {
  const images = ["other", "shop/web"].map((path, place) => ({
    name: `c${place}`,
    image: `${HOST}/${path}:1`,
  }));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "shop" },
    spec: { serviceAccountName: "web", containers: images },
  };
  const files = damaged(openshift.artefacts, objects(blocked(`${HOST}/shop/web`), pod));
  const results = explained(files, { origin: "workload" });
  expect(results.map(firstFailed)).toEqual(["repository-permitted", undefined]);
  expect(results[1]?.verdict).toBe("unknown");
});

it("does not take a mirror that may serve the image for a success of the chain", () => {
  const result = answer(
    { ...openshift, image: "quay.io/acme/web" },
    objects(tags({ source: "quay.io", mirrors })),
  );
  expect(result).toMatchObject({ verdict: "denied", as: null });
  expect(checkOf(result, "otherwise")).toMatchObject({
    status: "unknown",
    reason:
      "the mirror mirror.acme.example/shop may serve the image, anonymously or with the nodes' global pull secret",
  });
});
