import { describe, expect, it } from "vitest";
import {
  INGRESS,
  RECORD,
  type Configuration,
  accessArtefacts,
  reasonOf,
  resultOf,
  subscriptionId,
  withJson,
  withTerraform,
} from "../../../fixtures/explain/access";
import { type Artefacts, statuses } from "../../../fixtures/explain/artefacts";
import { type RequestCloud } from "../../../support/credentials-requests";

interface Granted {
  readonly request: string;
  readonly intends?: unknown;
  readonly places?: readonly string[];
}

const REQUEST = {
  aws: "openshift-ingress",
  azure: "openshift-ingress-azure",
  google: "openshift-ingress-gcp",
};

function overridden(cloud: RequestCloud, override: object): Artefacts {
  return accessArtefacts(cloud, undefined, { [REQUEST[cloud]]: override });
}

function recorded(artefacts: Artefacts, cloud: RequestCloud): Granted | undefined {
  const record = JSON.parse(artefacts.get(RECORD) ?? "") as {
    readonly clusters: readonly { readonly components: { readonly granted: readonly Granted[] } }[];
  };
  return record.clusters[0]?.components.granted.find(({ request }) => request === REQUEST[cloud]);
}

function evidenceOf(artefacts: Artefacts): readonly string[] {
  const check = resultOf(artefacts, INGRESS).checks.find(({ id }) => id === "permissions-granted");
  return (check?.evidence ?? []).map(({ text }) => text).filter((text) => /what was meant/.test(text));
}

describe("a component without overrides", () => {
  it.each<[RequestCloud, readonly string[] | undefined]>([
    ["aws", undefined],
    ["azure", [`/subscriptions/${subscriptionId}/resourceGroups/c1`]],
    ["google", ["projects/acme-prod"]],
  ])("of %s has no intent of its own, and its places", (cloud, places) => {
    const granted = recorded(accessArtefacts(cloud), cloud);
    expect([granted?.intends, granted?.places]).toEqual([undefined, places]);
    expect(evidenceOf(accessArtefacts(cloud))).toEqual([]);
  });
});

describe("what is meant other than the request says is allowed, with its reason:", () => {
  it.each<[string, RequestCloud, object, string | undefined]>([
    [
      "narrowed on AWS",
      "aws",
      { narrow: [{ actions: ["route53:*"], resources: ["arn:aws:route53:::hostedzone/Z1"] }] },
      undefined,
    ],
    [
      "widened on AWS",
      "aws",
      {
        statements: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }],
        wideReason: "it moves buckets",
      },
      "it moves buckets",
    ],
    [
      "withheld on Azure",
      "azure",
      { withoutPermissions: ["Microsoft.Network/dnsZones/A/delete"] },
      undefined,
    ],
    [
      "less on Google",
      "google",
      { permissions: ["dns.changes.create"], predefinedRoles: ["roles/editor"], reason: "until spring" },
      "until spring",
    ],
    [
      "under a condition on Google",
      "google",
      { condition: { title: "own", expression: 'resource.name.startsWith("100%{x}")' } },
      undefined,
    ],
  ])("%s", (_, cloud, override, reason) => {
    const artefacts = overridden(cloud, override);
    expect(resultOf(artefacts, INGRESS).checks.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(recorded(artefacts, cloud)?.intends).toMatchObject({ rights: expect.anything() as unknown });
    expect((recorded(artefacts, cloud)?.intends as { reason?: string }).reason).toBe(reason);
    const because = reason === undefined ? "" : `, because: ${reason}`;
    expect(evidenceOf(artefacts)).toEqual([`judged by what was meant, not by the request${because}`]);
  });
});

describe("what is meant is judged, not what is asked for:", () => {
  it("the narrowed resource on AWS", () => {
    const zone = "arn:aws:route53:::hostedzone/Z1";
    const narrow = [{ actions: ["route53:*"], resources: [zone] }];
    const artefacts = overridden("aws", { narrow });
    const other = withTerraform(artefacts, ({ resource }: Configuration) => {
      for (const policy of Object.values(resource["aws_iam_role_policy"] ?? {}))
        policy["policy"] = String(policy["policy"]).replaceAll(zone, `${zone}2`);
    });
    expect(reasonOf(resultOf(other, INGRESS), "permissions-granted")).toContain(
      "the request includes route53:",
    );
  });

  it("the condition on Google, which a grant without it is wider than", () => {
    const artefacts = overridden("google", { condition: { title: "own", expression: "a == b" } });
    const other = withTerraform(artefacts, ({ resource }: Configuration) => {
      for (const { condition } of Object.values(resource["google_project_iam_member"] ?? {}))
        ((condition as { expression?: string } | undefined) ?? {}).expression = "a == c";
    });
    expect(statuses(resultOf(other, INGRESS))["permissions-granted"]).toBe("unknown");
  });

  it("the scope on Azure", () => {
    const scope = `/subscriptions/${subscriptionId}/resourceGroups/dns`;
    const artefacts = overridden("azure", { scopes: [scope] });
    expect(resultOf(artefacts, INGRESS).verdict).toBe("allowed");
    expect(recorded(artefacts, "azure")?.places).toEqual([scope]);
    const moved = withTerraform(artefacts, ({ resource }: Configuration) => {
      for (const assignment of Object.values(resource["azurerm_role_assignment"] ?? {}))
        if (assignment["scope"] === scope) assignment["scope"] = `${scope}2`;
    });
    const result = resultOf(moved, INGRESS);
    expect(statuses(result)["permissions-granted"]).toBe("fail");
    expect(reasonOf(result, "permissions-granted")).toContain(` at ${scope}`);
  });

  it("a request of another release beside it, which no one overrode, is judged as it is", () => {
    const artefacts = overridden("azure", { withoutPermissions: ["Microsoft.Network/dnsZones/A/delete"] });
    const request = {
      apiVersion: "cloudcredential.openshift.io/v1",
      kind: "CredentialsRequest",
      metadata: { name: REQUEST.azure },
      spec: {
        secretRef: { namespace: "openshift-ingress-operator", name: "cloud-credentials" },
        serviceAccountNames: ["ingress-operator"],
        providerSpec: { kind: "AzureProviderSpec", permissions: ["Microsoft.Network/dnsZones/A/delete"] },
      },
    };
    const path = "stacks/fixture/manifests/20-service-accounts.yaml";
    const both = new Map([
      ...artefacts,
      [path, `${artefacts.get(path) ?? ""}\n---\n${JSON.stringify(request)}`],
    ]);
    expect(statuses(resultOf(both, INGRESS))["permissions-granted"]).toBe("fail");
  });

  it("places known only after apply, by the Terraform that tells them", () => {
    const late = withJson(accessArtefacts("azure"), RECORD, (value) => {
      const record = value as {
        placeholders: Record<string, object>;
        clusters: { components: { granted: { places: string[] }[] } }[];
      };
      const [placeholder = ""] = Object.keys(record.placeholders);
      for (const granted of record.clusters[0]?.components.granted ?? []) granted.places = [placeholder];
    });
    expect(statuses(resultOf(late, INGRESS))["permissions-granted"]).toBe("unknown");
  });
});
