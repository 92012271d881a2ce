/*
 * Judges the ways of a hub's controllers into its spokes.
 */

import { fail } from "../../errors";
import { type Known, is, known, orElse, unread } from "../../model/known";
import { childOf, itemsOf, optionalText, treeOf } from "../../model/tree";
import { unknown } from "../answer";
import type { AccountReading, Cloud, FleetWarning, TokenQuestion } from "../cloud";
import type { ClusterArtefacts } from "../read/facts";
import type { WorkloadFact } from "../read/pods";
import { serviceAccountOf, unwritten } from "../read/service-accounts";
import type { ExplainResult } from "../result";
import type { Issuers } from "../shared/object-store";
import { type Accesses, trustOfAll } from "./access";
import type { ControllerPods } from "./fleet-controllers";
import { type FleetAccess, fleetRunner } from "./fleet-links";
import { withFields } from "./fleet-profile";
import { type FleetQuestion, fleetQuestions } from "./fleet-questions";
import { fleetWarnings } from "./fleet-warnings";
import { type PluginCall, pluginCall, resolutionFor } from "./plugin-call";
import { SELF_MANAGED, SpokeFiles, UNAUTHORIZED, selfManaged } from "./self-managed";

/** What the verifier says of a controller's way into a spoke. */
export interface FleetResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "fleet-access";
  /** What works, and people should know; they do not change the verdict. */
  readonly warnings: readonly FleetWarning[];
}

/** What cloud and spoke say. */
type Readings = Pick<FleetAccess, "reading" | "trust" | "spoke" | "as">;

const NOTHING: Readings = { reading: undefined, trust: undefined, spoke: undefined, as: undefined };

/** Judges the ways of hubs' controllers into spokes. */
export class Fleets {
  readonly #clouds: readonly Cloud[];
  readonly #access: Accesses;
  readonly #issuers: Issuers;

  /** `issuers` are those whose documents were read, which self-managed spokes ask for their keys. */
  constructor(clouds: readonly Cloud[], access: Accesses, issuers: Issuers) {
    this.#clouds = clouds;
    this.#access = access;
    this.#issuers = issuers;
  }

  /** The service accounts that enter spokes, which need no rights in the cloud. */
  controllers(artefacts: ClusterArtefacts): ReadonlySet<string> {
    return new Set(fleetQuestions(artefacts).map(({ controller }) => controller.account));
  }

  /** The results of some hubs, of one spoke where it is given. Throws `explain-spoke-unknown`. */
  *of(
    clusters: readonly ClusterArtefacts[],
    isAsked: (question: FleetQuestion) => boolean,
    spoke?: string,
  ): Generator<FleetResult> {
    const questions = clusters.flatMap(fleetQuestions);
    const names = new Set(questions.map(({ profile }) => profile.name));
    if (spoke !== undefined && !names.has(spoke)) fail("explain-spoke-unknown", spoke, [...names].sort());
    const files = new SpokeFiles(clusters);
    for (const question of questions) {
      if (isAsked(question) && (spoke === undefined || question.profile.name === spoke))
        yield this.#result(question, files);
    }
  }

