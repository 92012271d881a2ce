/*
 * The CredentialProviderConfig that the kubelets of a pool read, found by flag or platform.
 */

import type { Known } from "../../model/known";
import type { Tree } from "../../model/tree";
import type { NodeFileFact } from "./node-files";
import type { GateStatement } from "./node-gates";
import type { Source } from "./source";

/** The token mode of an entry. */
export interface TokenAttributes {
  /** The one audience. */
  readonly audience: Known<string>;
  /** Keys without which the plugin is not run. */
  readonly requiredKeys: readonly string[];
  /** Keys that are handed on where they are present. */
  readonly optionalKeys: readonly string[];
  /** True where the plugin is not run for a pod without service account. */
  readonly requireServiceAccount: boolean;
}

/** One entry of a CredentialProviderConfig. */
export interface ProviderEntry {
  /** File name of the executable; empty where it is none, which the kubelet refuses. */
  readonly name: string;
  /** Its patterns. */
  readonly matchImages: readonly Known<string>[];
  /** Its arguments. */
  readonly args: readonly Known<string>[];
  /** Names and values of its variables. */
  readonly env: ReadonlyMap<string, Known<string>>;
  /** Token mode; `undefined` where the plugin runs without a service account token. */
  readonly tokenAttributes: TokenAttributes | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** The document of a file that the kubelet reads. */
export interface ConfigurationDocument {
  /** The parsed value, late values in it as references; `null` for an empty document. */
  readonly value: Tree;
  /** Why it is no YAML; `undefined` where it is. */
  readonly error: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** Whether the kubelet reads what stands there, and what an operator sees where it does not. */
export type KubeletReads =
  | { readonly reads: true }
  | {
      readonly reads: false;
      /** Why not, a clause. */
      readonly reason: string;
      /** What the kubelet logs of it when it starts, and that it exits; `undefined` where it starts without a word. */
      readonly log: string | undefined;
    };

/** What the kubelets of a pool are configured with. */
export interface NodeConfiguration {
  /** The pool. */
  readonly name: string;
  /** The first documents of the files; none where there is no configuration. */
  readonly documents: readonly ConfigurationDocument[];
  /** The entries of all documents, in their order. */
  readonly entries: readonly ProviderEntry[];
  /** Whether the kubelet reads the documents. */
  readonly isRead: Known<KubeletReads>;
  /** Feature gates that were read for these nodes; a later one wins over those before. */
  readonly gates: readonly GateStatement[];
  /** Where the nodes are described. */
  readonly source: Source;
  /** Files of the kubelet's configuration and flags that several MachineConfigs write, by path. */
  readonly contested: ReadonlyMap<string, NodeFileFact>;
  /** Files that tell the container runtime what to do with registries, by path. */
  readonly runtimeFiles: ReadonlyMap<string, NodeFileFact>;
  /** A file on these nodes. */
  readonly file: (path: string) => NodeFileFact | undefined;
}
