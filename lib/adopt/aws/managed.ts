import { serviceAccountText } from "../../model/namespaced-name";
import { readArn } from "../../rules/aws/arn";
import { type Adoption, AdoptionFindings, stated } from "../adoption";
import type { CommandAnswer } from "../answers";
import { ASK, accountOf } from "./answers";

const SUBJECT_KEY = /:sub$/;
/** Shown for a statement that does not compare the subject. */
const ANYONE = "every service account";

/** An EKS cluster: the OIDC provider of its issuer, and the roles that trust it. */
export function eksCluster(name: string, answer: CommandAnswer, answers: CommandAnswer): Adoption {
  const cluster = answer.at("cluster");
  const findings = new AdoptionFindings();
  const account = accountOf(answers, findings);
  const issuer = cluster.at("identity", "oidc", "issuer").text();
  if (issuer === undefined)
    findings.lacks(`the issuer of ${name}`, `run \`aws ${ASK.cluster} --name ${name}\``);
  const provider = account.providers.find((each) => each.issuer === issuer);
  if (!provider) {
    if (issuer !== undefined)
      findings.lacks(
        `the OIDC provider of ${issuer}`,
        `run \`aws ${ASK.provider}\` for it; if the account has none, declare one without adopt`,
      );
    return findings.done(name, issuer, []);
  }
  findings.imports.push({ type: "aws_iam_openid_connect_provider", id: provider.arn });
  for (const role of account.roles.values()) {
    const serviceAccounts = subjectsOf(role.trust, provider.arn);
    if (serviceAccounts.length === 0) continue;
    findings.identities.push({ identity: role.arn, serviceAccounts });
    findings.imports.push({ type: "aws_iam_role", id: role.name });
  }
  if (!answers.entry(ASK.role))
    findings.lacks("roles that trust the OIDC provider", `run \`aws ${ASK.role}\` for each role`);
  const region = readArn(cluster.at("arn").text())?.region;
  const { audiences, tags } = provider;
  const some = Object.keys(tags).length > 0 ? tags : undefined;
  const props = stated({ issuer, account: account.id, region, audiences, tags: some, adopt: true });
  return findings.done(name, issuer, [
    { name: "oidcProvider", call: "new OidcProvider", entry: "aws", props },
  ]);
}

/** The service accounts that the statements for the OIDC provider name, with their wildcards. */
function subjectsOf(trust: CommandAnswer, arn: string): readonly string[] {
  const subjects = trust
    .at("Statement")
    .someMembers()
    .filter(
      (statement) =>
        statement.at("Effect").text() === "Allow" &&
        statement.at("Principal").exists &&
        federated(statement.at("Principal")).includes(arn),
    )
    .flatMap((statement) => {
      const limits = statement
        .at("Condition")
        .entries()
        .filter(([operator]) => !operator.includes("Not"))
        .flatMap(([, keys]) => keys.entries())
        .filter(([key]) => SUBJECT_KEY.test(key));
      return limits.length === 0 ? [ANYONE] : limits.flatMap(([, values]) => values.someTexts());
    });
  return [...new Set(subjects.map(serviceAccountText))].sort();
}

function federated(principal: CommandAnswer): readonly string[] {
  return principal.isText ? [] : principal.at("Federated").someTexts();
}
