/*
 * A controller's way into a spoke: its links in the order in which the controller reaches them.
 */

import type { WorkloadIdentityError } from "../../errors";
import { type Known, hides, same, shown } from "../../model/known";
import { isDnsSubdomain } from "../../model/kubernetes-name";
import { namespacedName } from "../../model/namespaced-name";
import { childOf } from "../../model/tree";
import { Subject } from "../../model/subject";
import { profileReaderIssues } from "../../rules/fleet/access-checks";
import { unlistedProfiles } from "../../rules/fleet/resolve-exec";
import { isSecretText, secretMaterial } from "../../rules/fleet/secret-material";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccountReading, CloudSpokes, SpokeReading } from "../cloud";
import { UNDERSTOOD as NOTHING_OPEN } from "../coverage/closed-world";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProfileFact } from "../read/fleet-facts";
import type { DeclaredSpoke } from "../read/cluster-record";
import { serviceAccountOf } from "../read/service-accounts";
import { Runner, stepsOf } from "../run";
import { refusedToken } from "../shared/pods";
import { UNAUTHORIZED } from "../shared/spokes";
import { plainAnswer } from "../shared/words";
import { controllerConfigured, listIssues, secretsIn } from "./fleet-configuration";
import { type Controller, containersIn } from "./fleet-controllers";
import {
  type PluginCall,
  type Resolution,
  isBuiltin,
  pluginCalled,
  pluginPresent,
  providersFor,
} from "./fleet-plugin";
import { profileDocument, profilePresent, profileWellFormed, unlessRefused } from "./fleet-profile";
import {
  TRUST_LINKS,
  type TrustFacts,
  UNDERSTOOD,
  inAnyOrder,
  missing,
  understood,
  unlessPerhaps,
} from "./links";

export interface FleetQuestion {
  readonly artefacts: ClusterArtefacts;
  readonly controller: Controller;
  readonly profile: ProfileFact;
  readonly recorded: DeclaredSpoke<Known<string>> | undefined;
}

export interface FleetAccessFacts extends FleetQuestion, TrustFacts {
  readonly resolution: Resolution;
  readonly call: PluginCall | undefined;
  /** How the plugin's cloud judges its spokes; `undefined` if it is not known, and for a spoke outside any cloud. */
  readonly spokes: CloudSpokes | undefined;
  readonly reading: AccountReading | undefined;
  readonly spoke: SpokeReading | undefined;
  readonly as: string | undefined;
}

const IDENTITY = "the cloud of the spoke, or the identity in it,";

const { link } = stepsOf<FleetAccessFacts>();

