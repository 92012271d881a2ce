/*
 * Damage to one value at a time of what a synth has written, and of what people have written by hand: what was allowed is
 * no longer, unless the damage is harmless by a row of the table; and what keeps it from being allowed is a link that the
 * value belongs to.
 */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../lib/errors";
import { type ClusterRecord, Explainer } from "../../lib/explain";
import type { CheckId } from "../../lib/explain/check-ids";
import { comparison } from "../../lib/explain/compare/compare";
import { openLinks } from "../../lib/explain/findings";
import {
  type Artefacts,
  type ExampleName,
  filesOf,
  folderOf,
  synthesized,
} from "../fixtures/explain/artefacts";
import { type Damage, Damaged, type Place, damages, shownPlace } from "../support/damage";
import { isHarmless } from "../support/harmless-damages";
import { isSampled, sampleNote } from "../support/sample";

/** One in how many damages of an example is looked at of all cases, and in a sample of these. */
const EXAMPLES: Readonly<Record<ExampleName, number>> = {
  "aro-hcp": 6,
  "eks-nodeadm": 8,
  "fleet-argocd": 32,
  "fleet-multikueue": 14,
  "openshift-aws": 8,
  "openshift-manual-aws": 40,
  "openshift-manual-azure": 72,
  "openshift-manual-google": 48,
  rke2: 8,
  talos: 8,
  "three-clouds": 10,
};
const BY_HAND = 12;
const SAMPLE = 8;

const issuer = "https://oidc.example.com/c1";
const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const GAR = "europe-west1-docker.pkg.dev/acme-images";

interface HandWritten {
  /** What no artefact says. */
  readonly cluster: ClusterRecord;
  readonly pulls: readonly (readonly [serviceAccount: string, image: string])[];
}

/** What people write by hand, in `fixtures/explain/hand-written`. */
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
      issuer,
      kubelet: "1.35",
      apiServer: "1.35",
      plugins: { acr: { version: "1.36.5" } },
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
      issuer,
      kubelet: "1.34",
      apiServer: "1.34",
      plugins: { gcp: { version: "36.3.8", abilities: ["custom-pools"] } },
    },
    pulls: [
      ["shop/web", `${GAR}/shop/web:v1`],
      ["shop/tools", `${GAR}/tools/a/b`],
      ["shop/jobs", `${GAR}/batch-1/b`],
    ],
  },
};

/**
 * What is damaged. Not the record, which says what is asked for: damage.test.ts damages it. Not what Terraform and cdktf
 * say to each other.
 */
const READ = /\.tf\.json$|^(?:state\.json|cluster\.yaml|node\/.*)$|\/(?:manifests|nodes|pods|spokes)\//;
const NOT_READ =
  /^(?:\/\/|terraform|output)(?:\.|$)|\.(?:\/\/|depends_on|lifecycle|description|tags)(?:\.|$)/;

const TRUST = ["issuer-trusted", "audience-accepted", "subject-admitted"] as const;
const RIGHT = ["login-permitted", "repository-permitted", "permissions-granted", "spoke-authorizes"] as const;
const NAMED = ["identity-found", "identity-named"] as const;
const NODE = [
  "provider-matches-image",
  "provider-on-node",
  "annotations-present",
  "audience-granted",
] as const;
const CONTROLLER = [
  ...(["controller-present", "controller-configured", "identity-named", "token-mounted"] as const),
  ...(["plugin-present", "plugin-called"] as const),
] as const;
const PROFILE = ["profile-present", "profile-readable", "profile-well-formed", "provider-chosen"] as const;

