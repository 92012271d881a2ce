/*
 * Pulls from a registry that takes service account tokens, directly or in exchange for its own: the kubelet's entry, the
 * annotations, and what the registry's owner must configure. Who may pull is decided there, so it is stated.
 */

import { fail } from "../errors";
import { validateAudience } from "../model/audience";
import { DURATION, Duration } from "../model/duration";
import type { AccountGrant, AccountRequest } from "../model/identity";
import { CREDENTIAL_PROVIDER_ENV } from "../model/image-credential-provider";
import { literal } from "../model/late";
import { namespacedName, serviceAccountUser } from "../model/namespaced-name";
import type { Plugin, TokenPlugin } from "../model/plugin";
import type {
  IPullIdentities,
  IPullSource,
  PullDeclaration,
  PullRequest,
  TokenRegistry,
} from "../model/pulls";
import {
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  list,
  object,
  optional,
  record,
  text,
} from "../model/shape";
import { lookupRepository } from "../rules/kubelet/image-reference";
import { lintMatchImagesStrictly } from "../rules/kubelet/lint-credential-provider-config";
import { nameRule } from "../rules/kubelet/validate-credential-provider-config";

/** Where the images are. */
export interface RegistryProps {
  /** The registry's host in image names, with the port if they have one: `registry.example.com:5000`. */
  readonly host: string;
  /**
   * Repositories that the service account pulls, `*` for any text: `shop/*`.
   *
   * @defaultValue - all repositories of the host
   */
  readonly repositories?: readonly string[];
  /**
   * File name of the plugin's executable on the nodes. Registries whose entries differ need different names: link or
   * copy the executable.
   *
   * @defaultValue - the name that its own releases have
   */
  readonly executable?: string;
  /**
   * The one audience of the tokens, exactly as the registry compares it.
   *
   * @defaultValue - the one that the plugin's makers use, or `host`
   */
  readonly audience?: string;
}

export const REGISTRY_PROPS: ObjectKind<RegistryProps> = object({
  host: text,
  repositories: optional(list(text)),
  executable: optional(text),
  audience: optional(text),
});

export const TOKEN_PLUGIN: ObjectKind<TokenPlugin> = object({
  executable: text,
  cacheType: choice(["ServiceAccount", "Token"]),
  echoesToken: optional(boolean),
  args: optional(list(text)),
  env: optional(list(CREDENTIAL_PROVIDER_ENV)),
  annotationKeys: optional(list(text)),
  optionalAnnotationKeys: optional(list(text)),
  defaultCacheDuration: optional(DURATION),
});

/** Settings of {@link oidcRegistry}. */
export interface OidcRegistryProps extends RegistryProps {
  /** The one audience of the tokens, exactly as the registry compares it. */
  readonly audience: string;
  /** The plugin that serves the registry. */
  readonly plugin: TokenPlugin;
  /**
   * Annotations of the service account that the plugin reads; values may be late.
   *
   * @defaultValue - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Whom the registry takes the service account for, for people: a robot account, a user.
   *
   * @defaultValue - the subject of its tokens
   */
  readonly identity?: string;
}

const OIDC_REGISTRY_PROPS: ObjectKind<OidcRegistryProps> = object({
  ...REGISTRY_PROPS.shape,
  audience: text,
  plugin: TOKEN_PLUGIN,
  annotations: optional(record(text)),
  identity: optional(text),
});

/** What the owner of a registry must configure, in the registry's own form. */
export type OwnerDocument = (host: string, registry: TokenRegistry) => object;

/** `sub` of the tokens of `namespace/name`. */
export function subjectOf(serviceAccount: string): string {
  return serviceAccountUser(namespacedName(serviceAccount));
}

/** A name of a Terraform resource for a text; two service accounts have two, since namespaces have no dots. */
export function resourceName(text: string): string {
  return text.replace(/[^\w-]/g, "_").replace(/^(?![a-z_])/i, "_");
}

/** A registry to pull from, returned by {@link oidcRegistry} and by the functions for known registries. */
export class OidcRegistry implements IPullSource<unknown> {
  /** Key by which pulls are joined in one entry: the name of the plugin's executable. */
  readonly cloud: string;
  /** `<host>/<repository>`, sorted. */
  readonly images: readonly string[];
  /** Host in image names. */
  readonly host: string;
  /** The settings. */
  readonly props: OidcRegistryProps;
  /** What the registry's owner must configure; `undefined` if no form is known. */
  readonly document: OwnerDocument | undefined;

