import { App } from "cdktf";
import type { Construct } from "constructs";

/** What is done once all stacks of an app are written, in this order. */
const STEPS = ["proof", "summary"] as const;

type Step = (typeof STEPS)[number];

const perApp = new WeakMap<App, Map<Step, (app: App) => void>>();

/** Has `app.synth()` run a step at its end; of several callers the first one's is run. Nothing happens outside of an app. */
export function afterSynth(construct: Construct, step: Step, run: (app: App) => void): void {
  const { root } = construct.node;
  if (!App.isApp(root)) return;
  const known = perApp.get(root);
  const steps = known ?? new Map<Step, (app: App) => void>();
  if (!steps.has(step)) steps.set(step, run);
  if (known) return;
  perApp.set(root, steps);
  // What an app validates itself, cdktf asks last: after every stack is written, and before the app's manifest.
  root.node.addValidation({
    validate: () => {
      for (const each of STEPS) steps.get(each)?.(root);
      return [];
    },
  });
}
