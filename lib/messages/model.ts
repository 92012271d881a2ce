import type { Problem } from "./problem";

/** Refusals of values that every job shares: names, issuers, audiences, subjects, versions, node files. */
export const modelMessages = {
  "issuer-cluster-internal": (value: string, who: string): Problem => ({
    problem: `issuer is a host within the cluster or a private network, whose keys ${who} cannot fetch`,
    value,
    allowed: "a public host that serves /.well-known/openid-configuration and the keys",
    remedy:
      "publish discovery document and keys, set the issuer of the kube-apiserver to that URL, and state it here",
  }),
  "property-unknown": (property: string, known: readonly string[], nearest?: string): Problem => ({
    problem: `${property} is not a known property`,
    allowed: known.join(", ") || "no property",
    remedy: nearest === undefined ? "remove it, or use one of these names" : `write ${nearest}`,
  }),
  "property-missing": (property: string, allowed: string): Problem => ({
    problem: `${property} is missing`,
    allowed,
    remedy: "state it",
  }),
  "property-invalid": (property: string, given: string, allowed: string): Problem => ({
    problem: `${property} is ${given}`,
    allowed,
    remedy: "correct the value",
  }),
  "issuer-trailing-slash": (value: string, slash: "missing" | "present" = "present"): Problem =>
    slash === "missing"
      ? {
          problem:
            "issuer of an AKS cluster lacks the slash at its end, and every cloud compares it exactly with the `iss` of the token",
          value,
          allowed:
            "https://<region>.oic.prod-aks.azure.com/<tenant>/<id>/, in other clouds of Azure .us or .cn",
          remedy: "add the slash: `az aks show` prints it in oidcIssuerProfile.issuerUrl",
        }
      : {
          problem:
            "issuer ends with a slash, and every cloud compares it to the letter with the `iss` of the token",
          value,
          allowed: "https://host[/path] without trailing slash; with it for AKS",
          remedy:
            "remove the slash; only when the cluster's `iss` really ends with one (Azure static website) use Issuer.exactly(url)",
        },
  "audience-invalid": (value: unknown, reason: string): Problem => ({
    problem: `audience ${reason}`,
    value,
    allowed: "1 to 256 visible characters without blanks, for example sts.amazonaws.com",
    remedy: "write the audience once, as the cloud's trust expects it",
  }),
  "audience-mismatch": (
    part: string,
    value: string,
    expected: string,
    remedy = "use one audience in the credential provider, the RBAC grant and the cloud's trust",
  ): Problem => ({
    problem: `the audience of ${part} differs from the rest of the chain`,
    value,
    allowed: expected,
    remedy,
  }),
  "namespace-invalid": (value: unknown): Problem => ({
    problem: "namespace is not a DNS label",
    value,
    allowed: "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use the name of an existing namespace",
  }),
  "service-account-invalid": (value: unknown): Problem => ({
    problem: "service account name is not a DNS subdomain",
    value,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "use the name of the service account as `kubectl get serviceaccounts` prints it",
  }),
  "subject-invalid": (value: unknown): Problem => ({
    problem: "service account is not written as namespace/name",
    value,
    allowed: "namespace/name, for example shop/web",
    remedy: "write the namespace, one slash and the service account's name",
  }),
  "cluster-name-invalid": (value: unknown): Problem => ({
    problem: "cluster name is not a DNS label",
    value,
    allowed: "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use a short name; it becomes part of the names of roles and identities",
  }),
  "version-invalid": (what: string, value: unknown): Problem => ({
    problem: `${what} is not a version`,
    value,
    allowed: 'major.minor, for example "1.35"; a patch level is accepted where it changes a rule',
    remedy: "give the version as text, not as a number: 1.30 as a number is 1.3",
  }),
  "version-unsupported": (what: string, value: string, known: string, why: string): Problem => ({
    problem: `${what} cannot do this: ${why}`,
    value,
    allowed: known,
    remedy: "upgrade, or leave these nodes out of this configuration",
  }),
  "version-unknown": (what: string, value: string, known: string): Problem => ({
    problem: `the rules of ${what} are not known to this release of the library`,
    value,
    allowed: known,
    remedy:
      "use a newer release of the library, or state the newest known version after reading the release notes",
  }),
  "duration-invalid": (value: unknown): Problem => ({
    problem: "duration is not a whole number of seconds of at least 0",
    value,
    allowed: "Duration.seconds(n), Duration.minutes(n), Duration.hours(n)",
    remedy: "build it with one of the factories",
  }),
  "node-file-invalid": (path: unknown, reason: string): Problem => ({
    problem: `node file ${reason}`,
    value: path,
    allowed: "an absolute, clean path, a mode from 0o000 to 0o777, and a text as content",
    remedy: "correct the path, the mode or the content",
  }),
  "late-value": (property: string): Problem => ({
    problem: `${property} is known only after Terraform apply, but is needed while synthesizing`,
    allowed: "a literal value",
    remedy: "give the literal, for example from configuration, instead of an attribute of a resource",
  }),
  "late-encoding-unbound": (encoding: string): Problem => ({
    problem: `a value that Terraform knows only after apply would be encoded (${encoding}) too early`,
    remedy: "add `new LateValueResolver(stack)` of the /synth subpath to the `resolvers` of your cdk8s App",
  }),
  "name-too-long": (what: string, value: string, max: number): Problem => ({
    problem: `${what} is longer than ${max} characters`,
    value,
    allowed: `at most ${max} characters`,
    remedy: "give a shorter name",
  }),
  "name-changed": (
    name: string,
    value: string,
    found: unknown,
    statedBy: string,
    others: number,
  ): Problem => ({
    problem: `${name} was changed, by an aspect or an override say, and what names the resource still has the old text${others > 0 ? ` (${others} more names were changed)` : ""}`,
    value: found,
    allowed: JSON.stringify(value),
    remedy: `state the name where the resource is declared (${statedBy}), and leave the resource out of the aspect`,
  }),
  "name-taken": (what: string, value: string, by: string): Problem => ({
    problem: `${what} is already used by ${by}`,
    value,
    remedy: "give one of the two an explicit name",
  }),
  "package-missing": (module: string, name: string, versions: string): Problem => ({
    problem: `package ${name} is not installed, or in a version that lacks a module`,
    value: module,
    allowed: `${name} ${versions}`,
    remedy: `install it: npm install "${name}@${versions}"`,
  }),
};
