/*
 * Failed pulls and logins as bundles: each row breaks a healthy cluster in one place or in several, and says which links
 * are broken. The report must name all of them, and no other.
 */

import { describe, expect, it } from "vitest";
import { diagnose } from "../../lib/doctor/diagnosis";
import { HEALTHY, POD } from "../fixtures/doctor/bundles";
import { type Edit, bare, event, file, folderOf, gone, podLog, text, waits } from "../fixtures/doctor/edits";

type Cluster = keyof typeof HEALTHY;

interface Answer {
  /** Broken links, then open ones after a question mark. */
  readonly pull: string;
  readonly login: string;
  readonly notes: readonly string[];
}

function answerOf(cluster: Cluster, edits: readonly Edit[], asked: object = { pod: POD }): Answer {
  const { files, options } = HEALTHY[cluster];
  const folder = folderOf(edits.reduce((all, edit) => edit(all), files));
  const { diagnoses, notes } = diagnose(folder, asked, options);
  const of = (isPull: boolean): string =>
    diagnoses
      .filter(({ job }) => (job === "image-pull") === isPull)
      .map(({ checks }) =>
        ["fail", "unknown"]
          .map((status) =>
            checks.flatMap((check) =>
              check.status === status && check.id !== "otherwise" ? [check.id] : [],
            ),
          )
          .map((ids, place) => (ids.length === 0 ? "" : `${place === 0 ? "" : "?"}${ids.join(" ")}`))
          .filter((ids) => ids !== "")
          .join(" "),
      )
      .join("; ");
  return { pull: of(true), login: of(false), notes: notes.map(({ reason }) => reason) };
}

const AZURE_JSON = "?provider-on-node";
const PROVIDER_FILE = "credential-provider-config.yaml";

type Row = readonly [title: string, cluster: Cluster, edits: readonly Edit[], pull: string, login?: string];

const HEALTHY_ROWS: readonly Row[] = [
  ["a healthy cluster on AWS", "aws", [], ""],
  // The plugin's azure.json holds secrets, so it is not collected.
  ["a healthy cluster on Azure", "azure", [], AZURE_JSON],
  ["a healthy cluster on Google Cloud", "google", [], ""],
  ["a healthy cluster with zot", "zot", [], ""],
];

const LISTED = "-rwxr-xr-x 1 root root 20000000 Nov  3 10:00 ecr-credential-provider\n";
const plugins = (...lines: readonly string[]): Edit =>
  text("plugins.txt", LISTED, lines.map((line) => `${line}\n`).join(""));
const ofLoader = (loader: string): Edit =>
  text("plugins.txt", "statically linked", `dynamically linked, interpreter ${loader}`);
const command = (...before: readonly string[]): Edit =>
  text("kubelet-command.txt", "/usr/bin/kubelet ", `${before.join("\n")}\n/usr/bin/kubelet `);
const FORBIDDEN = 'Error from server (Forbidden): pods is forbidden: User "x" cannot list resource "pods"\n';

const row = (name: string, mode = "-rw-r--r--"): string => `${mode} 1 a b 1 Nov  3 10:00 ${name}`;
const curl = "curl: (6) Could not resolve host: oidc.example.com\n";

