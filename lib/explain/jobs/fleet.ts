/*
 * Judges the ways of a hub's controllers into its spokes: each controller with each profile that is for it.
 */

import { grouped } from "../../model/grouped";
import { type Known, is, known, map, orElse, same, shown } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { once } from "../../model/once";
import { wordAt } from "../../model/parsed-tree";
import { type Tree, childOf, sameTree, textAt, treeOf } from "../../model/tree";
import { nameOf, profileProviders } from "../../rules/fleet/resolve-exec";
import { type Answer, seen, unknown } from "../answer";
import type { AccountReading, Cloud } from "../cloud";
import { secretProvider } from "../read/cluster-secrets";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProfileFact } from "../read/fleet-facts";
import type { WorkloadFact } from "../read/pods";
import { serviceAccountOf, unwritten } from "../read/service-accounts";
import type { AuthenticatorFact } from "../read/spoke-facts";
import type { ExplainResult, FleetWarning } from "../result";
import type { Issuers } from "../shared/object-store";
import { tokenOf } from "./access";
import {
  type Controller,
  type ControllerPods,
  containersIn,
  controllersOf,
  unreadController,
} from "./fleet-controllers";
import { type FleetAccessFacts, type FleetQuestion, fleetRunner } from "./fleet-links";
import { type PluginCall, builtinName, pluginCall, resolutionFor } from "./fleet-plugin";
import { listEntries, profileDocument, withFields } from "./fleet-profile";
import { fleetWarnings } from "./fleet-warnings";
import { filesBeside, trustOfAll, trustOfEveryIssuer } from "./links";
import { unknownName } from "./pull-questions";
import { SELF_MANAGED, type SelfManagedReading, UNAUTHORIZED, selfManaged } from "./self-managed";

/** What the verifier says about a controller's way into a spoke. */
export interface FleetResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "fleet-access";
  /** What works but people should know; warnings do not change the verdict. */
  readonly warnings: readonly FleetWarning[];
}

type Readings = Pick<FleetAccessFacts, "reading" | "trust" | "spoke" | "as">;

const NOTHING: Readings = { reading: undefined, trust: undefined, spoke: undefined, as: undefined };

export class Fleets {
  readonly #clouds: readonly Cloud[];
  readonly #issuers: Issuers;

  /** `issuers` are those whose documents were read, which self-managed spokes ask for their keys. */
  constructor(clouds: readonly Cloud[], issuers: Issuers) {
    this.#clouds = clouds;
    this.#issuers = issuers;
  }

  /**
   * The service accounts that enter spokes, which need no rights in the cloud: any of the namespace (`*`) where it is
   * not known who reads a list there.
   */
  controllers(artefacts: ClusterArtefacts): ReadonlySet<string> {
    const entering = fleetQuestions(artefacts).filter(
      ({ controller: { list, account } }) =>
        !account.endsWith("/*") || (list !== undefined && list.form !== "secrets"),
    );
    return new Set(entering.map(({ controller }) => controller.account));
  }

  /** The results of some hubs; with `spoke`, only those of that spoke. */
  *of(
    clusters: readonly ClusterArtefacts[],
    isAsked: (question: FleetQuestion) => boolean,
    spoke?: string,
  ): Generator<FleetResult> {
    const questions = clusters.flatMap(fleetQuestions);
    const names = new Set(questions.map(({ profile }) => profile.name));
    if (spoke !== undefined && !names.has(spoke)) unknownName("spoke", spoke, [...names]);
    for (const question of questions)
      if (isAsked(question) && (spoke === undefined || question.profile.name === spoke))
        yield this.#result(question, clusters);
  }