/** The links that a value belongs to, by file and keys; the first row that fits counts. */
const LINKS: readonly (readonly [file: RegExp, keys: RegExp, links: readonly CheckId[]])[] = [
  [/\.tf\.json$/, /^locals(?:\.nodes_\w+)?$|^resource\.aws_(?:eks_node_group|launch_template)\./, [...NODE]],
  [/state\.json$/, /./, [...TRUST, ...RIGHT]],
  [/tf\.json$/, /\.(?:google_iam_workload_identity_pool|aws_iam_openid_connect_|azurerm_federated_)/, TRUST],
  [/tf\.json$/, /^resource\.aws_(?:cloudfront|s3)_/, ["issuer-trusted"]],
  [
    /tf\.json$/,
    /^(?:resource\.aws_ecr_|resource\.google_artifact_|data\.aws_partition)/,
    ["repository-permitted"],
  ],
  [/tf\.json$/, /^resource\.aws_eks_access_/, ["spoke-admits", "spoke-authorizes"]],
  [/tf\.json$/, /^resource\.aws_iam_role\.[^.]+\.(?:managed|inline|permissions)_/, RIGHT],
  [/tf\.json$/, /^resource\.(?:aws_iam_role|azurerm_user_assigned_identity)(?:\.|$)/, [...TRUST, ...NAMED]],
  [/tf\.json$/, /^data\.aws_iam_policy_document\.trust/, TRUST],
  [/tf\.json$/, /^(?:data|resource)\.aws_iam_(?:role_)?policy/, RIGHT],
  [/tf\.json$/, /^resource\.(?:azurerm_role_|google_project_iam_)/, [...RIGHT, "spoke-admits"]],
  [/tf\.json$/, /^resource\.google_service_account_iam_/, ["subject-admitted"]],
  [/tf\.json$/, /^resource\.google_service_account/, NAMED],
  [/tf\.json$/, /^(?:provider|variable|locals|data|resource)(?:\.|$)/, [...TRUST, ...RIGHT, ...NAMED]],
  [/10-token-audience\.yaml$/, /./, ["audience-granted"]],
  [
    /20-service-accounts\.yaml$/,
    /./,
    ["service-account-present", "account-present", "annotations-present", "issuer-trusted"],
  ],
  [/30-cloud-credentials\.yaml$/, /./, ["account-annotated", "token-mounted", "identity-named"]],
  [/\/(?:40|50)-.*\.yaml$|\/nodes\/|^node\//, /./, NODE],
  [/\/6[01]-cluster-profile.*\.yaml$/, /./, PROFILE],
  [/65-fleet-controller\.yaml$/, /./, [...CONTROLLER, ...PROFILE, "audience-accepted"]],
  [/70-.*\.yaml$/, /./, []],
  [/\/pods\//, /./, ["pods-configured"]],
  [/-credentials\.yaml$/, /./, ["secret-present", "secret-well-formed"]],
  [/cluster-authentication-02-config\.yaml$/, /./, ["issuer-configured", "issuer-trusted"]],
  [/azure-ad-pod-identity-webhook-config\.yaml$/, /./, []],
  [/\/spokes\//, /./, ["spoke-authorizes", "issuer-trusted"]],
  [
    /^cluster\.yaml$/,
    /./,
    ["audience-granted", "service-account-present", "annotations-present", "issuer-trusted"],
  ],
];

const byHand = (name: string): Artefacts =>
  filesOf(join(__dirname, "../fixtures/explain/hand-written", name));

/** What is said of artefacts, by subject and target: `allowed`, or the link that is open. */
interface Said {
  readonly explainer: Explainer | undefined;
  /** Empty where the artefacts are refused. */
  readonly open: ReadonlyMap<string, string>;
}

function said(folder: string, { cluster, pulls }: HandWritten): Said {
  try {
    const explainer = Explainer.read([folder], { cluster });
    const asked = pulls.flatMap(([serviceAccount, image]) => [...explainer.pulls({ serviceAccount, image })]);
    const open = [...explainer.all(), ...asked].map((each) => {
      const link = each.verdict === "allowed" ? each.verdict : openLinks(each)[0]?.id;
      return [`${each.job} ${each.subject} ${each.target}`, link ?? "none"] as const;
    });
    return { explainer, open: new Map(open) };
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return { explainer: undefined, open: new Map() };
  }
}

/** A resource, and what makes an object one of Kubernetes: all are tried without. */
const WHOLE = /^resource\.[^.]+\.[^.]+$|^kind$/;

function isChosen(place: Place, damage: Damage, ofAll: number): boolean {
  const isWhole = damage === "gone" && WHOLE.test(place.keys.join("."));
  return isSampled(`${damage} ${shownPlace(place)}`, SAMPLE, isWhole ? 1 : ofAll);
}

function linksOf({ file, keys }: Place): readonly string[] {
  const path = keys.join(".");
  return (
    LINKS.find(([ofFile, ofKeys]) => ofFile.test(file) && ofKeys.test(path))?.[2] ?? ["a row of the table"]
  );
}

/** What is wrong after one damage. */
function* faults(place: Place, damage: Damage, before: Said, after: Said): Generator<string> {
  const what = `${damage}: ${shownPlace(place)}`;
  const lost = [...before.open].filter(
    ([name, link]) => link === "allowed" && after.open.get(name) !== "allowed",
  );
  // What else a state holds is most of it.
  if (lost.length === 0 && place.file !== "state.json" && !isHarmless(place, damage))
    yield `${what}: still allowed`;
  const links = linksOf(place);
  for (const [name] of lost) {
    const link = after.open.get(name);
    if (link !== undefined && !links.includes(link))
      yield `${what}: open at ${link}, not at ${links.join(", ")}`;
  }
}

/** The damages, and what is wrong after them. */
function faultsOf(artefacts: Artefacts, ofAll: number, hand: HandWritten): readonly string[] {
  const example = new Damaged(
    artefacts,
    (file) => READ.test(file),
    (folder) => said(folder, hand),
  );
  expect([...example.intact.open.values()].filter((link) => link !== "allowed")).toEqual([]);
  const found: string[] = [];
  for (const place of example.places.filter(({ keys }) => !NOT_READ.test(keys.join("."))))
    for (const damage of damages) {
      if (!isChosen(place, damage, ofAll)) continue;
      const after = example.after(place, damage);
      if (after) found.push(...faults(place, damage, example.intact, after));
      // Compare does not say yet that a state no longer shows what a chain needs.
      if (after && hand.pulls.length > 0 && place.file !== "state.json")
        found.push(...unsaid(shownPlace(place), example.intact, after));
    }
  return found;
}

/** What is no longer allowed although a comparison finds no difference. */
function unsaid(what: string, before: Said, after: Said): readonly string[] {
  const isLost = [...before.open].some(
    ([name]) => after.open.has(name) && after.open.get(name) !== "allowed",
  );
  if (!before.explainer || !after.explainer || !isLost) return [];
  const { changes } = comparison(before.explainer, after.explainer);
  return changes.length === 0 ? [`${what}: compare says nothing`] : [];
}

describe("what a damage leaves allowed, and which link it opens", () => {
  it.each(Object.entries(EXAMPLES))(`%s${sampleNote(SAMPLE)}`, { timeout: 120_000 }, (name, ofAll) => {
    const artefacts = synthesized(name as ExampleName);
    expect(faultsOf(artefacts, ofAll, { cluster: {}, pulls: [] })).toEqual([]);
  });

  it.each(Object.entries(HAND_WRITTEN))(
    `%s by hand${sampleNote(SAMPLE)}`,
    { timeout: 120_000 },
    (name, hand) => {
      expect(faultsOf(byHand(name), BY_HAND, hand)).toEqual([]);
    },
  );
});

/** Reasons that no other test comes by: what is damaged, and what the link then says. */
it.each<[CheckId, Artefacts, file: string, pattern: RegExp, instead: string, reason: string]>([
  [
    "provider-matches-image",
    synthesized("rke2"),
    "workload-identity.json",
    /[^"]+\/base\/\*/,
    "111122223333.DKR.ECR.EU-WEST-1.AMAZONAWS.COM/BASE/*",
    "covers too many images to try whether each of them matches",
  ],
  [
    "login-permitted",
    synthesized("rke2"),
    "workload-identity.json",
    /[^"]+\/base\/\*/,
    "111122223333.DKR.ECR.EU-WEST-1.AMAZONAWS.COM/BASE/*",
    "is not an ECR host name, so the registry's account and region are not known",
  ],
  [
    "issuer-trusted",
    synthesized("openshift-manual-aws"),
    "cdk.tf.json",
    /(?<="aws_s3_bucket_policy"[^]*?"policy": )"(?:[^"\\]|\\.)*"/,
    "[]",
    "the bucket policy is not the one that IssuerBucket writes",
  ],
  [
    "repository-permitted",
    byHand("aws"),
    "terraform.tf.json",
    /(?<="locals"[^]*?"registry": )"[^"]*"/,
    "[]",
    "<a list, an object or nothing where a string is expected>",
  ],
])("%s is unknown where a value has another form", (id, artefacts, file, pattern, instead, reason) => {
  const [path = "", text = ""] = [...artefacts].find(([each]) => each.endsWith(file)) ?? [];
  const { cluster, pulls } =
    file === "terraform.tf.json" ? (HAND_WRITTEN["aws"] as HandWritten) : { cluster: {}, pulls: [] };
  const folder = folderOf(new Map([...artefacts, [path, text.replace(pattern, instead)]]));
  const explainer = Explainer.read([folder], { cluster });
  const asked = pulls.flatMap(([serviceAccount, image]) => [...explainer.pulls({ serviceAccount, image })]);
  const checks = [...explainer.all(), ...asked].flatMap((each) => [...each.checks]);
  const reasons = checks
    .filter((each) => each.id === id && each.status === "unknown")
    .map((each) => each.reason);
  expect(reasons).toContainEqual(expect.stringContaining(reason));
});
