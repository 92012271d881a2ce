/** The commands of Azure whose answers are read, without the program. */
export const ASK = {
  account: "account show",
  identities: "identity list",
  credentials: "identity federated-credential list",
  definitions: "role definition list",
  assignments: "role assignment list",
  storage: "storage account list",
  cluster: "aks show",
  identity: "identity show",
  registry: "acr show",
  registries: "acr list",
} as const;
