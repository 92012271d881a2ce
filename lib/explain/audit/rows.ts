/*
 * What works but should be reviewed: one row for each kind of finding.
 */

import { grouped } from "../../model/grouped";
import { isKnown, orElse, shown } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { type Evidence, seen } from "../answer";
import type { CheckHelp } from "../check-help";
import { EVERYONE } from "../compare/danger";
import type { Finding, Found, Severity } from "../findings";
import type { ClusterArtefacts } from "../read/clusters";
import type { ProviderEntry } from "../read/node-configuration";
import { sourceText } from "../read/source";
import type { Issuers, PublishedKeys } from "../shared/object-store";
import { named } from "../shared/words";
import type { Cloud, Granted } from "../cloud";
import { beyondMeant } from "../compare/declared";
import type { JudgedAccess } from "../jobs/access";
import type { AccessJob } from "../jobs/access-questions";
import { declaredPullers } from "../jobs/pull-questions";
import { beyondDeclared, grantedTo, powerful } from "./grants";
import { type Beyond, type Held, type Holder, EXACTLY } from "./holders";
import {
  ANY_AUDIENCE,
  foreignIssuers,
  openToStrangers,
  severalAudiences,
  subjectsBeside,
  withoutAudience,
} from "./trusts";

/** What the rows look at. */
export interface AuditFacts extends Held {
  readonly clusters: readonly ClusterArtefacts[];
  readonly clouds: readonly Cloud[];
  readonly issuers: Issuers;
  readonly granted: readonly Granted[];
  readonly accesses: (artefacts: ClusterArtefacts, job: AccessJob) => Iterable<JudgedAccess>;
}

/** What a report says about a kind of finding. */
export interface AuditHelp extends CheckHelp {
  /** What is wrong, a statement. */
  readonly title: string;
  readonly severity: Severity;
}

/** A kind of finding. */
interface AuditRow extends AuditHelp {
  readonly run: (facts: AuditFacts) => readonly Found[];
}

