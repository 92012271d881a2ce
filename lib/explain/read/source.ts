/** Where a fact stands. */
export interface Source {
  /** The file, as it was given or found below what was given. */
  readonly file: string;
  /**
   * Place of the document in a file with several, from 0.
   *
   * @defaultValue - the file is one document
   */
  readonly document?: number;
  /** Property path in the document, `metadata.annotations["a/b"]`; empty for the whole document. */
  readonly path: string;
  /**
   * True for a fact that was stated, and that nothing else shows.
   *
   * @defaultValue false
   */
  readonly stated?: true;
}

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

/** A file, a document, a module or an object that was found and is not judged. */
export interface SkippedDocument {
  /** Where it stands; of Kubernetes objects of kinds that are not read the file alone. */
  readonly source: Source;
  /** Why it is not judged, a clause. */
  readonly reason: string;
  /**
   * The object that the API server or the Machine Config Operator would refuse, `ServiceAccount shop/web`; it counts as
   * absent.
   *
   * @defaultValue - nothing would refuse it; it is not read
   */
  readonly refused?: string;
}