export const fleetRunner: Runner<FleetAccessFacts> = new Runner([
  link({
    id: "controller-present",
    question: "Is the controller that opens the connection among what was read?",
    per: ["artefacts", "controller"],
    run: ({ artefacts, controller }) => controllerPresent(artefacts, controller),
  }),
  link({
    id: "controller-configured",
    question: "Does the controller use profiles and its list of access providers?",
    per: ["artefacts", "controller", "profile"],
    run: ({ artefacts, controller, profile }) => controllerConfigured(artefacts, controller, profile),
  }),
  link({
    id: "profile-present",
    question: "Does the profile exist, and does something write its status?",
    per: ["artefacts", "controller", "profile"],
    run: ({ artefacts, controller, profile }) => profilePresent(artefacts, profile, controller.declared),
  }),
  link({
    id: "profile-readable",
    question: "May the controller read the profile?",
    per: ["artefacts", "controller", "profile"],
    run: ({ artefacts, controller, profile }) => profileReadable(artefacts, controller, profile.namespace),
  }),
  link({
    id: "profile-well-formed",
    question: "Does the API server keep everything in the profile, and does the controller understand it?",
    per: ["artefacts", "controller", "profile"],
    run: ({ controller, profile }) => profileWellFormed(profile, controller),
  }),
  link({
    id: "provider-chosen",
    question: "Does the list of the controller have an access provider that the profile names?",
    per: ["controller", "profile", "resolution"],
    run: providerChosen,
  }),
  link({
    id: "secret-free",
    question: "Are profile, list, environment and Terraform outputs free of tokens, keys and passwords?",
    per: ["artefacts", "controller", "profile"],
    run: secretFree,
  }),
  link({
    id: "plugin-present",
    question: "Is the plugin in every container that opens connections, and does it run there?",
    per: ["artefacts", "controller", "call"],
    run: ({ artefacts, controller, call }) => pluginPresent(artefacts, controller, call),
  }),
  link({
    id: "plugin-called",
    question:
      "Does the plugin get the arguments and variables that it needs, and answer in the requested version?",
    per: ["controller", "call", "spokes"],
    run: ({ controller, call, spokes }) => pluginCalled(controller, call, spokes),
  }),
  link({
    id: "identity-named",
    question:
      "Does something name the identity that the controller acts as in the spoke's cloud, and is it declared?",
    per: ["reading"],
    run: ({ reading }) => identityNamed(reading),
  }),
  link({
    id: "token-mounted",
    question: "Do the pods of the controller get a token, and know where it is?",
    per: ["controller", "reading"],
    run: ({ controller, reading }) => tokenMounted(controller, reading),
  }),
  ...TRUST_LINKS,
  link({
    id: "spoke-admits",
    question: "Does the spoke know the identity?",
    per: ["profile", "call", "recorded", "spoke"],
    run: (facts) => otherThanRecorded(facts) ?? facts.spoke?.admitted ?? missing(IDENTITY),
  }),
  link({
    id: "spoke-authorizes",
    question: "May the identity do anything on the spoke?",
    per: ["spoke"],
    run: ({ spoke }) => spoke?.authorized ?? missing(IDENTITY),
  }),
  link({
    ...UNDERSTOOD,
    per: ["artefacts", "reading", "spoke", "controller", "profile"],
    run: allUnderstood,
  }),
]);

/** A spoke that trusts the hub's tokens itself needs no identity. */
function allUnderstood({
  artefacts,
  reading,
  spoke,
  controller: { account, list: read },
  profile,
}: Pick<FleetAccessFacts, "artefacts" | "reading" | "spoke" | "controller" | "profile">): Answer {
  const kind = profile.isSecret ? "Secret" : "ClusterProfile";
  const titles = [`${kind} ${profile.key}`, ...(read ? [read.title] : [])];
  const none = spoke ? NOTHING_OPEN : missing("the identity in the spoke");
  return understood(artefacts, reading?.identity, account, titles, none);
}

function controllerPresent(artefacts: ClusterArtefacts, controller: Controller): Answer {
  const { account, workloads, title, list: read } = controller;
  const other = workloads.find(({ runsAs }) => runsAs !== undefined && runsAs !== account);
  if (other && !account.endsWith("/*")) return runsAsOther(other, account, account);
  const evidence = workloads.map(({ where }) => where);
  if (workloads.length > 0) return pass(`${title} opens connections as ${account}`, evidence);
  const written = serviceAccountOf(artefacts, account);
  if (written?.source)
    return pass(`${title} opens connections as ${account}`, seen("ServiceAccount", written.source));
  const [reason, remedy] =
    read === undefined
      ? ["no list of access providers was read, so no controller is known that would enter", MANIFESTS]
      : account.endsWith("/*") && read.form !== "secrets"
        ? [`who reads ${read.title} is not known without a record of the fleet`, RECORD]
        : [`no workload of ${title} was read`, MANIFESTS];
  return unknown(reason, remedy, read ? [seen(read.title, read.source)] : []);
}

const MANIFESTS = "also give explain the manifests of the controller and its list of access providers";
const RECORD =
  "also give explain the workload-identity.json of the stack that declares the fleet, or state cluster.fleet with --facts";

