import type { Problem } from "./problem";

export const azureMessages = {
  "azure-pulls-empty": (): Problem => ({
    problem: "no service account pulls anything",
    remedy: "give at least one pull, or leave the construct out",
  }),
};
