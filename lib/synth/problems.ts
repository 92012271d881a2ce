import { fail } from "../errors";

export function refuseLateIdentity(where: string): never {
  return fail("manifest-unsupported", {
    problem: `${where} is known only after Terraform apply, but it identifies the object of the manifest`,
    allowed: "literal apiVersion, kind, metadata.name and metadata.namespace",
    remedy: "name the object with a literal; put the late value into an annotation, a label or a field",
  });
}

export function refuseLateKind(where: string, kind: string): never {
  return fail("manifest-unsupported", {
    problem: `${where} is a late ${kind}, and a manifest can only hold late text`,
    allowed: "a late text, alone or inside other text",
    remedy:
      "take one text out of it (Fn.element, Fn.lookup, getStringAttribute), turn a number into text (Fn.tostring), or write the literal value",
  });
}

export function refuseLateKey(where: string, key: string): never {
  return fail("manifest-unsupported", {
    problem: `${where} has a key that Terraform knows only after apply`,
    value: key,
    allowed: "a literal key",
    remedy: "write the key as a literal; its value may be late",
  });
}

export function refuseAfterSynth(where: string, reference: string): never {
  return fail("manifest-unsupported", {
    problem: `${where} has a late value without an output, and the Terraform configuration is already written`,
    value: reference,
    allowed: "late values that exist before the cdktf app is synthesized",
    remedy: "call synth() of the cdk8s app before synth() of the cdktf app",
  });
}

export function refuseFileName(value: unknown, exact: boolean = false): never {
  return fail("manifest-invalid", {
    problem: exact
      ? "name of a file is too long or not a valid name of a Kubernetes object"
      : "name of a manifest or node file is not a DNS label",
    value,
    allowed: exact
      ? "1 to 250 of a-z, 0-9, - and ., starting and ending with a letter or digit"
      : "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use a name like service-accounts; it becomes the file's name",
  });
}

export function refuseOtherOption(name: string, option: string, value: unknown, first: unknown): never {
  return fail("manifest-mismatch", {
    problem: `the manifest ${name} was created with another ${option}`,
    value,
    allowed: JSON.stringify(first),
    remedy: `use the same ${option}, or another name for a second file`,
  });
}
