/*
 * Random damage to what a synth has written, one value at a time. A damage after which everything is still allowed is
 * either harmless by a rule of the table, or a wrong `allowed`.
 */

import { describe, expect, it } from "vitest";
import { type ExampleName, synthesized } from "../fixtures/explain/artefacts";
import { type Damage, Damaged, type Place, resultsOf, shownPlace } from "../support/damage";

/** Of each example; all of them together take some seconds. */
const DAMAGES_PER_EXAMPLE = 40;

const EXAMPLES: readonly ExampleName[] = [
  "aro-hcp",
  "fleet-argocd",
  "fleet-multikueue",
  "openshift-aws",
  "openshift-manual-aws",
  "openshift-manual-azure",
  "openshift-manual-google",
  "three-clouds",
];

const TERRAFORM = /cdk\.tf\.json$/;
const MANIFEST = /\/(?:manifests|nodes|pods|spokes)\//;

const KINDS: readonly Damage[] = ["gone", "another text", "not known", "of another type"];

/** What a damage may be without a wrong `allowed`: files, keys (an index is `*`), and why. */
const HARMLESS: readonly (readonly [file: RegExp, keys: RegExp, why: string])[] = [
  [TERRAFORM, /(^|\.)\/\/(\.|$)/, "cdktf's comments"],
  [TERRAFORM, /^terraform\b/, "versions and backend: `terraform init` refuses what is wrong"],
  [TERRAFORM, /^output\./, "bind refuses an output that is missing"],
  [TERRAFORM, /\.(?:depends_on|lifecycle)(\.|$)/, "order, and what is replaced with what"],
  [
    TERRAFORM,
    /\.(?:description|display_name|comment|title|tags|etag|cache_control|content_type)(\.|$)/,
    "for people and caches",
  ],
  [TERRAFORM, /^provider(\.|$)/, "what a provider's configuration leaves out, the environment says"],
  [
    TERRAFORM,
    /^resource\.(?:aws_iam_role_policy|azurerm_(?:federated_identity_credential|role_definition|user_assigned_identity)|aws_cloudfront_origin_access_control)\.[^.]+\.name$/,
    "a name that nothing else has as text",
  ],
  [
    TERRAFORM,
    /^resource\.[^.]+\.[^.]+\.(?:location|resource_group_name|region|type|account_tier|account_kind|account_replication_type)$/,
    "where a resource is, and of which kind: its provider refuses what does not fit",
  ],
  [
    TERRAFORM,
    /\.(?:principal_type|skip_service_principal_aad_check|condition_version)$/,
    "checked by Azure when the role is assigned",
  ],
  [
    TERRAFORM,
    /^resource\.(?:aws_s3_bucket_(?:server_side_encryption_configuration|ownership_controls)|azurerm_resource_group)\./,
    "not asked by anything that reads an issuer",
  ],
  [
    TERRAFORM,
    /^resource\.aws_cloudfront_distribution\.[^.]+\.(?:default_cache_behavior|viewer_certificate|restrictions|is_ipv6_enabled|price_class|http_version)(\.|$)/,
    "how documents are served, and not which",
  ],
  [
    TERRAFORM,
    /\.(?:content|source_content|jwks_json)$|^locals(\.|$)/,
    "no artefact says which keys are the cluster's: a text that is not known is not judged",
  ],
  [
    TERRAFORM,
    /^resource\.aws_s3_object\.\d\d-[^.]+\.(?:key|bucket)$/,
    "where rendered manifests are published for others to apply",
  ],
  [TERRAFORM, /\.attribute_condition$/, "without it more is let in"],
  [
    TERRAFORM,
    /\.allowed_audiences(\.\*)?$/,
    "Google then takes the pool provider's own name, which those tokens are for",
  ],
  [
    TERRAFORM,
    /\.assignable_scopes(\.|$)|\.azurerm_role_definition\.[^.]+\.scope$/,
    "Azure refuses an assignment elsewhere",
  ],
  [MANIFEST, /^(?:subjects\.\*|roleRef)\.apiGroup$/, "the API server fills it in"],
  [MANIFEST, /^metadata\.name$|^metadata\.labels(\.|$)/, "a name that nothing else has as text"],
  [
    /status\.yaml$/,
    /^status\.accessProviders\.\*\.cluster\.server$/,
    "no artefact says at which address a spoke is",
  ],
  [
    TERRAFORM,
    /^resource\.aws_s3_object\.\d\d-[^.]+$/,
    "published for others to apply, who see that it is gone",
  ],
  [MANIFEST, /displayName$|clusterManager/, "for people"],
  [MANIFEST, /^type$/, "Secrets are of any type"],
  [MANIFEST, /\.overwrite$|\.mode$/, "as the defaults"],
  [MANIFEST, /workload\.identity\/tenant-id$/, "the webhook has a tenant of its own"],
  [
    MANIFEST,
    /^spec\.template\.(?:metadata\.annotations|spec\.(?:volumes\.\*\.image\.reference|containers\.\*\.volumeMounts\.\*\.readOnly|.*expirationSeconds))/,
    "which image the plugin comes from, and for how long a token is valid, is the user's choice",
  ],
  [
    MANIFEST,
    /^(?:metadata|status\.accessProviders\.\*\.cluster\.certificate-authority-data)$/,
    "no artefact says which CA a server has",
  ],
  [/70-multi-kueue-clusters\.yaml$/, /./, "a warning says so"],
  [/50-node-pool-config\.yaml$/, /^metadata\.namespace$/, "no artefact says where NodePools are"],
  [/azure-ad-pod-identity-webhook-config\.yaml$/, /./, "no component needs the webhook"],
  [/prod-aws\/cdk\.tf\.json$/, /\.client_id_list\.\*$/, "components ask for the other one"],
  [/spokes\//, /^(?:files\.\*\.path|roleRef\.name)$/, "what it has to fit stands on the spoke"],
  [/nodes\//, /^kubeletFlags\.image-credential-provider-bin-dir$/, "where plugins are stands on the nodes"],
  [/65-fleet-controller\.yaml$/, /mountPath$/, "the flag with the path stands in the installation"],
  [/65-fleet-controller\.yaml$/, /^subjects\.\*\.namespace$/, "that of the binding, where none is stated"],
  [/61-cluster-profile-status\.yaml$/, /^spec$/, "an apply of the status takes the status alone"],
  [MANIFEST, /items$|readOnly$|compression$/, "as the defaults"],
  [
    TERRAFORM,
    /^(?:variable|output|data)(\.|$)|^resource\.[^.]+$/,
    "`terraform plan` refuses references to what is not there",
  ],
  [
    TERRAFORM,
    /\.project$|\.azurerm_role_assignment\.[^.]+\.condition$/,
    "the provider's own, and without a condition more is let in",
  ],
  [TERRAFORM, /\.attribute_mapping\.attribute\./, "attributes that no condition asks about"],
  [
    TERRAFORM,
    /\.(?:aws_s3_bucket_public_access_block|aws_cloudfront_origin_access_control|aws_cloudfront_distribution|aws_s3_bucket|azurerm_storage_container|azurerm_storage_account)\./,
    "its provider refuses what does not fit; who may read is judged by policies and access controls",
  ],
  [TERRAFORM, /\.access_scope(\.|$)/, "a narrower scope lets in as well"],
  [MANIFEST, /items\.\*$|stringData\.azure_region$/, "no item is every item; the region is for people"],
  [
    MANIFEST,
    /^spec\.template\.metadata$|expirationSeconds$/,
    "the installation has it; the API server refuses the pods aloud",
  ],
];

function isHarmless({ file, keys }: Place): boolean {
  const path = keys.map((key) => (typeof key === "number" ? "*" : key)).join(".");
  return HARMLESS.some(([ofFile, ofKeys]) => ofFile.test(file) && ofKeys.test(path));
}

/** Numbers from 0 to 1, the same each time. Source: "mulberry32", public domain. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
}

/** The verdicts in order. */
function verdictsOf(folder: string): string {
  const results = resultsOf([folder]);
  return typeof results === "string" ? results : results.map(({ verdict }) => verdict).join(" ");
}

describe.each(EXAMPLES)("%s", (name) => {
  it("is no longer allowed in every damaged form that matters", { timeout: 120_000 }, () => {
    const isDamaged = (file: string): boolean => TERRAFORM.test(file) || MANIFEST.test(file);
    const example = new Damaged(synthesized(name), isDamaged, verdictsOf);
    const numbers = random(4412);
    const survivors: string[] = [];
    for (let done = 0; done < DAMAGES_PER_EXAMPLE;) {
      const place = example.places[Math.floor(numbers.next().value * example.places.length)];
      const kind = KINDS[Math.floor(numbers.next().value * KINDS.length)];
      if (!place || !kind) continue;
      const after = example.after(place, kind);
      if (after === undefined) continue;
      done++;
      if (after === example.intact && !isHarmless(place)) survivors.push(`${kind}: ${shownPlace(place)}`);
    }
    expect(survivors).toEqual([]);
  });
});
