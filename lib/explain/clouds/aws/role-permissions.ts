/*
 * What an IAM role may do by its identity policies, and within them by its permissions boundary.
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsPermission } from "../../../rules/aws/evaluate/evaluate-permission";
import { type ActionOutcome, PermissionTable } from "../../../rules/aws/evaluate/permission-table";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { AnswerLater } from "../answer-later";
import { requestOfRole } from "../../../rules/aws/evaluate/context";
import type { PerhapsPolicy } from "./attached-policies";
import type { RoleFact } from "./role-fact";
import { remedyOf } from "./policy-documents";

/** The registries of ECR. */
export type EcrRegistry = "private" | "public";

/** What reading a repository takes. */
export const pullActions: readonly string[] = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

const LOGINS: Readonly<Record<EcrRegistry, readonly string[]>> = {
  private: ["ecr:GetAuthorizationToken"],
  public: ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
};

/** What a role's own policies say. */
export interface RoleJudge {
  /** May it log in? `region` is that of the registry, empty for one that has none. */
  login(registry: EcrRegistry, region: string): Answer;
  /** What keeps it from reading the repository of that ARN, which must be known; `undefined` where nothing does. */
  refusal(arn: string): Answer | undefined;
  /** What its policies say of an action; or what they say where something besides them allows it. */
  outcome(action: string, resource: string, isGranted: boolean): AwsDecision["outcome"];
  /** Whether it may fetch the repository's images from the registry that they are of. */
  mayImport(arn: string): AwsDecision["outcome"];
}

/** The policies of one role, taken apart for many questions. */
export class RolePermissions implements RoleJudge {
  readonly #role: RoleFact;
  readonly #context: ReturnType<typeof requestOfRole>;
  /** The policies, and the boundary where there is one. */
  readonly #tables: readonly PermissionTable[];
  /** The same with each policy that may be the role's besides. */
  readonly #perhaps: readonly PerhapsTables[];
  /** What reading takes, by what judges it; actions that are judged alike are asked once. */
  readonly #pull: readonly AskedAction[];
  /** The login is the same for every repository. */
  readonly #logins = new Map<EcrRegistry, Answer>();

