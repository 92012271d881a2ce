import { type WorkloadIdentityError, refusal } from "../../../errors";
import { compareVersions, minorOf } from "../../../model/version";
import { outdatedNames } from "../../../rules/fleet/outdated-names";
import { broken, seen, unknown } from "../../answer";
import { list, own, text } from "../../facts/access";
import type { Controller, ControllerPods } from "../controllers";
import type { FleetCheck } from "../fleet-context";
import { argoAnswer } from "../argo-configured";
import { kueueGate, kueueIssues } from "../kueue-configured";
import { listIssues } from "../list-issues";
import { listAnswer } from "../list-mounted";
import { unlessRefused } from "../refused";

/** Does the controller take profiles and its list of access providers? */
export const controllerConfigured: FleetCheck = {
  id: "controller-configured",
  asks: "Does the controller take profiles and its list of access providers?",
  why: "A gate that is off, a list under the name of another version and a key of an older draft are ignored without a word.",
  run: ({ artefacts, controller, profile }) => {
    const { list: read, title, kind } = controller;
    if (!read)
      return unknown("no list of access providers was read", "name the ConfigMap that holds it as well");
    const where = seen(`ConfigMap ${read.namespace}/${read.configMap}`, read.source);
    if (read.providers === undefined)
      return broken(
        `the list of access providers of ${title} cannot be read`,
        "write { providers: [ … ] }",
        "failed to unmarshal access providers",
        where,
      );
    const version = versionOf(controller);
    const outdated = versionIssues(controller, version);
    const gate = kind === "kueue" ? kueueGate(controller, artefacts.cluster.fleet) : undefined;
    const issues = [
      ...listIssues(read).entries,
      ...(kind === "kueue" ? kueueIssues(read, profile.namespace, version) : []),
      ...(gate?.issues ?? []),
      ...flagIssues(controller.readers),
    ];
    const reason = `${title} takes profiles and its list of access providers`;
    // What the names and gates of a version that knows no profiles would have to be is no question.
    const configured = unlessRefused(outdated.length > 0 ? outdated : issues, reason, where);
    if (configured.status !== "pass") return configured;
    if (gate?.unknown) return unknown(gate.unknown, GATE_REMEDY, where);
    const taken = argoAnswer(controller, profile.namespace, configured);
    const listed = taken.status === "fail" ? taken : listAnswer(controller, configured);
    return listed.status === "pass" ? taken : listed;
  },
};

const GATE_REMEDY = "name the manifest of the manager as well, with its argument --feature-gates";

type Issues = readonly WorkloadIdentityError[];

const IMAGES: Readonly<Record<Controller["kind"], RegExp | undefined>> = {
  argocd: /(?:^|\/)argocd:v?(\d+\.\d+(?:\.\d+)?)/,
  kueue: /(?:^|\/)kueue:v?(\d+\.\d+(?:\.\d+)?)/,
  other: undefined,
};
const SINCE: Readonly<Record<Controller["kind"], readonly [since: string, why: string] | undefined>> = {
  argocd: ["3.5", "its cluster Secrets have no provideClusterInfo and no config"],
  kueue: ["0.15", "it does not know ClusterProfiles"],
  other: undefined,
};

/** Options of the controller's containers in the spelling of older drafts. */
function flagIssues(readers: readonly ControllerPods[]): Issues {
  const flags = readers.flatMap(({ pods }) =>
    list(own(pods.spec, "containers"))
      .flatMap((container) => [...list(own(container, "args")), ...list(own(container, "command"))])
      .map((argument) => text(argument).split("=")[0] ?? ""),
  );
  return outdatedNames([...new Set(flags)]);
}

function versionIssues({ kind, title }: Controller, version: string | undefined): Issues {
  const since = SINCE[kind];
  if (version === undefined || since === undefined || compareVersions(version, since[0]) >= 0) return [];
  return [refusal("fleet-consumer-too-old", title, minorOf(title, version), ...since)];
}

/** The version in the tag of the controller's own image; `undefined` for another image or a digest. */
function versionOf({ kind, workloads }: Controller): string | undefined {
  const images = workloads.flatMap(({ pods }) => pods.images.map(({ image }) => image));
  return images.map((image) => IMAGES[kind]?.exec(image)?.[1]).find((each) => each !== undefined);
}
