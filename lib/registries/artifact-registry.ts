/*
 * Google's Artifact Registry. Source: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp; flags were tested with
 * programs built from the tags 36.2.5 and 36.3.8.
 */

import type { Plugin } from "../model/plugin";

export const gcp: Plugin<readonly [optIn: string]> = {
  executable: "auth-provider-gcp",
  executables: /^(?:auth-provider-gcp|gcp-credential-provider|gcr-credential-provider)(?![a-z0-9])/,
  annotations: ["iam.gke.io/enable-wi-image-pull"],
  newest: "36.3",
  abilities: {
    tokens: [
      {
        from: "0.0",
        outcome: "no",
        reason: "before v36.2.2 it ignores the token and uses the node's service account",
      },
      {
        from: "36.2.2",
        outcome: "unknown",
        reason: "v36.2.2 to v36.2.4 have it in one of the two tag series only",
      },
      {
        from: "36.2.5",
        outcome: "yes",
        reason: "since v36.2.5 (cloud-provider-gcp PR 1202), for GKE and fleet pools",
      },
    ],
    "custom-pools": [
      {
        from: "0.0",
        outcome: "no",
        reason:
          "the shipped plugin exchanges tokens only at the GKE or fleet pool <project>.svc.id.goog; a custom pool needs a build with --sts-audience (cloud-provider-gcp PR 1248)",
      },
    ],
    "unannotated-node-identity": [
      { from: "0.0", outcome: "yes", reason: "without its annotation it uses the node's service account" },
    ],
  },
  registries: ["container.cloud.google.com", "gcr.io", "*.gcr.io", "*.pkg.dev"],
  flags: {
    short: { a: "authFlow", h: "help", v: "v" },
    kinds: {
      // Only builds of cloud-provider-gcp pull request 1248 have `sts-audience`.
      help: "print",
      authFlow: "string",
      "identity-provider": "string",
      "project-id": "string",

      "sts-audience": "string",
      v: "level",
      log_dir: "string",
      log_file: "string",
      logtostderr: "bool",
      alsologtostderr: "bool",
      legacy_stderr_threshold_behavior: "bool",
      one_output: "bool",
      add_dir_header: "bool",
      skip_headers: "bool",
      skip_log_headers: "bool",
      vmodule: "unread",
      stderrthreshold: "unread",
      alsologtostderrthreshold: "unread",
      log_backtrace_at: "unread",
      log_file_max_size: "unread",
    },
  },
  unannotatedEnv: {},
  // Google's plugin returns the metadata server's token as it is. It may expire sooner: that server returns a token
  // until five minutes before its end. Source: cmd/auth-provider-gcp/provider/provider.go (getCacheDuration).
  answerDuration: "KUBE_SIDECAR_CACHE_DURATION",
};
