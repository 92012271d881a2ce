/*
 * What a policy consists of, ready for evaluation.
 * Source: "Grammar of the IAM JSON policy language" in the IAM user guide.
 */

import { type Known, known } from "../../../model/known";
import type { Tree } from "../../../model/tree";

/** Whose policy it is: it states what a role may do, who may assume it, or what others may do with a resource. */
export type PolicyKind = "identity" | "trust" | "resource";

export interface Selection {
  readonly values: readonly Known<string>[];
  /** True for the `Not…` form. */
  readonly negated: boolean;
}

export interface Condition {
  /** The operator as written, `StringEquals`. */
  readonly operator: string;
  readonly key: Known<string>;
  readonly values: readonly Known<string>[];
}

export interface Statement {
  /** `Sid`, or the position from 1, for people. */
  readonly label: string;
  /** `Sid`; `undefined` if there is none. */
  readonly sid: Known<string | undefined>;
  readonly effect: Known<"Allow" | "Deny">;
  /** The value of Principal or NotPrincipal; `undefined` if there is neither. */
  readonly principal: { readonly value: Tree; readonly negated: boolean } | undefined;
  readonly actions: Selection;
  /** Resource or NotResource; `undefined` if there is neither. */
  readonly resources: Selection | undefined;
  readonly conditions: Known<readonly Condition[]>;
  /** True where `${…}` in values is a policy variable (language version 2012-10-17). */
  readonly variables: boolean;
}

export interface UnreadStatement {
  readonly unread: string;
}

export type Policy =
  | { readonly kind: "read"; readonly statements: readonly (Statement | UnreadStatement)[] }
  | {
      /** IAM refuses the policy, so it does not exist. */
      readonly kind: "refused";
      /** What is wrong, a clause: "statement 1 has a Principal". */
      readonly why: string;
    }
  | {
      /** The policy may contain anything. */
      readonly kind: "unread";
      readonly why: string;
    };

const EVERYTHING: Selection = { values: [known("*")], negated: false };

function everything(effect: "Allow" | "Deny"): Policy {
  const statement = {
    label: "1",
    sid: known(undefined),
    effect: known(effect),
    principal: undefined,
    actions: EVERYTHING,
    resources: EVERYTHING,
    conditions: known([]),
    variables: true,
  };
  return { kind: "read", statements: [statement] };
}

export const allowingEverything: Policy = everything("Allow");

export const denyingEverything: Policy = everything("Deny");
