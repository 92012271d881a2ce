/*
 * The stages of docs/moving-an-issuer.md, each with what the page claims of it, in all three clouds and jobs.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { OidcProvider, awsAccess, componentRoles, workloadRoles } from "../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../lib/cloud/azure";
import { googleAccess, workloadServiceAccounts } from "../lib/cloud/google";
import { Explainer } from "../lib/explain";
import { Issuer } from "../lib/model/issuer";
import { Subject } from "../lib/model/subject";
import { componentCredentials } from "../lib/rules/azure/component";
import { ImagePulls, PlatformComponents, WorkloadAccess } from "../lib/synth";
import { edited, folderOf } from "./fixtures/explain/artefacts";
import { filesOf } from "./fixtures/synth/stack-fixture";
import {
  ACCOUNT,
  REGION,
  REGISTRY_ID,
  fromAcr,
  fromEcr,
  fromGoogle,
  makers,
  plainCluster,
} from "./support/image-pulls";
import { type Json, inside, record, text } from "./support/json";
import { codeBlocks } from "./support/markdown";
import { componentsProps, providersStack, releaseRequests } from "./support/platform-components";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";

const OLD = "https://oidc.example.com/prod";
const NEXT = "https://d111111abcdef8.cloudfront.net";
const next = Issuer.of(NEXT, { label: "2027" });

/** The stages in their order, and what is stated as the cluster's issuer in each. */
const ISSUERS = {
  before: Issuer.of(OLD),
  trusted: Issuer.of(OLD, { additionalIssuers: [next] }),
  signing: Issuer.of(next, { additionalIssuers: [OLD] }),
  moved: next,
} as const;
type Stage = keyof typeof ISSUERS;
const STAGES = Object.keys(ISSUERS) as readonly Stage[];

const google = { project: "acme-images", projectNumber: "123456789012" };
const written = new Map<Stage, string>();
const READ = { Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme-data/*"] } as const;
const VIEWER = { role: "roles/storage.objectViewer", bucket: "reports" };
const WORKLOADS = [
  { serviceAccount: "data/aws", may: awsAccess({ statements: [READ] }) },
  { serviceAccount: "data/azure", may: azureAccess({ roles: [{ role: "Reader", scope: REGISTRY_ID }] }) },
  { serviceAccount: "data/google", may: googleAccess({ roles: [VIEWER] }) },
];
/** What an issuer that is trusted too has of its own: two identities on Azure, and a pool provider for each job. */
const TRUST = [
  "aws_iam_openid_connect_provider",
  "azurerm_federated_identity_credential",
  "azurerm_federated_identity_credential",
  "google_iam_workload_identity_pool_provider",
  "google_iam_workload_identity_pool_provider",
];

/** Pulls and workloads of one cluster in all clouds, and its components on AWS. */
function synth(stage: Stage): string {
  const issuer = ISSUERS[stage];
  const folder =
    written.get(stage) ??
    synthesized((app) => {
      const stack = providersStack(app);
      const cluster = plainCluster({ issuer });
      new ImagePulls(stack, "pulls", {
        cluster,
        identities: [makers.aws(), makers.azure(), makers.google({ audience: "pulls" })],
        pulls: [
          { serviceAccount: "shop/web", from: fromEcr() },
          { serviceAccount: "shop/jobs", from: fromAcr() },
          { serviceAccount: "shop/tools", from: fromGoogle() },
        ],
      });
      new WorkloadAccess(stack, "workloads", {
        cluster,
        identities: [
          workloadRoles({ account: ACCOUNT, region: REGION }),
          workloadIdentities({ resourceGroupName: "identities", location: "westeurope" }),
          workloadServiceAccounts({ ...google, audience: "workloads" }),
        ],
        workloads: WORKLOADS,
      });
      new PlatformComponents(stack, "components", {
        clusterName: "prod",
        issuer,
        requests: releaseRequests("aws", "4.22"),
        identities: componentRoles({ account: ACCOUNT, region: REGION }),
      });
    });
  written.set(stage, folder);
  return folder;
}

function terraform(stage: Stage): Json {
  const [stack] = writtenStacks(synth(stage));
  return record(inside(stack?.terraform, "resource"));
}

/** The resources of some types, by address. */
function resources(stage: Stage, types: RegExp): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(terraform(stage))
      .filter(([type]) => types.test(type))
      .flatMap(([type, named]) =>
        Object.entries(record(named)).map(([name, each]) => [`${type}.${name}`, each]),
      ),
  );
}

