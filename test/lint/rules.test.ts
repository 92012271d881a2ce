/* Each rule of `lint`: a row with files in which it finds something, and with the same files in order. */

import { describe, expect, it } from "vitest";
import { lint } from "../../lib/lint";
import { LINT_RULES } from "../../lib/lint/lint";
import { filesIn } from "../fixtures/explain/read";

type Json = Readonly<Record<string, unknown>>;
type Files = Readonly<Record<string, string | Json | readonly Json[]>>;

const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const KEY = "eks.amazonaws.com/ecr-role-arn";
const VERB = "request-serviceaccounts-token-audience";
const TOKENS = {
  serviceAccountTokenAudience: "sts.amazonaws.com",
  cacheType: "ServiceAccount",
  requireServiceAccount: true,
  requiredServiceAccountAnnotationKeys: [KEY],
};
const ENTRY = {
  name: "ecr-credential-provider",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  matchImages: [HOST],
  defaultCacheDuration: "10m",
  tokenAttributes: TOKENS,
};

function config(...providers: readonly Json[]): Files {
  return {
    "provider.json": { apiVersion: "kubelet.config.k8s.io/v1", kind: "CredentialProviderConfig", providers },
  };
}

function entry(change: Json): Files {
  return config({ ...ENTRY, ...change });
}

function tokens(change: Json, of: Json = {}): Files {
  return config({ ...ENTRY, ...of, tokenAttributes: { ...TOKENS, ...change } });
}

function patterns(...matchImages: readonly string[]): Files {
  return entry({ matchImages });
}

function rbac(rule: Json, subject: Json = { kind: "Group", name: "system:nodes" }): Files {
  const api = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "pulls" } };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "pulls" };
  return {
    "rbac.json": [
      { ...api, kind: "ClusterRole", rules: [{ apiGroups: [""], verbs: [VERB], ...rule }] },
      { ...api, kind: "ClusterRoleBinding", roleRef, subjects: [subject] },
    ],
  };
}

const WEB = { name: "web", namespace: "shop" };

function podOnly(image: string): Json {
  const spec = { serviceAccountName: "web", containers: [{ name: "web", image }] };
  return { apiVersion: "v1", kind: "Pod", metadata: WEB, spec };
}

function pod(image: string, annotations: Json = { [KEY]: "arn:aws:iam::111122223333:role/web" }): Files {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...WEB, annotations } };
  return { "pod.json": [account, podOnly(image)] };
}

function script(path: string): Files {
  const metadata = { name: "installer", namespace: "kube-system" };
  return { "installer.json": { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "setup.sh": path } } };
}

const GRANT = rbac({ resources: ["sts.amazonaws.com"] });
const GOOD = { ...entry({}), ...GRANT, ...pod(`${HOST}/web:1`) };
const HARBOR = { name: "harbor-credential-provider", matchImages: ["harbor.example.com"] };
const QUAY = { name: "quay-credential-provider", matchImages: ["quay.io"] };
const DOWNLOAD =
  "https://artifacts.example/binaries/cloud-provider-aws/v1.31.0/linux/amd64/ecr-credential-provider";

interface Row {
  readonly id: string;
  /** Files in which it finds something. */
  readonly found: Files;
  /** A part of the reason. */
  readonly says: string;
  readonly kubelets?: readonly string[];
  /** Files in which it finds nothing; by default those in which no rule does. */
  readonly clean?: Files;
}