  #result(question: FleetQuestion, files: SpokeFiles): FleetResult {
    const facts = this.#facts(question, files);
    const { verdict, checks } = fleetRunner.run(facts);
    return {
      job: "fleet-access",
      stack: question.artefacts.stack,
      subject: question.controller.account,
      target: question.profile.name,
      verdict,
      as: verdict === "denied" ? null : (facts.as ?? null),
      checks,
      warnings: fleetWarnings(facts),
    };
  }

  #facts(question: FleetQuestion, files: SpokeFiles): FleetAccess {
    const { controller, profile, recorded } = question;
    const resolution = resolutionFor(controller, profile);
    const call =
      resolution.outcome === "resolved"
        ? pluginCall(controller, resolution.exec, recorded?.cloud)
        : undefined;
    const cloud = this.#clouds.find((each) => call && each.cloud === call.cloud);
    const readings = call ? this.#readings(question, call, cloud, files) : NOTHING;
    return { ...question, resolution, call, spokes: cloud?.spokes, ...readings };
  }

  #readings(
    question: FleetQuestion,
    call: PluginCall,
    cloud: Cloud | undefined,
    files: SpokeFiles,
  ): Readings {
    if (call.cloud === SELF_MANAGED) return this.#selfManaged(question, call, files);
    if (call.cloud === undefined) return NOTHING;
    const { artefacts, controller, profile, recorded } = question;
    const reading = (cloud && this.#reading(question, call, cloud)) ?? unnamed(question, cloud);
    const { identity, audiences } = reading;
    if (!identity) return { ...NOTHING, reading };
    const [namespace = "", name = ""] = controller.account.split("/");
    const [audience = unread("the audience of the token is not known")] = audiences;
    const token: TokenQuestion = { issuer: artefacts.issuer, audience, namespace, name };
    const spoke = cloud?.spokes.read({
      server: call.server,
      args: call.args,
      env: call.env,
      recorded: call.recorded,
      spoke: profile.name,
      account: serviceAccountOf(artefacts, controller.account),
      identity,
      project: literalOf(recorded?.project),
      projectNumber: literalOf(recorded?.projectNumber),
      rbac: artefacts.spokes.of(profile.name),
      impersonates: controller.kind === "argocd" ? artefacts.fleet.impersonation.get(namespace) : undefined,
    });
    return { reading, trust: trustOfAll(identity, token, audiences), spoke, as: identity.label };
  }

  /** Key sets are asked of the issuer by the spoke's API servers, and each has one configuration only. */
  #selfManaged(
    { artefacts, controller, profile }: FleetQuestion,
    call: PluginCall,
    files: SpokeFiles,
  ): Readings {
    const { issuer, stack, spokes } = artefacts;
    const rbac = spokes.of(profile.name);
    const file = call.args.at(-1) ?? known("");
    const { reading, trust, spoke, user } = selfManaged(controller, profile.name, file, issuer, rbac);
    const published = this.#issuers.judged(trust.issuer, issuer, UNAUTHORIZED);
    const contested =
      published.status === "pass" ? files.contested(call.server, stack, rbac.authenticators) : undefined;
    return { reading, trust: { ...trust, issuer: contested ?? published }, spoke, as: user };
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
      files: this.#access.filesOf(artefacts, account.split("/")[0] ?? ""),
      declared,
      program: call.own,
      cluster: {
        issuer: artefacts.cluster.issuer,
        fleet: { webhooks: declared ? artefacts.cluster.fleet?.webhooks : undefined },
      },
    });
  }
}

/** Of a controller to which nothing gives an identity that is judged here. */
function unnamed({ artefacts, controller }: FleetQuestion, cloud: Cloud | undefined): AccountReading {
  const { title, account: key } = controller;
  const account = serviceAccountOf(artefacts, key) ?? unwritten(key);
  const answer =
    cloud?.spokes.native?.(account) ??
    unknown(
      `nothing that was read says as whom ${key} acts in the cloud of the spoke: no annotation, no variable and no credential file`,
      `name the manifests of ${title} and of its service account as well`,
    );
  return { answer, identity: undefined, pods: answer, audiences: [] };
}

/** The pods with the container that runs the plugin alone: what others have does not help it. */
function runningPlugin({ pods, container }: ControllerPods): WorkloadFact {
  if (container === "") return pods;
  const containers = itemsOf(childOf(pods.spec, "containers")).filter(
    (each) => is(optionalText(childOf(each, "name")), container) === "yes",
  );
  return {
    ...pods,
    spec: withFields(pods.spec, { initContainers: treeOf([]), containers: treeOf(containers) }),
  };
}

/** A recorded text that only apply tells is none that a cloud can compare with. */
function literalOf(text: Known<string> | undefined): string | undefined {
  return text && orElse<string, undefined>(text, () => undefined);
}