  #result(question: FleetQuestion, hubs: readonly ClusterArtefacts[]): FleetResult {
    const { artefacts, controller, profile, recorded } = question;
    const resolution = resolutionFor(controller, profile);
    const call = pluginCall(controller, resolution, recorded?.cloud);
    const cloud = this.#clouds.find((each) => call && each.cloud === call.cloud);
    const readings = call ? this.#readings(question, call, cloud, hubs) : NOTHING;
    const facts: FleetAccessFacts = { ...question, resolution, call, spokes: cloud?.spokes, ...readings };
    const { verdict, checks } = fleetRunner.run(facts);
    return {
      job: "fleet-access",
      stack: artefacts.stack,
      subject: controller.account,
      target: profile.name,
      verdict,
      as: verdict === "denied" ? null : (facts.as ?? null),
      checks,
      warnings: fleetWarnings(facts),
    };
  }

  #readings(
    question: FleetQuestion,
    call: PluginCall,
    cloud: Cloud | undefined,
    hubs: readonly ClusterArtefacts[],
  ): Readings {
    if (call.cloud === SELF_MANAGED) return this.#selfManaged(question, call, hubs);
    if (call.cloud === undefined) return NOTHING;
    const { artefacts, controller, profile, recorded } = question;
    const { account: key, title, kind } = controller;
    const account = serviceAccountOf(artefacts, key);
    const reading =
      (cloud && this.#reading(question, call, cloud)) ??
      unnamed(
        unknown(
          `nothing that was read says as whom ${key} acts in the spoke's cloud: neither an annotation nor a variable nor a credential file`,
          `also give explain the manifests of ${title} and of its service account; what EKS Pod Identity and GKE give controllers is not judged`,
        ),
      );
    const { identity, audiences } = reading;
    if (!identity) return { ...NOTHING, reading };
    const spoke = cloud?.spokes.read({
      ...call,
      spoke: profile.name,
      account,
      identity,
      project: literalOf(recorded?.project),
      projectNumber: literalOf(recorded?.projectNumber),
      rbac: artefacts.spokes.of(profile.name),
      impersonates:
        kind === "argocd" ? artefacts.fleet.impersonation.get(namespacedName(key).namespace) : undefined,
    });
    const trust = trustOfAll(identity, tokenOf(artefacts, key, audiences), audiences, artefacts);
    return { reading, trust, spoke, as: identity.label };
  }

  /** The spoke's API servers ask the issuer for its keys, and have only one configuration. */
  #selfManaged(
    { artefacts, controller, profile }: FleetQuestion,
    call: PluginCall,
    hubs: readonly ClusterArtefacts[],
  ): Readings {
    const { issuer, spokes, cluster } = artefacts;
    const rbac = spokes.of(profile.name);
    const file = call.args.at(-1) ?? known("");
    const of = (each: Known<string>): SelfManagedReading =>
      selfManaged(controller, profile.name, file, each, rbac);
    const signing = of(issuer);
    const { reading, spoke, user } = signing;
    const token = tokenOf(artefacts, controller.account, reading.audiences);
    const trust = trustOfEveryIssuer(token, cluster, (each) => {
      const { trust: said, user: name } = each.further ? of(each.issuer) : signing;
      const published = this.#issuers.judged(said.issuer, each.issuer, UNAUTHORIZED);
      return { ...said, issuer: published, subject: sameUser(said.subject, name, user, each.issuer) };
    });
    const contested =
      trust.issuer.status === "pass"
        ? contestedFile(hubs, artefacts.stack, call.server, rbac.authenticators)
        : undefined;
    return { reading, trust: { ...trust, issuer: contested ?? trust.issuer }, spoke, as: user };
  }

  #reading(
    { artefacts, controller }: FleetQuestion,
    call: PluginCall,
    { access }: Cloud,
  ): AccountReading | undefined {
    const { account, workloads, declared } = controller;
    return access.account({
      account: serviceAccountOf(artefacts, account) ?? unwritten(account),
      pods: workloads.map(runningPlugin),
      fragment: undefined,
      files: filesBeside(artefacts, account),
      declared,
      program: call.own,
      cluster: {
        ...artefacts.cluster,
        fleet: { webhooks: declared ? artefacts.cluster.fleet?.webhooks : undefined },
      },
      webhooks: artefacts.webhooks,
    });
  }
}

/** RBAC is judged only for the user of tokens from the signing issuer. */
function sameUser(
  subject: Answer,
  name: string | undefined,
  user: string | undefined,
  issuer: Known<string>,
): Answer {
  if (subject.status !== "pass" || name === user) return subject;
  return unknown(
    `the spoke accepts tokens of ${shown(issuer)} as another user, ${name ?? "whose name is not known"}`,
    "map the claims of all issuers of the hub in the same way",
    subject.evidence,
  );
}

/** The reading for a controller without an identity that is judged here. */
function unnamed(answer: Answer): AccountReading {
  return { answer, identity: undefined, pods: answer, audiences: [] };
}

/** The pods with only the container that runs the plugin: what other containers have does not help it. */
function runningPlugin(reader: ControllerPods): WorkloadFact {
  const { pods, container } = reader;
  if (container === "") return pods;
  const containers = treeOf(containersIn(reader));
  return { ...pods, spec: withFields(pods.spec, { initContainers: treeOf([]), containers }) };
}

/** A recorded literal; `undefined` for a text known only after apply, which a cloud cannot compare. */
function literalOf(text: Known<string> | undefined): string | undefined {
  return orElse(text ?? known(undefined), () => undefined);
}

