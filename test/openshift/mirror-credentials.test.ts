import { App, Chart } from "cdk8s";
import { describe, expect, it } from "vitest";
import { CrioCredentialProviderConfig, type CrioCredentialProviderConfigProps } from "../../lib/openshift";
import { refusal } from "../support/refusal";

type Props = Partial<CrioCredentialProviderConfigProps>;

function written(props: Props = {}): readonly unknown[] {
  const chart = new Chart(new App(), "mirrors");
  new CrioCredentialProviderConfig(chart, "mirrors", {
    version: "4.23",
    platform: "aws",
    matchImages: ["registry.redhat.io", "quay.io/acme"],
    ...props,
  });
  return chart.toJson() as unknown[];
}

describe("CrioCredentialProviderConfig", () => {
  // openshift/api: config/v1alpha1 and config/v1, types_crio_credential_provider_config.go.
  it.each([
    ["4.22", "config.openshift.io/v1alpha1"],
    ["4.23", "config.openshift.io/v1"],
    ["5.0", "config.openshift.io/v1"],
  ])("is the singleton of %s", (version, apiVersion) => {
    expect(written({ version })).toEqual([
      {
        apiVersion,
        kind: "CRIOCredentialProviderConfig",
        metadata: { name: "cluster" },
        spec: { matchImages: ["quay.io/acme", "registry.redhat.io"] },
      },
    ]);
  });

  // cri-o/crio-credential-provider, internal/pkg/k8s/k8s.go: secrets of the namespace are listed with the pod's token.
  it("lets the service accounts read the secrets of their own namespace", () => {
    const [, ...objects] = written({ serviceAccounts: ["shop/web", "batch/jobs", "shop/api", "shop/web"] });
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "mirror-pull-secrets" };
    const object = (kind: string, namespace: string, content: object): object => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind,
      metadata: { name: "mirror-pull-secrets", namespace },
      ...content,
    });
    const account = (namespace: string, name: string): object => ({
      kind: "ServiceAccount",
      name,
      namespace,
    });
    expect(objects).toEqual([
      object("Role", "batch", { rules }),
      object("Role", "shop", { rules }),
      object("RoleBinding", "batch", { roleRef, subjects: [account("batch", "jobs")] }),
      object("RoleBinding", "shop", { roleRef, subjects: [account("shop", "api"), account("shop", "web")] }),
    ]);
  });

  it.each<[Props, string]>([
    [{ version: "4.21" }, "openshift-unsupported: needs permissions that the operator grants"],
    [{ matchImages: [] }, "openshift-invalid: has no entry, or too many"],
    [{ matchImages: ["*"] }, "openshift-invalid: would match every image"],
    [{ matchImages: ["https://quay.io"] }, "openshift-invalid: has an entry that the operator refuses"],
    [
      { matchImages: ["111122223333.dkr.ecr.eu-west-1.amazonaws.com"] },
      "openshift-invalid: overlaps with *.dkr.ecr.*.amazonaws.com of an earlier entry",
    ],
    [{ roleName: "admin" }, "kubernetes-invalid: belongs to a role that is built in"],
    [{ serviceAccounts: ["web"] }, "identities-invalid"],
  ])("refuses %o", (props, refused) => {
    expect(() => written(props)).toThrowError(refusal(refused) as Error);
  });
});