const ROWS: readonly Row[] = [
  {
    id: "field-unknown",
    found: config(ENTRY, { ...ENTRY, name: "other", matchImages: ["public.ecr.aws"], matchImage: [] }),
    says: 'kubelets 1.34 to 1.37: strict decoding error: unknown field "providers[1].matchImage"',
  },
  {
    id: "name-invalid",
    found: entry({ name: "bin/ecr" }),
    says: `providers.name: Invalid value: "bin/ecr": provider name cannot contain '/'`,
  },
  { id: "name-invalid", found: entry({ name: "" }), says: "plugin binary executable  did not exist" },
  {
    id: "name-repeated",
    found: config(ENTRY, { ...ENTRY, matchImages: ["public.ecr.aws"] }),
    says: 'duplicate provider name "ecr-credential-provider" found in configuration file(s)',
  },
  {
    id: "protocol-invalid",
    found: entry({ apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1" }),
    says: "tokenAttributes is only supported for credentialprovider.kubelet.k8s.io/v1 API version",
  },
  {
    id: "protocol-invalid",
    found: config({ ...ENTRY, apiVersion: "", tokenAttributes: undefined }),
    says: "providers.apiVersion: Required value",
  },
  {
    id: "match-images-invalid",
    found: patterns("registry example"),
    says: 'providers.matchImages: Invalid value: "registry example": match image is invalid',
  },
  {
    id: "match-images-invalid",
    found: config(),
    says: "providers: Required value: at least 1 item in plugins is required",
  },
  {
    id: "cache-duration-invalid",
    found: entry({ defaultCacheDuration: undefined }),
    says: "providers.defaultCacheDuration: Required value",
  },
  {
    id: "account-requirement-missing",
    found: tokens({ requireServiceAccount: false }),
    says: "requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set",
  },
  {
    id: "account-requirement-missing",
    found: tokens({ requireServiceAccount: undefined }),
    says: "providers.tokenAttributes.requireServiceAccount: Required value",
  },
  {
    id: "cache-type-invalid",
    found: tokens({ cacheType: undefined }),
    says: "cacheType is required to be set when tokenAttributes is specified",
  },
  {
    id: "cache-type-invalid",
    found: tokens({ cacheType: "Pod" }),
    says: 'Unsupported value: "Pod": supported values: "ServiceAccount", "Token"',
  },
  {
    id: "config-invalid",
    found: { "provider.yaml": "apiVersion: v1\nkind: CredentialProviderConfig\n" },
    says: 'no kind "CredentialProviderConfig" is registered for version "v1"',
  },
  {
    id: "config-invalid",
    found: tokens({ serviceAccountTokenAudience: "" }),
    says: "serviceAccountTokenAudience: Required value",
  },
  {
    id: "next-kubelet",
    kubelets: ["1.33"],
    found: tokens({ cacheType: undefined }),
    says: "kubelet 1.34: providers.tokenAttributes.cacheType: Required value",
    clean: config({ ...ENTRY, tokenAttributes: undefined }),
  },
  {
    id: "pattern-path-glob",
    found: patterns("harbor.example.com/*"),
    says: "globs work only in the host",
    clean: patterns("harbor.example.com/team/"),
  },
  {
    id: "pattern-dead",
    found: patterns("https://harbor.example.com"),
    says: "it starts with a scheme, which is read as the registry",
  },
  {
    id: "entry-misleading",
    found: tokens({ serviceAccountTokenAudience: "sts.amazonaws.com " }),
    says: "the audience contains blanks",
  },
  { id: "entry-misleading", found: patterns(HOST, HOST), says: "it repeats providers[0].matchImages[0]" },
  {
    id: "pattern-wide",
    found: patterns("*.*.com"),
    says: "*.*.com matches registries of many owners",
    clean: patterns("*.dkr.ecr.*.amazonaws.com"),
  },
  {
    id: "pattern-unused",
    found: { ...patterns(HOST, "public.ecr.aws"), ...pod(`${HOST}/web:1`) },
    says: "of 1 images of pods that were read, none matches public.ecr.aws",
    // Another rule says that it matches none at all.
    clean: { ...patterns(`${HOST}/*`), ...pod(`${HOST}/web:1`) },
  },
  {
    id: "pattern-port",
    found: { ...patterns("harbor.example.com"), ...pod("harbor.example.com:8443/web:1") },
    says: "no pattern has the port of harbor.example.com:8443/web",
    clean: { ...patterns("harbor.example.com:8443"), ...pod("harbor.example.com:8443/web:1") },
  },
  {
    id: "entries-overlap",
    found: config(ENTRY, { ...ENTRY, name: "of-the-node", tokenAttributes: undefined }),
    says: `${HOST} overlap with patterns of ecr-credential-provider`,
    clean: config(ENTRY, { ...ENTRY, name: "other", matchImages: ["public.ecr.aws"] }),
  },
  {
    id: "tokens-off",
    kubelets: ["1.33", "1.34"],
    found: entry({}),
    says: "kubelet 1.33 sends no tokens by default",
    clean: config({ ...ENTRY, tokenAttributes: undefined }),
  },
  {
    id: "secret-in-entry",
    found: entry({ env: [{ name: "REGISTRY_PASSWORD", value: "hunter2" }] }),
    says: "ecr-credential-provider.env[0] (REGISTRY_PASSWORD) contains secret material",
    clean: entry({ env: [{ name: "CLIENT_KEY", value: "/etc/bridge/tls.key" }], args: ["--token=/run/t"] }),
  },
  {
    id: "annotation-key-unlisted",
    found: tokens({ requiredServiceAccountAnnotationKeys: [] }),
    says: `the entry does not list ${KEY}`,
    clean: tokens(
      { requiredServiceAccountAnnotationKeys: [] },
      { env: [{ name: "AWS_ECR_ROLE_ARN", value: "arn:aws:iam::111122223333:role/all" }] },
    ),
  },
  {
    id: "annotation-key-unread",
    found: tokens(
      { requiredServiceAccountAnnotationKeys: [KEY, "JFrogExchange"] },
      { name: "jfrog-credentials-provider" },
    ),
    says: `the plugin does not read ${KEY}`,
    clean: tokens(
      { requiredServiceAccountAnnotationKeys: ["quay.io/federated-robot-account", "shop/opt-in"] },
      QUAY,
    ),
  },
  {
    id: "annotation-key-unread",
    found: tokens(
      { requiredServiceAccountAnnotationKeys: ["quay.io/federated-robot-account", "quay.io/host"] },
      QUAY,
    ),
    says: "the plugin does not read quay.io/host",
  },
  {
    id: "cache-type-of-token",
    found: tokens({ requiredServiceAccountAnnotationKeys: [] }, HARBOR),
    says: "the plugin returns the token",
    clean: tokens({ requiredServiceAccountAnnotationKeys: [], cacheType: "Token" }, HARBOR),
  },
  {
    id: "audience-unchecked",
    found: tokens({}, QUAY),
    says: "the registry compares issuer and subject alone",
  },
  {
    id: "plugin-old",
    found: { ...entry({}), "image.yaml": `plugin: ${DOWNLOAD}\n` },
    says: "version 1.31.0 is downloaded, and before v1.34.0 it ignores the token",
    clean: { ...entry({}), "image.yaml": `plugin: ${DOWNLOAD.replace("1.31.0", "1.34.1")}\n` },
  },
  { id: "audience-any", found: rbac({ resources: ["*"] }), says: "the rule is for every audience" },
  {
    id: "audience-rule-mistaken",
    found: rbac({ resources: ["sts.amazonaws.com"], apiGroups: ["authentication.k8s.io"] }),
    says: "the rule is for API groups authentication.k8s.io",
  },
  {
    id: "audience-rule-mistaken",
    found: rbac({ resources: ["serviceaccounts/token"], resourceNames: ["sts.amazonaws.com"] }),
    says: "the rule names serviceaccounts/token as the audience",
  },
  {
    id: "audience-not-granted",
    found: { ...entry({}), ...rbac({ resources: ["sts.amazonaws.com/"] }) },
    says: "none of 2 roles and bindings that were read lets nodes request tokens for sts.amazonaws.com; the nearest is sts.amazonaws.com/",
    // Without RBAC among the files nothing is known.
    clean: entry({}),
  },
  {
    id: "audience-not-granted",
    found: {
      ...entry({}),
      ...rbac(
        { resources: ["sts.amazonaws.com"] },
        { kind: "ServiceAccount", namespace: "shop", name: "web" },
      ),
    },
    says: "; ClusterRoleBinding pulls lets ServiceAccount shop/web",
    // Something fills the audience in.
    clean: { ...entry({}), ...rbac({ resources: ["${AUDIENCE}"] }) },
  },
  {
    id: "token-create",
    found: rbac({ resources: ["serviceaccounts/token"], verbs: ["create"] }),
    says: "Group system:nodes may create tokens of every service account of the cluster",
    clean: rbac({ resources: ["serviceaccounts/token"], verbs: ["create"], resourceNames: ["web"] }),
  },
  {
    id: "object-refused",
    found: { "a.json": { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "Web" } } },
    says: "the API server refuses it",
  },
  {
    id: "annotation-missing",
    found: { ...entry({}), ...pod(`${HOST}/web:1`, { "eks.amazonaws.com/role-arn": "x" }) },
    says: `it lacks ${KEY}, which ecr-credential-provider requires; it has eks.amazonaws.com/role-arn`,
    clean: { ...entry({}), ...pod("quay.io/web:1", {}) },
  },
  {
    id: "annotation-missing",
    found: { ...entry({}), ...pod(`${HOST}/web:1`, {}) },
    says: `it lacks ${KEY}, which ecr-credential-provider requires; the kubelet does not run the plugin`,
    // The service account is elsewhere.
    clean: { ...entry({}), "pod.json": podOnly(`${HOST}/web:1`) },
  },
  {
    id: "image-invalid",
    found: pod("quay.io/Web:1"),
    says: "couldn't parse image name",
    clean: pod("$IMAGE"),
  },
  {
    id: "node-file-edited",
    found: script("/etc/kubernetes/credential-providers/ecr-credential-provider.yaml"),
    says: "the Machine Config Operator of OpenShift writes it",
    clean: { ...GOOD, ...script("/etc/kubernetes/credential-providers") },
  },
  {
    id: "file-not-read",
    found: { "chart.yaml": "name: {{ .Values.name }}\n" },
    says: "it is a template: give lint the manifests that `helm template` or the like prints",
  },
];

function reasons(files: Files, { id, kubelets }: Row): readonly string[] {
  const { findings } = lint([filesIn(files)], kubelets === undefined ? {} : { kubelets });
  return findings.filter((each) => each.id === id).map(({ reason }) => reason);
}

describe("rules", () => {
  it("have a row and a source each, and a name of their own", () => {
    const ids = LINT_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...new Set(ROWS.map(({ id }) => id))].sort()).toEqual([...ids].sort());
    expect(LINT_RULES.filter(({ source }) => source === "")).toEqual([]);
  });

  it.each(ROWS.map((row) => [`${row.id}: ${row.says}`, row] as const))("%s", (_, row) => {
    expect(reasons(row.found, row)).toEqual([expect.stringContaining(row.says)]);
    expect(reasons(row.clean ?? GOOD, row)).toEqual([]);
  });

  it("find nothing in files that are in order", () => {
    expect(lint([filesIn(GOOD)]).findings).toEqual([]);
  });
});
