import { parse } from "yaml";
import { certificateAuthorityIssues } from "../../../lib/rules/fleet/endpoint";
import { resolveExec } from "../../../lib/rules/fleet/resolve-exec";
import {
  clusterProfileVersions,
  validateClusterProfile,
} from "../../../lib/rules/fleet/cluster-profile-schema";
import { type Json, inside, list, record, text } from "../json";
import type { FinishedStack } from "../synth-output";

/** Whether each controller of a fleet finds each spoke, can run what it is told to, and has rights there. */
export function judgeFleet(stack: FinishedStack): readonly string[] {
  const fleet = record(stack.cluster["fleet"]);
  return list(fleet["spokes"])
    .map(record)
    .flatMap((spoke) =>
      [...judgeProfile(stack, spoke), ...judgeRun(stack, fleet, spoke), ...judgeRights(stack, spoke)].map(
        (finding) => `spoke ${text(spoke["name"])}: ${finding}`,
      ),
    );
}

function profiles({ objects }: FinishedStack, { name }: Json): readonly Json[] {
  return objects.filter(
    (object) => object["kind"] === "ClusterProfile" && inside(object, "metadata", "name") === name,
  );
}

function judgeProfile(stack: FinishedStack, spoke: Json): readonly string[] {
  const [main, status, ...others] = profiles(stack, spoke);
  if (!main || !status || others.length > 0) return ["not one profile and one status"];
  const [, version = ""] = text(main["apiVersion"]).split("/");
  const kept = [main, status].flatMap((document) =>
    clusterProfileVersions.flatMap((each) => {
      const apiVersion = text(document["apiVersion"]).replace(version, each);
      const { dropped, rejected } = validateClusterProfile({ ...document, apiVersion }, each);
      return [...dropped, ...rejected.map(({ field, message }) => `${field} ${message}`)];
    }),
  );
  const cluster = record(record(list(inside(status, "status", "accessProviders"))[0])["cluster"]);
  const authority = cluster["certificate-authority-data"];
  return [
    ...("status" in main ? ["the main object has a status"] : []),
    ...kept,
    ...(authority === undefined ? [] : certificateAuthorityIssues(authority).map(({ problem }) => problem)),
  ];
}

/** The list of providers in whichever ConfigMap holds one. */
function providers({ objects }: FinishedStack): readonly unknown[] {
  const texts = objects
    .filter(({ kind }) => kind === "ConfigMap")
    .flatMap((object) => Object.values(record(object["data"])));
  return texts.flatMap((each) => {
    const document = record(parse(text(each)));
    const kueue = record(inside(document, "multiKueue", "clusterProfile"));
    return [
      ...list(document["providers"]),
      ...list(kueue["accessProviders"]),
      ...list(kueue["credentialsProviders"]),
    ];
  });
}

function judgeRun(stack: FinishedStack, fleet: Json, spoke: Json): readonly string[] {
  const [, status] = profiles(stack, spoke);
  const found = resolveExec(providers(stack), status);
  if (found.outcome === "refused") return [found.reason];
  const { provider, others, server, command } = found.exec;
  const onPath = list(record(fleet["consumer"])["onPath"]);
  const mounted = list(fleet["workloads"])
    .map(record)
    .every((workload) => mountPaths(stack, workload).some((path) => command.startsWith(`${path}/`)));
  return [
    ...(provider === spoke["provider"] && others.length === 0 ? [] : [`${provider} is chosen`]),
    ...(server.startsWith("https://") && URL.canParse(server) ? [] : [`its server is ${server}`]),
    ...(onPath.includes(command) || mounted ? [] : [`${command} is not in each container`]),
  ];
}

function mountPaths(
  { objects }: FinishedStack,
  { kind, namespace, name, container }: Json,
): readonly string[] {
  const patch = objects.find(
    (object) =>
      object["kind"] === kind &&
      inside(object, "metadata", "namespace") === namespace &&
      inside(object, "metadata", "name") === name,
  );
  return list(inside(patch, "spec", "template", "spec", "containers"))
    .map(record)
    .filter((each) => each["name"] === container)
    .flatMap((each) => list(each["volumeMounts"]).map((mount) => text(record(mount)["mountPath"])));
}

function judgeRights({ spokes }: FinishedStack, { name, rights }: Json): readonly string[] {
  const bindings = (spokes.get(text(name)) ?? []).filter(({ kind }) => text(kind).endsWith("RoleBinding"));
  return (rights === "rbac") === bindings.length > 0 ? [] : ["its RBAC is not as recorded"];
}
