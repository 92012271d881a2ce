/*
 * Federated identity credentials as Terraform declares them. Source of the limits: learn.microsoft.com, "Important
 * considerations and restrictions for federated identity credentials".
 */

import { CREDENTIALS_PER_IDENTITY } from "../../../rules/azure/federated-credential";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { listed } from "../../facts/terraform-values";
import type { CredentialFact } from "./entra";
import { groupedBy, hasUnowned, isApplied, ownerOf } from "./owners";

const NAME = /^[a-z0-9][\w-]{2,119}$/i;

/** The resources that are credentials of one kind of owner. */
export interface CredentialTypes {
  /** The type that is read. */
  readonly type: string;
  /** The owner that one is put on, in lower case; empty where none is named. */
  readonly ownerOf: (credential: TerraformResource) => string;
  /** Credentials of a form that is not read. */
  readonly unread: readonly TerraformResource[];
  /** Their arguments that name the owner. */
  readonly unreadOwner: readonly string[];
}

/** The credentials of all owners of one kind. */
export class Credentials {
  readonly #byOwner: ReadonlyMap<string, readonly TerraformResource[]>;
  readonly #unread: ReadonlyMap<string, readonly TerraformResource[]>;
  readonly #isOpen: boolean;
  readonly #terraform: Terraform;

  /** Indexes them. */
  constructor(terraform: Terraform, { type, ownerOf: owner, unread, unreadOwner }: CredentialTypes) {
    this.#terraform = terraform;
    this.#byOwner = groupedBy(terraform.ofType(type), owner);
    this.#unread = groupedBy(unread, (resource) => ownerOf(resource, unreadOwner, terraform));
    this.#isOpen = hasUnowned(this.#byOwner) || hasUnowned(this.#unread);
  }

  /** What is known of those of an owner, by all ids that it goes by, in lower case. */
  of(owners: readonly string[]): {
    /** Those that are read. */
    readonly credentials: readonly CredentialFact[];
    /** True where there may be more. */
    readonly hasOpenCredentials: boolean;
    /** Why Azure refuses some; `undefined` where it takes all. */
    readonly credentialDoubt: string | undefined;
  } {
    const found = [...new Set(owners)].flatMap((id) => this.#byOwner.get(id) ?? []);
    return {
      credentials: found.map((each) => credential(each, this.#terraform)),
      hasOpenCredentials: this.#isOpen || owners.some((id) => this.#unread.has(id)),
      credentialDoubt:
        found.length > 1
          ? refusal(
              found.filter((each) => !isApplied(each)),
              this.#terraform,
            )
          : undefined,
    };
  }
}

/** A credential of azurerm (`audience`) or azuread (`audiences`), each a list of one. */
function credential(resource: TerraformResource, terraform: Terraform): CredentialFact {
  const audiences = listed(resource.values["audience"] ?? resource.values["audiences"]);
  const problem = problemOf(terraform.text(resource, "name"), audiences.length);
  return {
    issuer: terraform.text(resource, "issuer"),
    subject: terraform.text(resource, "subject"),
    audience: terraform.resolve(audiences[0] ?? "", resource.scope),
    ...(problem !== undefined && !isApplied(resource) && { problem }),
    source: resource.source,
  };
}

function problemOf(name: string, audiences: number): string | undefined {
  if (audiences > 1) return `has ${audiences} audiences, and one is allowed`;
  return name === "" || isLateText(name) || NAME.test(name)
    ? undefined
    : `is named ${JSON.stringify(name)}, and 3 to 120 letters, digits, - and _ are allowed`;
}

/** What one document asks for and Azure refuses; another document may tell of the same credentials. */
function refusal(found: readonly TerraformResource[], terraform: Terraform): string | undefined {
  const seen = new Map<unknown, Set<string>>();
  const names = new Map<unknown, number>();
  for (const resource of found) {
    const known = seen.get(resource.scope) ?? new Set();
    seen.set(resource.scope, known);
    const name = terraform.text(resource, "name").toLowerCase();
    const [issuer, subject] = [terraform.text(resource, "issuer"), terraform.text(resource, "subject")];
    const isNamed = name !== "" && !isLateText(name);
    if (isNamed && known.has(name)) return `two of its credentials are named ${name}`;
    // What an instance makes of `each` and `count` differs although it is written alike.
    const isPair = !isLateText(subject) && !/\b(?:each|count)\./.test(issuer);
    if (isPair && known.has(`${issuer} ${subject}`))
      return `two of its credentials have the issuer ${issuer} and the subject ${subject}`;
    if (isNamed) known.add(name);
    if (isPair) known.add(`${issuer} ${subject}`);
    const count = (names.get(resource.scope) ?? 0) + (isNamed ? 1 : 0);
    names.set(resource.scope, count);
    if (count > CREDENTIALS_PER_IDENTITY)
      return `it has more than ${CREDENTIALS_PER_IDENTITY} federated identity credentials`;
  }
  return undefined;
}
