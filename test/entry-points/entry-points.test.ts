/*
 * What a caller without a compiler gets wrong is refused by name at every entry point. The list of entry points is that
 * of the public indexes: whoever exports another one adds a row here, or says why it needs none.
 */

import { beforeAll, describe, expect, it } from "vitest";
import * as aws from "../../lib/cloud/aws";
import * as azure from "../../lib/cloud/azure";
import * as google from "../../lib/cloud/google";
import * as delivery from "../../lib/delivery";
import { type ErrorCode, isWorkloadIdentityError } from "../../lib/errors";
import * as explain from "../../lib/explain";
import * as fleet from "../../lib/fleet";
import * as root from "../../lib/index";
import * as kubernetes from "../../lib/kubernetes";
import * as lint from "../../lib/lint";
import * as node from "../../lib/node";
import * as openshift from "../../lib/openshift";
import * as rules from "../../lib/rules";
import * as registries from "../../lib/registries";
import * as synth from "../../lib/synth";
import * as testing from "../../lib/testing";
import { awsEntries } from "./aws-entries";
import { azureEntries } from "./azure-entries";
import type { Entry } from "./entry";
import { googleEntries } from "./google-entries";
import {
  fleetEntries,
  kubernetesEntries,
  nodeEntries,
  openshiftEntries,
  rootEntries,
} from "./kubernetes-entries";
import { registriesEntries } from "./registries-entries";
import {
  deliveryEntries,
  explainEntries,
  lintEntries,
  rulesEntries,
  synthEntries,
  testingEntries,
} from "./synth-entries";
import { World } from "./world";

const TEXTS = "takes texts or numbers alone, each of which it checks by itself";
const MADE = "is made by its statics";
const ANSWERS = "answers for whatever it is given, and never throws";
const PLANNED = "takes what a maker has checked before it declares anything";
const RESULTS = "takes what this library returned";

/** Exports without settings, with the reason. */
const WITHOUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ".": {
    WorkloadIdentityError: "is thrown, not made by callers",
    isWorkloadIdentityError: ANSWERS,
    isLate: ANSWERS,
    validateAudience: TEXTS,
    Duration: MADE,
    "Duration.seconds": TEXTS,
    "Duration.minutes": TEXTS,
    "Duration.hours": TEXTS,
    Issuer: MADE,
    "Issuer.of": TEXTS,
    "Issuer.exactly": TEXTS,
    Subject: MADE,
    "Subject.of": TEXTS,
    LateEncoding: TEXTS,
    LateText: TEXTS,
  },
  "./aws": {
    parseEcrHost: TEXTS,
    "PullRole.fromArn": TEXTS,
    "PullRole.ofGrant": RESULTS,
    "ComponentRole.ofGrant": RESULTS,
    "WorkloadRole.fromArn": TEXTS,
  },
  "./azure": {},
  "./google": {
    ArtifactRegistryRepository: MADE,
    "ComponentServiceAccount.check": PLANNED,
    "FederatedServiceAccount.check": PLANNED,
    "ProjectRole.check": PLANNED,
    "RoleBinding.checkRoom": PLANNED,
    "WorkloadServiceAccount.check": PLANNED,
  },
  "./kubernetes": {},
  "./node": { cloudInit: "takes nothing", ignition: "takes nothing" },
  "./openshift": { readCredentialsRequests: TEXTS },
  "./fleet": {
    resolveExec: "takes parsed documents, and answers for whatever they hold",
    validateClusterProfile: "takes a parsed document, and lists what is wrong with it",
  },
  "./synth": {
    LateValueResolver: "takes a scope alone",
    Manifests: "takes a scope alone",
    "Manifests.of": "takes a scope alone",
    StatedFacts: "checks its facts by the shape of files with facts",
  },
  "./testing": {
    SynthesizedStack: "is made by synthStack()",
    hasNoLateValues: RESULTS,
    removeSynthesized: "takes nothing",
    stackText: RESULTS,
  },
  "./explain": {
    Explainer: MADE,
    readFactsFile: TEXTS,
    renderCompareJson: RESULTS,
    renderCompareMarkdown: RESULTS,
    renderCompareSarif: RESULTS,
    renderCompareText: RESULTS,
    renderGithub: RESULTS,
    renderHtml: RESULTS,
    renderJson: RESULTS,
    renderJunit: RESULTS,
    renderMarkdown: RESULTS,
    renderMermaid: RESULTS,
    renderSarif: RESULTS,
  },
  "./lint": { renderLint: RESULTS },
  "./rules": {
    credentialCacheKey: ANSWERS,
    credentialCacheLookups: ANSWERS,
    credentialProviderConfigHash: TEXTS,
    credentialsInOrder: ANSWERS,
    credentialsRequestsDiff: "takes parsed documents, and refuses what is not a list of them",
    evaluateAwsPermission: ANSWERS,
    evaluateAwsTrust: ANSWERS,
    featureGateDefault: TEXTS,
    imageMatches: ANSWERS,
    jwksFromPublicKeys: TEXTS,
    lintCredentialProviderConfig: "takes a parsed document, and lists what is wrong with it",
    lookupRepository: TEXTS,
    nodeMayRequestAudience: ANSWERS,
    nodeNeedsServiceAccountGet: TEXTS,
    pluginCan: ANSWERS,
  },
};

const SUBPATHS: readonly (readonly [string, object, Readonly<Record<string, Entry>>])[] = [
  [".", root, rootEntries],
  ["./aws", aws, awsEntries],
  ["./azure", azure, azureEntries],
  ["./google", google, googleEntries],
  ["./kubernetes", kubernetes, kubernetesEntries],
  ["./node", node, nodeEntries],
  ["./openshift", openshift, openshiftEntries],
  ["./fleet", fleet, fleetEntries],
  ["./registries", registries, registriesEntries],
  ["./synth", synth, synthEntries],
  ["./delivery", delivery, deliveryEntries],
  ["./testing", testing, testingEntries],
  ["./explain", explain, explainEntries],
  ["./lint", lint, lintEntries],
  ["./rules", rules, rulesEntries],
];

