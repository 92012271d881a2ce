import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import {
  type ClusterTrust,
  type FederatedCredential,
  checkCredentials,
  federatedCredentials,
} from "../../../lib/rules/azure/trust";
import { refusal } from "../../support/refusal";

const AUDIENCE = "api://AzureADTokenExchange";
const LATE = "${TfToken[TOKEN.1]}";

function trust(change: Partial<ClusterTrust> = {}): ClusterTrust {
  return {
    clusterName: "prod-eu",
    issuer: Issuer.of("https://issuer.example.com/prod-eu"),
    audience: AUDIENCE,
    subjects: [Subject.of("shop/web")],
    ...change,
  };
}

function numbered(count: number): FederatedCredential[] {
  const subjects = Array.from({ length: count }, (_, i) => Subject.of(`shop/web-${i}`));
  return [...federatedCredentials(trust({ subjects }))];
}

describe("federatedCredentials", () => {
  it("renders exact issuer, subject and audience, sorted by subject", () => {
    const subjects = [Subject.of("shop/web"), Subject.of("base/os")];
    expect(federatedCredentials(trust({ subjects }))).toEqual([
      {
        name: "prod-eu_base_os",
        issuer: "https://issuer.example.com/prod-eu",
        subject: "system:serviceaccount:base:os",
        audience: AUDIENCE,
      },
      {
        name: "prod-eu_shop_web",
        issuer: "https://issuer.example.com/prod-eu",
        subject: "system:serviceaccount:shop:web",
        audience: AUDIENCE,
      },
    ]);
  });

  it("keeps a trailing slash, and passes a late issuer through", () => {
    const slash = Issuer.exactly("https://sa.z6.web.core.windows.net/");
    expect(federatedCredentials(trust({ issuer: slash }))[0]?.issuer).toBe(slash.url);
    expect(federatedCredentials(trust({ issuer: Issuer.of(LATE) }))[0]?.issuer).toBe(LATE);
  });

  it("accepts an issuer of 600 characters and refuses one of 601", () => {
    const issuer = (length: number): Issuer => Issuer.of("https://issuer.example.com/".padEnd(length, "x"));
    expect(federatedCredentials(trust({ issuer: issuer(600) }))).toHaveLength(1);
    expect(() => federatedCredentials(trust({ issuer: issuer(601) }))).toThrowError(
      refusal("azure-limit", { problem: "the issuer of a federated identity credential has 601 characters" }),
    );
  });

  // AADSTS700222: tokens of Entra are not accepted as assertions.
  it.each([
    "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
    "https://login.microsoftonline.us/11111111-2222-3333-4444-555555555555/v2.0",
    "https://sts.windows.net/11111111-2222-3333-4444-555555555555",
  ])("refuses the issuer %s", (url) => {
    expect(() => federatedCredentials(trust({ issuer: Issuer.of(url) }))).toThrowError(
      refusal("azure-invalid: issuer is Microsoft Entra itself", { value: url }),
    );
  });

  it.each([
    ["audience-invalid", { audience: "" }],
    ["late-value", { audience: LATE }],
    ["cluster-invalid", { clusterName: "Prod EU" }],
  ])("refuses with %s", (code, change) => {
    expect(() => federatedCredentials(trust(change))).toThrowError(refusal(code));
  });

  it("gives every subject of every cluster a legal name of its own", () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?$/);
    const account = fc.stringMatching(/^[a-z0-9]([-.]?[a-z0-9]){0,120}$/);
    const entry = fc.tuple(label, label, account);
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { selector: (parts) => parts.join(" "), maxLength: 8 }),
        (entries) => {
          const names = entries.flatMap(([clusterName, namespace, name]) =>
            federatedCredentials(trust({ clusterName, subjects: [Subject.of(`${namespace}/${name}`)] })).map(
              (credential) => credential.name,
            ),
          );
          expect(new Set(names).size).toBe(entries.length);
          for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_-]{2,119}$/);
        },
      ),
    );
  });
});

describe("checkCredentials", () => {
  it("accepts 20 and refuses 21, with the numbers and the remedy", () => {
    expect(() => checkCredentials("pull", numbered(20), "split")).not.toThrow();
    expect(() => checkCredentials("pull", numbered(21), "split")).toThrowError(
      refusal("azure-limit: federated identity credentials", {
        value: 21,
        allowed: "at most 20 per identity",
        remedy: "split",
      }),
    );
  });

  it("refuses the same issuer and subject twice, even for another audience", () => {
    const twice = [
      ...federatedCredentials(trust()),
      ...federatedCredentials(trust({ clusterName: "other", audience: "openshift" })),
    ];
    expect(() => checkCredentials("pull", twice, "")).toThrowError(
      refusal("azure-conflict: already trusts this issuer"),
    );
  });

  it("refuses two clusters of one name", () => {
    const other = federatedCredentials(trust({ issuer: Issuer.of("https://other.example.com") }));
    expect(() => checkCredentials("pull", [...federatedCredentials(trust()), ...other], "")).toThrowError(
      refusal("property-conflict", { value: "prod-eu_shop_web" }),
    );
  });

  it("accepts one subject of two clusters", () => {
    const issuer = Issuer.of("https://other.example.com");
    const other = federatedCredentials(trust({ clusterName: "prod-us", issuer }));
    expect(() => checkCredentials("pull", [...federatedCredentials(trust()), ...other], "")).not.toThrow();
  });
});
