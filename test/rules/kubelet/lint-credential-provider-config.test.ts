import { expect, it } from "vitest";
import { lintCredentialProviderConfig } from "../../../lib/rules/kubelet/lint-credential-provider-config";
import { validateCredentialProviderConfig } from "../../../lib/rules/kubelet/validate-credential-provider-config";

function file(provider: Readonly<Record<string, unknown>>): unknown {
  const smallest = {
    name: "ecr-credential-provider",
    matchImages: ["*.dkr.ecr.*.amazonaws.com"],
    defaultCacheDuration: "12h",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  };
  return {
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    providers: [smallest, { ...smallest, name: "second", ...provider }],
  };
}

const tokenAttributes = {
  serviceAccountTokenAudience: "sts.amazonaws.com ",
  cacheType: "ServiceAccount",
  requireServiceAccount: true,
};

// What the kubelet accepts although it cannot work; the kubelet's own rules are in validateCredentialProviderConfig.
it.each([
  [
    { name: "" },
    "providers[1].name",
    "the name is empty, so the kubelet finds no executable and does not start; write the plugin's file name",
  ],
  [
    { matchImages: ["gcr.io", "https://gcr.io"] },
    "providers[1].matchImages[1]",
    'it starts with a scheme, which is read as the registry; write "gcr.io"',
  ],
  [
    { matchImages: ["gcr.io", "a.io", "gcr.io"] },
    "providers[1].matchImages[2]",
    "it repeats providers[1].matchImages[0] and changes nothing; remove it",
  ],
  [
    { tokenAttributes },
    "providers[1].tokenAttributes.serviceAccountTokenAudience",
    "the audience contains blanks, but RBAC and the cloud compare it exactly; remove the blanks",
  ],
  [
    {
      env: [
        { name: "A", value: "b" },
        { name: "B=C", value: "d" },
      ],
    },
    "providers[1].env[1].name",
    "no variable can have this name, so the plugin never sees it; write a name without `=`",
  ],
])("warns about %j", (provider, field, message) => {
  expect(validateCredentialProviderConfig(file(provider), { kubelet: "1.36" })).toEqual([]);
  expect(lintCredentialProviderConfig(file(provider))).toEqual([{ field, message }]);
});

it("has nothing to say about a good file, and nothing about what is no file at all", () => {
  expect(lintCredentialProviderConfig(file({}))).toEqual([]);
  for (const document of [null, undefined, [], "x", { providers: 5 }, { providers: [null, "x"] }]) {
    expect(lintCredentialProviderConfig(document)).toEqual([]);
  }
});