/** Outputs of other systems, and files that say nothing: no cause is named. */
const FORMS: readonly Row[] = (
  [
    ["a subcommand of the kubelet", command("/usr/bin/kubelet version")],
    ["a shell around the kubelet", command("/bin/sh -c /usr/bin/kubelet --v=2")],
    ["k3s, which has no kubelet", file("kubelet-command.txt", "/usr/bin/k3s server\n")],
    ["half of a command line", file("kubelet-command.txt", "/usr/bin/kubelet --config=/e")],
    ["flags with one dash", text("kubelet-command.txt", " --image", " -image")],
    ["half of a listing", file("plugins.txt", `${row("x")}\n`)],
    ["ls -F with colours", plugins(`${LISTED.slice(0, 45)}\u001b[32m${LISTED.slice(45, -1)}\u001b[0m*`)],
    ["ls -l of a link", plugins(row("ecr-credential-provider -> /usr/bin/ecr", "lrwxrwxrwx"))],
    ["a name with spaces", plugins(LISTED.trim(), row("my ecr-credential-provider"))],
    ["another folder", file("plugins.txt", `${row("x")}\n${"ab".repeat(32)}  /opt/cni/bin/x\n`)],
    ["a loader of glibc in a linked folder", ofLoader("/usr/lib64/ld-linux-x86-64.so.2")],
    ["a loader in no folder that is listed", ofLoader("/nix/store/a/ld-linux.so.2")],
    ["a program for i386", text("plugins.txt", "x86-64", "Intel 80386")],
    ["an error in place of the key set", file("jwks-outside.json", curl)],
    ["an error in place of the version", file("version.json", FORBIDDEN), "?service-account-readable"],
    ["an error in place of the rights", file("rbac.json", FORBIDDEN), "?audience-granted"],
    ["the status of a web page in the pod's log", podLog("GET /api: 401 Unauthorized")],
  ] as const
).map(([title, edit, pull = ""]) => [title, "aws", [edit], pull]);

const NO_IDENTITY =
  "?issuer-trusted audience-accepted subject-admitted login-permitted repository-permitted all-understood";
const FLAGS =
  " --image-credential-provider-config=/etc/kubernetes/credential-provider.yaml --image-credential-provider-bin-dir=/opt/credential-providers";
const TRUST = `"oidc.example.com/prod:sub": "system:serviceaccount:shop:web"`;

