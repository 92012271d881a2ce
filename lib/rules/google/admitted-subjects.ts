import type { Subject } from "../../model/subject";
import {
  type AttributeCondition,
  type AttributeConditionForm,
  type ListSize,
  attributeCondition,
  conditionForm,
} from "./attribute-condition";
import { celString } from "./cel";

/**
 * The subjects that a pool provider admits. Knows at every moment how exact their condition will be, so that
 * thousands can be added one by one without the list being written for each.
 */
export class AdmittedSubjects {
  readonly #subjects = new Map<string, Subject>();
  readonly #namespaces = new Set<string>();
  #subjectSize: ListSize = { count: 0, characters: 0 };
  #namespaceSize: ListSize = { count: 0, characters: 0 };

  /** Adds a subject; one that is there already changes nothing. */
  add(subject: Subject): void {
    if (this.#subjects.has(subject.key)) return;
    this.#subjects.set(subject.key, subject);
    this.#subjectSize = enlarged(this.#subjectSize, subject.toString());
    if (this.#namespaces.has(subject.namespace)) return;
    this.#namespaces.add(subject.namespace);
    this.#namespaceSize = enlarged(this.#namespaceSize, subject.namespace);
  }

  /** How exact the condition is. */
  get form(): AttributeConditionForm {
    return conditionForm(this.#subjectSize, this.#namespaceSize);
  }

  /** The condition. */
  get condition(): AttributeCondition {
    return attributeCondition([...this.#subjects.values()]);
  }
}

function enlarged({ count, characters }: ListSize, text: string): ListSize {
  return { count: count + 1, characters: characters + celString(text).length };
}
