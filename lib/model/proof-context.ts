/**
 * Key of the app's context, as in `cdktf.json`: `false` leaves out the proof of declared pulls in the whole app.
 *
 * Left out or `true`, each composed construct decides for itself.
 */
export const PROOF_CONTEXT = "cdktf-workload-identity/proof";
