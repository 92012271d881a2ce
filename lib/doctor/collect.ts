/*
 * The commands that show what a running cluster and its cloud have. They change nothing, and print no secret: of tokens
 * only the claims, of Secrets only names and keys.
 *
 * Sources: kubernetes.io, kubectl reference; docs.aws.amazon.com, AWS CLI reference; learn.microsoft.com, az reference;
 * cloud.google.com, gcloud reference. `/configz` does not have the kubelet's flags for credential providers, therefore
 * the command line.
 */

import type { CheckId } from "../explain/check-ids";
import { type CloudName, cloudNames } from "../model/clouds";

/** How a file is read: by `explain`, or as an observation of its own. */
export type Reading =
  | "claims"
  | "clock"
  | "command-line"
  | "discovery"
  | "events"
  | "explain"
  | "keys"
  | "log"
  | "plugins"
  | "pod-log"
  | "secrets"
  | "version";

/** One command, and the file in the bundle for what it prints. */
export interface Collected {
  readonly file: string;
  readonly command: string;
  /** What it decides. */
  readonly shows: string;
  /**
   * How it is read.
   *
   * @defaultValue "explain"
   */
  readonly read?: Exclude<Reading, "explain">;
  /**
   * Links that stay open without it.
   *
   * @defaultValue - none
   */
  readonly decides?: readonly CheckId[];
  /**
   * Of these, links that seem broken without it, since what is in no file seems not to be in the cluster.
   *
   * @defaultValue - none
   */
  readonly lacks?: readonly CheckId[];
}

/** Header and payload of a token, a line each; the signature, without which it is of no use, is left out. */
const CLAIMS =
  "cut -d. -f1,2 | tr '._-' '\\n/+' | while read -r part; do printf %s \"$part===\" | base64 -d 2>/dev/null; echo; done";
/** Values of variables in pods, other than those by which SDKs find an identity. */
const LEFT_OUT =
  '(.. | .env? | arrays | .[] | select(has("value") and (.name | test("^(AWS_ROLE_ARN|AWS_WEB_IDENTITY_TOKEN_FILE|AWS_CONTAINER_|AWS_STS_|AZURE_CLIENT_ID|AZURE_TENANT_ID|AZURE_FEDERATED_TOKEN_FILE|AZURE_AUTHORITY_HOST|GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_AUTH_CREDENTIAL)") | not)) | .value) |= "left out"';
const SECRET_KEYS =
  "{{range .items}}{{.metadata.namespace}}/{{.metadata.name}} {{.type}}{{range $key, $_ := .data}} {{$key}}{{end}}{{println}}{{end}}";

const OF_ACCOUNT: readonly CheckId[] = [
  "service-account-present",
  "annotations-present",
  "account-present",
  "account-annotated",
  "pods-configured",
];

const CLUSTER: readonly Collected[] = [
  {
    file: "objects.json",
    command: `kubectl get serviceaccounts,pods,nodes -A -o json | jq '${LEFT_OUT}'`,
    shows: "service accounts with their annotations, pods with their images, the kubelets' versions",
    decides: [...OF_ACCOUNT, "image-parses"],
    lacks: ["service-account-present", "account-present"],
  },
  {
    file: "rbac.json",
    command: "kubectl get roles,rolebindings,clusterroles,clusterrolebindings -A -o json",
    shows: "whether nodes may ask for tokens with the audience",
    decides: ["audience-granted", "service-account-readable"],
    lacks: ["audience-granted", "service-account-readable"],
  },
  {
    file: "webhooks.json",
    command: "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o json",
    shows: "what changes pods and service accounts, and whether a cloud's webhook runs",
    decides: ["pods-configured"],
  },
  {
    file: "openshift.json",
    command:
      "kubectl get credentialsrequests.cloudcredential.openshift.io,authentications.config.openshift.io -A -o json",
    shows: "what OpenShift's components ask for, and its issuer; fails elsewhere",
    decides: ["secret-present", "issuer-configured"],
  },
  {
    file: "version.json",
    command: "kubectl version -o json",
    shows: "the version of the API server",
    read: "version",
    decides: ["audience-granted", "service-account-readable"],
  },
  {
    file: "openid.json",
    command: "kubectl get --raw /.well-known/openid-configuration",
    shows: "the issuer of the cluster's tokens",
    decides: ["issuer-trusted", "audience-accepted", "subject-admitted"],
  },
  {
    file: "jwks-inside.json",
    command: "kubectl get --raw /openid/v1/jwks",
    shows: "the keys that the API server signs with",
    read: "keys",
  },
  {
    file: "claims.txt",
    command: `date +%s; kubectl create token "$ACCOUNT" -n "$NAMESPACE" --audience "$AUDIENCE" --duration 10m | ${CLAIMS}`,
    shows: "key id, issuer, subject, audience and times of a token, without its signature",
    read: "claims",
    decides: ["issuer-trusted"],
  },
  {
    file: "secrets.txt",
    command: `kubectl get secrets -A -o go-template='${SECRET_KEYS}'`,
    shows: "pull secrets and components' Secrets: names and keys, no values",
    read: "secrets",
    decides: ["secret-present"],
  },
  {
    file: "events.json",
    command: `kubectl get events -n "$NAMESPACE" -o json`,
    shows: "what kubelets and registries said about the pod",
    read: "events",
  },
  {
    file: "pod.log",
    command: `echo "# $NAMESPACE/$POD"; kubectl logs -n "$NAMESPACE" "$POD" --all-containers --tail 500`,
    shows: "what the program in the pod says of its login",
    read: "pod-log",
  },
];

