/*
 * In mixed mode in one entry the kubelet requests a token of every service account before it runs the plugin, so that
 * nodes need the audience for all of them; where it is refused, the pod gets no credentials at all. The grant is per
 * audience, whatever clouds share it.
 */

import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { nodeMayRequestAudience } from "../../lib/rules/rbac/evaluate";
import type { ImagePullsProps } from "../../lib/synth";
import { faults } from "../support/faults";
import {
  type SynthesizedPulls,
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  plainCluster,
  synthesizedPulls,
} from "../support/image-pulls";
import { record } from "../support/json";
import { refusal } from "../support/refusal";

const AWS = "sts.amazonaws.com";
const AZURE = "api://AzureADTokenExchange";
const GRANTS = "manifests/10-token-audience.yaml";

function pulls(props: Partial<ImagePullsProps>): SynthesizedPulls {
  return synthesizedPulls(() => ({
    cluster: plainCluster(),
    identities: [makers.aws()],
    pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
    credentialProviders: { ecr: { mode: "mixed" } },
    ...props,
  }));
}

/** Whether nodes may request the token of an account that no one declared, in a namespace that no one named. */
function undeclared({ written }: SynthesizedPulls, audience: string): boolean {
  return nodeMayRequestAudience({
    objects: parseAllDocuments(written.files.get(GRANTS) ?? "").map((document) => record(document.toJS())),
    audience,
    namespace: "elsewhere",
    serviceAccount: "other",
    node: "node-1",
  });
}

describe("mixed mode in one entry", () => {
  it("grants the audience for the whole cluster, and says why beside it", () => {
    const synth = pulls({});
    expect(undeclared(synth, AWS)).toBe(true);
    expect(synth.written.files.get(GRANTS)).toMatch(
      /^# sts\.amazonaws\.com is granted for the whole cluster: .*\n# .*not get the node's credentials either\.\n/,
    );
    expect(faults(synth.outdir)).toEqual([]);
  });

  it("leaves another cloud's strict audience in its namespaces", () => {
    const synth = pulls({
      identities: [makers.aws(), makers.azure()],
      pulls: [{ serviceAccount: "shop/web", from: [fromEcr(), fromAcr()] }],
    });
    expect([undeclared(synth, AWS), undeclared(synth, AZURE)]).toEqual([true, false]);
  });

  it("grants an audience that a strict entry shares with it", () => {
    const synth = pulls({
      identities: [makers.aws({ audience: "pulls" }), makers.azure({ audience: "pulls" })],
      pulls: [
        { serviceAccount: "shop/web", from: fromEcr() },
        { serviceAccount: "batch/jobs", from: fromAcr() },
      ],
    });
    expect(undeclared(synth, "pulls")).toBe(true);
  });

  it("is that of Google's pool of GKE and fleet, too", () => {
    const identityProvider =
      "https://container.googleapis.com/v1/projects/acme-images/locations/europe-west1/clusters/prod";
    const synth = pulls({
      cluster: plainCluster({ plugins: { gcp: "36.3.8" }, issuer: identityProvider }),
      identities: [makers.google({ pool: "fleet" })],
      pulls: [{ serviceAccount: "shop/web", from: fromGoogle() }],
      credentialProviders: { gcp: { mode: "mixed" } },
    });
    expect(undeclared(synth, "acme-images.svc.id.goog")).toBe(true);
  });

  it.each<[string, NonNullable<ImagePullsProps["tokenAudience"]>]>([
    ["scope", { scope: "namespaces" }],
    ["limitToServiceAccounts", { limitToServiceAccounts: true }],
    ["limitToServiceAccounts", { scope: "cluster", limitToServiceAccounts: true }],
  ])("refuses a narrower grant by %s: %j", (setting, tokenAudience) => {
    expect(() => pulls({ tokenAudience })).toThrowError(
      refusal("kubernetes-conflict", { message: expect.stringContaining(`is narrowed by \`${setting}\``) }),
    );
  });

  it("takes the settings that say the same", () => {
    const synth = pulls({ tokenAudience: { scope: "cluster", limitToServiceAccounts: false } });
    expect(undeclared(synth, AWS)).toBe(true);
  });
});

describe("mixed mode in two entries", () => {
  it("needs no more than strict mode, since the second entry asks for no token", () => {
    const synth = pulls({
      cluster: plainCluster({ plugins: { ecr: "1.34.2" } }),
      credentialProviders: { ecr: { mode: "mixed", nodeIdentityName: "ecr-node-identity" } },
      tokenAudience: { limitToServiceAccounts: true },
    });
    expect(undeclared(synth, AWS)).toBe(false);
    expect(synth.written.files.get(GRANTS)).not.toContain("whole cluster");
    expect(faults(synth.outdir)).toEqual([]);
  });
});
