/** The place from which a fact was read. */
export interface Source {
  /** The file, as given or as found below a given path. */
  readonly file: string;
  /**
   * Index of the document in a file with several, from 0.
   *
   * @defaultValue - the file is one document
   */
  readonly document?: number;
  /** Property path in the document, `metadata.annotations["a/b"]`; empty for the whole document. */
  readonly path: string;
  /**
   * Line, from 1, of a text that is not parsed.
   *
   * @defaultValue - found by the path
   */
  readonly line?: number;
  /**
   * True for a fact that was only stated.
   *
   * @defaultValue false
   */
  readonly stated?: true;
}

/** The place of what nothing that was read states. */
export const NOWHERE: Source = { file: "", path: "" };

/** The place of a property below a place. */
export function below(source: Source, path: string): Source {
  const joint = source.path === "" || path === "" || path.startsWith("[") ? "" : ".";
  return { ...source, path: source.path + joint + path };
}

/** `manifests/20-service-accounts.yaml#1 metadata.annotations`; the document counts from 0. */
export function sourceText({ file, document, path, stated }: Source): string {
  const place = document === undefined ? file : `${file}#${document}`;
  return `${stated ? "stated in " : ""}${place}${path === "" ? "" : ` ${path}`}`;
}

/** Describes a file, a document, a module or an object that was found but is not judged. */
export interface SkippedDocument {
  /** Its place; only the file for Kubernetes objects of kinds that explain does not read. */
  readonly source: Source;
  /** Why it is not judged, as a clause. */
  readonly reason: string;
  /**
   * The object that the API server or the Machine Config Operator would refuse, `ServiceAccount shop/web`; it is
   * treated as absent.
   *
   * @defaultValue - not refused, but of a kind or form that explain does not read
   */
  readonly refused?: string;
}
