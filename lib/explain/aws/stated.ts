/*
 * Facts about AWS accounts that may be stated if their Terraform is not read. Each becomes the resource that would
 * declare it.
 */

import { type Shape, TEXT, TEXTS, type StatedResource, type StatedSection } from "../../artefact/fact-shape";

/** States facts about AWS accounts whose Terraform is not read. */
export interface StatedAwsFacts {
  /**
   * OIDC providers that exist, with all the audiences (client ids) that they accept.
   *
   * @defaultValue - none
   */
  readonly oidcProviders?: readonly { readonly arn: string; readonly audiences: readonly string[] }[];
  /**
   * Managed policies that exist, with the document of their default version, for example permissions boundaries.
   *
   * @defaultValue - none
   */
  readonly policies?: readonly { readonly arn: string; readonly document: object }[];
  /**
   * ECR repositories that exist, with their repository policies.
   *
   * @defaultValue - none
   */
  readonly repositories?: readonly { readonly arn: string; readonly policy: object }[];
  /**
   * EKS clusters, by name, whose nodes run the EKS Pod Identity Agent.
   *
   * @defaultValue - none
   */
  readonly podIdentityAgents?: readonly { readonly cluster: string }[];
}

const OBJECT: Shape = { byName: "anything" };

const REPOSITORY = /^arn:[a-z-]+:ecr:([a-z0-9-]+):\d{12}:repository\/(.+)$/;

const PROVIDER_ARN: Shape = {
  matching: /^arn:[a-z-]+:iam::\d{12}:oidc-provider\/.+$/,
  form: "arn:<partition>:iam::<account>:oidc-provider/<issuer without https://>",
};
const POLICY_ARN: Shape = {
  matching: /^arn:[a-z-]+:iam::(?:\d{12}|aws):policy\/.+$/,
  form: "arn:<partition>:iam::<account>:policy/[<path>/]<name>",
};
const REPOSITORY_ARN: Shape = {
  matching: REPOSITORY,
  form: "arn:<partition>:ecr:<region>:<account>:repository/<name>",
};

/** A kind of fact: its keys, and the resource that would declare it. */
interface StatedKind {
  readonly title: string;
  readonly keys: Readonly<Record<string, Shape>>;
  readonly type: string;
  readonly values: (fact: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

const KINDS: Readonly<Record<keyof StatedAwsFacts, StatedKind>> = {
  oidcProviders: {
    title: "An OIDC provider of an account, with all the audiences (client ids) that it accepts",
    keys: { arn: PROVIDER_ARN, audiences: TEXTS },
    type: "aws_iam_openid_connect_provider",
    values: ({ arn, audiences }) => ({ arn, client_id_list: audiences }),
  },
  policies: {
    title: "A managed policy, with the document of its default version, for example a permissions boundary",
    keys: { arn: POLICY_ARN, document: OBJECT },
    type: "aws_iam_policy",
    values: ({ arn, document }) => ({ arn, policy: JSON.stringify(document) }),
  },
  repositories: {
    title: "An ECR repository, with its repository policy",
    keys: { arn: REPOSITORY_ARN, policy: OBJECT },
    type: "aws_ecr_repository_policy",
    values: ({ arn, policy }) => {
      const [, region, repository] = REPOSITORY.exec(String(arn)) ?? [];
      return { arn, region, repository, policy: JSON.stringify(policy) };
    },
  },
  podIdentityAgents: {
    title: "An EKS cluster, by name, whose nodes run the EKS Pod Identity Agent",
    keys: { cluster: TEXT },
    type: "aws_eks_addon",
    values: ({ cluster }) => ({ cluster_name: cluster, addon_name: "eks-pod-identity-agent" }),
  },
};

export const stated: StatedSection = {
  shape: {
    keys: Object.fromEntries(
      Object.entries(KINDS).map(([kind, { keys, title }]) => [
        kind,
        { each: { keys, title, needed: Object.keys(keys) } },
      ]),
    ),
  },
  resources: (facts) =>
    Object.entries(KINDS).flatMap(([kind, { type, values }]) =>
      (facts[kind] ?? []).map((fact, place): StatedResource => ({
        path: `${kind}[${place}]`,
        type,
        values: values(fact as Readonly<Record<string, unknown>>),
      })),
    ),
};
