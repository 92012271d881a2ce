import type { Problem } from "./problem";

/** Refusals of a fleet as a whole: its properties, what the app's stacks share, and what `bind` fills in for it. */
export const fleetAccessMessages = {
  "fleet-object-taken": (object: string, by: string): Problem => ({
    problem: `${by} writes ${object} of the same hub as well, and the one applied last would replace the other`,
    value: object,
    allowed: "each object of a hub from one FleetAccess of the app",
    remedy:
      "give the second controller's fleet a `namespace` of its own for its profiles, and workloads of its own",
  }),
  "spoke-file-differs": (spoke: string, by: string): Problem => ({
    problem: `${by} writes other files for the control plane of this spoke, and a second entry for one issuer is refused by kube-apiserver`,
    value: spoke,
    allowed: "one file per spoke, with the service accounts of all controllers of the hub",
    remedy:
      "in both, list the service accounts of all of them: (hub) => selfManagedSpoke({ ...hub, serviceAccounts: [all], … }), with one audience",
  }),
  "spoke-namespaces-unused": (spoke: string, namespaces: unknown): Problem => ({
    problem: `namespaces of spoke ${spoke} limit nothing, since no clusterRole is bound there`,
    value: namespaces,
    allowed: "namespaces beside clusterRole",
    remedy:
      "state the namespaces where the cloud gives the rights (accessPolicies, roles), or leave the rights to a clusterRole",
  }),
  "spoke-namespaces-empty": (spoke: string): Problem => ({
    problem: `namespaces of spoke ${spoke} are an empty list, and the clusterRole would be bound nowhere`,
    allowed: "at least one namespace, or no `namespaces` for the whole spoke",
    remedy: "name the namespaces",
  }),
  "spoke-user-unknown": (spoke: string, subject: string): Problem => ({
    problem: `the Connect agent of spoke ${spoke} must be allowed to impersonate the user of ${subject}, whose name is not known at synth`,
    value: subject,
    allowed: "a Google service account in a literal project",
    remedy: "act as Google service accounts: workloadServiceAccounts without impersonate: false",
  }),
  "google-spoke-provider-differs": (role: string, project: string, subject: string): Problem => ({
    problem: `two spokes of project ${project} give ${subject} ${role} through different Terraform providers, and share one binding`,
    value: project,
    allowed: "one `provider` for all spokes of a project",
    remedy: "give both the same provider",
  }),
  "bind-value-invalid": (where: string, placeholders: readonly string[], reason: string): Problem => ({
    problem: `${where} is known now, by ${placeholders.join(", ")}, and cannot be written: ${reason}`,
    allowed: "what the property would take at synth",
    remedy: "correct the Terraform value, apply again and write the outputs anew; nothing was written",
  }),
};