const NODE: readonly Collected[] = [
  {
    file: "kubelet-command.txt",
    command: "ps -ww -o args= -C kubelet",
    shows: "the two flags for credential providers, which no API shows",
    read: "command-line",
    decides: ["provider-on-node"],
  },
  {
    file: "credential-provider-config.yaml",
    command: `cat "$PROVIDER_CONFIG"`,
    shows: "the file that the kubelet read when it started",
    decides: ["provider-matches-image", "provider-on-node", "annotations-present", "audience-granted"],
  },
  {
    file: "plugins.txt",
    command: `ls -lL "$PLUGINS"; sha256sum "$PLUGINS"/*; file -L "$PLUGINS"/*; ls -d /lib*/ld-* /usr/lib*/ld-*; uname -m`,
    shows: "names, modes, checksums and loaders of the plugins",
    read: "plugins",
    decides: ["provider-on-node"],
  },
  {
    file: "kubelet.log",
    command: "journalctl -u kubelet --since -1h | grep -iE 'credential|image|token'",
    shows: "why an entry was skipped, at --v=5 also in silence",
    read: "log",
  },
  {
    file: "clock.txt",
    command: `date +%s; curl -sSI "$ISSUER/.well-known/openid-configuration" | grep -i ^date:; timedatectl show -p NTPSynchronized`,
    shows: "the node's clock beside that of the issuer's server, and whether it is synchronized",
    read: "clock",
  },
];

/** Outputs that do not say what they are about, in the form of docs/adopting.md. */
function under(command: string, of: string): string {
  return `jq --arg of "${of}" '{"${command}": {($of): .}}'`;
}

/** Of the roles one, and the policies that it has or is limited by. */
const ONE_ROLE =
  ".RoleDetailList |= map(select(.RoleName == $role)) | [.RoleDetailList[] | .AttachedManagedPolicies[].PolicyArn, .PermissionsBoundary.PermissionsBoundaryArn] as $its | .Policies |= map(select(.Arn | IN($its[])))";
const REPOSITORY_ARN = "arn:aws:ecr:$REGION:$REGISTRY:repository/$REPOSITORY";
const OF_IDENTITY = `--resource-group "$GROUP" -o json`;

const OF_RIGHTS: readonly CheckId[] = ["login-permitted", "repository-permitted", "permissions-granted"];
const BY_IDENTITY: readonly CheckId[] = ["subject-admitted", ...OF_RIGHTS, "all-understood"];

const BY_CLOUD: Readonly<Record<CloudName, readonly Collected[]>> = {
  aws: [
    {
      file: "aws-oidc-provider.json",
      command: `aws iam get-open-id-connect-provider --open-id-connect-provider-arn "$PROVIDER" --output json | ${under("iam get-open-id-connect-provider", "$PROVIDER")}`,
      shows: "issuer and audiences that the account trusts",
      decides: ["issuer-trusted", "audience-accepted"],
    },
    {
      file: "aws-role.json",
      command: `aws iam get-account-authorization-details --filter Role LocalManagedPolicy AWSManagedPolicy --output json | jq --arg role "$ROLE" '${ONE_ROLE}'`,
      shows: "the role's trust policy, permissions boundary and policies, with their documents",
      decides: ["identity-found", ...BY_IDENTITY],
    },
    {
      file: "aws-repository-policy.json",
      command: `aws ecr get-repository-policy --region "$REGION" --registry-id "$REGISTRY" --repository-name "$REPOSITORY" --output json | ${under("ecr get-repository-policy", REPOSITORY_ARN)}`,
      shows: "what the registry's owner permits",
      decides: ["repository-permitted"],
    },
  ],
  azure: [
    {
      file: "azure-identity.json",
      command: `az identity show --name "$IDENTITY" ${OF_IDENTITY}`,
      shows: "the identity's client id and principal",
      decides: ["identity-found", ...BY_IDENTITY],
    },
    {
      file: "azure-credentials.json",
      command: `az identity federated-credential list --identity-name "$IDENTITY" ${OF_IDENTITY} | ${under("identity federated-credential list", `$(az identity show --name "$IDENTITY" ${OF_IDENTITY} | jq -r .id)`)}`,
      shows: "issuers, subjects and audiences that the identity trusts",
      decides: ["issuer-trusted", "audience-accepted", "subject-admitted"],
    },
    {
      file: "azure-roles.json",
      command: `az role assignment list --assignee "$PRINCIPAL" --all -o json`,
      shows: "the roles that the identity has",
      decides: OF_RIGHTS,
    },
    {
      file: "azure-registry.json",
      command: `az acr show --name "$REGISTRY" -o json`,
      shows: "which roles the registry honours",
      decides: ["login-permitted", "repository-permitted"],
    },
  ],
  google: [
    {
      file: "google-configmaps.json",
      command: `kubectl get configmaps -n "$NAMESPACE" -o json`,
      shows: "the credential files that SDKs read",
      decides: ["account-annotated", "pods-configured"],
    },
    {
      file: "google-provider.json",
      command: `gcloud iam workload-identity-pools providers list --workload-identity-pool "$POOL" --location global --format json`,
      shows: "issuers, audiences and conditions of the pool",
      decides: ["issuer-trusted", "audience-accepted", "subject-admitted"],
    },
    {
      file: "google-account.json",
      command: `gcloud iam service-accounts list --project "$PROJECT" --filter "email=$EMAIL" --format json`,
      shows: "whether the service account exists and is enabled",
      decides: ["identity-found"],
    },
    {
      file: "google-account-policy.json",
      command: `gcloud iam service-accounts get-iam-policy "$EMAIL" --format json | ${under("iam service-accounts get-iam-policy", "$EMAIL")}`,
      shows: "who may act as the service account",
      decides: ["subject-admitted"],
    },
    {
      file: "google-project-policy.json",
      command: `{ gcloud projects describe "$PROJECT" --format json; gcloud projects get-iam-policy "$PROJECT" --format json; } | jq -s '{"projects describe": .[0], "projects get-iam-policy": .[1]}'`,
      shows: "the roles in the project",
      decides: OF_RIGHTS,
    },
    {
      file: "google-repository-policy.json",
      command: `gcloud artifacts repositories get-iam-policy "$REPOSITORY" --project "$PROJECT" --location "$LOCATION" --format json | ${under("artifacts repositories get-iam-policy", "projects/$PROJECT/locations/$LOCATION/repositories/$REPOSITORY")}`,
      shows: "who may read the repository",
      decides: ["repository-permitted"],
    },
  ],
};

