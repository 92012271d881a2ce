import { readFile } from "../../artefact/read-file";
import { errorCode } from "../../artefact/synth-folder";
import { type TerraformOutputs, readTerraformOutputs } from "./terraform-outputs";
import { refuseUnreadable } from "../../artefact/problems";
import { refuseOutputsFile } from "./problems";

/**
 * Reads a file with outputs, in UTF-8 or, with a byte order mark, in UTF-16.
 *
 * `>` of Windows PowerShell 5.1 writes UTF-16 with a mark, its `Out-File -Encoding utf8` UTF-8 with one
 * (Microsoft's about_Character_Encoding).
 */
export function readOutputsFile(path: string): TerraformOutputs {
  return readTerraformOutputs(decoded(readBytes(path), path), path);
}

function readBytes(path: string): Buffer {
  try {
    return readFile(path);
  } catch (error) {
    return refuseUnreadable(path, errorCode(error));
  }
}

function decoded(bytes: Buffer, path: string): string {
  const encoding = encodingOf(bytes);
  try {
    // Not fatal, it would put a replacement character into a manifest.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return refuseOutputsFile(path, `is not ${encoding.toUpperCase()} text`);
  }
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}