  /** `region` is that of the requests; empty where the policies do not ask for it, or it is not known. */
  constructor(role: RoleFact, region: string) {
    this.#role = role;
    const context = requestOfRole(region);
    this.#context = context;
    const { policies, boundary, perhaps } = role;
    const bounding = boundary === undefined ? [] : [new PermissionTable([boundary], context)];
    this.#tables = [new PermissionTable(policies, context), ...bounding];
    this.#perhaps = perhaps.map(({ policy, ...which }) => ({
      which,
      tables: [new PermissionTable([...policies, policy], context), ...bounding],
    }));
    const asked = pullActions.map((action) => this.#asked(action));
    this.#pull = perhaps.length === 0 ? withoutAlike(asked) : asked;
  }

  /** May it log in? */
  login(registry: EcrRegistry): Answer {
    const known = this.#logins.get(registry);
    if (known) return known;
    const made = this.#mayLogIn(LOGINS[registry]);
    this.#logins.set(registry, made);
    return made;
  }

  /** What keeps it from reading the repository of that ARN, which must be known; `undefined` where nothing does. */
  refusal(arn: string): Answer | undefined {
    return obstacle(this.#pull.map((asked) => this.#mayNotRead(asked, arn)));
  }

  #mayNotRead({ action, tables }: AskedAction, arn: string): Answer | undefined {
    const outcome = outcomeOf(tables, arn);
    const doubt = this.#doubt(action, arn, outcome);
    if (doubt) return doubt;
    if (outcome === "denied")
      return new AnswerLater("fail", () =>
        broken(
          `the role may not ${action} on ${arn}: ${this.#decision(action, arn).reason}`,
          "name the repository in the role's permission policy",
          `is not authorized to perform: ${action} on resource: ${arn} because no identity-based policy allows the ${action} action`,
        ),
      );
    return outcome === "unknown"
      ? unknown(this.#decision(action, arn).reason, remedyOf(this.#role))
      : undefined;
  }

  #mayLogIn(actions: readonly string[]): Answer {
    const refusals = actions.map((action) => this.#mayNotLogIn(this.#asked(action)));
    return obstacle(refusals) ?? pass(`the role may ${actions.join(" and ")}`);
  }

  #mayNotLogIn({ action, tables }: AskedAction): Answer | undefined {
    const outcome = outcomeOf(tables, "*");
    const doubt = this.#doubt(action, "*", outcome);
    if (doubt) return doubt;
    if (outcome === "allowed") return undefined;
    const { reason } = this.#decision(action, "*");
    return outcome === "denied"
      ? broken(
          `the role may not ${action}: ${reason}`,
          `allow ${action} on "*"; the service offers nothing narrower`,
          `AccessDeniedException: User: arn:aws:sts::…:assumed-role/…/ecr-credential-provider is not authorized to perform: ${action} on resource: *`,
        )
      : unknown(reason, remedyOf(this.#role));
  }

  /** Whether a policy that may be the role's would make another outcome of this one. */
  #doubt(action: string, resource: string, outcome: AwsDecision["outcome"]): Answer | undefined {
    if (outcome === "unknown") return undefined;
    const other = this.#perhaps.find(({ tables }) => outcomeOf(asking(tables, action), resource) !== outcome);
    return other && perhapsOther(action, outcome, other.which);
  }

  /**
   * What its policies say of an action; or what they say where something besides them allows it, which their denials
   * and the boundary limit. Source: "Policy evaluation logic" in the IAM user guide.
   */
  outcome(action: string, resource: string, isGranted: boolean): AwsDecision["outcome"] {
    const [, ...bounding] = this.#tables;
    const grant = { Statement: [{ Effect: "Allow", Action: action, Resource: resource }] };
    const documents = [...this.#role.policies, ...(isGranted ? [grant] : [])];
    const table = new PermissionTable(documents, this.#context);
    return this.#certain(action, resource, [table, ...bounding]);
  }

  /** Whether it may fetch the repository's images from the registry that they are of. */
  mayImport(arn: string): AwsDecision["outcome"] {
    return this.#certain("ecr:BatchImportUpstreamImage", arn, this.#tables);
  }

  #certain(action: string, resource: string, tables: readonly PermissionTable[]): AwsDecision["outcome"] {
    const outcome = outcomeOf(asking(tables, action), resource);
    return this.#doubt(action, resource, outcome) ? "unknown" : outcome;
  }

  #asked(action: string): AskedAction {
    return { action, tables: asking(this.#tables, action) };
  }

  /** The decision whose outcome is that of {@link outcomeOf}, with its reason. */
  #decision(action: string, resource: string): AwsDecision {
    const { policies, boundary } = this.#role;
    const request = { action, resource, context: this.#context };
    const decision = evaluateAwsPermission(policies, request);
    if (boundary === undefined || decision.outcome === "denied") return decision;
    const bounded = evaluateAwsPermission([boundary], request);
    if (bounded.outcome === "allowed") return decision;
    return { outcome: bounded.outcome, reason: `the permissions boundary: ${bounded.reason}` };
  }
}

/** Tables with a policy of which it is not known whether it is the role's. */
interface PerhapsTables {
  readonly which: Omit<PerhapsPolicy, "policy">;
  readonly tables: readonly PermissionTable[];
}

function asking(tables: readonly PermissionTable[], action: string): readonly ActionOutcome[] {
  return tables.map((table) => table.of(action));
}

function perhapsOther(
  action: string,
  outcome: AwsDecision["outcome"],
  { source, isOfOrganization, against }: PerhapsTables["which"],
): Answer {
  if (against)
    return unknown(
      `a policy that decides about ${action} is given to the role, and taken away or replaced by another resource`,
      "give it to the role in one place, or name it in both",
      seen("policy of the role", source),
      seen("resource that owns the role's policies, or those of its name", against),
    );
  if (isOfOrganization)
    return unknown(
      `a policy of the organization denies ${action}, or may, where it counts for the role's account`,
      "except the role from it, or attach it to other accounts by their ids",
      seen("policy of the organization", source),
    );
  return unknown(
    `a policy that ${outcome === "allowed" ? "denies" : "allows"} ${action}, or may, is attached to a role that may be this one`,
    "let the policy refer to its role, and limit its Terraform provider to one account (allowed_account_ids)",
    seen("policy of a role that is not known for certain", source),
  );
}

/** One action, with what judges it in each table. */
interface AskedAction {
  readonly action: string;
  readonly tables: readonly ActionOutcome[];
}

function withoutAlike(asked: readonly AskedAction[]): readonly AskedAction[] {
  const isAlike = (one: AskedAction, other: AskedAction): boolean =>
    one.tables.every((table, index) => table === other.tables[index]);
  return asked.filter((one, index) => asked.findIndex((other) => isAlike(one, other)) === index);
}

/** What all tables allow is allowed, what one denies is denied. */
function outcomeOf(tables: readonly ActionOutcome[], resource: string): AwsDecision["outcome"] {
  let outcome: AwsDecision["outcome"] = "allowed";
  for (const table of tables) {
    const next = table(resource);
    if (next === "denied") return next;
    if (next === "unknown") outcome = next;
  }
  return outcome;
}
