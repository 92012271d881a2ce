/** What to do about a value that only apply tells, also once it is bound in the manifests. */
export const ASK_AGAIN = "apply, and ask again with what `terraform show -json` prints named as well";
