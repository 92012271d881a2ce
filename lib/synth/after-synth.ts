import { App } from "cdktf";
import type { Construct } from "constructs";

/** Steps that run after all stacks of an app are written, in this order. */
const STEPS = ["proof", "summary"] as const;

type Step = (typeof STEPS)[number];

const perApp = new WeakMap<App, Map<Step, (app: App) => void>>();

/**
 * Runs a step at the end of `app.synth()`: the first one registered under this name. Outside an app nothing happens.
 */
export function afterSynth(construct: Construct, step: Step, run: (app: App) => void): void {
  const { root } = construct.node;
  if (!App.isApp(root)) return;
  const known = perApp.get(root);
  const steps = known ?? new Map<Step, (app: App) => void>();
  if (!steps.has(step)) steps.set(step, run);
  if (known) return;
  perApp.set(root, steps);
  // cdktf runs the app's own validations after it has written every stack, and before the app's manifest.
  root.node.addValidation({
    validate: () => {
      for (const each of STEPS) steps.get(each)?.(root);
      return [];
    },
  });
}