const added = (from: Stage, to: Stage, types: RegExp): readonly string[] => {
  const before = resources(from, types);
  return [...resources(to, types).keys()].filter((address) => !before.has(address));
};

/** What explain denies, as `subject: first broken link`; of the recorded issuer's tokens or of another one's. */
function denied(folder: string, issuer?: string): readonly string[] {
  const explainer = Explainer.read([folder], issuer === undefined ? {} : { cluster: { issuer } });
  const results = [...explainer.pulls(), ...explainer.workloads(), ...explainer.components()];
  expect(results.length).toBeGreaterThan(10);
  if (issuer === undefined) expect(results.filter(({ verdict }) => verdict === "unknown")).toEqual([]);
  return results
    .filter(({ verdict }) => verdict === "denied")
    .map(({ subject, checks }) => `${subject}: ${checks.find(({ status }) => status === "fail")?.id}`);
}

/** The folder of a stage with something in the Terraform configuration replaced. */
function damaged(stage: Stage, found: string, replaced: string): string {
  const files = new Map(Object.entries(filesOf(synth(stage))));
  return folderOf(edited(files, [["cdk.tf.json", found, replaced]]));
}

const AWS_AND_AZURE = /^(?:aws|azurerm)_/;

describe.each(STAGES)("the stage %s", (stage) => {
  it("lets the tokens of each accepted issuer in", () => {
    expect(denied(synth(stage))).toEqual([]);
  });

  it("names the issuer that signs in what the cluster and its pods read", () => {
    const [stack] = writtenStacks(synth(stage));
    const content = (file: string): string => stack?.files.get(file) ?? "";
    const { url } = ISSUERS[stage];
    expect(content("manifests/cluster-authentication-02-config.yaml")).toContain(
      `serviceAccountIssuer: ${url}\n`,
    );
    expect(JSON.stringify(stack?.identity)).toContain(JSON.stringify(ISSUERS[stage].recorded).slice(1, -1));
  });
});

describe("trusted", () => {
  it("adds one OIDC provider, one credential per service account and one pool provider per job, and takes nothing", () => {
    const all = /./;
    expect(added("before", "trusted", all).map((address) => address.split(".")[0])).toEqual(TRUST);
    expect(added("trusted", "before", all)).toEqual([]);
  });

  it("changes no file that the cluster reads", () => {
    const manifests = (stage: Stage): readonly unknown[] =>
      writtenStacks(synth(stage)).flatMap(({ files }) =>
        [...files].filter(([path]) => path.startsWith("manifests/")),
      );
    expect(manifests("trusted")).toEqual(manifests("before"));
  });

  it("writes the credentials of one identity one after the other", () => {
    const credentials = [...resources("trusted", /^azurerm_federated/).values()].map(record);
    const waiting = credentials.filter((each) => each["depends_on"] !== undefined);
    expect(waiting.map((each) => [each["issuer"], each["name"]])).toEqual([
      [NEXT, "prod_shop_jobs_2027"],
      [NEXT, "prod_data_azure_2027"],
    ]);
  });

  it.each([
    ["trusts no other issuer before", "before", NEXT],
    ["trusts the old one no longer after", "moved", OLD],
  ] as const)("%s", (_, stage, issuer) => {
    const links = denied(synth(stage), issuer).map((line) => line.split(": ")[1]);
    expect(new Set(links)).toEqual(new Set(["issuer-trusted", "issuer-configured"]));
    // Workloads of a cluster whose Authentication/cluster was read have tokens of the issuer that it says.
    for (const name of ["web", "jobs", "tools"])
      expect(denied(synth(stage), issuer)).toContain(`shop/${name}: issuer-trusted`);
  });

  it.each([
    ["AWS", `:oidc-provider/${NEXT.slice("https://".length)}`, "shop/web"],
    ["Azure", `"issuer": "${NEXT}`, "shop/jobs"],
    ["Google Cloud", `"issuer_uri": "${NEXT}`, "shop/tools"],
  ])("is denied where %s does not trust the next issuer yet", (_, found, subject) => {
    const replaced = found.replace("d111111abcdef8.cloudfront.net", "other.example.com");
    expect(denied(damaged("trusted", found, replaced))).toContain(`${subject}: issuer-trusted`);
  });

  const renamed = { "google.subject": "'x:' + assertion.sub" };

  it.each<readonly [string, Json, string, string, string]>([
    ["is disabled", { disabled: true }, "denied", "issuer-trusted", "fail"],
    ["admits others", { attribute_condition: "assertion.sub == 'x'" }, "denied", "subject-admitted", "fail"],
    ["maps to another principal", { attribute_mapping: renamed }, "unknown", "subject-admitted", "unknown"],
    ["is in another pool", { workload_identity_pool_id: "other" }, "denied", "issuer-trusted", "fail"],
  ])("is not allowed where the next issuer's pool provider %s", (_, change, verdict, link, status) => {
    const type = "google_iam_workload_identity_pool_provider";
    const files = Object.entries(filesOf(synth("trusted"))).map(([path, content]): [string, string] => {
      if (!path.endsWith("cdk.tf.json")) return [path, content];
      const configuration = record(JSON.parse(content));
      const all = record(configuration["resource"]);
      const providers = Object.entries(record(all[type])).map(([name, each]) => [
        name,
        JSON.stringify(each).includes(NEXT) ? { ...record(each), ...change } : each,
      ]);
      const resource = { ...all, [type]: Object.fromEntries(providers) };
      return [path, JSON.stringify({ ...configuration, resource })];
    });
    const explainer = Explainer.read([folderOf(new Map(files))]);
    const results = [...explainer.pulls(), ...explainer.workloads()].filter(({ subject }) =>
      ["shop/tools", "data/google"].includes(subject),
    );
    const found = results.map((result) => [
      result.verdict,
      result.checks.find(({ id }) => id === link)?.status,
    ]);
    expect(found).toEqual([
      [verdict, status],
      [verdict, status],
    ]);
  });
});

