import type { Ternary } from "../../model/known";
import { type Evidence, seen } from "../answer";
import type { AccountQuestion } from "../cloud";

/** Whether a cloud's pod identity webhook runs, by what was stated or read of the cluster; with the evidence for it. */
export function statedWebhook(
  cloud: string,
  { cluster, webhooks }: Pick<AccountQuestion, "cluster" | "webhooks">,
): { readonly runs: Ternary; readonly evidence: readonly Evidence[] } {
  const read = webhooks.get(cloud);
  if (read) return { runs: "yes", evidence: [seen("pod identity webhook", read)] };
  const { podIdentityWebhooks = [], fleet } = cluster;
  if ([...podIdentityWebhooks, ...(fleet?.webhooks ?? [])].includes(cloud))
    return {
      runs: "yes",
      evidence: [seen(`stated in podIdentityWebhooks of the cluster: ${cloud}`, undefined)],
    };
  // The list of a hub is complete: the patches of its controllers rest on it.
  return { runs: fleet?.webhooks ? "no" : "unknown", evidence: [] };
}

/** What to do if nothing shows whether it runs. */
export function stateWebhook(cloud: string): string {
  return `state podIdentityWebhooks: ["${cloud}"] for the cluster if the webhook runs there (in its facts, or with --facts)`;
}
