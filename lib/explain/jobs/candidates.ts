/*
 * The trust in tokens of a cluster that is only inferred: the manifests may be another cluster's than the one whose
 * Terraform was read. Its issuer may therefore allow, and denies nothing; a subject that no issuer's tokens may have is
 * denied whatever the cluster.
 */

import { type Known, Reference, isAbsent, orElse, textOf } from "../../model/known";
import { type Answer, seen, unknown } from "../answer";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import type { ClusterCandidate } from "../read/cluster-record";
import { named, plainAnswer } from "../shared/words";

interface Judged {
  readonly candidate: ClusterCandidate;
  readonly trust: TrustAnswer;
}

/** `trusted` are the issuers whose tokens the identity may admit at all, if that is known. */
export function trustOfCandidates(
  token: TokenQuestion,
  candidates: readonly ClusterCandidate[],
  trust: (token: TokenQuestion) => TrustAnswer,
  trusted: () => readonly Known<string>[] | undefined = () => undefined,
): TrustAnswer {
  const judged = candidates.flatMap((candidate): readonly Judged[] => {
    const { issuer } = candidate;
    return isAbsent(issuer)
      ? []
      : [{ candidate, trust: trust({ ...token, issuer: issuer as Known<string> }) }];
  });
  const admitting = judged.filter(({ trust: { issuer, audience, subject } }) =>
    [issuer, audience, subject].every(({ status }) => status === "pass"),
  );
  const [first] = judged;
  if (
    first &&
    candidates.length > 1 &&
    judged.length === candidates.length &&
    admitting.length === judged.length
  )
    return first.trust;
  if (first && candidates.length === 1 && first.trust.issuer.status !== "fail") {
    const answer = inferred(first);
    const certain = (claim: Claim): Answer =>
      answer[claim].status !== "fail" || trusted()?.length === 0 || deniedAnyhow(claim, token, trust, trusted)
        ? answer[claim]
        : perhapsElsewhere(answer[claim], first.candidate);
    return { ...answer, audience: certain("audience"), subject: certain("subject") };
  }
  // An identity that trusts no issuer refuses the tokens of all clusters.
  if (first?.trust.issuer.status === "fail" && trusted()?.length === 0) return first.trust;
  const own = candidates.length === 0 ? trust(token) : undefined;
  const subject = deniedAnyhow("subject", token, trust, trusted);
  const issuer = own?.issuer ?? notCertain(judged, admitting, candidates);
  return { issuer, audience: own?.audience ?? DEPENDS, subject: subject ?? own?.subject ?? DEPENDS };
}

function inferred({ candidate, trust }: Judged): TrustAnswer {
  const { issuer } = trust;
  const reason = `${issuer.reason}; it is the issuer of ${candidate.title}, the only cluster that was read`;
  return { ...trust, issuer: { ...plainAnswer(issuer), reason } };
}

const DEPENDS = unknown("it depends on which cluster is meant", "see whether the issuer is trusted");

type Claim = "audience" | "subject";

function perhapsElsewhere(answer: Answer, { title, source }: ClusterCandidate): Answer {
  return unknown(
    `${answer.reason}; that holds for ${title}, and the manifests may be another cluster's, whose issuer the identity may trust as well`,
    `say which cluster is meant, by its name or the URL of its issuer (--cluster); for ${title}: ${answer.remedy}`,
    answer.evidence,
    seen(title, source),
  );
}

/** Stands for the issuer of any cluster. */
const ANY_ISSUER = textOf([new Reference("the issuer of the cluster")]);

/** The answer if it fails for the tokens of every issuer, or of every issuer that the identity trusts. */
function deniedAnyhow(
  claim: Claim,
  token: TokenQuestion,
  trust: (token: TokenQuestion) => TrustAnswer,
  trusted: () => readonly Known<string>[] | undefined,
): Answer | undefined {
  const ofAny = trust({ ...token, issuer: ANY_ISSUER })[claim];
  if (ofAny.status === "fail") return ofAny;
  const answers = (trusted() ?? []).map((issuer) => trust({ ...token, issuer })[claim]);
  return answers.every(({ status }) => status === "fail") ? answers[0] : undefined;
}

function notCertain(
  judged: readonly Judged[],
  admitting: readonly Judged[],
  candidates: readonly ClusterCandidate[],
): Answer {
  const where = candidates.map(({ title, source }) => seen(title, source));
  const [only, ...others] = candidates;
  if (only && others.length === 0) {
    const answer = judged[0] && plainAnswer(judged[0].trust.issuer);
    return unknown(
      answer
        ? `${answer.reason}; that is the issuer of ${only.title}, and the manifests may be another cluster's`
        : `${only.title}, the only cluster that was read, has no issuer of its own tokens`,
      `say which cluster is meant, by its name or the URL of its issuer (--cluster)${answer ? `; for ${only.title}: ${answer.remedy}` : ""}`,
      where,
    );
  }
  const admits = admitting.map(({ candidate }) => candidate.title);
  const nearest = admitting[0]?.candidate ?? only;
  const hint = nearest ? orElse(nearest.name, () => "NAME") : "NAME";
  return unknown(
    `which of ${named(candidates.map(({ title }) => title))} the manifests are for is not known; ${admits.length === 0 ? "the identity trusts none of them" : `the identity admits the service account of ${named(admits)}`}`,
    `say it with --cluster, for example --cluster ${hint}`,
    where,
  );
}