describe("stacks of one cluster", () => {
  const azure = workloadIdentities({ resourceGroupName: "identities", location: "westeurope" });
  const may = azureAccess({ roles: [{ role: "Reader", scope: REGISTRY_ID }] });

  it.each<readonly [string, Issuer, Issuer, string, string | undefined]>([
    ["state the same", ISSUERS.trusted, ISSUERS.trusted, "prod", undefined],
    ["differ in which one signs", ISSUERS.trusted, ISSUERS.signing, "prod", undefined],
    ["do not all state the next one", ISSUERS.trusted, ISSUERS.before, "prod", NEXT],
    ["do not all state the one that signs", ISSUERS.signing, ISSUERS.before, "prod", NEXT],
    ["do not all state the old one", ISSUERS.trusted, ISSUERS.moved, "prod", OLD],
    ["are of two clusters", ISSUERS.trusted, ISSUERS.before, "test", undefined],
    ["are of two clusters of one name", ISSUERS.before, ISSUERS.moved, "prod", undefined],
  ])("%s", (_, ofPulls, ofWorkloads, name, missing) => {
    const folder = synthesized((app) => {
      new ImagePulls(providersStack(app, "pulls"), "pulls", {
        cluster: plainCluster({ issuer: ofPulls }),
        identities: [makers.azure()],
        pulls: [{ serviceAccount: "shop/jobs", from: fromAcr() }],
      });
      new WorkloadAccess(providersStack(app, "workloads"), "workloads", {
        cluster: { name, issuer: ofWorkloads },
        identities: [azure],
        workloads: [{ serviceAccount: "data/azure", may }],
      });
    });
    const [workload] = Explainer.read([folder]).workloads();
    expect(workload?.verdict).toBe(missing === undefined ? "allowed" : "unknown");
    const doubts = workload?.checks.filter(({ reason }) => reason.includes("another stack also states"));
    expect(doubts?.map(({ id, status }) => `${id} ${status}`)).toEqual(
      missing ? ["issuer-trusted unknown"] : [],
    );
    expect(doubts?.map(({ reason }) => reason).join("")).toContain(missing ?? "");
  });
});

describe("signing", () => {
  it("changes nothing in AWS and Azure: both issuers were trusted", () => {
    expect(resources("signing", AWS_AND_AZURE)).toEqual(resources("trusted", AWS_AND_AZURE));
  });

  it("keeps the pool providers of Google Cloud, and names the next one in credential files and plugin arguments", () => {
    const providers = /^google_iam_workload_identity_pool_provider/;
    expect(resources("signing", providers)).toEqual(resources("trusted", providers));
    const [stack] = writtenStacks(synth("signing"));
    const named = [...(stack?.files ?? [])].filter(([, text]) => text.includes("providers/k8s-prod--"));
    expect(named.map(([path]) => path).length).toBeGreaterThan(1);
  });
});

describe("moved", () => {
  it("takes away what trusted the old issuer, and leaves the rest under its names", () => {
    expect(added("moved", "signing", /./).map((address) => address.split(".")[0])).toEqual(TRUST);
    expect(added("signing", "moved", /./)).toEqual([]);
  });
});

