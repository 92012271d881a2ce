import { type WorkloadIdentityError, refusal } from "../../../errors";
import { compareVersions, minorOf } from "../../../model/version";
import { multiKueue } from "../../../rules/fleet/consumers";
import { outdatedNames } from "../../../rules/fleet/outdated-names";
import { accessProviderIssues } from "../../../rules/fleet/provider-file";
import { broken, seen, unknown } from "../../answer";
import { at, list, own, record, text } from "../../facts/access";
import type { Controller, ControllerPods } from "../controllers";
import type { FleetCheck } from "../fleet-context";
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
        ...accessProviderIssues(read.providers),
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
  const configuration = read?.configuration;
  const part = at(configuration, "multiKueue", "clusterProfile");
  const version = versionOf(controller);
  const known = ["accessProviders", "credentialsProviders"].filter((field) => own(part, field) !== undefined);
  const field = version === undefined ? undefined : fieldOf(version);
  const unknownField =
    field !== undefined && known.length === 1 && !known.includes(field) && !isKnown(version, known[0]);
  return [
    ...outdatedNames(Object.keys(record(part))),
    ...(known.length === 0
      ? [
          refusal(
            "kueue-configuration-invalid",
            "has no list of access providers in multiKueue.clusterProfile",
          ),
        ]
      : []),
    ...(own(own(configuration, "featureGates"), GATE) === true
      ? []
      : [refusal("kueue-configuration-invalid", `leaves the feature gate ${GATE} off`)]),
    ...(known.length > 1
      ? [
          refusal(
            "kueue-configuration-invalid",
            "has accessProviders and credentialsProviders, which Kueue refuses",
          ),
        ]
      : []),
    ...(unknownField
      ? [
          refusal(
            "kueue-configuration-invalid",
            `has the list as ${known.join()}, which Kueue ${version ?? ""} does not know`,
          ),
        ]
      : []),
    ...(read && profileNamespace !== read.namespace
      ? [refusal("kueue-profile-namespace", profileNamespace)]
      : []),
  ];
}

function fieldOf(version: string): string | undefined {
  if (compareVersions(version, "0.15") < 0) return undefined;
  const { form } = multiKueue({ version });
  return form.kind === "kueue" ? form.field : undefined;
}

/** The older name is taken by newer versions as well. */
function isKnown(version: string | undefined, field: string | undefined): boolean {
  return field === "credentialsProviders" || version === undefined;
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
