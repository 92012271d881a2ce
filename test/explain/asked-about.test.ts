import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { aksWorlds } from "../fixtures/existing/aks";
import { gkeWorlds } from "../fixtures/existing/gke";
import { account, dumpOf, workload } from "../fixtures/existing/objects";
import { folderOf } from "../fixtures/explain/artefacts";

/** The first client id of the AKS fixture's identities, which is that of shop/web. */
const CLIENT = "00000001-0001-4000-8000-0123456789ab";
const LABEL = { labels: { "azure.workload.identity/use": "true" } };
const GKE = { "iam.gke.io/gcp-service-account": "web@acme-prod.iam.gserviceaccount.com" };

function asked(state: string, objects: readonly object[], which = "prod"): readonly string[] {
  const folder = folderOf({ "state.json": state, "dump.yaml": dumpOf(objects) });
  return explain([folder], {}, { which }).map(({ subject, target, verdict, checks }) => {
    const first = checks.find(({ status }) => status === "fail" || status === "unknown");
    return [subject, target, verdict, ...(first ? [first.id, first.reason] : [])].join(" | ");
  });
}

describe("on AKS", () => {
  const state = aksWorlds[0]?.files["state.json"] ?? "";

  it("are pods with the webhook's label that name the client id themselves", () => {
    const pods = workload("shop/web", { ...LABEL, env: { AZURE_CLIENT_ID: CLIENT } });
    expect(asked(state, [account("shop/web"), pods])).toEqual(["shop/web | azure | allowed"]);
  });

  it("are pods with the webhook's label, whatever their programs name", () => {
    expect(asked(state, [account("shop/web"), workload("shop/web", LABEL)])).toEqual([
      "shop/web | azure | unknown | account-annotated | the service account has no azure.workload.identity/client-id, though Deployment shop/web asks for a token of Azure's webhook; the client id is that of the program, if it has one",
    ]);
    const empty = workload("shop/web", { ...LABEL, env: { AZURE_CLIENT_ID: "" } });
    expect(asked(state, [account("shop/web"), empty])[0]).toContain("unknown | account-annotated");
  });

  it("are such pods even if their service account was not read", () => {
    const pods = workload("shop/web", { ...LABEL, env: { AZURE_CLIENT_ID: CLIENT } });
    expect(asked(state, [pods])).toEqual([
      "shop/web | azure | unknown | account-present | the service account shop/web is not among what was read",
    ]);
  });

  it("are no other pods, and no service accounts without an identity", () => {
    expect(asked(state, [account("shop/web"), workload("shop/web"), workload("shop/other")])).toEqual([]);
  });
});

describe("on GKE", () => {
  const state = gkeWorlds[0]?.files["state.json"] ?? "";

  it("are service accounts that GKE itself gives an identity", () => {
    expect(asked(state, [account("shop/web", GKE)])).toEqual([
      "shop/web | google | unknown | pods-configured | no node pool was read that shows whether nodes run GKE's metadata server",
    ]);
  });

  it("are none of them in clusters of others", () => {
    expect(asked(state, [account("shop/web", GKE)], "https://oidc.example.com/c1")).toEqual([]);
  });
});