/** One cause. Sources: registries whose users met it, and the pages of `docs/troubleshooting.md`. */
const SINGLE: readonly Row[] = [
  [
    "a pattern with one dot too few",
    "aws",
    [text(PROVIDER_FILE, "*.dkr.ecr.*.", "*.ecr.*.")],
    "provider-matches-image",
  ],
  [
    "a glob in a path",
    "zot",
    [text(PROVIDER_FILE, '"zot.example.com"', '"zot.example.com/*"')],
    "provider-matches-image",
  ],
  [
    "a port that the pattern lacks",
    "zot",
    [text("objects.json", "zot.example.com/", "zot.example.com:5000/")],
    // What is stated of the registry is not about another port.
    "provider-matches-image ?provider-on-node login-permitted repository-permitted",
  ],
  ["no cacheType", "aws", [text(PROVIDER_FILE, "      cacheType: ServiceAccount\n", "")], "provider-on-node"],
  [
    "a token cached by service account, which the plugin returns",
    "zot",
    [text(PROVIDER_FILE, "cacheType: Token", "cacheType: ServiceAccount")],
    "provider-on-node",
  ],
  ["a kubelet without the flags", "aws", [text("kubelet-command.txt", FLAGS, "")], "provider-on-node"],
  [
    "a kubelet with one of two flags",
    "google",
    [text("kubelet-command.txt", " --image-credential-provider-bin-dir=/opt/credential-providers", "")],
    "provider-on-node",
  ],
  [
    "the feature gate off on the kubelet",
    "aws",
    [
      text(
        "kubelet-command.txt",
        "--config=",
        "--feature-gates=KubeletServiceAccountTokenForCredentialProviders=false --config=",
      ),
    ],
    "provider-on-node",
  ],
  [
    "a kubelet older than the feature",
    "aws",
    [text("objects.json", "v1.34.2", "v1.32.9")],
    "provider-on-node",
  ],
  [
    "a plugin that is not there",
    "aws",
    [text("plugins.txt", "ecr-credential-provider", "ecr-provider")],
    "provider-on-node",
  ],
  [
    "a plugin without the mode",
    "google",
    [text("plugins.txt", "-rwxr-xr-x", "-rw-r--r--")],
    "provider-on-node",
  ],
  [
    "a plugin for musl on a node with glibc",
    "zot",
    [text("plugins.txt", "statically linked", "dynamically linked, interpreter /lib/ld-musl-x86_64.so.1")],
    "provider-on-node",
  ],
  [
    "a plugin for another processor",
    "aws",
    [text("plugins.txt", "x86_64\n", "aarch64\n")],
    "provider-on-node",
  ],
  [
    "an annotation with a misspelt key",
    "aws",
    [text("objects.json", "eks.amazonaws.com/ecr-role-arn", "eks.amazonaws.com/ecr-role")],
    `annotations-present ${NO_IDENTITY}`,
  ],
  [
    "no right to the audience",
    "aws",
    [text("rbac.json", '"sts.amazonaws.com"', '"sts.amazon.com"')],
    "audience-granted",
  ],
  [
    "a right of another group",
    "zot",
    [text("rbac.json", "system:nodes", "system:masters")],
    "audience-granted",
  ],
  [
    "an OIDC provider that was not collected",
    "aws",
    [gone("aws-oidc-provider.json")],
    "?issuer-trusted audience-accepted",
    "?issuer-trusted audience-accepted",
  ],
  [
    "an OIDC provider without the audience",
    "aws",
    [text("aws-oidc-provider.json", '"sts.amazonaws.com"', '"sts.amazonaws.com.cn"')],
    "audience-accepted",
    "audience-accepted",
  ],
  [
    "another namespace in the trust policy",
    "aws",
    [text("aws-roles.json", TRUST, TRUST.replace("shop:web", "store:web"))],
    "subject-admitted",
    "subject-admitted",
  ],
  [
    "a star under StringEquals",
    "aws",
    [text("aws-roles.json", TRUST, TRUST.replace("shop:web", "shop:*"))],
    "subject-admitted",
    "subject-admitted",
  ],
  [
    "the key :sub written as :aud",
    "aws",
    [text("aws-roles.json", ':sub"', ':subject"')],
    "subject-admitted",
    "subject-admitted",
  ],
  [
    "no right to log in at ECR",
    "aws",
    [text("aws-roles.json", "ecr:GetAuthorizationToken", "ecr:GetAuthorizationTokens")],
    "login-permitted",
  ],
  [
    "a right to another repository",
    "aws",
    [text("aws-roles.json", "repository/shop/*", "repository/store/*")],
    "repository-permitted",
  ],
  [
    "an explicit deny",
    "aws",
    [
      text(
        "aws-roles.json",
        '"Effect": "Allow",\n                "Action": [\n                  "ecr:BatchGetImage"',
        '"Effect": "Deny",\n                "Action": [\n                  "ecr:BatchGetImage"',
      ),
    ],
    "repository-permitted",
  ],
  [
    "a credential without the issuer's slash",
    "azure",
    [text("azure-credentials.json", 'd10/"', 'd10"')],
    `issuer-trusted ${AZURE_JSON}`,
    "issuer-trusted",
  ],
  [
    "a credential for another subject",
    "azure",
    [text("azure-credentials.json", "shop:web", "shop:wob")],
    `subject-admitted ${AZURE_JSON}`,
    "subject-admitted",
  ],
  [
    "a credential with another audience",
    "azure",
    [text("azure-credentials.json", "api://AzureADTokenExchange", "api://AzureADTokenExchang")],
    `audience-accepted ${AZURE_JSON}`,
    "audience-accepted",
  ],
  [
    "the client id of another identity",
    "azure",
    [text("objects.json", "11111111-2222-4333-8444-555555555555", "21111111-2222-4333-8444-555555555555")],
    `${AZURE_JSON} issuer-trusted audience-accepted subject-admitted login-permitted repository-permitted all-understood`,
    "?identity-found issuer-trusted audience-accepted subject-admitted permissions-granted all-understood",
  ],
  [
    "AcrPull on another registry",
    "azure",
    [text("azure-roles.json", "registries/acmeshop", "registries/acmestore")],
    `login-permitted ${AZURE_JSON} repository-permitted`,
  ],
  [
    "AcrPull where the registry has other roles",
    "azure",
    [text("azure-registry.json", "LegacyRegistryPermissions", "AbacRepositoryPermissions")],
    `login-permitted ${AZURE_JSON} repository-permitted`,
  ],
  ["no label on the pod, so that no webhook changes it", "azure", [bare], AZURE_JSON, "pods-configured"],
  [
    "a condition that does not admit the subject",
    "google",
    [
      text(
        "google.json",
        "assertion.sub in ['system:serviceaccount:shop:web']",
        "assertion.sub in ['system:serviceaccount:shop:wob']",
      ),
    ],
    "subject-admitted",
    "subject-admitted",
  ],
  [
    "a member of another service account",
    "google",
    [
      text(
        "google.json",
        `/subject/system:serviceaccount:shop:web"`,
        `/subject/system:serviceaccount:shop:wob"`,
      ),
    ],
    "repository-permitted",
    "subject-admitted",
  ],
  [
    "a provider that is off",
    "google",
    [
      text(
        "google.json",
        `"state": "ACTIVE"\n      }\n    ]\n  },\n  "iam service-accounts list"`,
        `"disabled": true,\n "state": "ACTIVE"\n      }\n    ]\n  },\n  "iam service-accounts list"`,
      ),
    ],
    "issuer-trusted",
    "issuer-trusted",
  ],
  [
    "another audience than the provider's",
    "google",
    [
      text(
        "google.json",
        '"issuerUri": "https://oidc.example.com/edge"',
        '"issuerUri": "https://oidc.example.com/edge", "allowedAudiences": ["kubernetes"]',
      ),
    ],
    "audience-accepted",
    "audience-accepted",
  ],
  [
    "an issuer that zot does not trust",
    "zot",
    [
      text(
        "zot.json",
        '"issuer": "https://oidc.example.com/edge"',
        '"issuer": "https://oidc.example.com/edge/"',
      ),
    ],
    "issuer-trusted",
  ],
  [
    "an audience that zot does not accept",
    "zot",
    [
      text(
        "zot.json",
        '"audiences": [\n              "zot.example.com"',
        '"audiences": [\n              "zot"',
      ),
    ],
    "audience-accepted",
  ],
  [
    "a user that zot does not admit",
    "zot",
    [text("zot.json", "shop:web", "shop:wob")],
    "repository-permitted",
  ],
  [
    "a key that is not published",
    "aws",
    [text("jwks-outside.json", "key-1", "key-0")],
    "issuer-trusted",
    "issuer-trusted",
  ],
  [
    "another key of the same id outside",
    "azure",
    [text("jwks-outside.json", "sXchTm9kdWx1cw", "b3RoZXJrZXk")],
    `issuer-trusted ${AZURE_JSON}`,
    "issuer-trusted",
  ],
  [
    "a page in the place of the discovery document",
    "google",
    [file("openid-outside.json", "<!doctype html>")],
    "issuer-trusted",
    "issuer-trusted",
  ],
  [
    "a discovery document with another issuer",
    "zot",
    [
      text(
        "openid-outside.json",
        '"issuer": "https://oidc.example.com/edge"',
        '"issuer": "https://oidc.example.com/old"',
      ),
    ],
    "issuer-trusted",
  ],
];

