/*
 * Whom the Principal of a statement covers: an OIDC provider, a role, or someone outside IAM.
 * Source: "AWS JSON policy elements: Principal" and "… NotPrincipal" in the IAM user guide.
 */

import {
  type Known,
  known,
  match,
  anyOf,
  orElse,
  same,
  shown,
  whether,
  whyNot,
  whyText,
} from "../../../model/known";
import { type Tree, type TreeValue, entriesOf, isTreeObject, listAt, textAt } from "../../../model/tree";
import { readArnOf } from "../arn";
import { Match, YES, any, cannotTell, no, not, quoted } from "./match";
import type { Statement } from "./document";

const TYPES: readonly string[] = ["AWS", "CanonicalUser", "Federated", "Service"];

interface Named {
  /** `AWS`, `Federated` …; `*` for the plain star. */
  readonly type: string;
  readonly name: Known<string>;
}

/** The principals of an element; what is not known of them as a match. */
function namesOf(principal: Tree): readonly Named[] | Match {
  return match<TreeValue, readonly Named[] | Match>(
    principal,
    (value) => {
      if (value === "*") return [{ type: "*", name: known("*") }];
      if (!isTreeObject(value)) return cannotTell(() => "its Principal is neither * nor an object");
      const names: Named[] = [];
      for (const [key, principals] of entriesOf(value)) {
        const type = orElse(key, () => undefined);
        if (type === undefined || !TYPES.includes(type))
          return cannotTell(
            () => `its Principal is of the kind ${quoted(shown(key))}, which AWS does not define`,
          );
        for (const name of orElse(listAt(principals), () => [principals]).map(textAt))
          names.push({ type, name });
      }
      return names;
    },
    (why) => cannotTell(() => `its Principal is known only after apply: ${whyText(why)}`),
  );
}

function late(name: Known<string>): boolean {
  return whether(name, (text) => text.includes("{")) !== "no";
}

const LATE = cannotTell(() => "its Principal contains a Terraform reference that is known only after apply");
const OTHER = no(() => "another principal");

export function coversProvider({ principal }: Statement, providerArn: Known<string>): Match {
  if (!principal) return cannotTell(() => "it has no Principal, which AWS refuses in a trust policy");
  if (principal.negated) return cannotTell(() => "it has NotPrincipal, which AWS refuses in a trust policy");
  const names = namesOf(principal.value);
  if (names instanceof Match) return names;
  return any(
    names.map((each) => providerNamed(each, providerArn)),
    () => `its Principal is not the OIDC provider ${quoted(shown(providerArn))}`,
  );
}

/** By the guide, "*" and {"AWS": "*"} both mean everybody; it does not mention web identities among them. */
function providerNamed({ type, name }: Named, providerArn: Known<string>): Match {
  const text = orElse(name, () => undefined);
  if (text === "*" && type !== "Service" && type !== "CanonicalUser")
    return cannotTell(() =>
      type === "Federated"
        ? "its Principal is Federated *, and AWS does not say whom that admits"
        : "its Principal is everybody, and AWS does not say whether that includes web identities",
    );
  if (whyNot(name)?.kind === "malformed")
    return cannotTell(() => `its Principal ${quoted(type)} is neither a string nor a list of strings`);
  // Other AWS principals are never web identities.
  if (type !== "Federated") return late(name) ? LATE : OTHER;
  const isProvider = same(name, providerArn);
  if (isProvider === "yes") return YES;
  return isProvider === "unknown" || late(name) ? LATE : OTHER;
}

interface AskingRole {
  readonly arn: Known<string>;
  readonly account: Known<string>;
  readonly root: Known<string>;
}

/** Compares a Principal with a role, where naming the role's account covers the role. */
export function coversRole({ effect, principal }: Statement, role: AskingRole): Match {
  if (!principal) return NO_PRINCIPAL;
  const covered = roleCovered(principal.value, role, [role.account, role.root, role.arn]);
  if (!principal.negated) return covered;
  // "AWS JSON policy elements: NotPrincipal": only for Deny, and to except a role its sessions must be named too.
  if (orElse(effect, () => "Allow") === "Allow")
    return cannotTell(() => "it has NotPrincipal, which AWS does not support with Allow");
  if (covered.holds === "no") return YES;
  return covered.holds === "unknown"
    ? covered
    : cannotTell(
        () =>
          "it excepts this role or its account, but it is unknown whether that excepts the role's sessions",
      );
}

const NO_PRINCIPAL = cannotTell(() => "it has no Principal, which AWS refuses in a resource's policy");

/** Compares a Principal with the role itself; within one account such a grant needs no identity policy. */
export function namesRole(statement: Statement, role: AskingRole): Match {
  const covered = coversRole(statement, role);
  const { principal } = statement;
  if (covered.holds !== "yes" || !principal) return covered;
  const names = namesOf(principal.value);
  const isForAll =
    names instanceof Match || names.some(({ type, name }) => isStar(name) && ["*", "AWS"].includes(type));
  if (principal.negated || isForAll)
    return cannotTell(() => "it admits everybody, which need not be a grant to the role itself");
  return roleCovered(principal.value, role, [role.arn]);
}

function isStar(name: Known<string>): boolean {
  return orElse(name, () => undefined) === "*";
}

function roleCovered(principal: Tree, role: AskingRole, arns: readonly Known<string>[]): Match {
  const names = namesOf(principal);
  if (names instanceof Match) return names;
  return any(
    names.flatMap(({ type, name }) => {
      if (type !== "AWS" && type !== "*") return [];
      if (isStar(name)) return [YES];
      const text = orElse(name, () => "");
      if (readArnOf(text, "sts", "assumed-role/"))
        return [cannotTell(() => "its Principal is a session, but the session's name is unknown")];
      const isNamed = anyOf(arns.map((each) => same(each, name)));
      if (isNamed === "yes") return [YES];
      return [isNamed === "unknown" || late(name) ? LATE : OTHER];
    }),
    () => `its Principal is not the role ${quoted(shown(role.arn))}`,
  );
}

export function coversOutsider({ principal }: Statement, service: string): Match {
  if (!principal) return NO_PRINCIPAL;
  const names = namesOf(principal.value);
  if (names instanceof Match) return names;
  const covered = any(
    names.flatMap(({ type, name }) => {
      if (type === "*") return [YES];
      const asks = type === "AWS" ? "*" : service;
      if (!["AWS", "Service"].includes(type)) return [];
      if (late(name)) return [LATE];
      return [orElse(name, () => "") === asks ? YES : OTHER];
    }),
    () => `its Principal is not ${service}`,
  );
  return principal.negated ? not(covered, () => "it excepts the caller") : covered;
}
