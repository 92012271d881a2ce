import { isRecord } from "../../model/record";
import type { ConfigIssue } from "./config-issue";
import { textOf, textsOf } from "./json-value";
import { lintMatchImagesStrictly } from "./lint-match-images";

type Lint = (provider: Readonly<Record<string, unknown>>, field: string) => readonly ConfigIssue[];

/**
 * What a kubelet accepts in a CredentialProviderConfig although it cannot work, or works otherwise than it reads:
 * dead or misleading `matchImages`, repeated entries, an empty name, blanks around an audience, variables without
 * name. Each message says why, and what to write instead. Fields carry indices: `providers[0].matchImages[2]`.
 *
 * For a document that {@link validateCredentialProviderConfig} accepts; never throws on any other.
 */
export function lintCredentialProviderConfig(document: unknown): readonly ConfigIssue[] {
  const providers = isRecord(document) ? document["providers"] : undefined;
  if (!Array.isArray(providers)) return [];
  return providers.flatMap((provider, index) =>
    isRecord(provider) ? LINTS.flatMap((lint) => lint(provider, `providers[${index}]`)) : [],
  );
}

const lintName: Lint = (provider, field) =>
  textOf(provider["name"]) === ""
    ? [
        {
          field: `${field}.name`,
          message:
            "the name is empty, so the kubelet finds no executable and does not start; write the plugin's file name",
        },
      ]
    : [];

const lintImages: Lint = (provider, field) => {
  const images = textsOf(provider["matchImages"]);
  return images.flatMap((image, index) => {
    const first = images.indexOf(image);
    const reasons =
      first < index
        ? [`it repeats ${field}.matchImages[${first}] and changes nothing; remove it`]
        : lintMatchImagesStrictly(image);
    return reasons.map((message) => ({ field: `${field}.matchImages[${index}]`, message }));
  });
};

const lintAudience: Lint = (provider, field) => {
  const attributes = provider["tokenAttributes"];
  const audience = isRecord(attributes) ? textOf(attributes["serviceAccountTokenAudience"]) : "";
  return /\s/.test(audience)
    ? [
        {
          field: `${field}.tokenAttributes.serviceAccountTokenAudience`,
          message:
            "the audience holds blanks and is compared to the letter by RBAC and the cloud; remove the blanks",
        },
      ]
    : [];
};

const lintEnv: Lint = (provider, field) => {
  const env = provider["env"];
  return (Array.isArray(env) ? env : []).flatMap((variable, index) =>
    isRecord(variable) && /^[^=\0]+$/.test(textOf(variable["name"]))
      ? []
      : [
          {
            field: `${field}.env[${index}].name`,
            message: "no variable can have this name, so the plugin never sees it; write a name without `=`",
          },
        ],
  );
};

const LINTS: readonly Lint[] = [lintName, lintImages, lintAudience, lintEnv];