const DATA = HEALTHY.aws.image.replace("shop/web", "store/data");
const VOLUMES = `"volumes": [{ "name": "v", "image": { "reference": "${DATA}" } },`;

/** Causes beside those that one expects. */
const OTHERS: readonly Row[] = [
  ["an empty folder", "aws", [plugins(), text("plugins.txt", "total 19532", "total 0")], "provider-on-node"],
  ["a volume's image", "aws", [text("objects.json", '"volumes": [', VOLUMES)], "; repository-permitted"],
];

/** Causes that hide each other: whoever fixes the first meets the next. */
const STACKED: readonly Row[] = [
  [
    "a glob, missing RBAC and a wrong cache type",
    "zot",
    [
      text(PROVIDER_FILE, '"zot.example.com"', '"zot.example.com/*"'),
      text(PROVIDER_FILE, "cacheType: Token", "cacheType: ServiceAccount"),
      text("rbac.json", "system:nodes", "system:masters"),
    ],
    "provider-matches-image provider-on-node audience-granted",
  ],
  [
    "a pattern, a mode and a trust policy",
    "aws",
    [
      text(PROVIDER_FILE, "*.dkr.ecr.*.", "*.ecr.*."),
      text("plugins.txt", "-rwxr-xr-x", "-rw-r--r--"),
      text("aws-roles.json", TRUST, TRUST.replace("shop:web", "store:web")),
    ],
    "provider-matches-image provider-on-node subject-admitted",
    "subject-admitted",
  ],
  [
    "no audience on either side, and no repository",
    "aws",
    [
      text("rbac.json", '"sts.amazonaws.com"', '"sts"'),
      text("aws-oidc-provider.json", '"sts.amazonaws.com"', '"sts"'),
      text("aws-roles.json", "repository/shop/*", "repository/store/*"),
    ],
    "audience-granted audience-accepted repository-permitted",
    "audience-accepted",
  ],
  [
    "flags, issuer and subject",
    "azure",
    [
      text("kubelet-command.txt", FLAGS, ""),
      text("azure-credentials.json", 'd10/"', 'd10"'),
      text("azure-credentials.json", "shop:web", "shop:wob"),
    ],
    "provider-on-node issuer-trusted subject-admitted",
    "issuer-trusted subject-admitted",
  ],
  [
    "condition and member",
    "google",
    [
      text("google.json", "assertion.sub in ['system:serviceaccount:shop:web']", "false"),
      text(
        "google.json",
        `/subject/system:serviceaccount:shop:web"`,
        `/subject/system:serviceaccount:shop:wob"`,
      ),
    ],
    "subject-admitted repository-permitted",
    "subject-admitted",
  ],
  [
    "an old kubelet, a wrong annotation and no key",
    "aws",
    [
      text("objects.json", "v1.34.2", "v1.32.9"),
      text("objects.json", "eks.amazonaws.com/ecr-role-arn", "eks.amazonaws.com/ecr-role"),
      text("jwks-outside.json", "key-1", "key-0"),
    ],
    "provider-on-node annotations-present issuer-trusted ?audience-accepted subject-admitted login-permitted repository-permitted all-understood",
    "issuer-trusted",
  ],
];

