import type { Variant } from "./variant";
import { cloudVariants } from "./variants/clouds";
import { clusterVariants } from "./variants/cluster";
import { nodeVariants } from "./variants/nodes";

/** The mistakes, in the order in which a pull comes to the links that they break. */
export const variants: readonly Variant[] = [...nodeVariants, ...clusterVariants, ...cloudVariants];
