import { type PolicyForm, nameIn, trustForm } from "../../../rules/aws/evaluate/policy-forms";
import type { Answer } from "../../answer";
import { AnswerLater } from "../answer-later";
import { lateTrust } from "./late-trust";
import type { AwsTrustQuestion } from "./trust";

/** A trust that holds, and the questions that it answers. */
interface TrustHeld {
  readonly form: PolicyForm;
  readonly asked: AwsTrustQuestion;
}

const ALIKE: readonly (keyof AwsTrustQuestion)[] = [
  "account",
  "partition",
  "issuer",
  "audience",
  "oidcProviders",
];

/** Judges as `lateTrust` does, and trust policies that differ from the last one in their subject only once. */
export class AlikeTrust {
  #held: TrustHeld | undefined;

  /** The three answers; their words are found when they are read. */
  of(question: AwsTrustQuestion): readonly [Answer, Answer, Answer] {
    if (this.#held && isAlike(this.#held, question)) return heldAnswers(question);
    const answers = lateTrust(question);
    const { role, issuer, subject } = question;
    if (role === undefined || issuer === undefined || answers.some(({ status }) => status !== "pass"))
      return answers;
    const form = trustForm(role.trustPolicy, issuer, subject);
    if (form) this.#held = { form, asked: question };
    return answers;
  }
}

function isAlike({ form, asked }: TrustHeld, question: AwsTrustQuestion): boolean {
  const { role, subject } = question;
  if (role === undefined || ALIKE.some((key) => question[key] !== asked[key])) return false;
  return nameIn(form, role.trustPolicy) === subject;
}

function heldAnswers(question: AwsTrustQuestion): readonly [Answer, Answer, Answer] {
  let known: ReturnType<typeof lateTrust> | undefined;
  const found = (place: number): Answer => {
    const [issuer, audience, subject] = (known ??= lateTrust(question));
    return [issuer, audience, subject][place] ?? issuer;
  };
  return [
    new AnswerLater("pass", found, 0),
    new AnswerLater("pass", found, 1),
    new AnswerLater("pass", found, 2),
  ];
}
