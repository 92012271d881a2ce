import { checkedSettings } from "../node/credential-provider-settings";
import type { ImagePullsProps } from "./image-pulls-props";
import { checkTokenAudience } from "./pull-audience-grants";

/**
 * Checks what can be checked of the settings before anything is declared.
 *
 * Throws what the credential provider settings and the token audience settings throw; what depends on a cloud's
 * answer, such as the plugin's abilities, is checked when the cloud has given it.
 */
export function checkPullSettings({ credentialProviders = {}, tokenAudience = {} }: ImagePullsProps): void {
  for (const [plugin, settings] of Object.entries(credentialProviders)) checkedSettings(plugin, settings);
  checkTokenAudience(tokenAudience);
}
