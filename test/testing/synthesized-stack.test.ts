import type { Construct } from "constructs";
import { afterAll, expect, it } from "vitest";
import { googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { WorkloadAccess } from "../../lib/synth";
import { hasNoLateValues, removeSynthesized, stackText, synthStack } from "../../lib/testing";
import { ISSUER, providersStack } from "../support/platform-components";

afterAll(removeSynthesized);

it("lists what pods need among the files, after the manifests, in the text of the stack too", () => {
  const build = (app: Construct): ReturnType<typeof providersStack> => {
    const stack = providersStack(app);
    const may = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "prod", issuer: ISSUER },
      workloads: [{ serviceAccount: "shop/web", may }],
      identities: [workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" })],
    });
    return stack;
  };
  const stack = synthStack(build);
  expect(stack.manifestFiles).toEqual([
    "manifests/20-service-accounts.yaml",
    "manifests/30-cloud-credentials.yaml",
    "pods/shop.web.yaml",
  ]);
  expect(stack.text("pods/shop.web.yaml")).toContain("GOOGLE_APPLICATION_CREDENTIALS");
  expect(stackText(stack)).toContain("pods/shop.web.yaml");
  expect(hasNoLateValues(stack).holds).toBe(true);
});
