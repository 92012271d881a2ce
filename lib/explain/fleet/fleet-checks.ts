import { audienceAccepted } from "../checks/audience-accepted";
import { issuerTrusted } from "../checks/issuer-trusted";
import { subjectAdmitted } from "../checks/subject-admitted";
import { controllerConfigured } from "./checks/controller-configured";
import { controllerPresent } from "./checks/controller-present";
import { identityNamed } from "./checks/identity-named";
import { pluginCalled } from "./checks/plugin-called";
import { pluginPresent } from "./checks/plugin-present";
import { profilePresent } from "./checks/profile-present";
import { profileReadable } from "./checks/profile-readable";
import { profileWellFormed } from "./checks/profile-well-formed";
import { providerChosen } from "./checks/provider-chosen";
import { secretFree } from "./checks/secret-free";
import { spokeAdmits } from "./checks/spoke-admits";
import { spokeAuthorizes } from "./checks/spoke-authorizes";
import { tokenMounted } from "./checks/token-mounted";
import type { FleetCheck } from "./fleet-context";

/** The sixteen links of a controller's way into a spoke, in the order in which it comes to them. */
export const fleetChecks: readonly FleetCheck[] = [
  controllerPresent,
  controllerConfigured,
  profilePresent,
  profileReadable,
  profileWellFormed,
  providerChosen,
  secretFree,
  pluginPresent,
  pluginCalled,
  identityNamed,
  tokenMounted,
  issuerTrusted,
  audienceAccepted,
  subjectAdmitted,
  spokeAdmits,
  spokeAuthorizes,
];
