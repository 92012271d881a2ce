/* Puts the files of the page that `explain --format html` writes beside the compiled code that embeds them. */

import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (folder) => fileURLToPath(new URL(`../${folder}/explain/render/page`, import.meta.url));

cpSync(path("lib"), path("dist/lib"), { recursive: true });
