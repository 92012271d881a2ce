/** Greatest length of the name of a custom role: learn.microsoft.com, "Azure custom roles". */
const ROLE_NAME_MAX = 512;

/** Terraform would read these as the beginning of a template; no role of Azure has them in its name. */
const TEMPLATE = /[$%]\{/;

/** True for what can be the name of a built-in or custom role. */
export function isRoleName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= ROLE_NAME_MAX &&
    value.trim() === value &&
    !value.startsWith("/") &&
    !TEMPLATE.test(value)
  );
}
