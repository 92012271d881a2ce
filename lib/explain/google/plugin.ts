/*
 * The image credential provider auth-provider-gcp: whom it becomes, and where it exchanges tokens.
 *
 * Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential.
 */

import { is, orElse, shown } from "../../model/known";
import { OPT_IN_ANNOTATION, OPT_IN_VALUE } from "../../rules/google/pull-plugin";
import { type Answer, SILENT, broken, pass, seen, unknown } from "../answer";
import type { PluginCloud, PullIdentity, PullQuestion } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { argumentsAnswer, exchangeOf } from "./arguments";
import { attributesOf, managedTrust, tokenOf } from "./exchange";
import { type Bearer, NOBODY, managedBearer, poolBearer } from "./members";
import type { Downloads } from "./permission";
import { type PoolProvider, poolProviderOf } from "./pool";
import { type Exchanges, sameAnswers } from "./trust";

/** The plugin, over what was read of pools and grants. */
export class GooglePlugin implements PluginCloud {
  /** Key of auth-provider-gcp in the version tables. */
  readonly plugin = "gcp";
  /** Opts a service account in to pulls with its own identity. */
  readonly annotationKeys: readonly string[] = [OPT_IN_ANNOTATION];
  readonly #providers: readonly PoolProvider[];
  readonly #exchanges: Exchanges;
  readonly #downloads: () => Downloads;

  constructor(providers: readonly PoolProvider[], exchanges: Exchanges, downloads: () => Downloads) {
    this.#providers = providers;
    this.#exchanges = exchanges;
    this.#downloads = downloads;
  }

  /** As the contract says. */
  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[] {
    const exchange = orElse(exchangeOf(entry), () => undefined);
    return exchange?.kind === "custom" ? ["tokens", "custom-pools"] : ["tokens"];
  }

  /** As the contract says. */
  arguments(
    entry: ProviderEntry,
    _node: NodeConfiguration,
    _host: string,
    { plugins = {} }: ClusterFacts,
  ): Answer {
    return argumentsAnswer(entry, plugins["gcp"] ?? {});
  }

  /** As the contract says. */
  annotations({ entry, account }: PullQuestion): Answer {
    const where = seen("annotations of the service account", account.source);
    const { requiredKeys = [], optionalKeys = [] } = entry.tokenAttributes ?? {};
    const isListed = [...requiredKeys, ...optionalKeys].includes(OPT_IN_ANNOTATION);
    const written = account.annotations.get(OPT_IN_ANNOTATION);
    const optsIn = written === undefined || !isListed ? "no" : is(written, OPT_IN_VALUE);
    if (optsIn === "yes") return pass("the service account opts in", where);
    const needs = `the plugin needs exactly ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`;
    if (optsIn === "unknown")
      return unknown(
        `${needs}, and what it is handed is not known`,
        "write the annotation as a literal, once",
        where,
      );
    return broken(
      `${needs}, it is handed ${written !== undefined && isListed ? shown(written) : "nothing"}`,
      written !== undefined && is(written, OPT_IN_VALUE) === "yes"
        ? "list the key in requiredServiceAccountAnnotationKeys"
        : `annotate the service account with ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`,
      `${SILENT}: at verbosity 4 of the plugin "Standard flow active: Workload Identity is disabled, using Node Service Account for image: …"`,
      where,
      seen("tokenAttributes", entry.source),
    );
  }

  /** As the contract says. */
  puller({ entry, token: asked }: PullQuestion): PullIdentity {
    const token = tokenOf(asked);
    const exchange = orElse(exchangeOf(entry), () => undefined);
    if (exchange?.kind === "managed")
      return this.#identity(
        managedTrust(exchange, token),
        managedBearer(exchange, asked.namespace, asked.name),
        entry,
      );
    const provider = exchange && poolProviderOf(exchange, this.#providers);
    if (exchange === undefined)
      return {
        ...this.#identity(
          sameAnswers(
            unknown("which pool the plugin exchanges tokens at is not known", "see provider-on-node"),
          ),
          NOBODY,
          entry,
        ),
        label: undefined,
      };
    const pool = { numbers: [exchange.number, ...(provider?.numbers ?? [])], poolId: exchange.poolId };
    const bearer = poolBearer(pool, attributesOf(provider, token), token.subject);
    const trust = this.#exchanges.custom(exchange, provider, token);
    return this.#identity(trust, bearer, provider?.resource ?? entry);
  }

  #identity(
    trust: PullIdentity["trust"],
    bearer: Bearer,
    { source }: Pick<ProviderEntry, "source">,
  ): PullIdentity {
    return { trust, label: bearer.label, source, rights: this.#downloads().of(bearer) };
  }
}
