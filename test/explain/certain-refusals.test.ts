/*
 * A link that is certainly broken denies, whatever else cannot be determined: what is not read on one side hides no refusal
 * by the other. Each refusal stands beside the same artefacts without it, which are unknown.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { IssuerBucket, awsAccess, workloadRoles } from "../../lib/cloud/aws";
import type { ExplainResult } from "../../lib/explain";
import { WorkloadAccess } from "../../lib/synth";
import { allSpokes } from "../fixtures/explain/all-spokes";
import { WORKLOAD, publicKey, resultOf } from "../fixtures/explain/access";
import { explained, firstFailed, synthesized, synthesizedStack } from "../fixtures/explain/artefacts";
import { inDocument, inTerraform, put } from "../fixtures/explain/documents";
import { withoutResource } from "../fixtures/explain/fleet";
import { type Damage, both, resource, told } from "../fixtures/explain/fleet-damages";

type Row = readonly [what: string, refusing: Damage, link: string, evidence: string];

const READ = { Effect: "Allow", Action: ["s3:GetObject"], Resource: "arn:aws:s3:::reports/*" } as const;
const ROLE = "prod-eu_batch_jobs";
const IMAGE = "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner";
const OWN_IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";

const json = (...statements: readonly object[]): string =>
  JSON.stringify({ Version: "2012-10-17", Statement: statements });
const add =
  (type: string, values: object): Damage =>
  (all) =>
    inTerraform(all, (document) => {
      const { resource: resources } = document as { resource: Record<string, object> };
      return put(["resource", type], { ...resources[type], added: values })(document);
    });

const DENY_ALL = { Effect: "Deny", Principal: "*", Action: "ecr:*" };
const unread = resource("aws_iam_role", "permissions_boundary", "arn:aws:iam::111122223333:policy/unread");
const limited: Damage = (all) =>
  inTerraform(all, put(["provider", "aws", 0, "allowed_account_ids"], ["111122223333"]));
const registry = both(
  limited,
  add("aws_ecr_registry_policy", { policy: json({ ...DENY_ALL, Resource: "*" }) }),
);
const owner = (policy: string): Damage => resource("aws_ecr_repository_policy", "policy", policy);
const own = (...statements: readonly object[]): Damage =>
  resource("aws_iam_role_policy", "policy", json(LOGIN, ...statements));

const LOGIN = { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
const grant = (role: string, ...actions: readonly string[]): object => ({
  Effect: "Allow",
  Principal: { AWS: `arn:aws:iam::111122223333:role/${role}` },
  Action: actions,
});
const perhaps = { StringEquals: { "aws:SourceVpce": "vpce-1" } };

describe("a pull from ECR by a role whose boundary is not read", () => {
  const stacks = { other: synthesized("openshift-aws"), same: synthesized("three-clouds") };
  const asked = (place: keyof typeof stacks, damage: Damage): ExplainResult | undefined =>
    explained(damage(stacks[place]), {
      ...(place === "other"
        ? { serviceAccount: "batch/jobs", image: IMAGE }
        : { serviceAccount: "shop/web", image: OWN_IMAGE }),
    })[0];

  it.each(["other", "same"] as const)(
    "is unknown where nothing else speaks against it: %s account",
    (place) => {
      expect(asked(place, unread)?.verdict).toBe("unknown");
    },
  );

  it.each<readonly [...Row, place: keyof typeof stacks]>([
    [
      "the owner's policy lets another role in",
      owner(json(grant("other", "ecr:*"))),
      "repository-permitted",
      "policy of the repository",
      "other",
    ],
    [
      "the owner's policy lets it do the one of two things, perhaps, and never the other",
      owner(json({ ...grant(ROLE, "ecr:BatchGetImage"), Condition: perhaps })),
      "repository-permitted",
      "policy of the repository",
      "other",
    ],
    [
      "the owner's policy denies it",
      owner(json(DENY_ALL)),
      "repository-permitted",
      "policy of the repository",
      "other",
    ],
    [
      "a policy of its own account's repository denies it",
      add("aws_ecr_repository_policy", { repository: "shop/web", policy: json(DENY_ALL) }),
      "repository-permitted",
      "policy of the repository",
      "same",
    ],
    [
      "its own account's registry denies it",
      registry,
      "repository-permitted",
      "policy of the registry",
      "same",
    ],
    [
      "its own account's registry denies it, and its own policy may allow it",
      both(own({ Effect: "Allow", Action: "ecr:*", Resource: "*", Condition: perhaps }), registry),
      "repository-permitted",
      "policy of the registry",
      "same",
    ],
    [
      "its own policies allow the one of two things, perhaps, and never the other",
      own({ Effect: "Allow", Action: "ecr:BatchGetImage", Resource: "*", Condition: perhaps }),
      "repository-permitted",
      "role/edge-1_shop_web",
      "same",
    ],
  ])("is denied where %s", (_, refusing, link, evidence, place) => {
    const result = asked(place, both(unread, refusing));
    expect([result?.verdict, result && firstFailed(result)]).toEqual(["denied", link]);
    const texts = result?.checks.find(({ id }) => id === link)?.evidence.map(({ text }) => text);
    expect(texts?.join()).toContain(evidence);
  });
});

describe("an issuer whose documents are read, and the trust in it is not", () => {
  const artefacts = synthesizedStack((stack) => {
    const place = { account: "111122223333", region: "eu-west-1" } as const;
    new AwsProvider(stack, "aws", { region: place.region });
    const keys = [{ publicKey, use: "current" }] as const;
    const issuer = new IssuerBucket(stack, "issuer", {
      bucketName: "issuer-c1",
      ...place,
      keys,
      access: "public",
    });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "c1", issuer },
      workloads: [{ serviceAccount: WORKLOAD, may: awsAccess({ statements: [READ] }) }],
      identities: [workloadRoles(place)],
    });
  });
  const asked = (damage: Damage): readonly (string | undefined)[] => {
    const result = resultOf(damage(artefacts), WORKLOAD);
    return [result.verdict, firstFailed(result)];
  };

  it("is denied where no one may read the documents, and unknown otherwise", () => {
    const closed = resource("aws_s3_bucket_public_access_block", "restrict_public_buckets", true);
    const elsewhere: Damage = (all) => withoutResource(all, "aws_iam_openid_connect_provider");
    expect(asked(elsewhere)).toEqual(["unknown", undefined]);
    expect(asked(both(elsewhere, closed))).toEqual(["denied", "issuer-trusted"]);
  });
});

describe("a spoke", () => {
  const artefacts = allSpokes("eks", "kueue");
  const asked = (spoke: string, damage: Damage): readonly (string | undefined)[] => {
    const [result] = explained(damage(artefacts), { spoke });
    return [result?.verdict, result && firstFailed(result)];
  };

  const otherRead = told("azure-aks-r", "AZURE_CLIENT_ID", "11111111-2222-4333-8444-555555555555");

  it.each<readonly [spoke: string, what: string, open: Damage, refusing: Damage]>([
    [
      "eks-g",
      "the role that is assumed has no access entry",
      told("aws-eks-g", "DEFAULT_ROLE", "arn:aws:iam::111122223333:role/assumed"),
      add("aws_eks_cluster", { name: "eksg", access_config: { authentication_mode: "API" } }),
    ],
    [
      "aks-r",
      "another identity enters, and the cluster takes none of Entra's tokens",
      otherRead,
      (all) =>
        inTerraform(
          new Map([...all].map(([path, text]) => [path, text.replaceAll("data.azurerm_k", "azurerm_k")])),
          put(["resource", "azurerm_kubernetes_cluster"], { aksc: { name: "aksc" } }),
        ),
    ],
    [
      "ocp-gw",
      "a role is not read, and the Connect agent may not act as the user",
      resource("google_project_iam_member", "role", "projects/acme-prod/roles/unread"),
      (all) =>
        inDocument(all, "spokes/ocp-gw.yaml", ["ClusterRole"], put(["rules", 0, "resourceNames"], ["other"])),
    ],
  ])("%s is denied where %s", (spoke, _, open, refusing) => {
    expect(asked(spoke, open)).toEqual(["unknown", undefined]);
    expect(asked(spoke, both(open, refusing))).toEqual(["denied", "spoke-admits"]);
  });
});
