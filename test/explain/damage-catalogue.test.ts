/*
 * What the verifier says of each of many damages: one value at a time is gone, unknown, of another type or says
 * something else. The golden files list effect by effect which damages have it, for people to read: a change of the
 * verifier that changes what is said of any of them shows here.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CheckResult, ClusterRecord, ExplainResult } from "../../lib/explain";
import {
  type Artefacts,
  type ExampleName,
  filesOf,
  folderOf,
  synthesized,
} from "../fixtures/explain/artefacts";
import { type Damage, Damaged, type Place, damages, resultsOf, shownPlace } from "../support/damage";

/** One in how many damages of an example is looked at. */
const EXAMPLES: Readonly<Partial<Record<ExampleName, number>>> = {
  "aro-hcp": 5,
  "eks-nodeadm": 5,
  "fleet-argocd": 32,
  "fleet-multikueue": 12,
  "openshift-manual-aws": 16,
  "openshift-manual-azure": 32,
  "openshift-manual-google": 32,
  rke2: 5,
  talos: 5,
  "three-clouds": 6,
};

const issuer = "https://oidc.example.com/c1";
const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const GAR = "europe-west1-docker.pkg.dev/acme-images";

interface HandWritten {
  /** What no artefact says. */
  readonly cluster: ClusterRecord;
  readonly pulls: readonly (readonly [serviceAccount: string, image: string])[];
}

/** What people write by hand, in `fixtures/explain/hand-written`; one in three damages of each value is looked at. */
const HAND_WRITTEN: Readonly<Record<string, HandWritten>> = {
  aws: {
    cluster: { issuer, kubelet: "1.34", apiServer: "1.34", plugins: { ecr: { version: "1.34.2" } } },
    pulls: [
      ["shop/web", `${ECR}/shop/web:v1`],
      ["shop/web", "444455556666.dkr.ecr.eu-west-1.amazonaws.com/base/node"],
      ["shop/tools", `${ECR}/shop/tools`],
      ["shop/more", `${ECR}/docker-hub/nginx`],
    ],
  },
  azure: {
    cluster: {
      ...{ issuer, kubelet: "1.35", apiServer: "1.35", plugins: { acr: { version: "1.36.5" } } },
      registries: {
        "acmeplain.azurecr.io": { roleAssignmentMode: "LegacyRegistryPermissions" },
        "acmeabac.azurecr.io": { roleAssignmentMode: "AbacRepositoryPermissions" },
      },
    },
    pulls: [
      ["shop/web", "acmeplain.azurecr.io/any"],
      ["shop/web", "acmeabac.azurecr.io/models/llm"],
      ["shop/jobs", "acmeplain.azurecr.io/jobs"],
      ["shop/tools", "acmeplain.azurecr.io/tools"],
    ],
  },
  google: {
    cluster: {
      ...{ issuer, kubelet: "1.34", apiServer: "1.34" },
      plugins: { gcp: { version: "36.3.8", abilities: ["custom-pools"] } },
    },
    pulls: [
      ["shop/web", `${GAR}/shop/web:v1`],
      ["shop/tools", `${GAR}/tools/a/b`],
      ["shop/jobs", `${GAR}/batch-1/b`],
    ],
  },
};

const READ =
  /\.tf\.json$|^(?:state\.json|cluster\.yaml|node\/.*)$|\/(?:manifests|nodes|pods|spokes)\/|workload-identity\.json$/;
/** What Terraform and cdktf say to each other. */
const NOT_READ = /^(?:\/\/|terraform|output)\b|\.(?:\/\/|depends_on|lifecycle|description|tags)(?:\.|$)/;

type Said = readonly ExplainResult[] | string;

/** A number of a damage that does not change when others come or go. */
function numberOf(place: Place, damage: Damage): number {
  return createHash("sha256")
    .update(`${damage} ${shownPlace(place)}`)
    .digest()
    .readUInt32LE(0);
}

function shownCheck({ id, status, reason, evidence }: CheckResult): string {
  const seen = evidence.map(({ text }) => `\n      ${text}`);
  return `    ${status} ${id}: ${reason}${seen.join("")}`;
}

/** The verdict, and the links that are broken or not known. */
function shownResult({ verdict, as, checks, warnings = [] }: ExplainResult): string {
  const open = checks.filter(({ status }) => status === "fail" || status === "unknown");
  return [
    `${verdict} as ${as ?? "no one"}`,
    ...open.map(shownCheck),
    ...warnings.map(({ id, reason }) => `    warning ${id}: ${reason}`),
  ].join("\n");
}

const nameOf = ({ job, subject, target }: ExplainResult): string => `${job} ${subject} ${target}`;

/** What has changed; results of one outcome together. */
function effect(before: Said, after: Said): string {
  if (typeof after === "string") return `refused: ${after}`;
  const was = new Map(
    typeof before === "string" ? [] : before.map((each) => [nameOf(each), shownResult(each)]),
  );
  const outcomes = new Map<string, string[]>();
  for (const each of after) {
    const name = nameOf(each);
    const outcome = shownResult(each);
    if (was.get(name) !== outcome) outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), name]);
    was.delete(name);
  }
  if (was.size > 0) outcomes.set("no longer asked", [...was.keys()]);
  return [...outcomes]
    .map(
      ([outcome, [first, ...more]]) =>
        `  ${first}${more.length > 0 ? ` and ${more.length} more` : ""}: ${outcome}`,
    )
    .join("\n");
}

function catalogue(artefacts: Artefacts, oneIn: number, said: (folder: string) => Said): string {
  const example = new Damaged(artefacts, (file) => READ.test(file), said);
  const effects = new Map<string, string[]>();
  for (const place of example.places.filter(({ keys }) => !NOT_READ.test(keys.join("."))))
    for (const damage of damages) {
      if (numberOf(place, damage) % oneIn !== 0) continue;
      const after = example.after(place, damage);
      if (after === undefined) continue;
      const what = effect(example.intact, after);
      effects.set(what, [...(effects.get(what) ?? []), `${damage}: ${shownPlace(place)}`]);
    }
  return [...effects]
    .map(([what, of]) => `${of.join("\n")}\n${what === "" ? "  as before" : what}\n`)
    .join("\n");
}

describe("what people write by hand", () => {
  it.each(Object.entries(HAND_WRITTEN))("%s", { timeout: 120_000 }, async (name, { cluster, pulls }) => {
    const artefacts = filesOf(join(__dirname, "../fixtures/explain/hand-written", name));
    const said = (folder: string): Said =>
      resultsOf([folder], { cluster }, (explainer) => [
        ...explainer.all(),
        ...pulls.flatMap(([serviceAccount, image]) => [...explainer.pulls({ serviceAccount, image })]),
      ]);
    const intact = said(folderOf(artefacts));
    expect(
      typeof intact === "string" ? intact : intact.filter(({ verdict }) => verdict !== "allowed"),
    ).toEqual([]);
    await expect(catalogue(artefacts, 3, said)).toMatchFileSnapshot(
      `../__snapshots__/damage/by-hand-${name}.txt`,
    );
  });
});

describe("examples", () => {
  it.each(Object.entries(EXAMPLES))("%s", { timeout: 120_000 }, async (name, oneIn) => {
    const said = (folder: string): Said => resultsOf([folder]);
    const text = catalogue(synthesized(name as ExampleName), oneIn, said);
    await expect(text).toMatchFileSnapshot(`../__snapshots__/damage/${name}.txt`);
  });
});