  /** Use {@link oidcRegistry}. */
  constructor(props: OidcRegistryProps, document?: OwnerDocument) {
    checkGiven("oidcRegistry()", OIDC_REGISTRY_PROPS, props);
    const { host, repositories = ["*"], audience, executable = props.plugin.executable } = props;
    validateAudience(audience);
    const plugin = { ...props.plugin, executable };
    checkPlugin(plugin);
    checkHost(host);
    checkAnnotations(props);
    this.props = { ...props, plugin };
    this.cloud = executable;
    this.host = host;
    this.images = [...new Set(repositories)].sort().map((repository) => `${host}/${repository}`);
    for (const image of this.images) lookupRepository(image.replaceAll("*", "x"));
    this.document = document;
  }

  /** Nothing needs to be declared: the registry decides by the token itself. */
  defaultIdentities(): IPullIdentities<unknown> {
    return { cloud: this.cloud, job: "pulls", declare: (_, request) => declared(request) };
  }
}

/** Returns repositories of a registry whose plugin hands over or exchanges service account tokens. */
export function oidcRegistry(props: OidcRegistryProps): OidcRegistry {
  return new OidcRegistry(props);
}

const EVERY_RELEASE = "every release needs a service account token";
const NO_NODES = "its registry does not know the nodes";

/** The row of a plugin of which nothing else is known than what its registry states. */
export function pluginRow(row: Pick<Plugin, "executable"> & Partial<Plugin>): Plugin {
  return {
    executables: new RegExp(`^${row.executable}(?![a-z0-9])`),
    annotations: [],
    newest: "0.0",
    abilities: {
      tokens: [{ from: "0.0", outcome: "yes", reason: EVERY_RELEASE }],
      "unannotated-node-identity": [{ from: "0.0", outcome: "no", reason: NO_NODES }],
    },
    registries: [],
    ...row,
  };
}

/** The plugin of a row, as it runs if nothing else is stated. */
export function rowPlugin({ executable, annotations, entry }: Plugin): TokenPlugin {
  return { executable, cacheType: "ServiceAccount", annotationKeys: annotations, ...entry };
}

/** The rules for names are the same in all supported minors. */
const ANY_KUBELET = { minor: "", tokensEnabled: true };

function checkPlugin({ executable, cacheType, echoesToken }: TokenPlugin): void {
  const [refused] = nameRule({ name: literal(executable, "executable of the plugin") }, ANY_KUBELET);
  if (executable === "" || refused)
    fail("node-invalid", {
      problem: `the plugin's executable is not a file name that the kubelet accepts: ${refused?.message ?? "it is empty"}`,
      value: executable,
      allowed: "a file name in the plugin directory, without / and blanks, other than . and ..",
      remedy: "state the name of the file in the nodes' plugin directory",
    });
  if (echoesToken === true && cacheType !== "Token")
    fail("node-mismatch", {
      problem: `the plugin ${executable} returns the service account token itself, and with this cacheType the kubelet refuses such an answer`,
      value: cacheType,
      allowed: "Token",
      remedy: "state cacheType Token, or leave `echoesToken` out if the plugin exchanges the token",
    });
}

function checkHost(host: string): void {
  const [reason] = lintMatchImagesStrictly(literal(host, "host of the registry"));
  if (reason !== undefined || !/^[a-z0-9.-]+(?::\d+)?$/.test(host) || !/[.:]/.test(host))
    fail("node-invalid", {
      problem: `this is not the host of a registry${reason === undefined ? "" : `: ${reason}`}`,
      value: host,
      allowed: "a host with a dot or a port, as in image names, without https:// and without a path",
      remedy: "state the part of the image names before the first slash, and the rest in `repositories`",
    });
}

function checkAnnotations({ plugin, annotations = {}, host }: OidcRegistryProps): void {
  const { annotationKeys = [], optionalAnnotationKeys = [] } = plugin;
  const missing = annotationKeys.find((key) => !annotations[key]);
  if (missing !== undefined)
    fail("node-missing", {
      problem: `service accounts that pull from ${host} get no value of an annotation without which the kubelet does not run the plugin`,
      value: missing,
      allowed: "an entry of `annotations` for each of the plugin's `annotationKeys`",
      remedy: "state its value in `annotations`",
    });
  const keys = [...annotationKeys, ...optionalAnnotationKeys];
  const unread = Object.keys(annotations).find((key) => !keys.includes(key));
  if (unread !== undefined)
    fail("node-unused", {
      problem: `an annotation would not reach the plugin ${plugin.executable}: the kubelet passes on only the keys that the entry lists`,
      value: unread,
      allowed: keys.join(", ") || "none",
      remedy:
        "list the key in the plugin's `annotationKeys` or `optionalAnnotationKeys`, or remove the annotation",
    });
}

