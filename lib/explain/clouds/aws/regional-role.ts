/*
 * Roles whose policies ask for the region of a request, as those of organizations often do. Where the registry is, there
 * its requests go. Source: aws:RequestedRegion in "AWS global condition context keys" of the IAM user guide.
 */

import type { Answer } from "../../answer";
import type { RoleFact } from "./role-fact";
import { type EcrRegistry, type RoleJudge, RolePermissions } from "./role-permissions";

const REGION_KEY = /aws:requestedregion/i;
/** `arn:<partition>:ecr:<region>:…`. */
const REGION_OF_ARN = 3;

/** What judges a role by its own policies. */
export function judgeOf(role: RoleFact): RoleJudge {
  const { policies, perhaps, boundary } = role;
  const asks =
    policies.some(asksForRegion) ||
    perhaps.some(({ policy }) => asksForRegion(policy)) ||
    (boundary !== undefined && asksForRegion(boundary));
  return asks ? new RegionalRole(role) : new RolePermissions(role, "");
}

function asksForRegion(policy: string): boolean {
  return REGION_KEY.test(policy);
}

/** Judges each region by itself. */
class RegionalRole implements RoleJudge {
  readonly #role: RoleFact;
  readonly #byRegion = new Map<string, RolePermissions>();

  constructor(role: RoleFact) {
    this.#role = role;
  }

  login(registry: EcrRegistry, region: string): Answer {
    return this.#in(region).login(registry);
  }

  refusal(arn: string): Answer | undefined {
    return this.#at(arn).refusal(arn);
  }

  outcome(...[action, arn, isGranted]: Parameters<RoleJudge["outcome"]>): ReturnType<RoleJudge["outcome"]> {
    return this.#at(arn).outcome(action, arn, isGranted);
  }

  mayImport(arn: string): ReturnType<RoleJudge["mayImport"]> {
    return this.#at(arn).mayImport(arn);
  }

  #at(arn: string): RolePermissions {
    return this.#in(arn.split(":")[REGION_OF_ARN] ?? "");
  }

  #in(region: string): RolePermissions {
    const made = this.#byRegion.get(region) ?? new RolePermissions(this.#role, region);
    this.#byRegion.set(region, made);
    return made;
  }
}