/** What programs said, beside what was collected. */
const SAID: readonly Row[] = [
  [
    "the message decides what was not collected",
    "aws",
    [
      gone("aws-oidc-provider.json"),
      podLog(
        "operation error STS: InvalidIdentityToken: No OpenIDConnect provider found in your account for https://oidc.example.com/prod",
      ),
    ],
    "?issuer-trusted audience-accepted",
    "issuer-trusted ?audience-accepted",
  ],
  [
    "an event about the pod's token",
    "aws",
    [
      gone("rbac.json"),
      event(
        'Failed to pull image: failed to get service account token: serviceaccounts "web" is forbidden: audience "sts.amazonaws.com" not found in pod spec volume',
      ),
    ],
    "audience-granted",
  ],
  [
    "a state that the trust policy explains",
    "google",
    [
      waits("ImagePullBackOff", "ErrImagePull: 401 Unauthorized"),
      text("google.json", "assertion.sub in ['system:serviceaccount:shop:web']", "false"),
    ],
    "subject-admitted",
    "subject-admitted",
  ],
  [
    "a message that contradicts what was collected",
    "azure",
    [podLog("AADSTS700211: No matching federated identity record found for presented assertion issuer")],
    AZURE_JSON,
    "?issuer-trusted",
  ],
  [
    "a message that nothing collected explains",
    "zot",
    [event("Failed to pull image: 401 Unauthorized")],
    "?login-permitted",
  ],
  [
    "a message that comes after a link that is broken by what was collected",
    "aws",
    [
      text(PROVIDER_FILE, "*.dkr.ecr.*.", "*.ecr.*."),
      event('serviceaccounts "web" is forbidden: audience "sts.amazonaws.com" not found in pod spec volume'),
      text("rbac.json", "system:nodes", "system:masters"),
    ],
    "audience-granted ?provider-matches-image",
  ],
  [
    "a message of the plugin, which only a node that got its token starts",
    "aws",
    [
      gone("rbac.json"),
      gone("aws-oidc-provider.json"),
      event(
        `error execing credential provider plugin ecr-credential-provider for image ${HEALTHY.aws.image}: exit status 1: operation error STS: AssumeRoleWithWebIdentity, InvalidIdentityToken: No OpenIDConnect provider found in your account for https://oidc.example.com/prod`,
      ),
    ],
    "issuer-trusted ?audience-accepted",
    "?issuer-trusted audience-accepted",
  ],
  [
    "a line of the kubelet about the pod",
    "aws",
    [
      gone("rbac.json"),
      file(
        "kubelet.log",
        `E1128 plugin.go:388] "Failed to get service account token" err="audience \\"sts.amazonaws.com\\" not found in pod spec volume" pod="${POD}"\n`,
      ),
    ],
    "audience-granted",
  ],
  [
    "a plugin that cannot be started, by the kubelet",
    "google",
    [
      gone("plugins.txt", "kubelet-command.txt"),
      event(
        "error execing credential provider plugin auth-provider-gcp for image europe-west1-docker.pkg.dev/acme-images/shop/web:1.4.2: fork/exec /opt/p/auth-provider-gcp: no such file or directory",
      ),
    ],
    "provider-on-node",
  ],
  [
    "a denied impersonation",
    "google",
    [
      text("google.json", '"roles/iam.workloadIdentityUser"', '"roles/iam.serviceAccountUser"'),
      podLog("Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist)."),
    ],
    "",
    "subject-admitted",
  ],
];

