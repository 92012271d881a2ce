import type { CloudName } from "../model/clouds";
import { grouped } from "../model/grouped";
import { isRecord } from "../model/record";
import { Call, Code, type AdoptedPart, type Adoption, type ImportId } from "./adoption";

const PACKAGE = "cdktf-workload-identity";
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What the program of an OpenShift cluster needs in addition to the settings. */
export interface ProgramProps {
  /** The word of the cloud in `credentialsRequests`. */
  readonly cloud: CloudName;
  /** Folder of the CredentialsRequests; `undefined` if the cluster has none. */
  readonly requests: string | undefined;
}

/** A module in TypeScript that declares what was found, one function for each cluster. */
export function adoptionProgram(adoptions: readonly Adoption[], props: ProgramProps): string {
  const functions = adoptions.map((adoption) => clusterFunction(adoption, props));
  const used = functions.join("\n");
  const parts = adoptions.flatMap((adoption) => adoption.parts);
  const calls = [...parts, ...valuesIn(parts).filter((value) => value instanceof Call)];
  const entries = [...grouped(calls, ({ entry }) => entry)].sort(([a], [b]) => (a < b ? -1 : 1));
  const hasKeys = parts.some(({ props }) => typeof props !== "string" && "keys" in props);
  const imports = [
    ...(hasKeys ? ['import { readFileSync } from "node:fs";'] : []),
    ...(parts.length > 0 ? ['import type { TerraformStack } from "cdktf";'] : []),
    ...entries.map(([entry, of]) => `import { ${namesOf(of).join(", ")} } from "${PACKAGE}/${entry}";`),
    ...(used.includes("credentialsRequests(")
      ? [`import { credentialsRequests } from "${PACKAGE}/openshift";`]
      : []),
    ...(used.includes("PlatformComponents(")
      ? [`import { PlatformComponents } from "${PACKAGE}/synth";`]
      : []),
  ];
  const keys = hasKeys
    ? '\nconst keys = [{ publicKey: readFileSync("serviceaccount-signer.public", "utf8"), use: "current" as const }];\n'
    : "";
  return imports.length > 0 ? `${imports.join("\n")}\n${keys}\n${used}` : used;
}

/** The value, and those in it at any depth. */
function valuesIn(value: unknown): readonly unknown[] {
  const inner =
    value instanceof Call
      ? [value.props]
      : isRecord(value) || Array.isArray(value)
        ? Object.values(value)
        : [];
  return [value, ...inner.flatMap(valuesIn)];
}

function namesOf(calls: readonly { readonly call: string }[]): readonly string[] {
  return [...new Set(calls.map(({ call }) => call.replace("new ", "").replace(/\..*/, "")))].sort();
}

function clusterFunction(adoption: Adoption, { cloud, requests }: ProgramProps): string {
  const { cluster, parts, identities, missing, notes } = adoption;
  const comments = [
    ...missing.map(
      ({ what, remedy, candidates }) =>
        `missing: ${what}; ${remedy}${candidates ? `; found: ${candidates.join(", ")}` : ""}`,
    ),
    ...(identities.length > 0
      ? [`identities of ${cluster}, and the service accounts that may use them:`]
      : []),
    ...identities.map(({ identity, serviceAccounts }) => `  ${identity}: ${serviceAccounts.join(", ")}`),
    ...notes,
  ].map((line) => `// ${oneLine(line)}\n`);
  const hasIssuer = adoption.issuer !== undefined || parts.some(({ name }) => name === "issuer");
  const isOpenShift = requests !== undefined && hasIssuer && parts.some(({ name }) => name === "identities");
  const code = valuesIn(parts).flatMap((value) => (value instanceof Code ? [value.text] : []));
  const lines = [
    ...parts.map((part) => declaration(part, isOpenShift || code.some((text) => isOf(text, part)))),
    ...(isOpenShift ? [components(adoption, cloud, requests)] : []),
  ];
  if (parts.length === 0)
    return `${comments.join("")}${missing.length === 0 ? `// nothing to declare for ${oneLine(cluster)}\n` : ""}`;
  return `${comments.join("")}export function ${functionName(cluster)}(stack: TerraformStack): void {\n${lines.join("")}}\n`;
}

