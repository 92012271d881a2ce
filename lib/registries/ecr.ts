/*
 * Amazon ECR. Source: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider; flags were tested with programs built
 * from the tags 1.34.1 and 1.36.0 (1.37.1 has the same sources).
 */

import type { AbilityRow, Plugin } from "../model/plugin";
import { NEWEST_KUBERNETES } from "../rules/kubelet/feature-gates";

/** Rows for a change that was backported: absent before the first minor, and in each minor from its patch level on. */
export function backported(
  releases: readonly string[],
  before: string,
  since: string,
): readonly AbilityRow[] {
  const rows = releases.flatMap((from): readonly AbilityRow[] => [
    { from: from.replace(/\.\d+$/, ".0"), outcome: "no", reason: before },
    { from, outcome: "yes", reason: since },
  ]);
  return [{ from: "0.0", outcome: "no", reason: before }, ...rows];
}

/** The plugin for ECR. */
export const ecr: Plugin<readonly [role: string]> = {
  executable: "ecr-credential-provider",
  executables: /^ecr-credential-provider(?![a-z0-9])/,
  annotations: ["eks.amazonaws.com/ecr-role-arn"],
  newest: NEWEST_KUBERNETES,
  abilities: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v1.34.0 it ignores the token and silently uses the node identity",
      },
      { from: "1.34.0", outcome: "yes", reason: "since v1.34.0 (cloud-provider-aws PR 1155)" },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "no", reason: "before v1.35.0 a token without role ARN is an error" },
      {
        from: "1.35.0",
        outcome: "yes",
        reason: "since v1.35.0 it falls back (cloud-provider-aws PR 1281)",
      },
    ],
    "eusc-hosts": backported(
      ["1.30.10", "1.31.9", "1.32.6", "1.33.3", "1.34.2"],
      "it does not know amazonaws.eu hosts and finds no region in them",
      "since v1.34.2 and v1.35.0, and the last patch levels before",
    ),
  },
  registries: [
    ...[
      "amazonaws.com",
      "amazonaws.com.cn",
      "amazonaws.eu",
      "c2s.ic.gov",
      "sc2s.sgov.gov",
      "cloud.adc-e.uk",
      "csp.hci.ic.gov",
    ].flatMap((suffix) => [`*.dkr.ecr.*.${suffix}`, `*.dkr.ecr-fips.*.${suffix}`]),
    ...["on.aws", "on.amazonwebservices.com.cn"].flatMap((suffix) => [
      `*.dkr-ecr.*.${suffix}`,
      `*.dkr-ecr-fips.*.${suffix}`,
    ]),
    "public.ecr.aws",
    "ecr-public.aws.com",
  ],
  flags: { short: { h: "help", v: "version" }, kinds: { help: "print", version: "print" } },
  // Source: cmd/ecr-credential-provider/main.go (buildCredentialsProvider).
  unannotatedEnv: {
    AWS_ECR_ROLE_ARN:
      "the plugin reads it only for service accounts without annotation, for which the kubelet does not use this entry",
  },
};
