import { expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { edited, folderOf, synthesized } from "../fixtures/explain/artefacts";

const artefacts = synthesized("three-clouds");
const TF = "cdk.tf.json";
const conditional = (expression: string): Parameters<typeof edited>[1][number] => [
  TF,
  '"role": "roles/artifactregistry.reader"',
  `"role": "roles/artifactregistry.reader", "condition": {"title": "t", "expression": "${expression}"}`,
];

it("names every service account that can pull an image, and whether that was declared", () => {
  const explainer = Explainer.read([folderOf(artefacts)]);
  const pullers = (image: string): unknown =>
    explainer.whoMayPull(image).map(({ result, declared }) => [result.subject, result.verdict, declared]);
  expect(pullers("111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1")).toEqual([
    ["shop/web", "allowed", true],
  ]);
  expect(pullers("acmeshop.azurecr.io/models/llm")).toEqual([["shop/web", "allowed", true]]);
  expect(pullers("acmeshop.azurecr.io/other/llm")).toEqual([]);
});

it("names what a service account can read, and what of it was not declared", () => {
  const reach = (edits: Parameters<typeof edited>[1], account: string): unknown =>
    Explainer.read([folderOf(edited(artefacts, edits))])
      .reach(account)
      .map(({ pattern, declared }) => [pattern, declared]);
  expect(reach([], "shop/web")).toEqual([
    ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/*", true],
    ["acmeshop.azurecr.io/models/*", true],
  ]);
  expect(reach([], "shop/tools")).toEqual([["europe-west1-docker.pkg.dev/acme-images/tools/*", true]]);
  expect(
    reach(
      [
        [TF, "repository/shop/*", "repository/*"],
        [TF, "StartsWithIgnoreCase 'models/'", "StartsWithIgnoreCase 'mod/'"],
      ],
      "shop/web",
    ),
  ).toEqual([
    ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/*", false],
    ["acmeshop.azurecr.io/mod/*", false],
  ]);
});

it.each<
  readonly [what: string, account: string, edits: Parameters<typeof edited>[1], reached: readonly string[]]
>([
  [
    "no repository of an identity that refuses the token",
    "shop/tools",
    [[TF, '"issuer_uri": "https://oidc.acme.example/edge-1"', '"issuer_uri": "https://oidc.acme.example/"']],
    [],
  ],
  [
    "no repository of a registry that refuses the login",
    "shop/web",
    [["workload-identity.json", "AbacRepositoryPermissions", "LegacyRegistryPermissions"]],
    ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/*"],
  ],
  [
    "every repository of a project with the grant, in words",
    "shop/tools",
    [[TF, "google_artifact_registry_repository_iam_member", "google_project_iam_member"]],
    ["every repository in project acme-images"],
  ],
  [
    "a repository whose grant has a condition that is met",
    "shop/tools",
    [conditional("resource.name.endsWith('/repositories/tools')")],
    ["europe-west1-docker.pkg.dev/acme-images/tools/*"],
  ],
  [
    "no repository whose grant has a condition that is never met",
    "shop/tools",
    [conditional("resource.name.endsWith('/repositories/base')")],
    [],
  ],
  [
    "a repository whose grant has another condition, in words",
    "shop/tools",
    [conditional("request.time < timestamp('2040-01-01T00:00:00Z')")],
    ["roles/artifactregistry.reader on artifact registry repository tools under a condition"],
  ],
])("reaches %s", (_, account, edits, reached) => {
  const explainer = Explainer.read([folderOf(edited(artefacts, edits))]);
  expect(explainer.reach(account).map(({ pattern }) => pattern)).toEqual(reached);
});

it.each<readonly [string, Parameters<typeof edited>[1], boolean]>([
  ["that its policy lets it pull", [], true],
  ["that its policy lets it pull only in part", [[TF, "repository/shop/*", "repository/shop/?*"]], true],
  ["whose layers it may not fetch", [[TF, "ecr:GetDownloadUrlForLayer", "ecr:DescribeImages"]], false],
  ["to whose registry it may not log in", [[TF, "ecr:GetAuthorizationToken", "ecr:DescribeRegistry"]], false],
  [
    "as a role that does not admit it",
    [[TF, ':sub\\":\\"system:serviceaccount:shop:web\\"', ':sub\\":\\"system:serviceaccount:shop:api\\"']],
    false,
  ],
])("names repositories %s", (_, edits, expected) => {
  const found = Explainer.read([folderOf(edited(artefacts, edits))])
    .reach("shop/web")
    .some(({ pattern }) => pattern.includes(".dkr.ecr."));
  expect(found).toBe(expected);
});

it("finds an undeclared puller", () => {
  const explainer = Explainer.read([
    folderOf(
      edited(artefacts, [
        [
          TF,
          ':sub\\":\\"system:serviceaccount:shop:web\\"',
          ':sub\\":[\\"system:serviceaccount:shop:web\\",\\"system:serviceaccount:shop:tools\\"]',
        ],
        [
          "20-service-accounts.yaml",
          '    iam.gke.io/enable-wi-image-pull: "true"\n',
          '    iam.gke.io/enable-wi-image-pull: "true"\n    eks.amazonaws.com/ecr-role-arn: arn:aws:iam::111122223333:role/edge-1_shop_web\n',
        ],
      ]),
    ),
  ]);
  const pullers = explainer.whoMayPull("111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web");
  expect(pullers.map(({ result, declared }) => [result.subject, declared])).toEqual([
    ["shop/tools", false],
    ["shop/web", true],
  ]);
});