const fleetQuestions = once((artefacts: ClusterArtefacts): readonly FleetQuestion[] => {
  const { cluster, fleet } = artefacts;
  const controllers = controllersOf(artefacts);
  const read = new Map(fleet.profiles.map((profile) => [profile.key, profile]));
  const recorded = new Map((cluster.fleet?.spokes ?? []).map((spoke) => [spoke.profile, spoke]));
  // A profile that was not read is one fact for all controllers.
  const profiles = [...recorded.keys()].map((key) => read.get(key) ?? unreadProfile(key));
  const pairs = [
    ...controllers
      .filter(({ declared }) => declared)
      .flatMap((controller) => profiles.map((profile) => [controller, profile] as const)),
    // Argo CD enters whatever is in its namespace, others only what is named to them.
    ...served(
      controllers.filter(({ declared, kind }) => !declared || kind === "argocd"),
      fleet.profiles.filter(({ key }) => !recorded.has(key)),
    ),
  ];
  return pairs.map(([controller, profile]) => ({
    artefacts,
    controller: profile.isSecret ? withOwnEntry(controller, profile.name) : controller,
    profile,
    recorded: recorded.get(profile.key),
  }));
});

/** A cluster Secret says nothing about other clusters: of its namespace's entries, only its own is kept. */
function withOwnEntry(controller: Controller, name: string): Controller {
  const { list } = controller;
  if (list?.form !== "secrets") return controller;
  const isOwn = (entry: Tree): boolean => is(textAt(childOf(entry, "name")), secretProvider(name)) === "yes";
  return { ...controller, list: { ...list, providers: map(list.providers, (all) => all.filter(isOwn)) } };
}

/** A controller serves the profiles that name one of its providers; one that none serves is for all undeclared ones. */
function served(
  controllers: readonly Controller[],
  profiles: readonly ProfileFact[],
): readonly (readonly [Controller, ProfileFact])[] {
  const names = controllers.map((controller) => {
    const entries = listEntries(controller.list).map(nameOf);
    return [controller, new Set(entries)] as const;
  });
  const pairs = profiles.flatMap((profile) => {
    const { tree } = profileDocument(profile);
    const offered = [...profileProviders(tree).keys()];
    const isBuiltin = builtinName(tree) !== undefined;
    const serving = names
      .filter(
        ([{ kind }, listed]) => offered.some((name) => listed.has(name)) || (kind === "argocd" && isBuiltin),
      )
      .map(([controller]) => controller);
    // Each Argo CD reads the profiles of its own namespace.
    const near = serving.filter(
      ({ kind, account }) => kind !== "argocd" || account.startsWith(`${profile.namespace}/`),
    );
    const others = controllers.filter(({ declared }) => !declared);
    const chosen = [near, serving, others].find((each) => each.length > 0);
    return (chosen ?? [unreadController(profile.namespace)]).map(
      (controller) => [controller, profile] as const,
    );
  });
  const order = new Map(controllers.map((controller, index) => [controller, index]));
  return pairs.sort(([one], [other]) => (order.get(one) ?? -1) - (order.get(other) ?? -1));
}

function unreadProfile(key: string): ProfileFact {
  const { namespace, name } = namespacedName(key);
  const nothing = { main: undefined, status: undefined, dropped: undefined, writtenFrom: undefined };
  return { key, namespace, name, isSecret: false, ...nothing };
}

/** What each stack writes for the API servers of spokes, by the servers' addresses as they are shown. */
const filesByServer = once((hubs: readonly ClusterArtefacts[]) =>
  grouped(
    hubs.flatMap((hub) =>
      (hub.cluster.fleet?.spokes ?? []).flatMap(({ profile: key, cloud }) => {
        const profile = hub.fleet.profiles.find((each) => each.key === key);
        if (cloud !== SELF_MANAGED || !profile) return [];
        const providers = [...profileProviders(profileDocument(profile).tree).values()];
        return providers.map((each) => ({
          hub,
          spoke: profile.name,
          server: wordAt(each, "cluster", "server"),
        }));
      }),
    ),
    ({ server }) => shown(server),
  ),
);

/**
 * The answer if another stack writes a file that lacks entries of this one: API servers have one
 * AuthenticationConfiguration, so the spoke has only one of the two files.
 */
function contestedFile(
  hubs: readonly ClusterArtefacts[],
  stack: string,
  server: Known<string>,
  written: readonly AuthenticatorFact[],
): Answer | undefined {
  for (const file of filesByServer(hubs).get(shown(server)) ?? []) {
    const theirs = file.hub.spokes.of(file.spoke).authenticators;
    const hasAll = written.every((entry) =>
      theirs.some((each) => sameTree(each.entry, entry.entry) === "yes"),
    );
    if (file.hub.stack === stack || hasAll || same(file.server, server) !== "yes") continue;
    return unknown(
      `the stack ${file.hub.stack} writes another AuthenticationConfiguration for the same API servers, which can have only one`,
      "put the entries of both hubs into both files (additionalAuthenticators)",
      [...written.slice(0, 1), ...theirs.slice(0, 1)].map(({ source }) =>
        seen("AuthenticationConfiguration", source),
      ),
    );
  }
  return undefined;
}
