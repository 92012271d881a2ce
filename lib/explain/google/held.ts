/*
 * What a member was granted, in a form that allows two readings to be compared: a custom role is listed permission by
 * permission, since its name tells nothing.
 */

import { type Known, isKnown, orElse, shown } from "../../model/known";
import { powerOfRole } from "../../rules/google/powers";
import { at, list, record, texts } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import type { Granted, HeldRight } from "../cloud";
import type { Terraform } from "../read/terraform";
import { ACCOUNT, targetText } from "./grants";
import type { GrantTo, Iam } from "./iam";
import { memberKeys } from "./members";

export function heldGrant({ grant, isTo, owner }: GrantTo, iam: Iam): readonly HeldRight[] {
  const { role, on, condition, resource } = grant;
  const under = condition === undefined ? "" : shown(condition.text);
  const place =
    on.kind === "project" || on.project === undefined
      ? targetText(on)
      : `${targetText(on)} of ${shown(on.project)}`;
  const located = on.location === undefined ? place : `${place} in ${shown(on.location)}`;
  const isSure = isTo === "yes" && owner === undefined;
  const custom = iam.role(role);
  const permissions = custom && orElse(custom.permissions, () => undefined);
  const isOn = custom === undefined || custom.isOff === "no";
  const whats = permissions ? permissions.map(shown) : [shown(role)];
  return whats.map((what) => ({
    text: `${isSure && isOn ? "" : "perhaps "}${what} on ${located}${under === "" ? "" : ` under ${under}`}`,
    limits: !isSure || !isOn,
    ofOne: on.kind === ACCOUNT,
    power: powerOfRole(what),
    source: resource.source,
  }));
}

/** What deny policies deny, to each principal that they name. */
export function deniedBy(terraform: Terraform): readonly Granted[] {
  const all = terraform.ofType("google_iam_deny_policy").filter(({ adopted }) => !adopted);
  return all.flatMap((resource) => {
    const rules = plainOf(resource.evaluate(resource.written(["rules"])), shown);
    const denying = list(rules).flatMap((rule) => at(rule, "deny_rule"));
    return denying.flatMap((rule) => {
      const { denied_principals, denied_permissions, ...but } = record(rule);
      const under = Object.values(but).flat().length === 0 ? "" : JSON.stringify(but);
      const on = shown(resource.stated("parent"));
      const rights = texts(denied_permissions).map((action): HeldRight => ({
        text: `Deny ${action} on ${on}${under === "" ? "" : ` but ${under}`}`,
        covers: { action, on, under },
        takes: "denial",
        power: powerOfRole(action),
        source: resource.source,
      }));
      return texts(denied_principals).map((to) => ({ to, isHeld: false, isOwn: true, rights: () => rights }));
    });
  });
}

/**
 * What each member was granted; service accounts are named by e-mail address. A member that contains one of the texts,
 * or a reference, is declared by the files that were read.
 */
export function grantedTo(iam: Iam, texts: readonly string[]): readonly Granted[] {
  const all = iam.grants.flatMap(({ members }) => orElse(members, () => []));
  const members = new Map(all.map((each) => [shown(each), each]));
  const unread = iam.grants.flatMap((grant, number): readonly Granted[] => {
    if (isKnown(grant.members)) return [];
    const rights = (): readonly HeldRight[] =>
      heldGrant({ number, grant, isTo: "unknown", owner: undefined }, iam);
    return [{ to: "members that are not known", isHeld: false, isOwn: false, rights }];
  });
  const named = [...members].map(([text, member]): Granted => {
    const isMember = (other: Known<string>): "yes" | "no" => (shown(other) === text ? "yes" : "no");
    const bearer = { label: text, isMember, keys: memberKeys(member) };
    const rights = (): readonly HeldRight[] =>
      iam
        .to(bearer)
        .filter(({ grant }) => isKnown(grant.members))
        .flatMap((each) => heldGrant(each, iam));
    const isOwn = texts.some((each) => text.includes(each)) || text.includes("<");
    return { to: text.replace(/^serviceAccount:/, ""), isHeld: true, isOwn, rights };
  });
  return [...named, ...unread];
}
