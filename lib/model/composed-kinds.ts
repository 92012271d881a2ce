import { type Kind, type Mistake, below, choice, wrongKind } from "./kind";
import { isPlain, isRecord } from "./record";

/** True or false. */
export const boolean: Kind<boolean> = choice([true, false]);

/** A list whose elements are all of a kind; a late list is taken for a list of strings. */
export function list<T>(kind: Kind<T>): Kind<readonly T[]> {
  const title = `an array, each element ${kind.title}`;
  return {
    title,
    mistake: (value) => (Array.isArray(value) ? inList(value, kind) : wrongKind(value, title)),
  };
}

function inList<T>(values: readonly unknown[], kind: Kind<T>): Mistake | undefined {
  for (let index = 0; index < values.length; index++) {
    const mistake = kind.mistake(values[index]);
    if (mistake) return below(index, mistake);
  }
  return undefined;
}

/** An object with arbitrary keys and values of a kind. */
export function record<T>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  const title = `an object, each value ${kind.title}`;
  return {
    title,
    mistake: (value) => {
      if (!isRecord(value) || !isPlain(value)) return wrongKind(value, title);
      for (const key of Object.keys(value)) {
        const mistake = kind.mistake(value[key]);
        if (mistake) return below(key, mistake);
      }
      return undefined;
    },
  };
}

/** One of several kinds. */
export function either<T extends readonly unknown[]>(
  ...kinds: { readonly [I in keyof T]: Kind<T[I]> }
): Kind<T[number]> {
  const title = kinds.map((kind) => kind.title).join(", or ");
  return {
    title,
    mistake: (value) => {
      const mistakes: Mistake[] = [];
      for (const kind of kinds) {
        const mistake = kind.mistake(value);
        if (mistake === undefined) return undefined;
        mistakes.push(mistake);
      }
      // A mistake inside the value shows which kind was meant, except in instances of classes.
      const within =
        isRecord(value) && !isPlain(value) ? undefined : mistakes.find(({ keys }) => keys.length);
      return within ?? wrongKind(value, title);
    },
  };
}
