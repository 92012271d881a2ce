/*
 * What the verifier says of each of many damages: one value at a time is gone, unknown, of another type or says
 * something else. The golden files list effect by effect which damages have it, for people to read: a change of the
 * verifier that changes what is said of any of them shows here.
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../lib/errors";
import { type CheckResult, type ClusterRecord, type ExplainResult, Explainer } from "../../lib/explain";
import { comparison } from "../../lib/explain/compare/compare";
import type { Finding } from "../../lib/explain/findings";
import {
  type Artefacts,
  type ExampleName,
  filesOf,
  folderOf,
  synthesized,
} from "../fixtures/explain/artefacts";
import { type Damage, Damaged, type Place, damages, shownPlace } from "../support/damage";

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

/** What people write by hand, in `fixtures/explain/hand-written`; one in five damages of its values is looked at. */
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

/** What is said of artefacts. */
interface Said {
  readonly folder: string;
  /** `undefined` where they are refused. */
  readonly explainer: Explainer | undefined;
  /** Outcomes by what they are the outcome of. */
  readonly outcomes: ReadonlyMap<string, string>;
}

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

function outcomesOf(results: Iterable<ExplainResult>, audit: readonly Finding[]): Said["outcomes"] {
  const outcomes = new Map<string, string>();
  for (const each of results) {
    const name = `${each.job} ${each.subject} ${each.target}`;
    const others = outcomes.has(name) ? [outcomes.get(name)] : [];
    // A spoke that is recorded with another profile than the one that was read has both.
    outcomes.set(name, [...new Set([...others, shownResult(each)])].join("\n    and "));
  }
  return new Map([
    ...outcomes,
    ...audit.map(({ id, subject, reason }) => [`audit ${id} ${subject}: ${reason}`, "found"] as const),
  ]);
}

const everything = (explainer: Explainer): Iterable<ExplainResult> => explainer.all();

function said(folder: string, cluster: ClusterRecord = {}, asked = everything): Said {
  try {
    const explainer = Explainer.read([folder], { cluster });
    return { folder, explainer, outcomes: outcomesOf(asked(explainer), explainer.audit()) };
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return { folder, explainer: undefined, outcomes: new Map([["refused", error.code]]) };
  }
}

/** What has changed; subjects of one outcome together. */
function effect(before: Said, after: Said): string {
  const names = new Map<string, string[]>();
  const note = (outcome: string, name: string): void =>
    void names.set(outcome, [...(names.get(outcome) ?? []), name]);
  for (const [name, outcome] of after.outcomes)
    if (before.outcomes.get(name) !== outcome) note(outcome, name);
  for (const name of before.outcomes.keys()) if (!after.outcomes.has(name)) note("no longer", name);
  return [...names]
    .map(
      ([outcome, [first, ...more]]) =>
        `  ${first}${more.length > 0 ? ` and ${more.length} more` : ""}: ${outcome}`,
    )
    .join("\n");
}

const SHOWN_CHANGES = 4;

/** What `compare` says of the damage. */
function compared({ explainer: before }: Said, { explainer: after }: Said): string {
  if (!before || !after) return "";
  const lines = comparison(before, after).changes.map(
    ({ kind, about, subject, target, reason }) =>
      `\n  compare: ${kind} ${about} of ${subject}: ${target}${reason && ` (${reason})`}`,
  );
  const more = lines.length - SHOWN_CHANGES;
  return lines.slice(0, SHOWN_CHANGES).join("") + (more > 0 ? `\n  compare: ${more} more` : "");
}

function catalogue(
  artefacts: Artefacts,
  oneIn: number,
  saidOf: (folder: string) => Said,
  alsoSaid: (before: Said, after: Said) => string = () => "",
): string {
  const example = new Damaged(artefacts, (file) => READ.test(file), saidOf);
  const effects = new Map<string, string[]>();
  for (const place of example.places.filter(({ keys }) => !NOT_READ.test(keys.join("."))))
    for (const damage of damages) {
      if (numberOf(place, damage) % oneIn !== 0) continue;
      const after = example.after(place, damage);
      if (after === undefined) continue;
      const what = (effect(example.intact, after) + alsoSaid(example.intact, after)).replaceAll(
        `${after.folder}/`,
        "",
      );
      effects.set(what, [...(effects.get(what) ?? []), `${damage}: ${shownPlace(place)}`]);
    }
  return [...effects]
    .map(([what, of]) => `${of.join("\n")}\n${what === "" ? "  as before" : what}\n`)
    .join("\n");
}

describe("what people write by hand", () => {
  it.each(Object.entries(HAND_WRITTEN))("%s", { timeout: 120_000 }, async (name, { cluster, pulls }) => {
    const artefacts = filesOf(join(__dirname, "../fixtures/explain/hand-written", name));
    const asked = (explainer: Explainer): readonly ExplainResult[] => [
      ...explainer.all(),
      ...pulls.flatMap(([serviceAccount, image]) => [...explainer.pulls({ serviceAccount, image })]),
    ];
    const saidOf = (folder: string): Said => said(folder, cluster, asked);
    const denied = [...saidOf(folderOf(artefacts)).outcomes].filter(
      ([name, outcome]) => !name.startsWith("audit") && !outcome.startsWith("allowed"),
    );
    expect(denied).toEqual([]);
    await expect(catalogue(artefacts, 5, saidOf, compared)).toMatchFileSnapshot(
      `../__snapshots__/damage/by-hand-${name}.txt`,
    );
  });
});

describe("examples", () => {
  it.each(Object.entries(EXAMPLES))("%s", { timeout: 120_000 }, async (name, oneIn) => {
    const text = catalogue(synthesized(name as ExampleName), oneIn, (folder) => said(folder));
    await expect(text).toMatchFileSnapshot(`../__snapshots__/damage/${name}.txt`);
  });
});
