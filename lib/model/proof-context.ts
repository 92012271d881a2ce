/**
 * Key of the app's context, as in `cdktf.json`: `false` turns the proof off for all constructs of the app.
 *
 * With `true` or without it, the property `proof` of each construct decides.
 */
export const PROOF_CONTEXT = "cdktf-workload-identity/proof";