const ROWS: readonly AuditRow[] = [
  {
    id: "subject-wide",
    severity: "error",
    title: "An identity admits service accounts besides the one that names it",
    question: "Does an identity admit service accounts besides the one that names it?",
    help: "Name each service account exactly in the trust: a wildcard lets in accounts that do not exist yet.",
    run: (facts) => [
      ...ofHolders(
        facts.holders,
        ({ strangers }) => strangers && `the identity admits ${strangers}`,
        EXACTLY,
      ),
      ...openToStrangers(facts),
    ],
  },
  {
    id: "audience-missing",
    severity: "error",
    title: "A trust takes tokens for any audience",
    question: "Does a trust take tokens for any audience?",
    help: "Compare the audience in the trust, so that a token that was made for another service is refused.",
    run: (facts) => [
      ...ofHolders(
        facts.holders,
        ({ takesAnyAudience }) => takesAnyAudience && ANY_AUDIENCE,
        "add a condition that compares the audience with that of the tokens",
      ),
      ...withoutAudience(facts),
    ],
  },
  {
    id: "audience-several",
    severity: "warning",
    title: "A trust takes tokens for several audiences",
    question: "Does a trust take tokens for several audiences?",
    help: "A token that was made for one service is then accepted for another. Name one audience.",
    run: severalAudiences,
  },
  {
    id: "subject-beside",
    severity: "warning",
    title: "A trust names subjects besides the one whose identity it is",
    question: "Does a trust name subjects besides the one whose identity it is?",
    help: "Each of them acts with the same rights, and in the cloud's logs they look alike. Make an identity for each.",
    run: subjectsBeside,
  },
  {
    id: "issuer-foreign",
    severity: "warning",
    title: "Tokens of an issuer are trusted that is not recorded as a cluster's",
    question: "Are tokens trusted of an issuer that is not recorded as a cluster's?",
    help: "Pipelines, other clusters and other clouds act as the identities that trust them. See that each is meant.",
    run: foreignIssuers,
  },
  {
    id: "default-annotated",
    severity: "warning",
    title: "A namespace's default service account has an identity",
    question: "Does a namespace's default service account have an identity?",
    help: "Every pod that names no service account runs as the default one. Give the workload an account that only it uses.",
    run: ({ holders }) =>
      ofHolders(
        holders,
        ({ key }) =>
          key.endsWith("/default") &&
          "every pod of the namespace that names no service account gets this identity",
        "give the workload a service account that only it uses",
      ),
  },
  {
    id: "identity-shared",
    severity: "warning",
    title: "Several namespaces or clusters share one identity",
    question: "Do several namespaces or clusters share one identity?",
    help: "Whoever gets into one of them acts with the rights of all. Make an identity for each.",
    run: ({ holders }) => {
      const admitted = holders.filter(({ isAdmitted }) => isAdmitted);
      return [...grouped(admitted, ({ identity }) => identity).values()].flatMap(shared);
    },
  },
  {
    id: "permission-wide",
    severity: "warning",
    title: "A service account may do more than was declared for it",
    question: "May a service account do more than was declared for it?",
    help: "Declare what it needs, or narrow the permissions of its identity.",
    run: ({ clusters, holders, beyond, accesses }) => [
      ...holders.flatMap((each) =>
        beyondDeclared(each.artefacts.stack, each.key, each.beyond, "its declared pulls need"),
      ),
      ...clusters.flatMap((artefacts) => [
        ...[...declaredPullers(artefacts)].flatMap((key) =>
          undeclared(artefacts, beyond.get(artefacts)?.get(key) ?? [], key),
        ),
        ...[...accesses(artefacts, "workload")].flatMap(({ subject, meant, held }) =>
          beyondDeclared(artefacts.stack, subject, beyondMeant(meant(), held()), "`may` declares"),
        ),
      ]),
    ],
  },
  {
    id: "rights-admin",
    severity: "error",
    title: "An identity or principal has admin rights",
    question: "May an identity or principal do everything, or give itself more rights?",
    help: "Whoever gets into one of its pods takes over the account. Grant what it needs, one by one.",
    run: (facts) => powerful(facts, (_, { danger }) => danger === "admin"),
  },
  {
    id: "rights-others",
    severity: "warning",
    title: "An identity may act as others, or have others trusted",
    question: "May an identity act as other identities, or have other issuers trusted?",
    help: "It has the rights of all of them. Name those that it needs, and no others.",
    run: ({ clusters, accesses, ...facts }) => {
      const components = clusters.flatMap((each) => [...accesses(each, "component")]);
      const asked = components.flatMap(({ acting, meant }) =>
        (meant() ?? []).map(({ text }) => `${acting?.label ?? ""} ${text}`),
      );
      const isAsked = new Set(asked);
      return powerful(
        facts,
        ({ isHeld, to }, { danger }, { ofOne, text }) =>
          isHeld && danger !== "admin" && !ofOne && !isAsked.has(`${to} ${text}`),
      );
    },
  },
  {
    id: "trust-open",
    severity: "warning",
    title: "A trust has no condition that says which pods may use it",
    question: "Does a trust admit pods besides those that it is for?",
    help: "Compare the cluster, the namespace and the service account in the conditions of the trust.",
    run: (facts) => grantedTo(facts, ({ isOpen }) => isOpen === true),
  },
  {
    id: "granted-to-everyone",
    severity: "warning",
    title: "Something is granted to everyone",
    question: "Is anything granted to everyone?",
    help: "Whoever knows the name of the repository may pull, without an identity. Grant it to the identities that need it.",
    run: (facts) => grantedTo(facts, ({ to }) => EVERYONE.includes(to)),
  },
  {
    id: "granted-elsewhere",
    severity: "note",
    title: "Something is granted to principals that the files do not declare",
    question: "Is anything granted to principals that the files do not declare?",
    help: "Accounts, people, groups and identities of elsewhere act outside of what is explained here. See that each is meant.",
    run: (facts) => grantedTo(facts, ({ to, isOpen }) => !isOpen && !EVERYONE.includes(to)),
  },
  {
    id: "node-pulls",
    severity: "note",
    title: "A node can pull with its own identity",
    question: "Can a node pull with its own identity?",
    help: "An entry without tokens runs its plugin as the node: whatever the node's identity may read, every pod gets. Take the right to pull from the node once every pod has its own.",
    run: ({ clusters }) => clusters.flatMap(pullingNodes),
  },
  {
    id: "key-dropped",
    severity: "warning",
    title: "A signing key is about to be dropped",
    question: "Is a signing key about to be dropped?",
    help: "Drop a key only after every token that was signed with it has expired, and never in the apply that publishes another one.",
    run: ({ clusters, issuers }) =>
      clusters.flatMap((artefacts) => droppedKeys(artefacts, issuers.keysOf(artefacts.issuer))),
  },
];

/** The rows, for reports that list every rule. */
export const AUDIT_HELP: readonly AuditHelp[] = ROWS;

/** The findings of every row, each once. */
export function auditFindings(facts: AuditFacts): readonly Finding[] {
  return ROWS.flatMap(({ id, severity, run }) =>
    run(facts).map((each): Finding => ({ id, severity, ...each })),
  );
}