/** Functions, constructors, and static methods of the classes. */
function entryPoints(exported: object): readonly string[] {
  return Object.entries(exported).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "function") return [];
    const statics = Object.getOwnPropertyNames(value).filter(
      (key) => key !== "prototype" && typeof Reflect.get(value, key) === "function",
    );
    return [name, ...statics.map((key) => `${name}.${key}`)];
  });
}

describe.each(SUBPATHS)("%s", (subpath, exported, entries) => {
  it("has a row for every entry point", () => {
    const rows = [...Object.keys(entries), ...Object.keys(WITHOUT[subpath] ?? {})];
    expect(rows.sort()).toEqual([...entryPoints(exported)].sort());
  });
});

/** No property takes it. */
const WRONG = Symbol("wrong");

/** The code of the refusal; anything else that is thrown is thrown on. */
function refusal(
  run: () => unknown,
): { readonly code: ErrorCode; readonly allowed: string; readonly remedy: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return { code: error.code, allowed: error.allowed ?? "", remedy: error.remedy };
  }
}

type Plain = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

type Place = readonly [path: string, value: unknown, put: (other: unknown) => unknown];

/** Each value below the settings, by its path, and how the settings look with another one in its place. */
function places(
  value: unknown,
  path = "",
  put: (other: unknown) => unknown = (other) => other,
): readonly Place[] {
  const below: readonly Place[] = Array.isArray(value)
    ? value.map((each: unknown, index) => [
        `${path}[${index}]`,
        each,
        (other) => put(value.with(index, other)),
      ])
    : Object.entries(isPlain(value) ? value : {}).map(([key, each]) => [
        path === "" ? key : `${path}.${key}`,
        each,
        (other) => put({ ...(value as Plain), [key]: other }),
      ]);
  return below.flatMap((place) => [place, ...places(place[1], place[0], place[2])]);
}

const ROWS = SUBPATHS.flatMap(([subpath, , entries]) =>
  Object.entries(entries).map(([name, entry]) => [`${name} of ${subpath}`, entry] as const),
);

describe.each(ROWS)("%s", (_, { settings, required, call, open = [], refuses }) => {
  let world: World;
  let given: Plain;
  const refused = (other: unknown): ErrorCode | undefined => refusal(() => call(other, world))?.code;
  const isList = (): boolean => Array.isArray(given);
  const isClosed = (): boolean => !isList() && !open.includes("");

  const root = (): Place => ["", given, (other) => other];
  const isBelow = (path: string): boolean =>
    open.some((each) => path.startsWith(each) && /^[.[]/.test(path.slice(each.length)));
  const isOpen = (path: string): boolean => open.includes(path) || isBelow(path);
  /** Whether it is what an open object holds. */
  const isWithin = (path: string): boolean => isBelow(path) || (open.includes("") && !/[.[]/.test(path));

  beforeAll(() => {
    world = new World();
    given = settings(world) as Plain;
  });

  it("takes good settings", () => {
    expect(refused(given)).toBe(refuses);
  });

  it("refuses other things than settings", () => {
    expect(refused(null)).toBe("property-invalid");
    expect(refused("settings")).toBe("property-invalid");
    if (!isList()) expect(refused([])).toBe("property-invalid");
  });

  it("names what is missing", () => {
    if (required.length > 0) expect(refused(undefined)).toBe("property-missing");
    for (const key of required) {
      const { [key]: left, ...rest } = given;
      expect([key, refused(rest)]).toEqual([key, "property-missing"]);
      expect([key, refused({ ...given, [key]: undefined })]).toEqual([key, "property-missing"]);
    }
  });

  it("shows how what is required is written", () => {
    for (const key of required) {
      const { allowed = "", remedy = "" } = refusal(() => call({ ...given, [key]: WRONG }, world)) ?? {};
      // Anything but kinds of JSON says it already: functions, classes, literal values.
      const isJson = /^(?:an array, each element |an object, each value )*(?:a string|a number|an object)$/;
      const isSaid = remedy.includes(`as in \`${key}: `) || !isJson.test(allowed);
      expect([key, allowed, isSaid]).toEqual([key, allowed, true]);
    }
  });

  it("names what is not known", () => {
    if (isClosed())
      expect(refused({ ...given, [WRONG.description ?? ""]: undefined })).toBe("property-unknown");
    for (const [path, value, put] of [root(), ...places(given)]) {
      if (!isPlain(value) || isOpen(path)) continue;
      // Where keys are names of the caller's, it is the value that is refused.
      const code = refused(put({ ...value, wrong: WRONG }));
      expect([path, code]).toEqual([path, expect.stringMatching(/^property-(?:unknown|invalid)$/)]);
    }
  });

  it("names each property that is of another kind", () => {
    const allowed = isClosed() ? refusal(() => call({ ...given, wrong: 1 }, world))?.allowed.split(", ") : [];
    for (const key of allowed ?? []) {
      expect([key, refused({ ...given, [key]: WRONG })]).toEqual([key, "property-invalid"]);
      const { [key]: left, ...rest } = given;
      if (!required.includes(key)) expect([key, refused(rest)]).not.toEqual([key, "property-missing"]);
    }
    for (const [path, , put] of places(given))
      if (!isWithin(path)) expect([path, refused(put(WRONG))]).toEqual([path, "property-invalid"]);
  });
});