function runsAsOther(
  { pods, runsAs = "" }: Controller["workloads"][number],
  account: string,
  asked: string,
): Answer {
  return broken(
    `the pods of ${pods.title} run as ${runsAs}, not as ${asked}`,
    `write serviceAccountName: ${namespacedName(account).name} into the pod template`,
    undefined,
    seen(pods.title, pods.source),
  );
}

function profileReadable(artefacts: ClusterArtefacts, controller: Controller, namespace: string): Answer {
  const { reader, readers, kind, title, list: read } = controller;
  if (read?.form === "secrets")
    return pass("Argo CD's own manifests allow it to read the Secrets of its namespace");
  if (kind === "kueue") return pass("Kueue's own manifests allow it to read profiles of its namespace");
  if (reader === undefined || !isDnsSubdomain(namespacedName(reader).name))
    return unknown(
      `who reads profiles for ${title} is not known`,
      "also give explain the manifests of the controller",
    );
  const other = readers.find(({ runsAs }) => runsAs !== undefined && runsAs !== reader);
  if (other) return runsAsOther(other, reader, `${reader}, which reads profiles`);
  const subject = Subject.of(reader);
  const answer = inAnyOrder(artefacts, (rbac) =>
    unlessRefused(
      profileReaderIssues(rbac, subject, namespace),
      `${reader} may read profiles in ${namespace}`,
    ),
  );
  return answer.status === "fail" && !isBound(artefacts, subject)
    ? unknown(
        `no binding was read that names ${reader}`,
        "also give explain the RBAC manifests of the controller; it needs get, list and watch on clusterprofiles",
      )
    : unlessPerhaps(artefacts, answer);
}

/** Whether any binding names the service account, which shows that its RBAC was read. */
function isBound({ rbac }: ClusterArtefacts, { namespace, name }: Subject): boolean {
  return [...rbac.bound.values()].some((each) =>
    each.some(({ binding }) =>
      binding.subjects.some(
        (subject) =>
          subject.kind === "ServiceAccount" &&
          subject.name === name &&
          (subject.namespace || binding.namespace) === namespace,
      ),
    ),
  );
}

function providerChosen({
  controller,
  profile,
  resolution,
}: Pick<FleetAccessFacts, "controller" | "profile" | "resolution">): Answer {
  const { list: read } = controller;
  if (!read && controller.kind !== "argocd")
    return unknown("no list of access providers was read", "also give explain the ConfigMap that holds it");
  if (!profile.status)
    return unknown(
      `which access providers the profile ${profile.key} names is not known`,
      "also give explain the manifest of its status",
    );
  const where = [...(read ? [seen(read.title, read.source)] : []), seen("status", profile.status.source)];
  if (resolution.outcome === "open")
    return unknown(
      `which access provider is chosen is not known: ${resolution.reason}`,
      "see the earlier checks",
      where,
    );
  if (resolution.outcome === "refused") {
    const { tree } = profileDocument(profile);
    const unlisted = unlistedProfiles(providersFor(controller, tree), [tree]);
    const { reason } = resolution;
    return unlisted.length > 0
      ? unlessRefused(unlisted, "", ...where)
      : broken(`the controller gives up: ${reason}`, "correct the entry", reason, where);
  }
  const { provider, others } = resolution.exec;
  const more = others.length === 0 ? "" : `, before ${others.join(", ")}`;
  return pass(`the list chooses ${provider}${more}`, where);
}

function secretFree({
  artefacts,
  controller,
  profile,
}: Pick<FleetAccessFacts, "artefacts" | "controller" | "profile">): Answer {
  const { list: read, workloads } = controller;
  const issues = [
    ...secretsIn(`ClusterProfile ${profile.key}`, profileDocument(profile).tree),
    ...(read ? listIssues(read).secrets : []),
    ...workloads.flatMap((each) =>
      containersIn(each).flatMap((container) => secretsIn(each.pods.title, childOf(container, "env"))),
    ),
    ...outputIssues(artefacts),
  ];
  const where = profile.status ?? profile.main;
  return unlessRefused(
    issues,
    "no secret material was found",
    ...(where ? [seen("ClusterProfile", where.source)] : []),
  );
}

