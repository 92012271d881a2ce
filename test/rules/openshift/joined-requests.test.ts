import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../lib/errors";
import {
  type CredentialsRequestSelection,
  credentialsRequestsOf,
  joinedCredentialsRequests,
} from "../../../lib/openshift";
import { credentialsRequestsDiff } from "../../../lib/rules";
import { payloadRequests, requestClouds, requestReleases } from "../../support/credentials-requests";

interface Spec {
  readonly secretRef?: object;
  readonly serviceAccountNames?: readonly string[];
  readonly cloudTokenPath?: string;
  readonly providerSpec?: object;
}

function document(name: string, { providerSpec, ...spec }: Spec = {}, kind = "GCPProviderSpec"): object {
  return {
    apiVersion: "cloudcredential.openshift.io/v1",
    kind: "CredentialsRequest",
    metadata: { name, namespace: "openshift-cloud-credential-operator" },
    spec: {
      secretRef: { namespace: "openshift-x", name: `${name}-creds` },
      serviceAccountNames: ["operator"],
      ...spec,
      providerSpec: { apiVersion: "cloudcredential.openshift.io/v1", kind, ...providerSpec },
    },
  };
}

const google = (...documents: readonly object[]): CredentialsRequestSelection =>
  credentialsRequestsOf(documents, { cloud: "google" });
const permitted = (...permissions: readonly string[]): Spec => ({ providerSpec: { permissions } });

describe("the requests of two releases", () => {
  it("have the service accounts and the permissions of both, each once", () => {
    const running = google(
      document("a", { ...permitted("x.y.get", "x.y.list"), serviceAccountNames: ["old", "operator"] }),
    );
    const next = google(
      document("a", { ...permitted("x.y.list", "x.y.create"), serviceAccountNames: ["operator", "new"] }),
    );
    const [joined] = joinedCredentialsRequests(running, next).requests;
    expect(joined?.subjects.map(({ key }) => key)).toEqual([
      "openshift-x/new",
      "openshift-x/old",
      "openshift-x/operator",
    ]);
    expect(joined?.providerSpec["permissions"]).toEqual(["x.y.get", "x.y.list", "x.y.create"]);
  });

  it("keep what only one of them has, sorted by Secret; skipped is that of the next one", () => {
    const running = google(document("gone", permitted("a.b.c")), document("b", permitted("a.b.c")));
    const next = google(
      document("b", permitted("a.b.c")),
      document("added", permitted("a.b.c")),
      document("left", {}, "AWSProviderSpec"),
    );
    const { requests, skipped } = joinedCredentialsRequests(running, next);
    expect(requests.map(({ name }) => name)).toEqual(["added", "b", "gone"]);
    expect(skipped.map(({ name }) => name)).toEqual(["left"]);
  });

  it("AWS: statements that differ in their actions alone are one; another resource or condition stays apart", () => {
    const aws = (...statementEntries: readonly object[]): CredentialsRequestSelection =>
      credentialsRequestsOf([document("a", { providerSpec: { statementEntries } }, "AWSProviderSpec")], {
        cloud: "aws",
      });
    const statement = (action: readonly string[], resource = "*", more: object = {}): object => ({
      effect: "Allow",
      action,
      resource,
      ...more,
    });
    const tagged = { policyCondition: { StringEquals: { "aws:ResourceTag/a": "b" } } };
    const [joined] = joinedCredentialsRequests(
      aws(statement(["s3:GetObject", "s3:ListBucket"]), statement(["s3:PutObject"], "arn:aws:s3:::a/*")),
      aws(statement(["s3:ListBucket", "s3:GetBucketTagging"]), statement(["s3:PutObject"], "*", tagged)),
    ).requests;
    expect(joined?.providerSpec["statementEntries"]).toEqual([
      statement(["s3:GetObject", "s3:ListBucket", "s3:GetBucketTagging"]),
      statement(["s3:PutObject"], "arn:aws:s3:::a/*"),
      statement(["s3:PutObject"], "*", tagged),
    ]);
  });

  it.each([
    [
      "openshift-mismatch",
      google(document("a", permitted("a.b.c"))),
      google(
        document("a", { ...permitted("a.b.c"), secretRef: { namespace: "openshift-x", name: "other" } }),
      ),
      "secret",
    ],
    [
      "openshift-mismatch",
      google(document("a", { ...permitted("a.b.c"), cloudTokenPath: "/var/run/a" })),
      google(document("a", { ...permitted("a.b.c"), cloudTokenPath: "/var/run/b" })),
      "cloudTokenPath",
    ],
    [
      "openshift-mismatch",
      google(document("a", { providerSpec: { permissions: ["a.b.c"], skipServiceCheck: true } })),
      google(document("a", { providerSpec: { permissions: ["a.b.c"], skipServiceCheck: false } })),
      "providerSpec.skipServiceCheck",
    ],
  ] as const satisfies readonly (readonly [ErrorCode, ...unknown[]])[])(
    "%s",
    (code, running, next, field) => {
      expect(() => joinedCredentialsRequests(running, next)).toThrowError(
        expect.objectContaining({
          code,
          message: expect.stringContaining(
            `CredentialsRequest a has a different ${field} than CredentialsRequest a, so one identity cannot serve both releases`,
          ) as unknown,
        }),
      );
    },
  );

  it("what no compiler saw is refused", () => {
    const good = google(document("a", permitted("a.b.c")));
    for (const bad of [undefined, null, good.requests, { requests: [{}], skipped: [] }, { requests: [] }])
      for (const [running, next] of [
        [bad, good],
        [good, bad],
      ])
        expect(() => joinedCredentialsRequests(running as never, next as never)).toThrowError(
          expect.objectContaining({
            code: expect.stringMatching(/^property-(?:missing|invalid)$/) as string,
          }),
        );
  });
});

