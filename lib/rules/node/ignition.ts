/*
 * Ignition and Butane: Flatcar, Fedora CoreOS. Both write the files at the first boot, before any service starts.
 *
 * Sources: coreos/ignition, config/v3_2/types and docs/configuration-v3_2.md; coreos/butane, docs/specs.md (versions)
 * and base/v0_5/schema.go (`inline`). Verified with Butane v0.28 and Ignition v2.26.
 */

import type { NodeDocument } from "../../model/node-document";
import type { NodeExecutable, NodeFile } from "../../model/node-file";
import { type Json, at, list, record, text } from "../../model/parsed";
import { ignitionConfig } from "../openshift/machine-config";
import { isKubeletUnit } from "./commands";
import { type CarriedFile, type CarriedSetup, type NodeForm, type NodeTransport, modeOf } from "./form";

const UNITS = "/etc/systemd/system";
const EXECUTABLE = 0o755;
const FIRST_BOOT =
  "Ignition writes the files only at the first boot, before the kubelet starts: a change reaches only new nodes.";

/** The source from which Ignition downloads an executable; a wrong hash stops the boot. */
function fetched({ path, url, sha256 }: NodeExecutable): Json {
  const verification = { hash: `sha256-${sha256}` };
  return { path, mode: EXECUTABLE, overwrite: true, contents: { source: url, verification } };
}

/** An Ignition configuration of version 3.2.0, which Flatcar 3185 and newer and every Fedora CoreOS accept. */
export const IGNITION: NodeTransport = {
  form: "ignition",
  document: (files, executables): NodeDocument => {
    const { ignition, storage } = ignitionConfig(files);
    const all = [...storage.files, ...executables.map(fetched)];
    return { form: "ignition", extension: "ign", content: [{ ignition, storage: { files: all } }] };
  },
};

/** The newest stable version of each variant that old releases of Butane accept too. */
const VARIANTS = { flatcar: "1.0.0", fcos: "1.4.0" } as const;

/** Operating systems for which Butane writes configurations. */
export type ButaneVariant = keyof typeof VARIANTS;

export const BUTANE_VARIANTS: readonly ButaneVariant[] = ["flatcar", "fcos"];

/** A Butane configuration, for `butane --strict` or for `storage.trees` of another. */
export function butaneTransport(variant: ButaneVariant): NodeTransport {
  return {
    form: "butane",
    document: (files, executables): NodeDocument => {
      const written = [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map(inlineFile);
      const storage = { files: [...written, ...executables.map(fetched)] };
      const config = { variant, version: VARIANTS[variant], storage };
      return { form: "butane", extension: "bu", content: [config], comment: [FIRST_BOOT] };
    },
  };
}

function inlineFile({ path, mode, content }: NodeFile): Json {
  return { path, mode, overwrite: true, contents: { inline: content } };
}

export const IGNITION_FORM: NodeForm = {
  id: "ignition",
  is: (document) => {
    const version = at(document, "ignition", "version");
    return version !== undefined && at(document, "kind") === undefined;
  },
  read: ([document]) => {
    const version = text(at(document, "ignition", "version"));
    const known = /^3\.[0-6]\.0$/.test(version);
    return {
      ...carriedBy(document),
      ...(!known && { doubt: `Ignition ${version || "of no version"} cannot be read here; write 3.2.0` }),
    };
  },
};

export const BUTANE_FORM: NodeForm = {
  id: "butane",
  is: (document) => typeof at(document, "variant") === "string" && at(document, "version") !== undefined,
  read: ([document]) => carriedBy(document),
};

/** Files, links, and units with their drop-ins, all of which both programs write as files. */
function carriedBy(document: unknown): CarriedSetup {
  const doubt = kernelArgumentDoubt([
    ...list(at(document, "kernelArguments", "shouldExist")),
    ...list(at(document, "kernel_arguments", "should_exist")),
  ]);
  return { files: ignitionFiles(document), flags: undefined, ...(doubt !== undefined && { doubt }) };
}

/** The files, links, units and drop-ins of a configuration. */
export function ignitionFiles(document: unknown): readonly CarriedFile[] {
  const { files, links } = record(at(document, "storage"));
  const others = list(links).map((each): CarriedFile => ({
    path: text(at(each, "path")),
    content: undefined,
    encoding: "other",
    at: [],
  }));
  return [...list(files).flatMap(storageFile), ...others, ...ignitionUnits(document)];
}

/** systemd and the first program of a node take commands from the kernel's arguments: kernel-command-line(7). */
export function kernelArgumentDoubt(all: readonly unknown[]): string | undefined {
  const odd = all.map(String).find((each) => /^(?:systemd\.|rd\.|init=|rdinit=|ignition\.)/.test(each));
  return odd && `what the kernel argument ${odd} does to the kubelet is not known`;
}

function storageFile(file: unknown, index: number): readonly CarriedFile[] {
  const contents = record(at(file, "contents"));
  const path = text(at(file, "path"));
  const key = "inline" in contents ? "inline" : "source";
  const written = text(contents[key]);
  const place = ["storage", "files", index, "contents", key];
  const mode = modeOf(at(file, "mode"));
  if (key === "inline") return [{ path, content: written, encoding: "plain", at: place, mode }];
  // A file without contents changes the mode or owner of an earlier one.
  if (written === "" && contents["local"] === undefined) return [];
  // The content is unknown if it is downloaded at boot or is in another file.
  if (!/^(?:data:|@late\()/.test(written))
    return [
      { path, content: undefined, encoding: "other", at: place, mode, contents, sha256: hashOf(contents) },
    ];
  return [{ path, content: written, encoding: "data-url", at: place, contents, mode }];
}

function hashOf({ verification }: Json): string {
  return /^sha256-(.+)$/.exec(text(at(verification, "hash")))?.[1] ?? "";
}

/** Units and drop-ins; those without contents, which are only enabled or disabled, are no files. */
function ignitionUnits(document: unknown): readonly CarriedFile[] {
  return list(at(document, "systemd", "units")).flatMap((unit, index) => {
    const path = `${UNITS}/${text(at(unit, "name"))}`;
    const file = (
      to: string,
      from: unknown,
      ...keys: readonly (string | number)[]
    ): readonly CarriedFile[] => {
      const content = text(at(from, "contents"));
      const where = ["systemd", "units", index, ...keys, "contents"];
      if (at(from, "mask") === true && !isKubeletUnit(text(at(unit, "name")))) return [];
      if (at(from, "contents_local") !== undefined || at(from, "mask") === true)
        return [{ path: to, content: undefined, encoding: "other", at: where }];
      return content === "" ? [] : [{ path: to, content, encoding: "plain", at: where }];
    };
    const dropIns = list(at(unit, "dropins")).flatMap((dropIn, nth) =>
      file(`${path}.d/${text(at(dropIn, "name"))}`, dropIn, "dropins", nth),
    );
    return [...file(path, unit), ...dropIns];
  });
}
