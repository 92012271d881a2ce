import { TerraformStack } from "cdktf";
import { componentRoles, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import * as delivery from "../../lib/delivery";
import * as explain from "../../lib/explain";
import * as lint from "../../lib/lint";
import { Issuer } from "../../lib/index";
import { PlainCarrier } from "../../lib/node";
import * as rules from "../../lib/rules";
import * as synth from "../../lib/synth";
import * as testing from "../../lib/testing";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { type Entry, inStack, of } from "./entry";
import { AWS_ACCESS, CLUSTER, ECR, HUB, ISSUER, KEYS, OWN, PLUGIN, REQUESTS, eks } from "./world";

/** Entry points of `./delivery`. */
export const deliveryEntries: Readonly<Record<string, Entry>> = {
  KubernetesManifests: inStack(delivery.KubernetesManifests, ["of"], ({ app, stack, id }) => {
    const [own, management, edge] = ["own", "management", "edge"].map(
      (alias) => new KubernetesProvider(stack, `${id}-${alias}`, { alias: `${id}-${alias}` }),
    );
    return {
      of: new TerraformStack(app, `${id}-source`),
      provider: own,
      managementCluster: management,
      spokes: { edge },
      files: ["manifests/10-x.yaml"],
      customKinds: ["X.example.com"],
      adopt: false,
    };
  }),
};

/** Entry points of `./synth`. */
export const synthEntries: Readonly<Record<string, Entry>> = {
  bind: {
    ...of(synth.bind, ["outputs", "to"], () => ({ outputs: "none.json", to: "none", from: "none" })),
    refuses: "bind-invalid",
  },
  ControlPlane: {
    ...inStack(synth.ControlPlane, ["cluster"], () => ({ cluster: CLUSTER, carriers: [new PlainCarrier()] })),
    open: ["cluster"],
  },
  FleetAccess: {
    ...inStack(synth.FleetAccess, ["hub", "consumer", "spokes", "clusterManager"], () => ({
      hub: { ...HUB, featureGates: { ImageVolume: true }, podIdentityWebhooks: ["aws"] },
      consumer: OWN,
      spokes: [{ name: "spoke-a", access: eks(), labels: { a: "b" } }],
      identities: [workloadRoles({ account: "111122223333", region: "eu-west-1" })],
      clusterManager: "platform-iac",
      plugins: [PLUGIN],
      pluginByCloud: { aws: "aws-iam-authenticator" },
      statusWriter: { kubectlVersion: "1.35.0" },
    })),
    open: ["consumer", "spokes[0].access", "identities[0]"],
  },
  ImagePulls: {
    ...inStack(synth.ImagePulls, ["cluster", "pulls"], () => ({
      cluster: CLUSTER,
      pulls: [{ serviceAccount: "shop/web", from: [ECR], declareServiceAccount: true }],
      identities: [pullRoles()],
      credentialProviders: { ecr: { mode: "strict" } },
      tokenAudience: { scope: "cluster" },
      carriers: [new PlainCarrier()],
    })),
    open: ["cluster", "pulls[0].from[0]", "identities[0]"],
  },
  PlatformComponents: {
    ...inStack(synth.PlatformComponents, ["clusterName", "issuer", "requests", "identities"], () => ({
      clusterName: "prod",
      issuer: ISSUER,
      requests: { requests: REQUESTS.aws.requests.slice(0, 1), skipped: [] },
      identities: componentRoles(),
    })),
    open: ["requests.requests[0]", "identities"],
  },
  WorkloadAccess: {
    ...inStack(synth.WorkloadAccess, ["cluster", "workloads"], () => ({
      cluster: { name: "prod", issuer: ISSUER },
      workloads: [{ serviceAccount: "shop/web", may: [AWS_ACCESS], declareServiceAccount: true }],
      identities: [workloadRoles()],
    })),
    open: ["cluster", "workloads[0].may[0]", "identities[0]"],
  },
};

const stack = (): testing.SynthesizedStack => testing.synthStack((app) => new TerraformStack(app, "empty"));
const TOKEN = { iss: ISSUER, sub: "system:serviceaccount:shop:web", aud: "sts.amazonaws.com" };
const PULL = {
  serviceAccount: "shop/web",
  image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1",
};

/** Entry points of `./testing`. */
export const testingEntries: Readonly<Record<string, Entry>> = {
  allowsAssume: {
    settings: () => TOKEN,
    required: ["sub", "aud"],
    call: (given) => testing.allowsAssume(stack(), given as never),
  },
  rejectsAssume: {
    settings: () => TOKEN,
    required: ["sub", "aud"],
    call: (given) => testing.rejectsAssume(stack(), given as never),
  },
  allowsPull: {
    refuses: "testing-missing",
    settings: () => PULL,
    required: ["serviceAccount", "image"],
    call: (given) => testing.allowsPull(stack(), given as never),
  },
  deniesPull: {
    refuses: "testing-missing",
    settings: () => ({ ...PULL, check: "audience-granted" }),
    required: ["serviceAccount", "image"],
    call: (given) => testing.deniesPull(stack(), given as never),
  },
  synthStack: {
    settings: () => ({ context: { a: "b" }, cluster: {} }),
    required: [],
    call: (given) => testing.synthStack((app) => new TerraformStack(app, "empty"), given as never),
    open: ["context", "cluster"],
  },
};

const folder = temporaryFolder();

/** Entry points of `./lint`. */
export const lintEntries: Readonly<Record<string, Entry>> = {
  lint: {
    refuses: "explain-missing",
    settings: () => ({ kubelets: ["1.34"], input: "" }),
    required: [],
    call: (given) => lint.lint(["-"], given as never),
  },
};

/** Entry points of `./explain`. */
export const explainEntries: Readonly<Record<string, Entry>> = {
  explain: {
    refuses: "explain-missing",
    settings: () => ({ serviceAccount: "shop/web", stack: "prod" }),
    required: [],
    call: (given) => explain.explain([folder], given as never),
  },
  "Explainer.read": {
    refuses: "explain-missing",
    settings: () => ({ cluster: {}, which: "prod" }),
    required: [],
    call: (given) => explain.Explainer.read([folder], given as never),
    open: ["cluster"],
  },
  compare: {
    refuses: "explain-missing",
    settings: () => ({ old: {}, new: {} }),
    required: [],
    call: (given) => explain.compare([folder], [folder], given as never),
    open: ["old", "new"],
  },
  comparePlan: {
    refuses: "explain-missing",
    settings: () => ({ cluster: {}, which: "prod" }),
    required: [],
    call: (given) => explain.comparePlan([folder], given as never),
    open: ["cluster"],
  },
  renderText: {
    settings: () => ({ verbose: false, only: ["denied"], summary: false, audit: [], colour: false }),
    required: [],
    call: (given) => [...explain.renderText([], given as never)],
  },
};

/** Entry points of `./rules`. */
export const rulesEntries: Readonly<Record<string, Entry>> = {
  validateCredentialProviderConfig: {
    settings: () => ({ kubelet: "1.35", featureGates: { AllBeta: true } }),
    required: ["kubelet"],
    call: (given) => rules.validateCredentialProviderConfig({}, given as never),
  },
  issuerDocuments: {
    settings: () => ({ jwksPath: "keys.json", accepted: { by: "AWS", algorithms: ["RS256"] } }),
    required: ["jwksPath"],
    call: (given) => rules.issuerDocuments(Issuer.of(ISSUER), KEYS, given as never),
  },
  publishedJwks: {
    settings: () => KEYS,
    required: [],
    call: (given) => rules.publishedJwks(given as never),
  },
  credentialsRequest: {
    refuses: "openshift-invalid",
    settings: () => ({ file: "a.yaml", document: 1 }),
    required: [],
    call: (given) => rules.credentialsRequest({}, given as never),
  },
};