const neighbours = requestClouds.flatMap((cloud) =>
  requestReleases.slice(1).map((next, place) => [cloud, requestReleases[place] ?? "", next] as const),
);

describe("payload requests", () => {
  /** As documents again, to be compared with `credentials-diff`. */
  const documents = ({ requests }: CredentialsRequestSelection): { value: unknown; source: object }[] =>
    requests.map(({ name, secret, subjects, cloudTokenPath, providerKind, providerSpec }) => ({
      value: document(
        name,
        {
          secretRef: secret,
          serviceAccountNames: subjects.map((subject) => subject.name),
          ...(cloudTokenPath !== undefined && { cloudTokenPath }),
          providerSpec,
        },
        providerKind,
      ),
      source: {},
    }));

  it.each(neighbours)("%s, %s to %s: nothing that either asks for is missing", (cloud, before, after) => {
    const of = (release: string): CredentialsRequestSelection =>
      credentialsRequestsOf(payloadRequests(cloud, release), {
        cloud,
        featureSet: "TechPreviewNoUpgrade",
        featureGates: "all",
      });
    const joined = joinedCredentialsRequests(of(before), of(after));
    for (const release of [before, after]) {
      const { removed, changed } = credentialsRequestsDiff(documents(of(release)), documents(joined));
      expect(removed).toEqual([]);
      expect(changed.flatMap(({ changes }) => changes.flatMap((change) => change.removed))).toEqual([]);
    }
  });
});

describe("joining", () => {
  const permission = fc.constantFrom("a.b.c", "a.b.d", "e.f.g", "h.i.j");
  const release = fc
    .uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc
            .uniqueArray(permission, { minLength: 1 })
            .map((permissions) => document(name, permitted(...permissions))),
        ),
      ),
    )
    .map((all) => google(...all));

  it("of a release with itself is that release", () => {
    fc.assert(
      fc.property(release, (one) => {
        expect(joinedCredentialsRequests(one, one).requests).toEqual(one.requests);
      }),
    );
  });
});
