/*
 * Mistakes in the cluster: service accounts, their annotations, and the permission of nodes to ask for tokens.
 */

import { type Variant, files, images } from "../variant";

const web = { stack: "edge-1", serviceAccount: "shop/web", image: images.ecr, verdict: "denied" } as const;

const ROLE = "    eks.amazonaws.com/ecr-role-arn: arn:aws:iam::111122223333:role/edge-1_shop_web\n";

/** Mistakes that are made once per cluster or namespace. */
export const clusterVariants: readonly Variant[] = [
  {
    ...web,
    id: "account-in-another-namespace",
    mistake:
      "The annotated service account was applied to a different namespace than the one in which the pods run.",
    edits: [{ file: files.accounts, from: "  namespace: shop\n", to: "  namespace: store\n" }],
    stopsAt: "service-account-present",
  },
  {
    ...web,
    id: "nodes-before-the-api-server",
    mistake:
      "The nodes were upgraded first. By default an API server 1.33 does not let nodes get service accounts, whatever the kubelet's version.",
    edits: [{ file: files.cluster, from: '"apiServer": "1.35"', to: '"apiServer": "1.33"' }],
    stopsAt: "service-account-readable",
  },
  {
    ...web,
    id: "role-arn-instead-of-ecr-role-arn",
    mistake: "The service account has the annotation for IRSA, which the plugin does not read.",
    edits: [
      { file: files.accounts, from: "eks.amazonaws.com/ecr-role-arn", to: "eks.amazonaws.com/role-arn" },
    ],
    stopsAt: "annotations-present",
  },
  {
    ...web,
    id: "fallback-of-the-ecr-plugin",
    mistake:
      "The annotation key is optional, and the service account lacks it. From v1.35 on the plugin silently uses the node's role instead, so the pull may even work.",
    edits: [
      {
        file: files.nodes,
        from: `            requiredServiceAccountAnnotationKeys:
              - eks.amazonaws.com/ecr-role-arn
`,
        to: `            optionalServiceAccountAnnotationKeys:
              - eks.amazonaws.com/ecr-role-arn
`,
      },
      { file: files.accounts, from: ROLE, to: "" },
    ],
    stopsAt: "annotations-present",
    servedBy: "node identity",
  },
  {
    ...web,
    id: "opt-in-in-other-letters",
    mistake: "The Google plugin accepts only `true`; with any other value it uses the node's account.",
    serviceAccount: "shop/tools",
    image: images.google,
    edits: [
      {
        file: files.accounts,
        from: 'iam.gke.io/enable-wi-image-pull: "true"',
        to: 'iam.gke.io/enable-wi-image-pull: "True"',
      },
    ],
    stopsAt: "annotations-present",
    servedBy: "node identity",
  },
  {
    ...web,
    id: "audience-not-granted",
    mistake:
      "The RoleBinding that grants nodes the audience is missing. Older API servers do not require it; from 1.33 on they refuse the token request.",
    edits: [
      {
        file: files.audience,
        from: `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: token-audience:sts.amazonaws.com
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: token-audience:sts.amazonaws.com
subjects:
  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: system:nodes
`,
        to: "",
      },
    ],
    stopsAt: "audience-granted",
  },
  {
    ...web,
    id: "audience-granted-to-the-account",
    mistake:
      "The role is bound to the pod's service account. The node makes the request, so the role must be bound to the group `system:nodes`.",
    edits: [
      {
        file: files.audience,
        from: `  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: system:nodes
`,
        to: `  - kind: ServiceAccount
    name: web
    namespace: shop
`,
      },
    ],
    stopsAt: "audience-granted",
  },
  {
    ...web,
    id: "audience-granted-in-another-namespace",
    mistake: "The RoleBinding is in a different namespace than the service account.",
    edits: [
      {
        file: files.audience,
        from: "  name: token-audience:sts.amazonaws.com\n  namespace: shop\n",
        to: "  name: token-audience:sts.amazonaws.com\n  namespace: store\n",
      },
    ],
    stopsAt: "audience-granted",
  },
];
