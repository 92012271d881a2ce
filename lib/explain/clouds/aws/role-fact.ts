import type { Source } from "../../facts/source";
import type { PerhapsPolicy } from "./attached-policies";

/** An IAM role. */
export interface RoleFact {
  /** `<path><name>`, the end of its ARN. */
  readonly pathName: string;
  /** Account id; empty where it is not known. */
  readonly account: string;
  /**
   * Partition of its account, `aws`.
   *
   * @defaultValue - not known
   */
  readonly partition?: string | undefined;
  /** The trust policy. */
  readonly trustPolicy: string;
  /** The identity policies, the permissions boundary not among them. */
  readonly policies: readonly string[];
  /** Policies that may be attached to it besides, whose role is not known for certain. */
  readonly perhaps: readonly PerhapsPolicy[];
  /** The document of the permissions boundary; `undefined` where there is none. */
  readonly boundary: string | undefined;
  /** True for one that is only looked up. */
  readonly adopted: boolean;
  /**
   * Where it is declared another time, in another way.
   *
   * @defaultValue - nowhere
   */
  readonly contestedBy?: Source;
  /** Where it stands. */
  readonly source: Source;
}