/** A finding of each holder for which there is a reason. */
function ofHolders(
  holders: readonly Holder[],
  reasonOf: (holder: Holder) => string | false | undefined,
  remedy: string,
): readonly Found[] {
  return holders.flatMap((holder) => {
    const reason = reasonOf(holder);
    if (!reason) return [];
    const { artefacts, key, label, source } = holder;
    const evidence = [seen("identity", source)];
    return { stack: artefacts.stack, subject: key, target: label, reason, evidence, remedy };
  });
}

function shared(holders: readonly Holder[]): readonly Found[] {
  const [first] = holders;
  const places = new Set(
    holders.map(({ artefacts, key }) => `${artefacts.stack} ${namespacedName(key).namespace}`),
  );
  if (first === undefined || places.size < 2) return [];
  const stacks = new Set(holders.map(({ artefacts }) => artefacts.stack));
  const keys = holders.map(({ artefacts, key }) => (stacks.size > 1 ? `${artefacts.stack}: ${key}` : key));
  const what = stacks.size > 1 ? `${stacks.size} clusters` : `${places.size} namespaces`;
  return [
    {
      stack: stacks.size > 1 ? "" : first.artefacts.stack,
      subject: first.label,
      target: "",
      reason: `service accounts of ${what} share the identity: ${named([...new Set(keys)].sort())}`,
      evidence: [seen("identity", first.source)],
      remedy: "create an identity for each of them",
    },
  ];
}

function undeclared(artefacts: ClusterArtefacts, more: readonly Beyond[], key: string): readonly Found[] {
  const [first] = more;
  if (first === undefined) return [];
  const account = artefacts.serviceAccounts.get(key);
  return [
    {
      stack: artefacts.stack,
      subject: key,
      target: first.as,
      reason: `it may read ${named([...new Set(more.map(({ pattern }) => pattern))])}, which is more than was declared`,
      evidence: [seen("ServiceAccount", account?.source)],
      remedy: "declare what it needs, or narrow the permissions of the identity",
    },
  ];
}

/** Entries that run their plugin without a token, or for pods that have none. */
function pullingNodes({ stack, nodes }: ClusterArtefacts): readonly Found[] {
  const isOfNode = ({ tokenAttributes }: ProviderEntry): boolean =>
    tokenAttributes?.requireServiceAccount !== true;
  return nodes.flatMap(({ name, entries }) =>
    entries.filter(isOfNode).map((entry): Found => {
      const patterns = named(entry.matchImages.map(shown));
      return {
        stack,
        subject: `nodes ${name}`,
        target: entry.name,
        reason: entry.tokenAttributes
          ? `requireServiceAccount is false, so images of ${patterns} may be pulled with the node's identity`
          : `the entry has no tokenAttributes, so images of ${patterns} are pulled with the node's identity`,
        evidence: [seen("entry", entry.source)],
        remedy: "take the right to pull from the node's identity, or remove the entry, once no pod needs it",
      };
    }),
  );
}

/** A state has the published keys, the configuration those that the next apply keeps. */
function droppedKeys(
  { stack, issuer }: ClusterArtefacts,
  published: readonly PublishedKeys[],
): readonly Found[] {
  const all = [...new Map(published.map((each) => [sourceText(each.source), each])).values()];
  const isConfiguration = ({ source }: PublishedKeys): boolean => source.file.endsWith(".tf.json");
  const kept = all.filter(isConfiguration);
  const isUnread = ({ ids, text }: PublishedKeys): boolean => ids.length === 0 && !isKnown(text);
  if (kept.length === 0 || kept.some(isUnread)) return [];
  const ids = new Set(kept.flatMap((each) => each.ids));
  return all
    .filter((each) => !isConfiguration(each))
    .flatMap(({ ids: before, source }): readonly Found[] => {
      const dropped = before.filter((id) => !ids.has(id));
      if (dropped.length === 0) return [];
      const added = [...ids].filter((id) => !before.includes(id));
      const together = added.length === 0 ? "" : `, while it publishes ${named(added)} for the first time`;
      const evidence: readonly Evidence[] = [
        seen("keys of the state", source),
        ...kept.map((each) => seen("keys of the configuration", each.source)),
      ];
      return [
        {
          stack,
          subject: orElse(issuer, () => shown(issuer)),
          target: "",
          reason: `the next apply drops the key ${named(dropped)}${together}: tokens signed with it are refused from then on`,
          evidence,
          remedy:
            "make sure that no cluster signs with it any more and that its tokens have expired, and publish new keys in an earlier apply",
        },
      ];
    });
}
