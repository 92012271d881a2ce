/*
 * What is applied on the spokes: their RBAC, and how their API servers take the hub's tokens.
 */

import type { Known } from "../../model/known";
import type { Source } from "./source";

/** One entry of `jwt` of an AuthenticationConfiguration. */
export interface AuthenticatorFact {
  /** `issuer.url`. */
  readonly issuer: Known<string>;
  /** `issuer.discoveryURL`; `undefined` where the documents stand at the issuer. */
  readonly discoveryUrl: Known<string | undefined>;
  /** `issuer.audiences`. */
  readonly audiences: Known<readonly Known<string>[]>;
  /** What stands before the claim in the user's name; `undefined` where an expression makes the name. */
  readonly prefix: Known<string | undefined>;
  /** The claim that the user's name is made of; `undefined` for an expression. */
  readonly claim: Known<string | undefined>;
  /** The expression that makes the user's name; `undefined` for a claim. */
  readonly expression: Known<string | undefined>;
  /** True where claims make the user's groups. */
  readonly hasGroups: boolean;
  /** Expressions that must hold for the claims or the user. */
  readonly rules: readonly Known<string>[];
  /** Where it stands. */
  readonly source: Source;
}

/** A role that stands among a spoke's objects. */
export interface RoleRules {
  /** `ClusterRole deployer`, or `Role shop/deployer`. */
  readonly key: string;
  /** True where it gives nothing: no rules, and none that are put together from other roles. */
  readonly isEmpty: boolean;
  /** Names of the users whom it lets act as; "any" for all. */
  readonly impersonates: readonly Known<string>[] | "any";
}

/** A user or group that a binding names, with what the binding refers to. */
export interface BoundName {
  /** `User`, `Group` or `ServiceAccount`. */
  readonly kind: string;
  /** Its name; of a service account `namespace/name`. */
  readonly name: Known<string>;
  /** The role, `ClusterRole cluster-admin`. */
  readonly role: string;
  /** What the role says; `undefined` where it does not stand among the spoke's objects. */
  readonly rules: RoleRules | undefined;
  /** Where the binding stands. */
  readonly source: Source;
}

/** What is wrong with an AuthenticationConfiguration. */
export interface RefusedConfiguration {
  /** The end of a sentence. */
  readonly problem: string;
  /** Where it stands. */
  readonly source: Source;
}

/** One spoke, as far as its own objects were read. */
export interface SpokeFact {
  /** Users and groups that its bindings name. */
  readonly bound: readonly BoundName[];
  /** Whose tokens its API servers take. */
  readonly authenticators: readonly AuthenticatorFact[];
  /** Why its API servers do not start with such a configuration. */
  readonly refused: readonly RefusedConfiguration[];
  /** True where all of its objects were written by who recorded them; false where others may have been left out. */
  readonly isWhole: boolean;
}

/** The spokes' own objects; read when they are asked for. */
export interface SpokeFacts {
  /**
   * The objects of a spoke: those that are recorded as its own, and those whose file or folder has its name. Others may
   * be of any cluster, and say nothing of this one.
   */
  of(spoke: string): SpokeFact;
}
