/*
 * Names of service accounts that a tool makes up: a fixed beginning, a hyphen, and a hash or random digits. They change
 * with a release or another path, and what trusts the old name then refuses the new one.
 */

interface NameMaker {
  readonly pattern: RegExp;
  /** Who makes such names, and when a new one: a clause. */
  readonly makes: string;
  readonly remedy: string;
}

const MAKERS: readonly NameMaker[] = [
  {
    // Source: crossplane/crossplane, design/one-pager-package-runtime-config.md; crossplane-contrib/provider-aws issue 1172.
    pattern: /(?:^|-)(?:provider|function)-[a-z0-9-]*-[0-9a-f]{12}$/,
    makes: "Crossplane names it after the package's revision, so each upgrade brings another name",
    remedy:
      "set spec.serviceAccountTemplate.metadata.name in a DeploymentRuntimeConfig that the Provider's runtimeConfigRef names, and write that name",
  },
  {
    // Source: cdk8s-team/cdk8s-core, src/names.ts: the hash of the construct's path begins with c8.
    pattern: /-c8[0-9a-f]{6}$/,
    makes: "cdk8s derives it from the construct's path, so moving the construct changes it",
    remedy: "state metadata.name of the ServiceAccount",
  },
  {
    // Source: Pulumi documentation, "Autonaming": eight random hexadecimal digits.
    pattern: /-(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{8}$/,
    makes: "it looks like one of Pulumi's random names, which a replacement changes",
    remedy: "state metadata.name of the ServiceAccount",
  },
];

/** Why a service account's name will not last, and what to do; `undefined` if nothing suggests that it is made up. */
export function generatedName(name: string): Pick<NameMaker, "makes" | "remedy"> | undefined {
  return MAKERS.find(({ pattern }) => pattern.test(name));
}

/**
 * As {@link generatedName} for two texts that end with the name of a service account, as subjects and principals do, if
 * they differ only in the generated end: two names of one object, or such a name and the one without that end.
 */
export function differsAsGenerated(one: string, other: string): ReturnType<typeof generatedName> {
  if (one === other) return undefined;
  const made = [one, other].map((text) => generatedName(/[^:/]*$/.exec(text)?.[0] ?? ""));
  const [first, second] = [one, other].map((text, place) =>
    made[place] ? text.slice(0, text.lastIndexOf("-")) : text,
  );
  const [maker, another = maker] = made.flatMap((each) => each ?? []);
  return first === second && maker === another ? maker : undefined;
}
