/*
 * What the pod identity webhook would add to a pod, for clusters that do not run it. Source:
 * aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go; the SDKs' settings reference for the variables.
 */

import { Duration } from "../../model/duration";
import type { PodFragment } from "../../model/workloads";

/** Whose credentials the pod gets. */
export interface PodTokenProps {
  /** ARN of the role; may be late. */
  readonly roleArn: string;
  /** Audience of the token. */
  readonly audience: string;
  /**
   * Region of the STS that is asked.
   *
   * @defaultValue - what the container states itself
   */
  readonly region?: string;
}

// Not the webhook's own names: where it runs after all, both volumes can stand in one pod.
const VOLUME = "aws-token";
const DIRECTORY = "/var/run/secrets/workload-identity/aws";
const FILE = "token";
const LIFETIME = Duration.hours(1);

/** Variables, mount and volume that make SDKs and plugins take the service account's token to STS. */
export function podToken({ roleArn, audience, region }: PodTokenProps): PodFragment {
  const token = { audience, expirationSeconds: LIFETIME.totalSeconds, path: FILE };
  return {
    labels: {},
    env: [
      { name: "AWS_ROLE_ARN", value: roleArn },
      { name: "AWS_WEB_IDENTITY_TOKEN_FILE", value: `${DIRECTORY}/${FILE}` },
      { name: "AWS_STS_REGIONAL_ENDPOINTS", value: "regional" },
      ...(region === undefined ? [] : [{ name: "AWS_REGION", value: region }]),
    ],
    volumeMounts: [{ name: VOLUME, mountPath: DIRECTORY, readOnly: true }],
    volumes: [{ name: VOLUME, projected: { sources: [{ serviceAccountToken: token }] } }],
  };
}
