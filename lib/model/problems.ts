/*
 * Problems with values that all jobs share: names, issuers, audiences, subjects, versions, node files.
 */

import type { Problem } from "../errors";

export function issuerClusterInternal(value: string, who: string): Problem {
  return {
    problem: `issuer is a host inside the cluster or a private network, so ${who} cannot fetch its keys`,
    value,
    allowed: "a public host that serves /.well-known/openid-configuration and the keys",
    remedy:
      "publish the discovery document and the keys at a public URL, set kube-apiserver's issuer to that URL, and pass it here",
  };
}

export function propertyMissing(property: string, allowed: string, form?: string): Problem {
  return {
    problem: `${property} is missing`,
    allowed,
    remedy: form === undefined ? "state it" : `state it as in \`${form}\``,
  };
}

export function propertyInvalid(
  property: string,
  given: string,
  allowed: string,
  remedy: string = "correct the value",
): Problem {
  return {
    problem: `${property} is ${given}`,
    allowed,
    remedy,
  };
}

export function audienceMismatch(
  part: string,
  value: string,
  expected: string,
  remedy = "use one audience in the credential provider, the RBAC grant and the cloud's trust",
): Problem {
  return {
    problem: `the audience of ${part} differs from the rest of the chain`,
    value,
    allowed: expected,
    remedy,
  };
}

export function versionUnsupported(what: string, value: string, known: string, why: string): Problem {
  return {
    problem: `${what} cannot do this: ${why}`,
    value,
    allowed: known,
    remedy: "upgrade, or remove these nodes from this configuration",
  };
}

export function versionUnknown(what: string, value: string, known: string): Problem {
  return {
    problem: `this release of the library does not know the rules of ${what}`,
    value,
    allowed: known,
    remedy:
      "use a newer release of the library, or read the release notes and state the newest known version",
  };
}

export function nodeFileInvalid(path: unknown, reason: string): Problem {
  return {
    problem: `node file ${reason}`,
    value: path,
    allowed: "an absolute, clean path, a mode from 0o000 to 0o777, and a text as content",
    remedy: "correct the path, the mode or the content",
  };
}

export function lateValue(property: string): Problem {
  return {
    problem: `${property} is known only after Terraform apply, but is needed while synthesizing`,
    allowed: "a literal value",
    remedy: "write the literal value, for example from configuration, instead of an attribute of a resource",
  };
}

export function nameChanged(
  name: string,
  value: string,
  found: unknown,
  statedBy: string,
  others: number,
): Problem {
  return {
    problem: `${name} was changed, for example by an aspect or an override, but references to the resource still use the old name${others > 0 ? ` (${others} more names were changed)` : ""}`,
    value: found,
    allowed: JSON.stringify(value),
    remedy: `set the name where the resource is declared (${statedBy}), and exclude the resource from the aspect`,
  };
}

export function nameTaken(what: string, value: string, by: string): Problem {
  return {
    problem: `${what} is already used by ${by}`,
    value,
    remedy: "give one of the two an explicit name",
  };
}
