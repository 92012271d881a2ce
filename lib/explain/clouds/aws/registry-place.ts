import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { accountOf } from "./account-of";

/** Which registry of ECR it is. */
export interface RegistryPlace {
  /** Account id of the registry; empty where it is not known. */
  readonly account: string;
  /** Region of the registry; empty where it is not known. */
  readonly region: string;
}

/** The registry that a resource belongs to. */
export function placeOf(resource: TerraformResource, terraform: Terraform): RegistryPlace {
  const ofProvider = terraform.resolve(text(own(providerOf(resource), "region")), resource.scope);
  const region = terraform.text(resource, "region") || ofProvider;
  return { account: accountOf(resource), region: isLateText(region) ? "" : region };
}

/** True where it is that registry for certain. */
export function isOf(one: RegistryPlace, { account, region }: RegistryPlace): boolean {
  return one.account === account && one.region === region && account !== "" && region !== "";
}

/** True where it is that registry, or not known to be another. */
export function mayBeOf(one: RegistryPlace, { account, region }: RegistryPlace): boolean {
  return ["", account].includes(one.account) && ["", region].includes(one.region);
}