/** Whether code is the constant of a part, or a member of it. */
function isOf(code: string, { name }: AdoptedPart): boolean {
  return code === name || code.startsWith(`${name}.`);
}

function declaration({ name, call, props, why }: AdoptedPart, isUsed: boolean): string {
  const isFunction = !call.startsWith("new ") && !call.includes(".");
  const scope = isFunction ? "" : `stack, ${JSON.stringify(name)}, `;
  const comment = why === undefined ? "" : `  // ${oneLine(why)}\n`;
  return `${comment}  ${isUsed ? `const ${name} = ` : ""}${call}(${scope}${literal(props, 1)});\n`;
}

function components({ cluster, parts, issuer }: Adoption, cloud: string, requests: string): string {
  const hosted = parts.some(({ name }) => name === "issuer");
  const filter = { cloud, featureGates: "all" };
  const props = {
    clusterName: cluster,
    issuer: hosted ? new Code("issuer") : issuer,
    requests: new Code(`credentialsRequests(${literal(requests, 0)}, ${literal(filter, 2)})`),
    identities: new Code("identities"),
  };
  const gates =
    "  // ccoctl treats every feature gate as enabled: name those of the cluster once the first plan is clean.\n";
  return `${gates}  new PlatformComponents(stack, "components", ${literal(props, 1)});\n`;
}

/** A value in TypeScript, over several lines as prettier writes long values. */
function literal(value: unknown, depth: number): string {
  if (value instanceof Code) return value.text;
  if (value instanceof Call)
    return `${value.call}(${Object.keys(value.props).length > 0 ? literal(value.props, depth) : ""})`;
  if (typeof value !== "object" || value === null) return oneLine(JSON.stringify(value));
  const pad = "  ".repeat(depth + 1);
  const close = `\n${"  ".repeat(depth)}`;
  if (Array.isArray(value)) {
    const isLong = value.some((each) => isRecord(each) && !(each instanceof Code));
    const members = value.map((each) => literal(each, isLong ? depth + 1 : depth));
    return isLong
      ? `[\n${members.map((each) => `${pad}${each},\n`).join("")}${"  ".repeat(depth)}]`
      : `[${members.join(", ")}]`;
  }
  const entries = Object.entries(value).map(([key, member]) => {
    const text = literal(member, depth + 1);
    return `${pad}${text === key ? key : `${IDENTIFIER.test(key) ? key : JSON.stringify(key)}: ${text}`},`;
  });
  return entries.length === 0 ? "{}" : `{\n${entries.join("\n")}${close}}`;
}

/** Unicode's line separators end a comment too. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}

function functionName(cluster: string): string {
  const words = cluster.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return `adopt${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
}

/** Terraform import blocks for `terraform plan -generate-config-out=FILE`, with addresses made from the ids. */
export function importBlocks(imports: readonly ImportId[]): string {
  const taken = new Map<string, number>();
  return imports
    .map(({ type, id }) => {
      // What distinguishes an object from others of its type comes last: GUIDs, names of credentials.
      const [last = ""] = /(?<![^/:|@])[^/:|@]+$/.exec(id.replace(/[@|][^]*$/, "")) ?? [];
      const name = last.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
      const address = `${type}.${name}`;
      const count = (taken.get(address) ?? 0) + 1;
      taken.set(address, count);
      return `import {\n  to = ${address}${count > 1 ? `_${count}` : ""}\n  id = ${terraformText(id)}\n}\n`;
    })
    .join("\n");
}

function terraformText(text: string): string {
  return JSON.stringify(text).replace(/[$%]\{/g, (start) => start.charAt(0) + start);
}
