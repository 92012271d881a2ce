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

export function propertyUnknown(property: string, known: readonly string[], nearest?: string): Problem {
  return {
    problem: `${property} is not a known property`,
    allowed: known.join(", ") || "no property",
    remedy: nearest === undefined ? "remove it, or use one of these names" : `write ${nearest}`,
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

export function textUnfilled(property: string, value: string, part: string): Problem {
  return {
    problem: `${property} has the part \`${part}\`, as template literals write a value that is not there`,
    value,
    allowed: "a text whose parts are all known",
    remedy: "check the variable from which the text is built",
  };
}

export function issuerTrailingSlash(value: string, slash: "missing" | "present" = "present"): Problem {
  return slash === "missing"
    ? {
        problem:
          "issuer of an AKS cluster lacks the slash at its end, and every cloud compares it exactly with the `iss` of the token",
        value,
        allowed: `${value}/`,
        remedy: "add the slash: `az aks show` prints it in oidcIssuerProfile.issuerUrl",
      }
    : {
        problem: "issuer ends with a slash, and every cloud compares it exactly with the `iss` of the token",
        value,
        allowed: "https://host[/path] without trailing slash; with it for AKS",
        remedy:
          "remove the slash; only when the cluster's `iss` really ends with one (Azure static website) use Issuer.exactly(url)",
      };
}

export function audienceInvalid(value: unknown, reason: string): Problem {
  return {
    problem: `audience ${reason}`,
    value,
    allowed: "1 to 256 visible characters without blanks, for example sts.amazonaws.com",
    remedy: "write the audience once, as the cloud's trust expects it",
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

export function namespaceInvalid(value: unknown): Problem {
  return {
    problem: "namespace is not a DNS label",
    value,
    allowed: "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use the name of an existing namespace",
  };
}

export function serviceAccountInvalid(value: unknown): Problem {
  return {
    problem: "service account name is not a DNS subdomain",
    value,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "use the name of the service account as `kubectl get serviceaccounts` prints it",
  };
}

export function subjectWildcard(value: unknown): Problem {
  return {
    problem: "service account is a pattern, but one service account is meant",
    value,
    allowed: "namespace/name without * and ?, for example shop/web",
    remedy:
      "list each service account; only IAM roles of AWS take patterns: the `wildcards` of `trusts` of PullRole and WorkloadRole, each with a reason",
  };
}

export function subjectInvalid(value: unknown): Problem {
  return {
    problem: "service account is not written as namespace/name",
    value,
    allowed: "namespace/name, for example shop/web",
    remedy: "write the namespace, one slash and the service account's name",
  };
}

export function clusterNameInvalid(value: unknown): Problem {
  return {
    problem: "cluster name is not a DNS label",
    value,
    allowed: "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use a short name; it becomes part of the names of roles and identities",
  };
}

export function versionInvalid(what: string, value: unknown): Problem {
  return {
    problem: `${what} is not a version`,
    value,
    allowed: 'major.minor, for example "1.35"; a patch level is accepted where it changes a rule',
    remedy: "write the version as text, not as a number: the number 1.30 is 1.3",
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

export function durationInvalid(value: unknown): Problem {
  return {
    problem: "duration is not a whole number of seconds, 0 or more",
    value,
    allowed: "Duration.seconds(n), Duration.minutes(n), Duration.hours(n)",
    remedy: "use one of these functions",
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

export function lateEncodingUnbound(encoding: string): Problem {
  return {
    problem: `a value that Terraform knows only after apply would be encoded (${encoding}) too early`,
    remedy: "add `new LateValueResolver(stack)` of the /synth subpath to the `resolvers` of your cdk8s App",
  };
}

export function nameTooLong(what: string, value: string, max: number): Problem {
  return {
    problem: `${what} is longer than ${max} characters`,
    value,
    allowed: `at most ${max} characters`,
    remedy: "choose a shorter name",
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
