/*
 * What is known of identities, federated identity credentials and role assignments.
 */

import type { AzureCloudName } from "../../../rules/azure/clouds";
import type { Source } from "../../facts/source";
import type { RolePermissionsFact } from "./role-definitions";

/** A federated identity credential. */
export interface CredentialFact {
  /** The issuer. */
  readonly issuer: string;
  /** The subject. */
  readonly subject: string;
  /** The one audience. */
  readonly audience: string;
  /**
   * Why Azure refuses it, so that it is not there.
   *
   * @defaultValue - it does not
   */
  readonly problem?: string;
  /** Where it stands. */
  readonly source: Source;
}

/** A role assignment. */
export interface AssignmentFact {
  /** Name of the role; empty where only an id is known. */
  readonly role: string;
  /** Id of the role's definition, or a reference, in lower case; empty where it is named. */
  readonly definition: string;
  /** Resource id that it is made on, or a reference. */
  readonly scope: string;
  /** The condition; empty where there is none. */
  readonly condition: string;
  /**
   * What a custom role permits.
   *
   * @defaultValue - the role is built in, or not read
   */
  readonly permissions?: readonly RolePermissionsFact[] | undefined;
  /**
   * True where Azure refuses it, as the custom role may not be assigned there.
   *
   * @defaultValue - false, as far as is known
   */
  readonly isRefused?: boolean;
  /** Where it stands. */
  readonly source: Source;
}

/** A user-assigned identity, or an application with its service principal. */
export interface IdentityFact {
  /** Terraform address, for people. */
  readonly label: string;
  /**
   * True where not all of its assignments are known: it is only looked up, or one was read whose owner only apply tells.
   */
  readonly adopted: boolean;
  /** True where not all of its credentials are known, for the same reasons or as some have a form that is not read. */
  readonly hasOpenCredentials: boolean;
  /**
   * Its tenant, late where only apply tells it.
   *
   * @defaultValue - not known
   */
  readonly tenant?: string;
  /**
   * The cloud that it is of.
   *
   * @defaultValue - not known
   */
  readonly cloud?: AzureCloudName | undefined;
  /** Its credentials. */
  readonly credentials: readonly CredentialFact[];
  /**
   * Why Azure refuses some of its credentials, nobody knows which.
   *
   * @defaultValue - it takes all
   */
  readonly credentialDoubt?: string | undefined;
  /** Its role assignments, those of its groups among them. */
  readonly assignments: readonly AssignmentFact[];
  /** Role assignments that may be its own: of groups whose members are not read, or of a form that is not. */
  readonly possible: readonly AssignmentFact[];
  /** Where it stands. */
  readonly source: Source;
}
