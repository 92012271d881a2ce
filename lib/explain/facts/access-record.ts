/*
 * What `workload-identity.json` records of components and workloads.
 */

import type { LateReader } from "./late-text";
import { type Json, at, list, own, record, text, texts } from "./access";

/** A component that somebody declared. */
export interface DeclaredComponent {
  /** Key of the cloud. */
  readonly cloud: string;
  /** The Secret that it reads, `namespace/name`. */
  readonly secret: string;
  /** Its service accounts, `namespace/name` each. */
  readonly serviceAccounts: readonly string[];
  /** Where its token is. */
  readonly tokenPath: string;
  /** The audience of its tokens. */
  readonly audience: string;
  /** The provider part of its request. */
  readonly asks: Json;
  /** What it was meant to get instead, in the same form; `undefined` where that is the same. */
  readonly intends: Json | undefined;
  /** Why; empty where nobody says it. */
  readonly reason: string;
  /** Where its rights count. */
  readonly places: readonly string[];
}

/** A workload that somebody declared. */
export interface DeclaredWorkload {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** Key of the cloud. */
  readonly cloud: string;
  /** What it may do, in words. */
  readonly permissions: readonly string[];
}

/** Reads `components` of a recorded cluster. */
export function declaredComponents(components: unknown): readonly DeclaredComponent[] {
  return list(own(components, "granted")).map((granted) => ({
    cloud: text(own(components, "cloud")),
    secret: text(own(granted, "secret")),
    serviceAccounts: texts(own(granted, "serviceAccounts")),
    tokenPath: text(own(granted, "tokenPath")),
    audience: text(own(components, "audience")),
    asks: record(own(granted, "asks")),
    intends: own(granted, "intends") === undefined ? undefined : record(at(granted, "intends", "rights")),
    reason: text(at(granted, "intends", "reason")),
    places: texts(own(granted, "places")),
  }));
}

/** The components with the placeholders of their rights and places followed. */
export function followedComponents(
  components: readonly DeclaredComponent[],
  late: LateReader,
): readonly DeclaredComponent[] {
  return components.map((component) => ({
    ...component,
    places: component.places.map(late),
    intends: component.intends && record(followed(component.intends, late)),
  }));
}

function followed(value: unknown, late: LateReader): unknown {
  if (typeof value === "string") return late(value);
  if (Array.isArray(value)) return value.map((each) => followed(each, late));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, followed(each, late)]));
}

/** Reads `workloads` of a recorded cluster. */
export function declaredWorkloads(workloads: unknown): readonly DeclaredWorkload[] {
  return list(workloads).map((workload) => ({
    serviceAccount: text(at(workload, "serviceAccount")),
    cloud: text(at(workload, "cloud")),
    permissions: texts(at(workload, "permissions")),
  }));
}
