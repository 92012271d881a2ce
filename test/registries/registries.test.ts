/*
 * The entries of registries that are no cloud's, by the sources that each file of `lib/registries` names, and what is
 * refused.
 */

import { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ecr, pullRoles } from "../../lib/cloud/aws";
import type { TokenPlugin } from "../../lib/model/plugin";
import type { ImageCredentialProvider } from "../../lib/model/image-credential-provider";
import { credentialProviderConfig, kubernetes } from "../../lib/node";
import {
  type OidcRegistry,
  artifactory,
  cloudsmith,
  harbor,
  oidcRegistry,
  quay,
  vaultSecret,
  zot,
} from "../../lib/registries";
import { Issuer } from "../../lib/model/issuer";
import { Subject } from "../../lib/model/subject";
import { PLUGINS } from "../../lib/registries/plugins";
import { knownKubernetesMinors } from "../../lib/rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../lib/rules/kubelet/validate-credential-provider-config";
import { ImagePulls, type ImagePullsProps } from "../../lib/synth";
import type { PullDeclaration } from "../../lib/model/pulls";
import { type Json, record } from "../support/json";
import { writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { rowsOf } from "../support/tables";

const ISSUER = "https://oidc.example.com/prod";
const HOST = "registry.example.com";
const SUBJECT = "system:serviceaccount:shop:web";
const ROLE = "arn:aws:iam::111122223333:role/puller";
const bridge = { endpoint: "https://127.0.0.1:30443", caBundle: "/etc/ca.crt" };
const vault = {
  host: HOST,
  address: "https://vault.example.com",
  role: "pull",
  secretMount: "kv",
  secretName: "r",
};

function declared(...sources: readonly OidcRegistry[]): PullDeclaration {
  const accounts = [{ subject: Subject.of("shop/web"), asks: sources }];
  const request = { clusterName: "prod", issuer: Issuer.of(ISSUER), accounts };
  const [first] = sources;
  if (!first) throw new Error("no source");
  return first.defaultIdentities().declare(undefined, request);
}

function entry(provider: ImageCredentialProvider): Json {
  const cluster = kubernetes({ name: "prod", version: "1.35", issuer: ISSUER });
  return record(credentialProviderConfig({ cluster, providers: [provider] }).providers[0]);
}

/** What a source writes: the entry, the annotations, and a part of the document for the registry's owner. */
interface Written {
  readonly name: string;
  readonly audience?: string;
  readonly cacheType?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: readonly string[];
  readonly document: object;
}

const claims = { claims_json: `{"iss":"${ISSUER}","sub":"${SUBJECT}","aud":"${HOST}"}` };
const jfrog = { name: "jfrog-credentials-provider" };
const update = { artifactory_url: HOST, disable_provider_autoupdate: "true" };
const exchange = { jfrog_oidc_provider_name: "kubernetes" };

const SOURCES: readonly (readonly [name: string, source: OidcRegistry, written: Written])[] = [
  [
    "zot",
    zot({ host: HOST, repositories: ["shop/*"] }),
    {
      name: "credential-provider-harbor",
      cacheType: "Token",
      args: ["--username=jwt"],
      document: {
        http: {
          auth: {
            bearer: {
              realm: `https://${HOST}/zot/auth/token`,
              service: HOST,
              oidc: [{ issuer: ISSUER, audiences: [HOST] }],
            },
          },
          accessControl: {
            repositories: {
              "shop/**": { policies: [{ users: [`${ISSUER}/${SUBJECT}`], actions: ["read"] }] },
            },
          },
        },
      },
    },
  ],
  [
    "harbor",
    harbor({ host: HOST, repositories: ["shop/web"] }),
    {
      name: "credential-provider-harbor",
      cacheType: "Token",
      args: ["--username=jwt"],
      document: {
        federatedIdentityProvider: { issuer: ISSUER, audience: HOST },
        robotAccounts: [
          {
            claimRules: { iss: ISSUER, aud: HOST, sub: SUBJECT },
            permissions: [{ project: "shop", action: "pull" }],
          },
        ],
      },
    },
  ],
  [
    "harbor with the bridge",
    harbor({ host: HOST, repositories: ["shop/web"], bridge }),
    {
      name: "harbor-bridge-plugin",
      env: { HARBOR_BRIDGE_ENDPOINT: bridge.endpoint, HARBOR_BRIDGE_CA_BUNDLE: bridge.caBundle },
      document: {
        items: [
          {
            kind: "HarborAccess",
            spec: {
              serviceAccountRef: { namespace: "shop", name: "web" },
              trustPolicy: { issuer: ISSUER, audience: HOST },
              permissions: [{ project: "shop", action: "pull" }],
            },
          },
        ],
      },
    },
  ],
  [
    "quay",
    quay({ host: "quay.io", robot: "acme+web", repositories: ["acme/web"] }),
    {
      name: "quay-credential-provider",
      audience: "quay.io",
      required: { "quay.io/federated-robot-account": "acme+web" },
      optional: ["quay.io/host-override"],
      document: {
        registry: "quay.io",
        robots: [
          { robot: "acme+web", federation: [{ issuer: ISSUER, subject: SUBJECT, audiences: ["quay.io"] }] },
        ],
      },
    },
  ],
  [
    "artifactory",
    artifactory({ host: HOST, user: "puller" }),
    {
      ...jfrog,
      env: { ...update, cloud_provider: "azure", azure_app_audience: HOST, ...exchange },
      required: { JFrogExchange: "true" },
      document: {
        resource: {
          platform_oidc_identity_mapping: { shop_web: { ...claims, token_spec: { username: "puller" } } },
        },
      },
    },
  ],
  [
    "artifactory on AWS",
    artifactory({ host: HOST, user: "puller", roleArn: ROLE }),
    {
      ...jfrog,
      audience: "sts.amazonaws.com",
      env: { ...update, cloud_provider: "aws", aws_auth_method: "assume_role", secret_ttl_seconds: "14400" },
      required: { "eks.amazonaws.com/role-arn": ROLE, JFrogExchange: "true" },
      document: { resource: { platform_aws_iam_role: { puller: { username: "puller", iam_role: ROLE } } } },
    },
  ],
  [
    "artifactory on Google",
    artifactory({ host: HOST, user: "puller", audience: "artifactory", googleServiceAccount: "a@p.iam" }),
    {
      ...jfrog,
      audience: "artifactory",
      env: {
        ...update,
        cloud_provider: "google",
        google_service_account_email: "a@p.iam",
        jfrog_oidc_audience: "artifactory",
        ...exchange,
      },
      required: { "iam.gke.io/gcp-service-account": "a@p.iam", JFrogExchange: "true" },
      document: {
        resource: {
          platform_oidc_configuration: { kubernetes: { issuer_url: ISSUER, audience: "artifactory" } },
        },
      },
    },
  ],
  [
    "cloudsmith",
    cloudsmith({ host: "docker.cloudsmith.io", organization: "acme", service: "web" }),
    {
      name: "cloudsmith-kubernetes-credential-provider",
      audience: "cloudsmith",
      env: { CLOUDSMITH_ORG_SLUG: "acme", CLOUDSMITH_SERVICE_SLUG: "web" },
      optional: ["cloudsmith.io/service-slug", "cloudsmith.io/org-slug", "cloudsmith.io/api-host"],
      document: {
        resource: {
          cloudsmith_oidc: {
            shop_web: {
              provider_url: ISSUER,
              claims: { aud: "cloudsmith", sub: SUBJECT },
              service_accounts: ["web"],
            },
          },
        },
      },
    },
  ],
  [
    "vaultSecret",
    vaultSecret(vault),
    {
      name: "kubelet-credential-provider-vault",
      audience: vault.address,
      args: [
        "--vault-addr=https://vault.example.com",
        "--vault-auth-mount=kubernetes",
        "--vault-auth-role=pull",
        "--vault-secret-mount=kv",
        "--vault-secret-name=r",
      ],
      document: {
        resource: {
          vault_kubernetes_auth_backend_role: {
            pull: {
              audience: vault.address,
              bound_service_account_names: ["web"],
              bound_service_account_namespaces: ["shop"],
            },
          },
        },
      },
    },
  ],
];

describe.each(SOURCES)("%s", (_, source, written) => {
  const { provider, grants, tokenRegistries, ownerDocument } = declared(source);

  it("has the entry, the annotations and the owner's document of its sources", () => {
    const { name, audience = HOST, cacheType = "ServiceAccount", args, env, required, optional } = written;
    const [host = "", registry] = Object.entries(tokenRegistries ?? {})[0] ?? [];
    expect(registry && ownerDocument?.(host, registry)).toMatchObject(written.document);
    expect(grants[0]?.annotations).toEqual(required ?? {});
    expect(entry(provider)).toEqual({
      name,
      matchImages: [host],
      defaultCacheDuration: cacheType === "Token" ? "0s" : "10m",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      ...(args && { args }),
      ...(env && { env: Object.entries(env).map(([key, value]) => ({ name: key, value })) }),
      tokenAttributes: {
        serviceAccountTokenAudience: audience,
        cacheType,
        requireServiceAccount: true,
        ...(required && { requiredServiceAccountAnnotationKeys: Object.keys(required) }),
        ...(optional && { optionalServiceAccountAnnotationKeys: optional }),
      },
    });
  });

  it("is accepted by every kubelet from 1.34 on", () => {
    const minors = knownKubernetesMinors.slice(knownKubernetesMinors.indexOf("1.34"));
    const refusals = minors.flatMap((kubelet) => {
      const cluster = kubernetes({ name: "prod", version: kubelet, issuer: ISSUER });
      const document = credentialProviderConfig({ cluster, providers: [provider] });
      return validateCredentialProviderConfig(JSON.parse(JSON.stringify(document)), { kubelet });
    });
    expect([minors.length > 3, refusals]).toEqual([true, []]);
  });
});

it("knows each plugin by the name of its executable", () => {
  const names = SOURCES.map(([, { cloud }]) => cloud);
  expect(names.filter((name) => !Object.hasOwn(PLUGINS, name))).toEqual([]);
});

const echo: TokenPlugin = { executable: "echo", cacheType: "Token", echoesToken: true };
const plain = { host: HOST, audience: "registry", plugin: echo };

describe("refuses", () => {
  it.each(
    rowsOf<() => OidcRegistry>({
      "node-mismatch": {
        // kubernetes:pkg/credentialprovider/plugin/plugin.go: the token as password needs cacheType Token.
        "the token with cacheType ServiceAccount": () =>
          oidcRegistry({ ...plain, plugin: { ...echo, cacheType: "ServiceAccount" } }),
      },
      "audience-invalid": {
        "an empty audience": () => oidcRegistry({ ...plain, audience: "" }),
        "any audience": () => oidcRegistry({ ...plain, audience: "*" }),
      },
      "node-invalid": {
        "a path for the plugin": () => oidcRegistry({ ...plain, executable: "bin/echo" }),
        "an empty name for the plugin": () => oidcRegistry({ ...plain, executable: "" }),
        "a host with a path": () => oidcRegistry({ ...plain, host: `${HOST}/shop` }),
        "a pattern of hosts": () => oidcRegistry({ ...plain, host: "*.example.com" }),
        "a host that is none in image names": () => oidcRegistry({ ...plain, host: "registry" }),
        "Harbor without a project": () => harbor({ host: HOST }),
      },
      "image-invalid": {
        "a repository that no image can have": () => oidcRegistry({ ...plain, repositories: ["Shop"] }),
      },
      "node-missing": {
        "a required annotation without value": () =>
          oidcRegistry({ ...plain, plugin: { ...echo, annotationKeys: ["a/b"] } }),
      },
      "node-unused": {
        "an annotation that would not arrive": () => oidcRegistry({ ...plain, annotations: { "a/b": "x" } }),
      },
      "node-unsupported": {
        "a pattern that zot does not have": () => zot({ host: HOST, repositories: ["shop*"] }),
      },
      "node-conflict": {
        "two ways to Artifactory": () =>
          artifactory({ host: HOST, user: "u", roleArn: ROLE, googleServiceAccount: "a" }),
      },
    }),
  )("%s", (_, make, code) => {
    expect(make).toThrow(expect.objectContaining({ code }));
  });

  const cluster = kubernetes({ name: "prod", version: "1.35", issuer: ISSUER, plugins: { ecr: "1.35.2" } });
  const web = "shop/web";
  it.each(
    rowsOf<Omit<ImagePullsProps, "cluster">>({
      "node-conflict": {
        "two audiences for one executable": {
          pulls: [{ serviceAccount: web, from: [zot({ host: HOST }), zot({ host: "b.example.com" })] }],
        },
        "two entries for one host": {
          pulls: [{ serviceAccount: web, from: [oidcRegistry(plain), zot({ host: HOST })] }],
        },
        "an entry for a host that ECR's entry also matches": {
          identities: [pullRoles({ account: "111122223333" })],
          pulls: [
            {
              serviceAccount: web,
              from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web"] }),
            },
            {
              serviceAccount: web,
              from: oidcRegistry({ ...plain, host: "111122223333.dkr.ecr.eu-west-1.amazonaws.com" }),
            },
          ],
        },
      },
      "node-unsupported": {
        "the node's identity": {
          pulls: [{ serviceAccount: web, from: oidcRegistry(plain) }],
          credentialProviders: { echo: { mode: "mixed" } },
        },
        "an identity of a cloud": {
          pulls: [{ serviceAccount: web, from: oidcRegistry(plain), as: { cloud: "echo" } }],
        },
        // Tried with zot: `shop/**` has more letters than `shop/a`, and decides alone.
        "a repository of zot that another's pattern hides": {
          pulls: [
            { serviceAccount: web, from: zot({ host: HOST, repositories: ["shop/*"] }) },
            { serviceAccount: "shop/jobs", from: zot({ host: HOST, repositories: ["shop/a"] }) },
          ],
        },
      },
      "identities-conflict": {
        "two robots for one service account": {
          pulls: [
            {
              serviceAccount: web,
              from: [
                quay({ host: "a.example.com", robot: "x+y", audience: "q" }),
                quay({ host: "b.example.com", robot: "x+z", audience: "q" }),
              ],
            },
          ],
        },
      },
      "node-unsafe": {
        "a role of Vault that admits others": {
          pulls: [
            { serviceAccount: web, from: vaultSecret(vault) },
            { serviceAccount: "a/b", from: vaultSecret(vault) },
          ],
        },
        "a pattern beyond the hosts": {
          pulls: [{ serviceAccount: web, from: oidcRegistry(plain) }],
          credentialProviders: { echo: { matchImages: ["*.example.com"] } },
        },
      },
    }),
  )("%s", (_, props, code) => {
    const synth = (): string =>
      synthesized(
        (app) => void new ImagePulls(new TerraformStack(app, "prod"), "pulls", { cluster, ...props }),
      );
    expect(synth).toThrow(expect.objectContaining({ code }));
  });
});

it("joins what several constructs of a cluster pull from a registry into one document", () => {
  const cluster = kubernetes({ name: "prod", version: "1.35", issuer: ISSUER });
  const outdir = synthesized((app) => {
    const stack = new TerraformStack(app, "prod");
    for (const serviceAccount of ["shop/web", "shop/jobs"])
      new ImagePulls(stack, serviceAccount.replace("/", "-"), {
        cluster,
        pulls: [{ serviceAccount, from: zot({ host: `${HOST}:5000`, repositories: ["shop/*"] }) }],
      });
  });
  const [written] = writtenStacks(outdir);
  const document = record(parse(written?.files.get("registries/registry.example.com_5000.json") ?? "{}"));
  const users = ["web", "jobs"].map((name) => `${ISSUER}/system:serviceaccount:shop:${name}`);
  expect(document).toMatchObject({
    http: { accessControl: { repositories: { "shop/**": { policies: [{ users }] } } } },
  });
});