describe.each(["aws", "azure", "google"] as const)("components on %s", (cloud) => {
  const components = (stage: Stage): string =>
    synthesized((app) => {
      const props = componentsProps(cloud, { issuer: ISSUERS[stage] });
      new PlatformComponents(providersStack(app), "components", props);
    });
  const trusts = (folder: string): unknown => {
    const all = record(inside(writtenStacks(folder)[0]?.terraform, "resource"));
    return [
      all["aws_iam_role"],
      all["azurerm_federated_identity_credential"],
      all["google_iam_workload_identity_pool_provider"],
    ];
  };

  it("are trusted with either issuer, and with the same resources whichever signs", () => {
    const [trusted, signing] = [components("trusted"), components("signing")];
    for (const folder of [trusted, signing]) {
      const results = [...Explainer.read([folder]).components()];
      expect(results.length).toBeGreaterThan(3);
      expect(results.filter(({ verdict }) => verdict === "denied")).toEqual([]);
    }
    expect(trusts(signing)).toEqual(trusts(trusted));
    expect(JSON.stringify(trusts(trusted))).toContain(NEXT.slice("https://".length));
  });
});

describe("names", () => {
  const subject = Subject.of("openshift-ingress-operator/ingress-operator");

  it.each([
    ["unique", ["prod_openshift-ingress-operator_ingress-operator", "…_2027"]],
    ["ccoctl", ["ingress-operator", "…_2027"]],
  ] as const)("of credentials end with the label (%s)", (naming, [plain, labelled]) => {
    const trust = { clusterName: "prod", audience: "openshift", subjects: [subject] };
    const names = (stage: Stage): readonly string[] =>
      componentCredentials({ ...trust, issuer: ISSUERS[stage] }, naming).map(({ name }) => name);
    const both = [plain, labelled.replace("…", plain)];
    expect(STAGES.map(names)).toEqual([[plain], both, both, both.slice(1)]);
  });

  it("of pool providers end with the label, stated or derived", () => {
    const ids = (props: object): readonly string[] => {
      const outdir = synthesized((app) => {
        new ImagePulls(providersStack(app), "pulls", {
          cluster: plainCluster({ issuer: ISSUERS.trusted }),
          identities: [makers.google(props)],
          pulls: [{ serviceAccount: "shop/tools", from: fromGoogle() }],
        });
      });
      const all = inside(writtenStacks(outdir)[0]?.terraform, "resource");
      return Object.values(record(inside(all, "google_iam_workload_identity_pool_provider")))
        .map((each) => text(record(each)["workload_identity_pool_provider_id"]))
        .sort();
    };
    expect(ids({})).toEqual(["k8s-prod", "k8s-prod--2027"]);
    expect(ids({ providerId: "own-id" })).toEqual(["own-id", "own-id--2027"]);
    expect(ids({ providerId: "a".repeat(30) })[0]).toMatch(/^a{20,}---[0-9a-f]{8}$/);
  });
});

describe("a stated OIDC provider", () => {
  it("is that of its own issuer, whichever signs", () => {
    const names = (stage: Stage): readonly unknown[] => {
      const outdir = synthesized((app) => {
        const stack = providersStack(app);
        const place = { account: ACCOUNT, region: REGION };
        const oidcProvider = OidcProvider.fromIssuer(stack, "old", { issuer: OLD, ...place });
        new ImagePulls(stack, "pulls", {
          cluster: plainCluster({ issuer: ISSUERS[stage] }),
          identities: [makers.aws({ oidcProvider })],
          pulls: [{ serviceAccount: "shop/web", from: fromEcr() }],
        });
      });
      const [stack] = writtenStacks(outdir);
      const found = record(inside(inside(stack?.terraform, "resource"), "aws_iam_openid_connect_provider"));
      return Object.values(found).map((each) => record(each)["url"]);
    };
    expect([names("trusted"), names("signing")]).toEqual([[NEXT], [NEXT]]);
  });
});

describe("docs/moving-an-issuer.md", () => {
  const page = readFileSync(resolve(__dirname, "../docs/moving-an-issuer.md"), "utf8");

  it("names the stages in their order", () => {
    expect([...page.matchAll(/^## \d\. .*`(\w+)`$/gm)].map(([, stage]) => stage)).toEqual(STAGES.slice(1));
    expect(codeBlocks("docs/moving-an-issuer.md", page).length).toBeGreaterThan(0);
  });
});
