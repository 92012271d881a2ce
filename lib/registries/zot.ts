/*
 * zot, from 2.1.19 on: `/zot/auth/token` takes a service account token as the password of Basic authentication, and
 * returns it as the bearer token. Earlier releases take it as a bearer token only, which no kubelet sends.
 *
 * Source: project-zot/zot, pkg/api (bearer_auth.go, bearer_oidc.go, authz.go) and pull request 4171; tried with a build
 * of August 2026.
 */

import { fail } from "../errors";
import type { TokenPlugin } from "../model/plugin";
import type { TokenRegistry } from "../model/pulls";
import { type ObjectKind, checkGiven, object, optional } from "../model/shape";
import { harborPlugin } from "./harbor";
import {
  OidcRegistry,
  REGISTRY_PROPS,
  type RegistryProps,
  TOKEN_PLUGIN,
  rowPlugin,
  subjectOf,
} from "./oidc-registry";

/** Settings of {@link zot}. */
export interface ZotProps extends RegistryProps {
  /**
   * A plugin that returns the token itself, with any user name.
   *
   * @defaultValue - `credential-provider-harbor`, which does so for any registry
   */
  readonly plugin?: TokenPlugin;
}

const ZOT_PROPS: ObjectKind<ZotProps> = object({
  ...REGISTRY_PROPS.shape,
  plugin: optional(TOKEN_PLUGIN),
});

/**
 * Returns repositories of zot 2.1.19 or newer. A repository pattern ends in `/*`, or is `*`: zot's own patterns compare
 * paths part by part.
 *
 * Writes the part of zot's configuration that admits the service accounts, `registries/<host>.json`, for the owner to
 * merge into `config.json`.
 */
export function zot(props: ZotProps): OidcRegistry {
  checkGiven("zot()", ZOT_PROPS, props);
  const { audience = props.host, plugin = rowPlugin(harborPlugin), repositories = ["*"] } = props;
  for (const repository of repositories) globOf(repository);
  return new OidcRegistry({ ...props, audience, plugin }, configuration);
}

function configuration(host: string, { issuer, audience, pulls }: TokenRegistry): object {
  const rows = pulls.flatMap(({ serviceAccount, repositories }) =>
    repositories.map((repository) => ({
      glob: globOf(repository),
      user: `${issuer}/${subjectOf(serviceAccount)}`,
    })),
  );
  // Only the longest pattern that matches counts, so it also names whom the shorter ones admit.
  const users = (glob: string): readonly string[] => [
    ...new Set(rows.filter((row) => covers(row.glob, glob)).map(({ user }) => user)),
  ];
  const globs = [...new Set(rows.map(({ glob }) => glob))].sort();
  for (const glob of globs) refuseHidden(glob, globs, users);
  const repositories = globs.map((glob) => [glob, { policies: [{ users: users(glob), actions: ["read"] }] }]);
  return {
    http: {
      auth: {
        bearer: {
          realm: `https://${host}/zot/auth/token`,
          service: host,
          oidc: [{ issuer, audiences: [audience] }],
        },
      },
      accessControl: { repositories: Object.fromEntries(repositories) as object },
    },
  };
}

/** zot compares lengths of texts: `shop/**` is longer than `shop/a`. */
function refuseHidden(
  glob: string,
  globs: readonly string[],
  users: (glob: string) => readonly string[],
): void {
  const wide = globs.find(
    (each) =>
      each !== glob &&
      covers(each, glob) &&
      each.length >= glob.length &&
      users(glob).some((user) => !users(each).includes(user)),
  );
  if (wide !== undefined)
    fail("node-unsupported", {
      problem: `zot would ignore who pulls ${glob}, because only the longest pattern that matches counts, and ${wide} is not shorter`,
      value: glob,
      allowed: `repositories with a name longer than ${wide}, or the same service accounts for both`,
      remedy:
        "put the repository under another path, or name the repositories of the other service account one by one",
    });
}

function globOf(repository: string): string {
  const fixed = repository.replace(/(?:^|\/)\*$/, "");
  if (!fixed.includes("*")) return repository === fixed ? fixed : repository.replace(/\*$/, "**");
  return fail("node-unsupported", {
    problem: "zot has no pattern for these repositories: its own compare paths part by part",
    value: repository,
    allowed: "a repository, `*`, or a path that ends in /*",
    remedy: "name the repositories, or the path that they have in common",
  });
}

function covers(wide: string, glob: string): boolean {
  return wide === glob || (wide.endsWith("**") && glob.startsWith(wide.slice(0, -2)));
}