const OUTSIDE: readonly Collected[] = [
  {
    file: "openid-outside.json",
    command: `curl -sS "$ISSUER/.well-known/openid-configuration"`,
    shows: "whether clouds can read the discovery document; run it outside of the cluster's network",
    read: "discovery",
  },
  {
    file: "jwks-outside.json",
    command: `curl -sS "$JWKS_URI"`,
    shows: "the keys that clouds see; each kid of jwks-inside.json must be among them",
    read: "keys",
  },
];

/** The commands by where they run; without those of a cloud for `other`, a registry of another kind. */
export function collection(
  cloud: CloudName | "other",
): readonly (readonly [where: string, all: readonly Collected[]])[] {
  return [
    ["with kubectl", CLUSTER],
    ["on a node that runs the pod, as root", NODE],
    ["outside of the cluster's network", OUTSIDE],
    ...(cloud === "other" ? [] : [["with the cloud's command line", BY_CLOUD[cloud]] as const]),
  ];
}

/** What each file of a bundle is, whatever the cloud. */
export const COLLECTED: ReadonlyMap<string, Collected> = new Map(
  cloudNames.flatMap((cloud) =>
    collection(cloud).flatMap(([, all]) => all.map((each) => [each.file, each] as const)),
  ),
);

/** The files that are of one node, besides its log. */
export const OF_NODE: ReadonlySet<string> = new Set(
  NODE.flatMap(({ file, read }) => (read === "log" ? [] : [file])),
);

/** The files that show the objects of a cloud. */
export const OF_CLOUD: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  cloudNames.map((cloud) => [cloud, new Set(BY_CLOUD[cloud].map(({ file }) => file))]),
);

/** Each command with what it shows, to read before it is run. */
export function collectionText(cloud: CloudName | "other"): string {
  const parts = collection(cloud).map(([where, all]) =>
    [`# ${where}`, ...all.map(({ command, shows, file }) => `${command}\n    # ${shows} (${file})`)].join(
      "\n",
    ),
  );
  return `${parts.join("\n\n")}\n`;
}

/** A script for those with kubectl, the cloud and the outside, which writes one folder; the node's remain to be run there. */
export function collectionScript(cloud: CloudName | "other"): string {
  const [cluster, node, ...others] = collection(cloud);
  const written = [cluster, ...others].flatMap((part) => (part ? part[1] : []));
  const variables = [
    ...new Set(
      written.flatMap(({ command }) => [...command.matchAll(/\$([A-Z][A-Z_]+)/g)].map(([, name]) => name)),
    ),
  ];
  return `${[
    "#!/bin/sh",
    "# Reads only. What a command that fails says is in errors.txt.",
    ...variables.map((name) => `: "\${${name}:=}" # set it, or leave out what needs it`),
    'out="${1:-bundle}"',
    'mkdir -p "$out"',
    ...written.map(({ file, command }) => `{ ${command}; } >"$out/${file}" 2>>"$out/errors.txt"`),
    'echo "wrote $out; what a command could not do is in $out/errors.txt"',
    ...(node ? [`# ${node[0]}:`, ...node[1].map(({ file, command }) => `# { ${command}; } >${file}`)] : []),
  ].join("\n")}\n`;
}
