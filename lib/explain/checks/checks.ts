import { annotationsPresent } from "./annotations-present";
import { audienceAccepted } from "./audience-accepted";
import { audienceGranted } from "./audience-granted";
import type { PullCheck } from "./check";
import { imageParses } from "./image-parses";
import { issuerTrusted } from "./issuer-trusted";
import { loginPermitted } from "./login-permitted";
import { otherwise } from "./otherwise";
import { providerMatchesImage } from "./provider-matches-image";
import { providerOnNode } from "./provider-on-node";
import { repositoryPermitted } from "./repository-permitted";
import { serviceAccountPresent } from "./service-account-present";
import { serviceAccountReadable } from "./service-account-readable";
import { subjectAdmitted } from "./subject-admitted";

/** What is asked once per image and pool of nodes. */
export const nodeChecks: readonly PullCheck[] = [imageParses, providerMatchesImage, providerOnNode];

/** What is asked once per service account and entry. */
export const accountChecks: readonly PullCheck[] = [
  serviceAccountPresent,
  serviceAccountReadable,
  annotationsPresent,
  audienceGranted,
  issuerTrusted,
  audienceAccepted,
  subjectAdmitted,
];

/** What is asked once per identity's permissions and repository. */
export const permissionChecks: readonly PullCheck[] = [loginPermitted, repositoryPermitted];

/** All links in pull order, and what happens otherwise. */
export const pullChecks: readonly PullCheck[] = [
  ...nodeChecks,
  ...accountChecks,
  ...permissionChecks,
  otherwise,
];
