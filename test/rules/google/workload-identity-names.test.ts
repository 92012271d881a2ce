import { describe, expect, it } from "vitest";
import { Duration } from "../../../lib/model/duration";
import {
  allowedAudiences,
  defaultAudience,
  managedPoolId,
  managedUser,
  stsAudience,
} from "../../../lib/rules/google/provider";
import {
  cacheEnvironment,
  customPoolArguments,
  managedIdentityProvider,
  managedPoolArguments,
  parseManagedIdentityProvider,
} from "../../../lib/rules/google/pull";
import { refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";
const name = { projectNumber: "123456789012", poolId: "prod-pool", providerId: "prod-eu" };

describe("audiences", () => {
  it("are the pool provider's full name, with https: for tokens and without for the exchange", () => {
    const path =
      "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/prod-pool/providers/prod-eu";
    expect(stsAudience(name)).toBe(path);
    expect(defaultAudience(name)).toBe(`https:${path}`);
  });

  it("need a literal project number only for tokens", () => {
    expect(stsAudience({ ...name, projectNumber: LATE })).toContain(LATE);
    expect(() => defaultAudience({ ...name, projectNumber: LATE })).toThrowError(refusal("late-value"));
  });

  const distinct = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `audience-${index}`);

  it.each([[distinct(1)], [distinct(10)], [["a".repeat(256)]]])("accepts %.60j", (audiences) => {
    expect(allowedAudiences(audiences)).toEqual(audiences);
  });

  it.each([
    [[], "google-limit: number of allowed audiences"],
    [distinct(11), "google-limit: number of allowed audiences"],
    [["a", "a"], "google-limit: number of allowed audiences"],
    [["a".repeat(257)], "audience-invalid"],
    [["a", ""], "audience-invalid"],
    [["*"], "audience-invalid"],
    [[LATE], "late-value"],
  ] as const)("refuses %.60j", (audiences, code) => {
    expect(() => allowedAudiences(audiences)).toThrowError(refusal(code));
  });
});

describe("the managed pool", () => {
  it("is named after the project", () => {
    expect(managedPoolId("shop-prod")).toBe("shop-prod.svc.id.goog");
    expect(managedUser("shop-prod.svc.id.goog", "shop/web")).toBe(
      "serviceAccount:shop-prod.svc.id.goog[shop/web]",
    );
  });

  it.each([
    "https://container.googleapis.com/v1/projects/shop-prod/locations/europe-west1/clusters/main",
    "https://gkehub.googleapis.com/projects/shop-prod/locations/global/memberships/on-prem",
  ])("knows the identity provider %s", (url) => {
    expect(managedIdentityProvider(url)).toBe(url);
  });

  // Text bound into the kubelet's file cannot be checked before the kubelet reads it.
  it("refuses a late identity provider, also one in part", () => {
    for (const url of [LATE, `https://container.googleapis.com/v1/projects/${LATE}/locations/l/clusters/c`])
      expect(() => managedIdentityProvider(url)).toThrowError(
        refusal(
          "late-value",
          "identityProvider (write it from the cluster's project, location and name) is known only after Terraform apply, but is needed while synthesizing; allowed: a literal value; write the literal value, for example from configuration, instead of an attribute of a resource",
        ),
      );
  });

  it.each([
    [
      "https://container.googleapis.com/v1/projects/p/locations/l/clusters/c",
      { kind: "gke", project: "p", location: "l", cluster: "c" },
    ],
    [
      "https://gkehub.googleapis.com/projects/example.com:p/locations/global/memberships/m",
      { kind: "membership", project: "example.com:p" },
    ],
    ["https://issuer.example.com", undefined],
    [LATE, undefined],
  ])("reads %s", (url, expected) => {
    expect(parseManagedIdentityProvider(url)).toEqual(expected);
  });

  it.each([
    undefined,
    "",
    "https://issuer.example.com",
    "http://container.googleapis.com/v1/projects/p/locations/l/clusters/c",
    "https://container.googleapis.com/projects/p/locations/l/clusters/c",
    "https://container.googleapis.com/v1/projects/p/locations/l/clusters/c/",
    "https://gkehub.googleapis.com/v1/projects/p/locations/global/memberships/m",
    "//gkehub.googleapis.com/projects/p/locations/global/memberships/m",
  ])("refuses %j", (url) => {
    expect(() => managedIdentityProvider(url)).toThrowError(
      refusal("google-invalid: identity provider of the GKE or fleet pool"),
    );
  });
});

describe("the plugin's settings", () => {
  it("are flags of kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp", () => {
    expect(customPoolArguments(stsAudience(name))).toEqual([
      "get-credentials",
      "--sts-audience=//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/prod-pool/providers/prod-eu",
    ]);
    expect(managedPoolArguments("shop-prod", "https://x")).toEqual([
      "get-credentials",
      "--identity-provider=https://x",
      "--project-id=shop-prod",
    ]);
  });

  it("cannot be late: they stand in the kubelet's file", () => {
    expect(() => customPoolArguments(stsAudience({ ...name, projectNumber: LATE }))).toThrowError(
      refusal("late-value"),
    );
  });

  it("leave caching to the plugin unless told otherwise", () => {
    expect(cacheEnvironment(undefined)).toEqual([]);
    expect(cacheEnvironment(Duration.minutes(5))).toEqual([
      { name: "KUBE_SIDECAR_CACHE_DURATION", value: "5m" },
      { name: "KUBE_SIDECAR_CACHE_TYPE", value: "registry" },
    ]);
  });

  it.each([
    [Duration.seconds(1), true],
    [Duration.seconds(3599), true],
    [Duration.seconds(0), false],
    [Duration.hours(1), false],
  ])("cache for %s: %s", (duration, accepted) => {
    if (accepted) expect(cacheEnvironment(duration)).toHaveLength(2);
    else
      expect(() => cacheEnvironment(duration)).toThrowError(refusal("google-limit: cache duration reaches"));
  });
});
