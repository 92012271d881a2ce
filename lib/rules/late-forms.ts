/*
 * What Terraform's answer for an attribute looks like, where that is certain: an output that holds something else was
 * written by other means, or belongs to another resource.
 */

import { isGuid } from "./azure/names";

interface LateForm {
  /** Matches the whole expression. */
  readonly attribute: RegExp;
  readonly isForm: (value: string) => boolean;
  /** For messages. */
  readonly form: string;
}

const FORMS: readonly LateForm[] = [
  {
    attribute:
      /^\$\{(?:data\.)?azurerm_user_assigned_identity\.[\w-]+\.(?:client_id|principal_id|tenant_id)\}$/,
    isForm: isGuid,
    form: "a GUID",
  },
];

/** The form that the value of an expression should have and does not; `undefined` if it has it, or any is right. */
export function missedForm(expression: string, value: string): string | undefined {
  return FORMS.find(({ attribute, isForm }) => attribute.test(expression) && !isForm(value))?.form;
}
