import { describe, expect, it } from "vitest";
import { type FleetMember, gatewayServer } from "../../../lib/rules/google/spoke";
import { type Refusal, refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";
const MEMBER: FleetMember = {
  projectNumber: "123456789012",
  location: "global",
  membership: "spoke-c",
  gke: true,
};

describe("gatewayServer", () => {
  it.each<readonly [Partial<FleetMember>, string]>([
    // What `gcloud container fleet memberships get-credentials` writes.
    [
      {},
      "https://connectgateway.googleapis.com/v1/projects/123456789012/locations/global/gkeMemberships/spoke-c",
    ],
    [
      { location: "us-west4" },
      "https://us-west4-connectgateway.googleapis.com/v1/projects/123456789012/locations/us-west4/gkeMemberships/spoke-c",
    ],
    [
      { gke: false },
      "https://connectgateway.googleapis.com/v1/projects/123456789012/locations/global/memberships/spoke-c",
    ],
    [
      { projectNumber: LATE },
      `https://connectgateway.googleapis.com/v1/projects/${LATE}/locations/global/gkeMemberships/spoke-c`,
    ],
  ])("of %j", (change, server) => {
    expect(gatewayServer({ ...MEMBER, ...change })).toBe(server);
  });

  it.each<readonly [Partial<FleetMember>, string]>([
    [
      { membership: "projects/x/locations/global/memberships/spoke-c" },
      "google-invalid: of a fleet membership is not valid",
    ],
    [{ membership: "" }, "google-invalid: of a fleet membership is not valid"],
    [{ membership: "Spoke" }, "google-invalid: of a fleet membership is not valid"],
    [{ location: "europe-west1-b" }, "google-invalid: of a fleet membership is not valid"],
    [{ location: "europe" }, "google-invalid: of a fleet membership is not valid"],
    [{ membership: LATE }, "late-value"],
    [{ location: LATE }, "late-value"],
  ])("refuses %j", (change, code) => {
    expect(() => gatewayServer({ ...MEMBER, ...change })).toThrowError(refusal(code as Refusal));
  });
});