/** Resources and data sources with credentials for a cloud or a cluster. */
const TYPES = [
  "aws_eks_cluster_auth",
  "aws_iam_access_key",
  "azuread_application_password",
  "azuread_service_principal_password",
  "azurerm_kubernetes_cluster",
  "google_client_config",
  "google_service_account_access_token",
  "google_service_account_id_token",
  "google_service_account_key",
  "kubernetes_token_request_v1",
].join("|");
const ATTRIBUTES =
  "access_token|client_key|id_token|kube_(?:admin_)?config_raw|password|private_key|secret|token|value";

const CREDENTIAL = new RegExp(String.raw`\b(?:${TYPES})\.`);
const ATTRIBUTE = new RegExp(String.raw`\.(?:${ATTRIBUTES})\b`);

/** True for a text with a reference to one of them, as far as an output can name it. */
function namesCredential(text: string): boolean {
  return (text.match(/[\w.[\]"*-]+/g) ?? []).some((path) => {
    const at = path.search(CREDENTIAL);
    return at >= 0 && ATTRIBUTE.test(path.slice(at).replace(CREDENTIAL, ""));
  });
}

/** An output is in the state in plain text, and in the file with which bind finishes manifests. */
function outputIssues({ outputs }: ClusterArtefacts): readonly WorkloadIdentityError[] {
  const isSecret = (text: string): boolean => isSecretText(text) || namesCredential(text);
  return [...outputs]
    .filter(([, value]) => isSecret(shown(value)) || hides(value, isSecret))
    .map(([name]) => secretMaterial(`the Terraform output ${name}`));
}

function identityNamed(reading: AccountReading | undefined): Answer {
  const named = reading?.answer ?? missing(IDENTITY);
  const declaration = reading?.identity?.found;
  if (named.status !== "pass" || declaration === undefined) return named;
  return { ...plainAnswer(declaration), evidence: [...named.evidence, ...declaration.evidence] };
}

function tokenMounted(controller: Controller, reading: AccountReading | undefined): Answer {
  const refused = refusedToken(controller.workloads.map(({ pods }) => pods));
  if (refused) return refused;
  const pods = reading?.pods ?? missing(IDENTITY);
  // Other jobs skip pods that were not read; here, the plugin's container is one of the links.
  return pods.status === "skipped"
    ? unknown(pods.reason, `also give explain the manifests of ${controller.title}`, pods.evidence)
    : pods;
}

/** The answer if the list chooses another access provider than the declared one, or leads to another server. */
function otherThanRecorded({
  recorded,
  call,
  profile,
}: Pick<FleetAccessFacts, "recorded" | "call" | "profile">): Answer | undefined {
  if (!recorded || !call) return undefined;
  const where = profile.status ? [seen("status", profile.status.source)] : [];
  const { server, cloud } = call;
  const { provider } = call.exec;
  const isCloud = cloud === undefined || recorded.cloud === "" || recorded.cloud === cloud;
  const isProvider = recorded.provider === "" || recorded.provider === provider || isBuiltin(provider);
  if (isCloud && isProvider)
    return recorded.server === undefined || same(recorded.server, server) === "yes"
      ? undefined
      : unknown(
          `the profile leads to ${shown(server)}, but ${profile.name} was declared with the server ${shown(recorded.server)}: which cluster the profile leads to cannot be determined`,
          "write the declared server into the profile",
          where,
        );
  return broken(
    `the list chooses ${provider}, but the spoke ${profile.name} was declared with ${recorded.provider || recorded.cloud}`,
    "let the profile name only its own access provider, or put that first in the list",
    UNAUTHORIZED,
    where,
  );
}
