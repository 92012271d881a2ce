/*
 * What is wrong in a synth folder: a link that the library's own verifier does not find to hold, someone else who is let
 * in as well, and texts that nothing fills. Reads files only.
 */

import { placeholdersIn } from "../../lib/artefact/placeholder";
import { type ExplainOptions, type ExplainResult, Explainer } from "../../lib/explain";
import type { DeclaredIdentity, ShownClaims } from "../../lib/explain/cloud";
import { cloudsOf } from "../../lib/explain/explainer";
import { orElse } from "../../lib/model/known";
import { inside, record, text } from "./json";
import { type WrittenStack, writtenStacks } from "./synth-output";
import { undeclaredReferences } from "./terraform";

/** What is wrong; empty if everything that is declared works, and nothing else does. */
export function faults(outdir: string, options: ExplainOptions = {}): readonly string[] {
  const explainer = Explainer.read([outdir], options);
  const results = [...explainer.all()];
  const broken = results.flatMap(({ subject, target, verdict, checks }) => {
    const status = verdict === "denied" ? "fail" : "unknown";
    const check = checks.find((each) => each.status === status);
    return verdict === "allowed" ? [] : [`${subject} ${target}: ${verdict}, ${check?.id}: ${check?.reason}`];
  });
  return [
    ...writtenStacks(outdir).flatMap(unfilled),
    ...(results.length === 0 ? ["nothing was judged"] : []),
    ...broken,
    ...strangersAdmitted(explainer, [...new Set(results.map(({ subject }) => subject))]),
    ...strangersServed(explainer, results),
  ];
}

/** Texts that only cdktf or Terraform would have filled, and references that find nothing. */
function unfilled({ files, identity, terraform }: WrittenStack): readonly string[] {
  const placeholders = record(identity["placeholders"]);
  return [
    ...[...files].flatMap(([file, content]) => [
      ...(content.includes("TfToken") ? [`${file} holds a late value as cdktf writes it`] : []),
      ...(file.endsWith(".yaml") && /[$%]\{/.test(content)
        ? [`${file} contains a Terraform expression`]
        : []),
      ...placeholdersIn(content)
        .filter((placeholder) => !(placeholder in placeholders))
        .map((placeholder) => `${file}: nothing says what fills ${placeholder}`),
    ]),
    ...Object.entries(placeholders)
      .map(([placeholder, entry]) => [placeholder, record(entry)] as const)
      .filter(([, { encoding }]) => encoding === undefined)
      .filter(
        ([, { output, expression }]) =>
          expression === undefined || inside(terraform, "output", text(output), "value") !== expression,
      )
      .map(([placeholder]) => `no Terraform output has the value of ${placeholder}`),
    ...undeclaredReferences(terraform).map((finding) => `cdk.tf.json${finding}`),
  ];
}

/** Tokens that differ by as little as possible from those that an identity admits: it must refuse each. */
function strangersAdmitted(explainer: Explainer, subjects: readonly string[]): readonly string[] {
  const all = cloudsOf(explainer).flatMap(({ identities }) => identities);
  const audiencesOf = ({ terms }: DeclaredIdentity): readonly string[] =>
    terms.audiences.flatMap((each) => orElse(each, (): readonly string[] => []));
  const some = new Set(all.flatMap(audiencesOf));
  return all.flatMap((identity) => {
    const own = new Set(audiencesOf(identity));
    return identity.terms.issuers.flatMap((issuer) =>
      [...(own.size > 0 ? own : some)].flatMap((audience) => {
        const claims = (subject: string): ShownClaims => ({ issuer, audience, subject });
        const admits = (subject: string): boolean =>
          Object.values(identity.trust(claims(subject))).every(({ status }) => status === "pass");
        return subjects
          .map((key) => `system:serviceaccount:${key.replace("/", ":")}`)
          .filter(admits)
          .flatMap((subject) => [
            ...strangers(subject)
              .filter(admits)
              .map((other) => `${identity.address} admits ${other}`),
            ...(identity.admitsAnyAudience?.(claims(subject)) === true
              ? [`${identity.address} admits any audience`]
              : []),
          ]);
      }),
    );
  });
}

function strangers(subject: string): readonly string[] {
  const [, , namespace, name] = subject.split(":");
  return [
    `${subject}x`,
    `system:serviceaccount:${namespace}x:${name}`,
    subject.toUpperCase(),
    `system:serviceaccount:${namespace}:*`,
    "system:serviceaccount:default:default",
  ];
}

/** Repositories beside the declared ones, which no one declared. */
function strangersServed(explainer: Explainer, results: readonly ExplainResult[]): readonly string[] {
  const pulls = results.filter(({ job }) => job === "image-pull");
  const hosts = new Set(
    pulls.map(({ stack, subject, target }) => JSON.stringify([stack, subject, target.split("/")[0]])),
  );
  return [...hosts].flatMap((key) => {
    const [stack, subject, host] = JSON.parse(key) as [string, string, string];
    if (pulls.some((each) => each.subject === subject && each.target === `${host}/*`)) return [];
    return [...explainer.pulls({ serviceAccount: subject, image: `${host}/not-declared/any`, stack })]
      .filter(({ verdict }) => verdict === "allowed")
      .map(() => `${subject} may pull from all of ${host}`);
  });
}
