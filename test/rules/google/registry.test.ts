import { describe, expect, it } from "vitest";
import {
  type GcrHost,
  dockerHost,
  gcrLocation,
  imagePatterns,
  parseGoogleRegistryHost,
  projectPath,
  repositoryName,
} from "../../../lib/rules/google/registry";
import { refusal } from "../../support/refusal";

// https://cloud.google.com/artifact-registry/docs/transition/gcr-repositories, table "gcr.io domain support"
const GCR: readonly (readonly [GcrHost, string])[] = [
  ["gcr.io", "us"],
  ["us.gcr.io", "us"],
  ["eu.gcr.io", "europe"],
  ["asia.gcr.io", "asia"],
];

describe("locations", () => {
  it.each([
    ...[
      "us",
      "europe",
      "asia",
      "us-central1",
      "us-west4",
      "europe-west12",
      "europe-southwest1",
      "europe-north2",
    ],
    ...["northamerica-northeast2", "northamerica-south1", "southamerica-east1", "australia-southeast1"],
    ...["asia-southeast3", "me-central2", "me-west1", "africa-south1"],
  ])("%s is one, and its host is read back", (location) => {
    expect(parseGoogleRegistryHost(dockerHost(location))).toEqual({ location });
  });

  it.each(["eu", "eu-west-1", "europe-west1-b", "westeurope", "us-", "global", "EUROPE", "us-central", ""])(
    "%j is none",
    (location) => {
      expect(() => dockerHost(location)).toThrowError(
        refusal("google-invalid: not a location of Artifact Registry"),
      );
    },
  );

  it("refuses a late location: it is part of the host", () => {
    expect(() => dockerHost("${TfToken[TOKEN.1]}")).toThrowError(refusal("late-value"));
  });
});

describe("gcr.io hosts", () => {
  it.each(GCR)("%s is served from %s", (host, location) => {
    expect(gcrLocation(host)).toBe(location);
    expect(parseGoogleRegistryHost(host)).toEqual({ location, repository: host });
  });

  it.each(["k8s.gcr.io", "europe-docker.pkg.dev", "constructor"])("%s is refused", (host) => {
    expect(() => gcrLocation(host as GcrHost)).toThrowError(refusal("google-unknown: not a gcr.io host"));
  });

  it("names the hosts that exist", () => {
    expect(() => gcrLocation("europe.gcr.io" as GcrHost)).toThrowError(
      refusal(
        "google-unknown: not a gcr.io host",
        'not a gcr.io host, got "europe.gcr.io"; allowed: asia.gcr.io, eu.gcr.io, gcr.io, us.gcr.io; for <location>-docker.pkg.dev use artifactRegistry()',
      ),
    );
  });
});

describe("parseGoogleRegistryHost", () => {
  it.each([
    "docker.io",
    "docker.pkg.dev",
    "-docker.pkg.dev",
    "europe-npm.pkg.dev",
    "europe-docker.pkg.dev.example.com",
    "a.europe-docker.pkg.dev",
    "k8s.gcr.io",
    "constructor",
    "",
  ])("%j is not one of Google's Docker registries", (host) => {
    expect(parseGoogleRegistryHost(host)).toBeUndefined();
  });
});

const HOST = "europe-west1-docker.pkg.dev";

describe("repositories and images", () => {
  it.each(["a", "base-images", `a${"b".repeat(62)}`])("%s is a repository", (name) => {
    expect(repositoryName(name)).toBe(name);
  });

  it.each(["", "1a", "a-", "A", "a_b", "gcr.io", "a/b", `a${"b".repeat(63)}`])("%j is none", (name) => {
    expect(() => repositoryName(name)).toThrowError(
      refusal("google-invalid: not the name of an Artifact Registry repository"),
    );
  });

  it.each([
    [undefined, ["*"]],
    [
      ["web", "base/*", "web"],
      ["base/*", "web"],
    ],
    [["team-*/a_b.c"], ["team-*/a_b.c"]],
  ])("patterns %j give %j", (images, expected) => {
    expect(imagePatterns(HOST, images)).toEqual(expected);
  });

  it.each([[[]], [["web:1.0"]], [["web@sha256:00"]], [["/web"]], [["web/"]], [["a//b"]], [["Web"]], [[""]]])(
    "refuses %j",
    (images) => {
      expect(() => imagePatterns(HOST, images)).toThrowError(refusal("google-invalid: not an image name"));
    },
  );

  it.each([
    [HOST, `${HOST}/shop-prod/images/web`, HOST],
    [HOST, "us-docker.pkg.dev/shop-prod/images/*", "us-docker.pkg.dev"],
    [HOST, "*-docker.pkg.dev/web", "*-docker.pkg.dev"],
    ["eu.gcr.io", "eu.gcr.io/shop-prod/web", "eu.gcr.io"],
  ])("of %s refuses %s, which begins with a host", (host, image, found) => {
    expect(() => imagePatterns(host, [image])).toThrowError(
      refusal(
        "google-invalid: image begins with the registry host",
        `image begins with the registry host ${found}, got "${image}"; allowed: path components of a-z, 0-9, ., _ and -, with * for any text; no tag and no digest; give the part after the repository, for example web or base/*; host, project and repository are added`,
      ),
    );
  });

  // skopeo sync --scoped keeps the host of the copied registry in the path.
  it("accepts hosts of other registries in the path", () => {
    expect(imagePatterns(HOST, ["gcr.io/distroless/static", "docker.io/library/*"])).toEqual([
      "docker.io/library/*",
      "gcr.io/distroless/static",
    ]);
  });

  // https://cloud.google.com/artifact-registry/docs/docker/names, "Domain-scoped projects"
  it("writes a domain-scoped project with a slash", () => {
    expect(projectPath("example.com:my-project")).toBe("example.com/my-project");
  });
});
