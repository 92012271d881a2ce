/*
 * Judges the ways of a hub's controllers into its spokes.
 */

import { fail } from "../../errors";
import { grouped, trustOfAll } from "../accesses";
import { unknown } from "../answer";
import type { CheckResult } from "../checks/check";
import type { AccountReading, AccessToken, AccessTrust } from "../clouds/cloud-access";
import type { FleetWarning, SpokeReading } from "../clouds/cloud-spokes";
import type { Clouds } from "../clouds/clouds";
import { list, own } from "../facts/access";
import type { ClusterArtefacts } from "../facts/facts";
import type { CredentialFileFact } from "../facts/component-facts";
import { type ServiceAccountFact, serviceAccountOf } from "../facts/kubernetes-facts";
import type { WorkloadFact } from "../facts/workload-facts";
import { chainVerdict, judged } from "../judged";
import type { ExplainResult } from "../result";
import { fleetChecks } from "./fleet-checks";
import type { ControllerPods } from "./controllers";
import type { FleetContext } from "./fleet-context";
import { type FleetQuestion, fleetQuestions } from "./fleet-questions";
import { fleetWarnings } from "./fleet-warnings";
import { cloudOf, resolutionFor, variablesOf } from "./plugin-call";
import { profileDocument } from "./profile-document";
import { UNAUTHORIZED, SELF_MANAGED, selfManaged } from "./self-managed";
import { SpokeFiles } from "./spoke-files";

/** What the verifier says of a controller's way into a spoke. */
export interface FleetResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "fleet-access";
  /** What works, and somebody should know; they do not change the verdict. */
  readonly warnings: readonly FleetWarning[];
}

/** What cloud and spoke say. */
type Readings = Pick<FleetContext, "reading" | "trust" | "spoke" | "as">;

const NOTHING: Readings = { reading: undefined, trust: undefined, spoke: undefined, as: undefined };

/** Judges the ways of hubs' controllers into spokes. */
export class FleetAccesses {
  readonly #clouds: Clouds;
  readonly #files = new WeakMap<ClusterArtefacts, ReadonlyMap<string, readonly CredentialFileFact[]>>();

  constructor(clouds: Clouds) {
    this.#clouds = clouds;
  }

  /** The results of some hubs; of one service account and one spoke where they are given. Throws `explain-spoke-unknown`. */
  *of(
    clusters: readonly ClusterArtefacts[],
    account: string | undefined,
    spoke: string | undefined,
  ): Generator<FleetResult> {
    const questions = clusters.flatMap((artefacts) => fleetQuestions(artefacts));
    const files = new SpokeFiles(clusters, SELF_MANAGED);
    const names = new Set(questions.map(({ profile }) => profile.name));
    if (spoke !== undefined && !names.has(spoke)) fail("explain-spoke-unknown", spoke, [...names].sort());
    for (const question of questions) {
      const { controller, profile } = question;
      if (account !== undefined && controller.account !== account) continue;
      if (spoke === undefined || profile.name === spoke) yield this.#result(question, files);
    }
  }

