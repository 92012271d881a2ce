import { Duration } from "../../lib/model/duration";
import type { ImageCredentialProvider } from "../../lib/model/image-credential-provider";

/** What pulls from ECR ask of the kubelet. */
export const ECR: ImageCredentialProvider = {
  plugin: "ecr",
  name: "ecr-credential-provider",
  matchImages: ["*.dkr.ecr.*.amazonaws.com"],
  defaultCacheDuration: Duration.hours(12),
  args: [],
  nodeIdentityArgs: [],
  env: [],
  audience: "sts.amazonaws.com",
  cacheType: "ServiceAccount",
  annotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
  needs: ["tokens"],
};
