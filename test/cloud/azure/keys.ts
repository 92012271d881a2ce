import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { IssuerKey } from "../../../lib/model/issuer-keys";

const [first] = JSON.parse(
  readFileSync(resolve(__dirname, "../../fixtures/openid/keys.json"), "utf8"),
) as readonly { readonly pem: string }[];

/** The one key of a cluster. */
export const issuerKeys: readonly IssuerKey[] = [{ publicKey: first?.pem ?? "", use: "current" }];
