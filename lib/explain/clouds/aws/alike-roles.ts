import { type PolicyForm, nameIn, permissionForm } from "../../../rules/aws/evaluate/policy-forms";
import type { Answer } from "../../answer";
import type { RoleFact } from "./role-fact";
import { type EcrRegistry, type RoleJudge, RolePermissions } from "./role-permissions";

/** A role that may read the one repository that its policy names. */
interface ReadingRole {
  readonly form: PolicyForm;
  readonly judge: RolePermissions;
  /** Tells its form from others. */
  readonly number: number;
}

/** Judges roles by their policies, and those whose policies differ from the last role's in their repository only once. */
export class AlikeRoles {
  #reading: ReadingRole | undefined;

  /** What judges a role. */
  of(role: RoleFact): RoleJudge {
    const reading = this.#reading;
    const resource = reading && namedBy(reading, role);
    if (reading && resource !== undefined) return new AlikeRole(role, resource, reading.judge);
    const judge = new RolePermissions(role);
    const [policy] = role.policies;
    const formed = policy !== undefined && isSingle(role) ? permissionForm(policy) : undefined;
    if (formed && judge.refusal(formed.resource) === undefined)
      this.#reading = { form: formed.form, judge, number: (reading?.number ?? 0) + 1 };
    return judge;
  }

  /** A short text for the role's policies, equal only where they are; `undefined` where there is none. */
  keyOf(role: RoleFact): string | undefined {
    const resource = this.#reading && namedBy(this.#reading, role);
    return resource === undefined ? undefined : `${this.#reading?.number} ${resource}`;
  }
}

function isSingle({ policies, perhaps, boundary }: RoleFact): boolean {
  return policies.length === 1 && perhaps.length === 0 && boundary === undefined;
}

function namedBy({ form }: ReadingRole, role: RoleFact): string | undefined {
  const [policy] = role.policies;
  return policy !== undefined && isSingle(role) ? nameIn(form, policy) : undefined;
}

/** A role of which is asked what was answered of another one. */
class AlikeRole implements RoleJudge {
  readonly #role: RoleFact;
  readonly #resource: string;
  readonly #other: RolePermissions;
  #judge: RolePermissions | undefined;

  constructor(role: RoleFact, resource: string, other: RolePermissions) {
    this.#role = role;
    this.#resource = resource;
    this.#other = other;
  }

  login(registry: EcrRegistry): Answer {
    const answer = this.#other.login(registry);
    return answer.status === "pass" ? answer : this.#own.login(registry);
  }

  refusal(arn: string): Answer | undefined {
    return arn === this.#resource ? undefined : this.#own.refusal(arn);
  }

  outcome(...asked: Parameters<RoleJudge["outcome"]>): ReturnType<RoleJudge["outcome"]> {
    return this.#own.outcome(...asked);
  }

  get #own(): RolePermissions {
    return (this.#judge ??= new RolePermissions(this.#role));
  }
}
