import { type WorkloadIdentityError, refusal } from "../../../errors";
import { compareVersions, minorOf } from "../../../model/version";
import { multiKueue } from "../../../rules/fleet/consumers";
import { outdatedNames } from "../../../rules/fleet/outdated-names";
import { broken, seen, unknown } from "../../answer";
import { at, list, own, record, text } from "../../facts/access";
import type { Controller, ControllerPods } from "../controllers";
import type { FleetCheck } from "../fleet-context";
import { listIssues } from "../list-issues";
import { listAnswer } from "../list-mounted";
import { unlessRefused } from "../refused";

/** Does the controller take profiles and its list of access providers? */
export const controllerConfigured: FleetCheck = {
  id: "controller-configured",
  asks: "Does the controller take profiles and its list of access providers?",
  why: "A gate that is off, a list under the name of another version and a key of an older draft are ignored without a word.",
  run: ({ controller, profile }) => {
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
    const configured = unlessRefused(
      [
        ...listIssues(read).entries,
        ...(kind === "kueue" ? kueueIssues(controller, profile.namespace) : []),
        ...flagIssues(controller.readers),
        ...versionIssues(controller),
      ],
      `${title} takes profiles and its list of access providers`,
      where,
    );
    return configured.status === "pass" ? listAnswer(controller, configured) : configured;
  },
};

type Issues = readonly WorkloadIdentityError[];

const GATE = "MultiKueueClusterProfile";
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

/** Source: kubernetes-sigs/kueue:pkg/config/validation.go and pkg/features. */
function kueueIssues(controller: Controller, profileNamespace: string): Issues {
  const { list: read } = controller;
  const part = at(read?.configuration, "multiKueue", "clusterProfile");
  const isOn = own(own(read?.configuration, "featureGates"), GATE) === true;
  const problems = [
    ...(isOn ? [] : [`leaves the feature gate ${GATE} off`]),
    ...listProblems(
      ["accessProviders", "credentialsProviders"].filter((field) => own(part, field) !== undefined),
      versionOf(controller),
    ),
  ];
  return [
    ...outdatedNames(Object.keys(record(part))),
    ...problems.map((problem) => refusal("kueue-configuration-invalid", problem)),
    ...(read && profileNamespace !== read.namespace
      ? [refusal("kueue-profile-namespace", profileNamespace)]
      : []),
  ];
}

/** What is wrong with the names under which the list stands. */
function listProblems(written: readonly string[], version: string | undefined): readonly string[] {
  const [field, ...others] = written;
  if (field === undefined) return ["has no list of access providers in multiKueue.clusterProfile"];
  if (others.length > 0) return ["has accessProviders and credentialsProviders, which Kueue refuses"];
  // Newer versions take the older name as well.
  const isKnown = version === undefined || field === "credentialsProviders" || fieldOf(version) === field;
  return isKnown ? [] : [`has the list as ${field}, which Kueue ${version} does not know`];
}

function fieldOf(version: string): string | undefined {
  if (compareVersions(version, "0.15") < 0) return undefined;
  const { form } = multiKueue({ version });
  return form.kind === "kueue" ? form.field : undefined;
}

/** Options of the controller's containers in the spelling of older drafts. */
function flagIssues(readers: readonly ControllerPods[]): Issues {
  const flags = readers.flatMap(({ pods }) =>
    list(own(pods.spec, "containers"))
      .flatMap((container) => [...list(own(container, "args")), ...list(own(container, "command"))])
      .map((argument) => text(argument).split("=")[0] ?? ""),
  );
  return outdatedNames([...new Set(flags)]);
}

function versionIssues(controller: Controller): Issues {
  const version = versionOf(controller);
  const since = SINCE[controller.kind];
  if (version === undefined || since === undefined || compareVersions(version, since[0]) >= 0) return [];
  return [refusal("fleet-consumer-too-old", controller.title, minorOf(controller.title, version), ...since)];
}

/** The version in the tag of the controller's own image; `undefined` for another image or a digest. */
function versionOf({ kind, workloads }: Controller): string | undefined {
  const images = workloads.flatMap(({ pods }) => pods.images.map(({ image }) => image));
  return images.map((image) => IMAGES[kind]?.exec(image)?.[1]).find((each) => each !== undefined);
}
