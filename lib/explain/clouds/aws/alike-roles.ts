import { type PolicyForm, nameIn, permissionForm } from "../../../rules/aws/evaluate/policy-forms";
import type { Answer } from "../../answer";
import type { RoleFact } from "./role-fact";
import { judgeOf } from "./regional-role";
import type { EcrRegistry, RoleJudge } from "./role-permissions";

/** A role that may read the one repository that its policy names. */
interface ReadingRole {
  readonly form: PolicyForm;
  readonly resource: string;
  readonly judge: RoleJudge;
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
    if (reading && resource !== undefined) return new AlikeRole(role, resource, reading);
    const judge = judgeOf(role);
    const [policy] = role.policies;
    const formed = policy !== undefined && isSingle(role) ? permissionForm(policy) : undefined;
    if (formed && judge.refusal(formed.resource) === undefined)
      this.#reading = { ...formed, judge, number: (reading?.number ?? 0) + 1 };
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
  readonly #other: ReadingRole;
  #judge: RoleJudge | undefined;

  constructor(role: RoleFact, resource: string, other: ReadingRole) {
    this.#role = role;
    this.#resource = resource;
    this.#other = other;
  }

  login(registry: EcrRegistry, region: string): Answer {
    const answer = this.#other.judge.login(registry, region);
    return answer.status === "pass" ? answer : this.#own.login(registry, region);
  }

  refusal(arn: string): Answer | undefined {
    return arn === this.#resource ? undefined : this.#own.refusal(arn);
  }

  outcome(...asked: Parameters<RoleJudge["outcome"]>): ReturnType<RoleJudge["outcome"]> {
    return this.#own.outcome(...asked);
  }

  mayImport(arn: string): ReturnType<RoleJudge["mayImport"]> {
    const { judge, resource } = this.#other;
    return arn === this.#resource ? judge.mayImport(resource) : this.#own.mayImport(arn);
  }

  get #own(): RoleJudge {
    return (this.#judge ??= judgeOf(this.#role));
  }
}
