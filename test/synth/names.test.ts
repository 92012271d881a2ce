/*
 * What everything is called. Addresses are keys of Terraform's state, and a name that changes makes a resource anew, so
 * that neither may change by accident; the ids of constructs among them are documented.
 */

import { App, type TerraformResource } from "cdktf";
import { describe, expect, it } from "vitest";
import { allJobs, argumentsOf, namesOf, resourcesOf } from "../fixtures/synth/all-jobs";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import type { RequestCloud } from "../support/credentials-requests";

/** Names, and what people read in their place, by the resource's type and path. */
const NAMES: Readonly<Record<RequestCloud, Readonly<Record<string, string>>>> = {
  aws: {
    "aws_iam_role pulls/aws/shop_web/Resource": "name=prod_shop_web; Pulls container images for shop/web",
    "aws_iam_role_policy pulls/aws/shop_web/Policy": "name=image-pulls",
    "aws_iam_openid_connect_provider oidc-provider-oidc.example.com-prod-766cedbf/Resource":
      "url=https://oidc.example.com/prod",
    "aws_iam_role workloads/aws/shop_web/Resource": "name=prod_shop_web_access; Access to AWS for shop/web",
    "aws_iam_role_policy workloads/aws/shop_web/Policy": "name=access",
    "aws_s3_bucket issuer/Resource": "bucket=acme-oidc",
    "aws_s3_bucket_server_side_encryption_configuration issuer/Encryption": "",
    "aws_s3_bucket_ownership_controls issuer/OwnershipControls": "",
    "aws_s3_bucket_public_access_block issuer/PublicAccessBlock": "",
    "aws_cloudfront_origin_access_control issuer/Distribution/OriginAccessControl":
      "name=acme-oidc; OIDC issuer acme-oidc",
    "aws_cloudfront_distribution issuer/Distribution/Resource": "",
    "aws_s3_bucket_policy issuer/Policy": "",
    "aws_s3_object issuer/Discovery": "key=.well-known/openid-configuration",
    "aws_s3_object issuer/Jwks": "key=keys.json",
    "aws_iam_role components/aws/openshift-cloud-credential-operator_cloud-credential-operator-iam-ro-creds/Resource":
      "name=prod-openshift-cloud-credential-operator-cloud-credenti_412d6c02; OpenShift role for openshift-cloud-credential-operator/cloud-credential-operator-iam-ro-creds",
    "aws_iam_role_policy components/aws/openshift-cloud-credential-operator_cloud-credential-operator-iam-ro-creds/Policy":
      "name=component",
  },
  azure: {
    "azurerm_user_assigned_identity pulls/azure/Default/shop_web/Resource":
      "name=prod_shop_web; resource_group_name=identities",
    "azurerm_federated_identity_credential pulls/azure/Default/shop_web/prod_shop_web":
      "name=prod_shop_web; resource_group_name=identities",
    "azurerm_role_assignment pulls/azure/Default/shop_web/acmeshop.azurecr.io": "",
    "azurerm_user_assigned_identity workloads/azure/Default/shop_web/Resource":
      "name=prod_shop_web_access; resource_group_name=apps",
    "azurerm_federated_identity_credential workloads/azure/Default/shop_web/prod_shop_web":
      "name=prod_shop_web; resource_group_name=apps",
    "azurerm_role_assignment workloads/azure/Default/shop_web/Access_05244d3e": "",
    "azurerm_resource_group issuer/ResourceGroup": "name=oidc",
    "azurerm_storage_account issuer/Resource": "name=acmeoidc; resource_group_name=oidc",
    "azurerm_storage_container issuer/Container": "name=acmeoidc",
    "azurerm_storage_blob issuer/Discovery": "name=.well-known/openid-configuration",
    "azurerm_storage_blob issuer/Jwks": "name=openid/v1/jwks",
    "azurerm_resource_group components/azure/Default/OidcResourceGroup": "name=prod-oidc",
    "azurerm_resource_group components/azure/Default/InstallationResourceGroup": "name=prod",
    "azurerm_user_assigned_identity components/azure/Default/openshift-azure-cloud-controller-manager/Resource":
      "name=prod_openshift-cloud-controller-manager_azure-cloud-credentials; resource_group_name=prod-oidc",
    "azurerm_federated_identity_credential components/azure/Default/openshift-azure-cloud-controller-manager/prod_openshift-cloud-controller-manager_cloud-controller-manager":
      "name=prod_openshift-cloud-controller-manager_cloud-controller-manager; resource_group_name=prod-oidc",
    "azurerm_role_definition components/azure/Default/openshift-azure-cloud-controller-manager/Role":
      "name=prod_openshift-cloud-controller-manager_azure-cloud-credentials_2d043d44; Custom role for OpenShift. Owned by: prod",
    "azurerm_role_assignment components/azure/Default/openshift-azure-cloud-controller-manager/prod": "",
  },
  google: {
    "google_artifact_registry_repository_iam_member pulls/google/pull_shop_web_europe-west1_tools_acme-images_k8s-prod/Resource":
      "project=acme-images",
    "google_iam_workload_identity_pool workload-identity-pool_acme-images_k8s-prod/Resource":
      "project=acme-images; workload_identity_pool_id=k8s-prod",
    "google_iam_workload_identity_pool_provider oidc-provider_acme-images_k8s-prod_k8s-prod/Resource":
      "project=acme-images; workload_identity_pool_provider_id=k8s-prod",
    "google_service_account workloads/google/workload_shop_web/account/Resource":
      "account_id=prod-shop-web-93cdd753; project=acme-prod; prod shop/web",
    "google_service_account_iam_member workloads/google/workload_shop_web/account/user_shop_web":
      "service_account_id=projects/acme-prod/serviceAccounts/prod-shop-web-93cdd753@acme-prod.iam.gserviceaccount.com",
    "google_storage_bucket_iam_member workloads/google/workload_shop_web/grant_0/Resource": "bucket=acme",
    "google_iam_workload_identity_pool workload-identity-pool_acme-prod_k8s-prod/Resource":
      "project=acme-prod; workload_identity_pool_id=k8s-prod",
    "google_iam_workload_identity_pool_provider oidc-provider_acme-prod_k8s-prod_k8s-prod--workloads/Resource":
      "project=acme-prod; workload_identity_pool_provider_id=k8s-prod--workloads",
    "google_storage_bucket issuer/Resource": "name=acme-oidc; project=acme-prod",
    "google_storage_bucket_iam_member issuer/public-readers": "bucket=acme-oidc",
    "google_storage_bucket_object issuer/discovery":
      "bucket=acme-oidc; name=.well-known/openid-configuration",
    "google_storage_bucket_object issuer/jwks": "bucket=acme-oidc; name=keys.json",
    "google_project_iam_custom_role components/google/component_openshift-gcp-ccm/role/Resource":
      "project=acme-prod; role_id=prod_openshift_gcp_ccm_ceab80dc; prod openshift-gcp-ccm; OpenShift component of cluster prod, CredentialsRequest openshift-gcp-ccm",
    "google_service_account components/google/component_openshift-gcp-ccm/account/Resource":
      "account_id=prod-gcp-ccm-ceab80dc; project=acme-prod; prod openshift-gcp-ccm; OpenShift component of cluster prod, CredentialsRequest openshift-gcp-ccm",
    "google_service_account_iam_member components/google/component_openshift-gcp-ccm/account/user_openshift-cloud-controller-manager_cloud-controller-manager":
      "service_account_id=projects/acme-prod/serviceAccounts/prod-gcp-ccm-ceab80dc@acme-prod.iam.gserviceaccount.com",
    "google_project_iam_member components/google/component_openshift-gcp-ccm/grant_custom/Resource":
      "project=acme-prod",
    "google_iam_workload_identity_pool_provider oidc-provider_acme-prod_k8s-prod_k8s-prod--openshift/Resource":
      "project=acme-prod; workload_identity_pool_provider_id=k8s-prod--openshift",
  },
};

const resources = (cloud: RequestCloud): readonly TerraformResource[] =>
  resourcesOf(allJobs(cloud, new App({ outdir: temporaryFolder(), stackTraces: false }), "first"));

describe.each(Object.keys(NAMES) as RequestCloud[])("in %s", (cloud) => {
  it("resources have these addresses and names", () => {
    const written = resources(cloud).map((resource) => {
      const { description, display_name: title = argumentsOf(resource)["title"] } = argumentsOf(resource);
      const read = [title, description].filter((text) => typeof text === "string" && !text.includes("${"));
      const names = namesOf(resource).map(([argument, name]) => `${argument}=${name}`);
      const path = resource.node.path.replace(/^prod\//, "");
      return [`${resource.terraformResourceType} ${path}`, [...names, ...read].join("; ")];
    });
    expect(Object.fromEntries(written)).toEqual(NAMES[cloud]);
  });

  it("nothing is taken over that is not said to exist", () => {
    const rendered = resources(cloud).map((resource): unknown => resource.toTerraform());
    expect(rendered.filter((each) => JSON.stringify(each).includes('"import"'))).toEqual([]);
  });
});
