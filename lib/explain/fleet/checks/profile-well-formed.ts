import type { WorkloadIdentityError } from "../../../errors";
import type { ClusterProfileVersion } from "../../../rules/fleet/cluster-profile-schema";
import {
  endpointIssues,
  healthIssues,
  keptProviderIssues,
  managerLabelIssues,
  schemaIssues,
} from "../../../rules/fleet/profile-checks";
import { profileProviders } from "../../../rules/fleet/resolve-exec";
import { clusterProfileVersions } from "../../../rules/fleet/validate-cluster-profile";
import { type Answer, seen, unknown } from "../../answer";
import { type Json, at, own, text } from "../../facts/access";
import type { FleetCheck } from "../fleet-context";
import { withGoodValues, withLateValues } from "../profile-document";
import { unlessRefused } from "../refused";

/** Is everything in the profile what the API server keeps and the controller understands? */
export const profileWellFormed: FleetCheck = {
  id: "profile-well-formed",
  asks: "Is everything in the profile what the API server keeps and the controller understands?",
  why: "Fields in the wrong spelling are dropped without a word, and one bad condition refuses the whole status.",
  run: ({ document, profile, controller }) => {
    const version = text(document["apiVersion"]).split("/")[1] ?? "";
    const known = clusterProfileVersions.find((each) => each === version);
    const where = [profile.main, profile.status].flatMap((each) =>
      each ? [seen("ClusterProfile", each.source)] : [],
    );
    if (!known)
      return unknown(
        `the rules of ClusterProfile ${version} are not known`,
        "use v1alpha1 or v1alpha2",
        ...where,
      );
    const needsHealthy = controller.title === "Knative Operator";
    const issues = [
      ...issuesOf(document, known, profile.main !== undefined),
      ...healthIssues(document, { title: controller.title, needsHealthy }),
    ];
    const answer = unlessRefused(issues, `the profile ${profile.key} is well formed`, ...where);
    if (answer.status !== "pass") return answer;
    return profile.main
      ? certificates(document, answer)
      : unknown(`the main object of ${profile.key} was not read`, "see the checks before", ...where);
  },
};

/** A status alone is no whole object; what it must have besides, the main object has. */
function issuesOf(
  document: Json,
  version: ClusterProfileVersion,
  isWhole: boolean,
): readonly WorkloadIdentityError[] {
  const withoutServerFields = { ...document, metadata: metadataOf(document) };
  return [
    ...(isWhole ? schemaIssues(withGoodValues(withoutServerFields), version) : []),
    ...keptProviderIssues(document),
    ...endpointIssues(withLateValues(document), true),
    ...(isWhole ? managerLabelIssues(document) : []),
  ];
}

/** What the API server itself writes into objects is no fault of theirs. */
function metadataOf(document: Json): Json {
  const metadata = own(document, "metadata");
  return Object.fromEntries(
    ["name", "namespace", "labels", "annotations"].flatMap((key) => {
      const value = own(metadata, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Connect Gateway, DNS endpoints of GKE, and those of late clusters that are told to be such. */
const PUBLIC = /connectgateway\.googleapis\.com|\.gke\.goog(?::\d+)?(?:\/|$)|dns_endpoint_config/;

/** Without certificate authority those of the controller's system must do. */
function certificates(document: Json, answer: Answer): Answer {
  const without = [...profileProviders(document)].filter(([, provider]) => {
    const cluster = own(provider, "cluster");
    return (
      own(cluster, "certificate-authority-data") === undefined &&
      !PUBLIC.test(text(at(provider, "cluster", "server")))
    );
  });
  const [first] = without;
  if (!first) return answer;
  return unknown(
    `the access provider ${first[0]} has no certificate authority, which does for a server with a public certificate only`,
    "write certificate-authority-data, or ignore this where the certificate is public",
    ...answer.evidence,
  );
}
