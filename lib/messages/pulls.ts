import type { Problem } from "./problem";

/** Declared pulls of which the verifier says that they would be denied. */
export interface DeniedPulls {
  /** Names of their stacks. */
  readonly stacks: readonly string[];
  /** The broken links, and how many pulls end at each. */
  readonly links: readonly (readonly [link: string, pulls: number])[];
  /** What to do about the links that are shown. */
  readonly remedies: readonly string[];
  /** Some of the chains, as text. */
  readonly chains: string;
  /** How many are not shown. */
  readonly hidden: number;
}

/** Refusals of the composed construct for image pulls. */
export const pullsMessages = {
  "pulls-empty": (cluster: string): Problem => ({
    problem: "the list of pulls is empty",
    value: cluster,
    allowed: "at least one line { serviceAccount, from }",
    remedy: "state who pulls from where, or remove the construct",
  }),
  "pull-without-registry": (serviceAccount: string, from: unknown): Problem => ({
    problem: `the pull of ${serviceAccount} names no registry`,
    value: from,
    allowed: "`from` with at least one registry: ecr(), acr(), artifactRegistry()",
    remedy: "state the registries, or remove the line",
  }),
  "service-account-ownership": (serviceAccount: string): Problem => ({
    problem: "one line declares the service account, another says that somebody else does",
    value: serviceAccount,
    allowed: "the same `declareServiceAccount` on each line of one service account",
    remedy: "decide whether these manifests own the service account",
  }),
  "identities-twice": (cloud: string): Problem => ({
    problem: "one cloud has two ways of making its identities",
    value: cloud,
    allowed: "at most one entry per cloud in `identities`",
    remedy: "join them; for identities in two accounts use two stacks",
  }),
  "identities-unused": (
    cloud: string,
    used: readonly string[],
    unused: string = "from which nothing is pulled",
    line: string = "pull",
  ): Problem => ({
    problem: `\`identities\` has an entry for a cloud ${unused}`,
    value: cloud,
    allowed: used.join(", "),
    remedy: `remove the entry, or add the ${line} that it was meant for`,
  }),
  "cluster-taken": (cluster: string, construct: string = "ImagePulls", lines: string = "pulls"): Problem => ({
    problem: "this stack already writes the manifests of a cluster",
    value: cluster,
    allowed: `one ${construct} per stack, with all ${lines} of its cluster in one list`,
    remedy: `add the ${lines} to the existing list, or put the other cluster into a stack of its own`,
  }),
  "role-name-shared": (name: string, audiences: readonly string[]): Problem => ({
    problem: `one role name is given for the audiences ${audiences.join(", ")}, and one role would overwrite the other`,
    value: name,
    allowed: "`roleName` with one audience only",
    remedy: "leave `roleName` out: the names then follow from the audiences",
  }),
  "annotation-conflict": (serviceAccount: string, key: string): Problem => ({
    problem: `two clouds want different values of the annotation ${key}`,
    value: serviceAccount,
    remedy: "let each of them have a service account of its own",
  }),
  "proof-failed": ({ stacks, links, remedies, chains, hidden }: DeniedPulls): Problem => ({
    problem: `what is declared would be denied by what was written, so nothing of ${stacks.join(", ")} was left to apply (${links.map(([link, count]) => `${count} at ${link}`).join(", ")})`,
    allowed: "declarations of which no link is broken",
    remedy: `${[...new Set(remedies)].join("; ")}; to write the files all the same, and see with \`explain\` where each link stands, set \`proof: false\` on the construct that declares it\n\n${chains}${hidden > 0 ? `\n\nand ${hidden} more` : ""}`,
  }),
};
