/* The same objects as synth-ours.mjs writes, with cdktf and cdk8s alone. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { ACCOUNT, ISSUER, REGION, measure } from "./workload.mjs";

const require = createRequire(import.meta.url);
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { IamOpenidConnectProvider } = require("@cdktf/provider-aws/lib/iam-openid-connect-provider/index.js");
const { IamRole } = require("@cdktf/provider-aws/lib/iam-role/index.js");
const { IamRolePolicy } = require("@cdktf/provider-aws/lib/iam-role-policy/index.js");
const cdk8s = require("cdk8s");
const { stringify } = require("yaml");

const AUDIENCE = "sts.amazonaws.com";
const KEY = "eks.amazonaws.com/ecr-role-arn";
const PATH = "/etc/kubernetes/credential-providers/ecr-credential-provider.yaml";
const hostPath = ISSUER.slice("https://".length);
const providerArn = `arn:aws:iam::${ACCOUNT}:oidc-provider/${hostPath}`;
const roleNameOf = ({ namespace, name }) => `prod-eu_${namespace}_${name}`;

const trust = ({ namespace, name }) => ({
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Principal: { Federated: providerArn },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: {
        StringEquals: {
          [`${hostPath}:aud`]: AUDIENCE,
          [`${hostPath}:sub`]: `system:serviceaccount:${namespace}:${name}`,
        },
      },
    },
  ],
});

const permissions = ({ repository }) => ({
  Version: "2012-10-17",
  Statement: [
    { Sid: "Login", Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
    {
      Sid: "Pull",
      Effect: "Allow",
      Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      Resource: `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/${repository}`,
    },
  ],
});

const config = stringify({
  apiVersion: "kubelet.config.k8s.io/v1",
  kind: "CredentialProviderConfig",
  providers: [
    {
      name: "ecr-credential-provider",
      matchImages: [
        "*.dkr.ecr.*.amazonaws.com",
        "*.dkr.ecr.*.amazonaws.com.cn",
        "*.dkr.ecr-fips.*.amazonaws.com",
        "*.dkr.ecr.us-iso-east-1.c2s.ic.gov",
        "*.dkr.ecr.us-isob-east-1.sc2s.sgov.gov",
      ],
      defaultCacheDuration: "12h",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      tokenAttributes: {
        serviceAccountTokenAudience: AUDIENCE,
        cacheType: "ServiceAccount",
        requireServiceAccount: true,
        requiredServiceAccountAnnotationKeys: [KEY],
      },
    },
  ],
});

measure((outdir, accounts) => {
  const app = new App({ outdir, stackTraces: false });
  const stack = new TerraformStack(app, "prod-eu");
  new AwsProvider(stack, "aws", { region: REGION });
  const provider = new IamOpenidConnectProvider(stack, "oidc", {
    url: ISSUER,
    clientIdList: [AUDIENCE],
    lifecycle: { preventDestroy: true },
  });

  const manifests = new cdk8s.App({
    outdir: join(outdir, "stacks/prod-eu/manifests"),
    yamlOutputType: cdk8s.YamlOutputType.FILE_PER_CHART,
  });
  const rbac = new cdk8s.Chart(manifests, "10-token-audience");
  const group = "rbac.authorization.k8s.io";
  const role = `token-audience:${AUDIENCE}`;
  new cdk8s.ApiObject(rbac, "role", {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: { name: role },
    rules: [{ apiGroups: [""], resources: [AUDIENCE], verbs: ["request-serviceaccounts-token-audience"] }],
  });
  for (const namespace of new Set(accounts.map((account) => account.namespace))) {
    new cdk8s.ApiObject(rbac, `binding-${namespace}`, {
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata: { name: role, namespace },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:nodes" }],
    });
  }

  const chart = new cdk8s.Chart(manifests, "20-service-accounts");
  for (const account of accounts) {
    const { namespace, name } = account;
    const id = `${namespace}.${name}`;
    const role = new IamRole(stack, `${id}-role`, {
      name: roleNameOf(account),
      description: `Pulls container images for ${namespace}/${name}`,
      assumeRolePolicy: JSON.stringify(trust(account)),
      dependsOn: [provider],
    });
    new IamRolePolicy(stack, `${id}-pull`, {
      name: "image-pulls",
      role: role.name,
      policy: JSON.stringify(permissions(account)),
    });
    const annotations = { [KEY]: `arn:aws:iam::${ACCOUNT}:role/${roleNameOf(account)}` };
    new cdk8s.ApiObject(chart, id, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace, name, annotations },
    });
  }

  const nodes = new cdk8s.Chart(manifests, "40-machine-configs");
  const source = `data:text/plain;charset=utf-8;base64,${Buffer.from(config).toString("base64")}`;
  new cdk8s.ApiObject(nodes, "worker", {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: {
      name: "99-worker-kubelet-credential-provider",
      labels: { "machineconfiguration.openshift.io/role": "worker" },
    },
    spec: {
      config: {
        ignition: { version: "3.2.0" },
        storage: {
          files: [{ path: PATH, mode: 420, overwrite: true, contents: { compression: "", source } }],
        },
      },
    },
  });
  app.synth();
  manifests.synth();
});