  #result(question: FleetQuestion, files: SpokeFiles): FleetResult {
    const context = this.#context(question, files);
    const checks: readonly CheckResult[] = judged(fleetChecks, context);
    const verdict = chainVerdict(checks);
    return {
      job: "fleet-access",
      stack: question.artefacts.stack,
      subject: question.controller.account,
      target: question.profile.name,
      verdict,
      as: verdict === "denied" ? null : (context.as ?? null),
      checks,
      warnings: fleetWarnings(context),
    };
  }

  #context(question: FleetQuestion, files: SpokeFiles): FleetContext {
    const { artefacts, controller, profile, recorded } = question;
    const [namespace = "", name = ""] = controller.account.split("/");
    const document = profileDocument(profile);
    const resolution = resolutionFor(controller, document);
    const exec = resolution.outcome === "resolved" ? resolution.exec : undefined;
    const cloud = exec && cloudOf(exec);
    const known = {
      artefacts,
      controller,
      namespace,
      name,
      profile,
      document,
      resolution,
      exec,
      env: exec ? variablesOf(controller, exec) : new Map<string, string>(),
      cloud,
      cloudSpokes: cloud === undefined ? undefined : this.#clouds.spokesOf(cloud),
      recorded,
    };
    return { ...known, ...this.#readings(known, files) };
  }

  #readings(known: Omit<FleetContext, keyof Readings>, files: SpokeFiles): Readings {
    const { artefacts, controller, profile, exec, cloud, cloudSpokes, namespace, name, env } = known;
    if (!exec || cloud === undefined) return NOTHING;
    const issuer = artefacts.authentication?.issuer || artefacts.cluster.issuer;
    if (cloud === SELF_MANAGED) {
      const rbac = artefacts.spokes.of(profile.name);
      const found = selfManaged(controller, profile.name, exec.args, issuer, rbac);
      const published = this.#clouds.issuers.judged(found.trust.issuer, issuer, UNAUTHORIZED);
      const contested = files.contested(exec.server, artefacts.stack, rbac.authenticators);
      const trusted = published.status === "pass" ? (contested ?? published) : published;
      return { ...found, trust: { ...found.trust, issuer: trusted }, as: found.user };
    }
    const reading = this.#reading(known, cloud) ?? this.#unnamed(known);
    const identity = reading.identity;
    if (!identity) return { ...NOTHING, reading };
    const token: AccessToken = { issuer, audience: reading.audiences[0], namespace, name };
    const trust: AccessTrust = trustOfAll(identity, token, reading.audiences);
    const spoke: SpokeReading | undefined = cloudSpokes?.read({
      spoke: profile.name,
      server: exec.server,
      args: exec.args,
      env,
      annotations: serviceAccountOf(artefacts, controller.account)?.annotations ?? new Map(),
      identity: identity.label,
      recorded: known.recorded?.cloud === cloud,
      project: known.recorded?.project,
      projectNumber: known.recorded?.projectNumber,
      rbac: artefacts.spokes.of(profile.name),
      impersonates: controller.kind === "argocd" ? artefacts.fleet.impersonation.get(namespace) : undefined,
    });
    return { reading, trust, spoke, as: identity.label };
  }

  #reading(
    { artefacts, controller, namespace, exec }: Omit<FleetContext, keyof Readings>,
    cloud: string,
  ): AccountReading | undefined {
    const { account, workloads, declared } = controller;
    return this.#clouds.access
      .find((each) => each.cloud === cloud)
      ?.account({
        account: accountOf(artefacts, account),
        pods: workloads.map(runningPlugin),
        fragment: undefined,
        files: this.#filesOf(artefacts).get(namespace) ?? [],
        declared,
        program: new Map(exec?.env.map((each) => [each.name, each.value])),
        hub: {
          webhooks: declared ? artefacts.cluster.fleet?.webhooks : undefined,
          issuer: artefacts.authentication?.issuer || artefacts.cluster.issuer,
        },
      });
  }

  /** Of a controller to which nothing gives an identity that is judged here. */
  #unnamed({ artefacts, controller, cloudSpokes }: Omit<FleetContext, keyof Readings>): AccountReading {
    const account = accountOf(artefacts, controller.account);
    const answer =
      cloudSpokes?.native?.(account) ??
      unknown(
        `nothing that was read says as whom ${account.key} acts in the cloud of the spoke: no annotation, no variable and no credential file`,
        `name the manifests of ${controller.title} and of its service account as well`,
      );
    return { answer, identity: undefined, pods: answer, audiences: [] };
  }

  #filesOf(artefacts: ClusterArtefacts): ReadonlyMap<string, readonly CredentialFileFact[]> {
    const known = this.#files.get(artefacts);
    if (known) return known;
    const made = grouped(artefacts.credentialFiles, ({ configMap }) => configMap.split("/")[0] ?? "");
    this.#files.set(artefacts, made);
    return made;
  }
}

/** The service account as it was read; else one of that name without anything. */
function accountOf(artefacts: ClusterArtefacts, key: string): ServiceAccountFact {
  return (
    serviceAccountOf(artefacts, key) ?? { key, annotations: new Map(), pullSecrets: [], source: undefined }
  );
}

/** The pods with the container that runs the plugin alone: what others have does not help it. */
function runningPlugin({ pods, container }: ControllerPods): WorkloadFact {
  if (container === "") return pods;
  const containers = list(own(pods.spec, "containers")).filter((each) => own(each, "name") === container);
  return { ...pods, spec: { ...pods.spec, initContainers: [], containers } };
}