const AUDIENCE = 'audience "sts.amazonaws.com" not found in pod spec volume';
const SIDECAR = HEALTHY.aws.image.replace("1.4.2", "1.4.20");
/** A second container, whose image the same role may pull. */
const CONTAINERS = `"containers": [{ "name": "side", "image": "${SIDECAR}" },`;
const sidecar = text("objects.json", '"containers": [', CONTAINERS);
const line = (rest: string): Edit =>
  file("kubelet.log", `E1128 plugin.go:388] "Failed" err="${AUDIENCE.replaceAll('"', '\\"')}" ${rest}\n`);
const ofMain = text("events.json", '"kind":"Pod"', '"kind":"Pod","fieldPath":"spec.containers{main}"');
const inJson = JSON.stringify({
  err: AUDIENCE,
  pod: { name: POD.slice(5), namespace: "shop" },
  image: SIDECAR,
});

/** Whose a message is: the sidecar's, the other container's, or both, since their repository is the same. */
it.each<[title: string, edits: readonly Edit[], side: "" | "?", main: "" | "?", notes?: number]>([
  ["the image in it", [event(`Failed to pull image "${SIDECAR}": ${AUDIENCE}`)], "", "?"],
  ["no image", [event(AUDIENCE)], "?", "?", 1],
  ["the container's state", [waits("ErrImagePull", AUDIENCE)], "?", ""],
  ["the container of an event", [event(AUDIENCE), ofMain], "?", ""],
  ["a pod and its image", [line(`pod="${POD}" image="${HEALTHY.aws.image}"`)], "", ""],
  ["a pod of several images", [line(`pod="${POD}"`)], "?", "?"],
  ["a pod in JSON", [file("kubelet.log", `${inJson}\n`)], "", ""],
  ["our image for another pod", [line(`pod="shop/other" image="${SIDECAR}"`)], "?", "?"],
  ["our account for another image", [line('of="shop/web" image="docker.io/other:1"')], "?", "?"],
])("whose a message is: %s", (_, edits, side, main, notes = 0) => {
  const found = answerOf("aws", [gone("rbac.json"), sidecar, ...edits]);
  expect(found.pull).toBe(`${side}audience-granted; ${main}audience-granted`);
  expect(found.notes).toHaveLength(notes);
});

describe.each<[title: string, rows: readonly Row[]]>([
  ["healthy", HEALTHY_ROWS],
  ["other forms", FORMS],
  ["one cause", SINGLE],
  ["other causes", OTHERS],
  ["stacked causes", STACKED],
  ["messages", SAID],
])("%s", (_, rows) => {
  it.each(rows.map((row) => [row[0], row] as const))("%s", (__, [, cluster, edits, pull, login = ""]) => {
    expect(answerOf(cluster, edits)).toEqual({ pull, login, notes: [] });
  });
});