type Account = AccountRequest<IPullSource<unknown>>;

function declared({ issuer, accounts }: PullRequest<unknown>): PullDeclaration {
  const pulls = accounts.flatMap((account) =>
    account.asks.map((source) => ({ account, registry: registryOf(source, account) })),
  );
  const registries = [...new Set(pulls.map(({ registry }) => registry))];
  const entry = sharedEntry(registries);
  const hosts = [...new Set(registries.map(({ host }) => host))].sort();
  const tokenRegistries = hosts.map((host): readonly [string, TokenRegistry] => {
    const own = pulls.filter(({ registry }) => registry.host === host);
    const stated = own.map(({ account: { subject }, registry: { images, props } }) => ({
      serviceAccount: subject.key,
      repositories: images.map((image) => image.slice(host.length + 1)),
      ...(props.identity !== undefined && { identity: props.identity }),
      ...(props.annotations && { annotations: props.annotations }),
    }));
    const { plugin, audience, args, env, echoesToken } = entry;
    return [host, { plugin, audience, issuer: issuer.url, echoesToken, args, env, pulls: stated }];
  });
  return {
    grants: accounts.map(grantOf),
    provider: { ...entry, matchImages: hosts, hosts },
    nodeFiles: [],
    tokenRegistries: Object.fromEntries(tokenRegistries),
    ownerDocument: (host, registry) =>
      registries.find((each) => each.host === host)?.document?.(host, registry),
  };
}

function registryOf(source: IPullSource<unknown>, { subject, existing }: Account): OidcRegistry {
  if (existing)
    return fail("node-unsupported", {
      problem: `service account ${subject.key} cannot pull from ${source.images[0] ?? "the registry"} as an identity of a cloud: the registry decides by the token`,
      value: existing.cloud,
      allowed: "no `as`",
      remedy: "leave `as` out, and let the registry's owner admit the subject",
    });
  return source instanceof OidcRegistry
    ? source
    : fail("identities-foreign", {
        problem: "a source of images was not made by the registries subpath of this copy of the package",
        value: source.cloud,
        allowed: "what oidcRegistry() and the functions beside it return",
        remedy: "create the source with one of these functions",
      });
}

type Entry = PullDeclaration["provider"] & { readonly echoesToken: boolean };

/** The entry of registries that share a plugin's executable, which must be the same but for the hosts. */
function sharedEntry(registries: readonly OidcRegistry[]): Entry {
  const entries = registries.map(({ props }) => entryOf(props));
  const [first] = entries;
  const other = entries.find((each) => JSON.stringify(each) !== JSON.stringify(first));
  if (first === undefined || other !== undefined)
    return fail("node-conflict", {
      problem: `registries with the plugin ${first?.name ?? ""} need different entries, and the kubelet tells entries apart by the executable's name`,
      value: other && [other.audience, ...other.args, ...other.annotationKeys],
      allowed: "one audience, and the same arguments, variables and annotation keys",
      remedy: "link or copy the executable under a second name, and state it as `executable` of one of them",
    });
  return first;
}

const TEN_MINUTES = 10;

function entryOf({ plugin, audience }: OidcRegistryProps): Entry {
  const { executable, cacheType, echoesToken = false, args = [], env = [] } = plugin;
  return {
    plugin: executable,
    name: executable,
    matchImages: [],
    defaultCacheDuration:
      plugin.defaultCacheDuration ?? Duration.minutes(cacheType === "Token" ? 0 : TEN_MINUTES),
    args,
    nodeIdentityArgs: undefined,
    env,
    audience,
    cacheType,
    annotationKeys: plugin.annotationKeys ?? [],
    optionalAnnotationKeys: plugin.optionalAnnotationKeys ?? [],
    needs: [],
    echoesToken,
  };
}

function grantOf({ subject, asks }: Account): AccountGrant {
  const registries = asks.filter((each) => each instanceof OidcRegistry);
  const annotations: Record<string, string> = {};
  for (const { props, host } of registries)
    for (const [key, value] of Object.entries(props.annotations ?? {})) {
      if (annotations[key] !== undefined && annotations[key] !== value)
        fail("identities-conflict", {
          problem: `two registries need different values of the annotation ${key}`,
          value: subject.key,
          allowed: `the same value as for the other registry, not another for ${host}`,
          remedy: "give the workload of each registry its own service account",
        });
      annotations[key] = value;
    }
  return { subject, identity: registries[0]?.props.identity ?? String(subject), annotations };
}
