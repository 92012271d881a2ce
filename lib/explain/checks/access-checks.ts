import { accountAnnotated } from "./account-annotated";
import { accountPresent } from "./account-present";
import type { AccessCheck } from "./access-check";
import { audienceAccepted } from "./audience-accepted";
import { identityFound } from "./identity-found";
import { issuerConfigured } from "./issuer-configured";
import { issuerTrusted } from "./issuer-trusted";
import { permissionsGranted } from "./permissions-granted";
import { podsConfigured } from "./pods-configured";
import { secretPresent } from "./secret-present";
import { secretWellFormed } from "./secret-well-formed";
import { subjectAdmitted } from "./subject-admitted";

/** Jobs other than pulling images. */
export type AccessJob = "component" | "workload";

/** What follows once somebody is named to act as. */
const CLOUD: readonly AccessCheck[] = [issuerTrusted, audienceAccepted, subjectAdmitted, permissionsGranted];

/** The links of each job, in order. */
export const accessChecks: Readonly<Record<AccessJob, readonly AccessCheck[]>> = {
  component: [secretPresent, secretWellFormed, identityFound, issuerConfigured, ...CLOUD],
  workload: [accountPresent, accountAnnotated, podsConfigured, identityFound, ...CLOUD],
};
