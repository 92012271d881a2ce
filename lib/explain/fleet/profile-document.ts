/*
 * A profile as the controller sees it: main object and status put together; and what may stand for late values while
 * rules are applied, since nothing is known about them.
 */

import { type Json, list, own, record } from "../facts/access";
import type { ProfileFact } from "../facts/fleet-facts";
import { isLateText } from "../facts/terraform";

/** Good values of the CRD's types. */
const SCHEMA: Readonly<Record<string, string>> = {
  server: "https://late.invalid",
  "certificate-authority-data": "bGF0ZQ==",
};

/** The rules for addresses know cdktf's own form of a late value, which the artefacts do not have any more. */
const LATE = "${TfToken[TOKEN.0]}";

/** Main object with its status. */
export function profileDocument({ main, status }: ProfileFact): Json {
  const document = main?.value ?? status?.value ?? {};
  const written = status?.value["status"];
  return written === undefined ? document : { ...document, status: written };
}

/** The document with good values in the place of late ones, for the CRD's schema. */
export function withGoodValues(document: Json): Json {
  return replaced(document, (key) => SCHEMA[key] ?? LATE);
}

/** The document with late values as the rules know them. */
export function withLateValues(document: Json): Json {
  return replaced(document, () => LATE);
}

function replaced(document: Json, instead: (key: string) => string): Json {
  const status = record(document["status"]);
  const providers = (value: unknown): unknown =>
    Array.isArray(value)
      ? list(value).map((provider) => {
          const cluster = own(provider, "cluster");
          return cluster === undefined
            ? provider
            : { ...record(provider), cluster: clusterOf(cluster, instead) };
        })
      : value;
  if (document["status"] === undefined) return document;
  return {
    ...document,
    status: {
      ...status,
      ...("accessProviders" in status && { accessProviders: providers(status["accessProviders"]) }),
    },
  };
}

function clusterOf(cluster: unknown, instead: (key: string) => string): unknown {
  return Object.fromEntries(
    Object.entries(record(cluster)).map(([key, value]) => [
      key,
      typeof value === "string" && isLateText(value) ? instead(key) : value,
    ]),
  );
}
