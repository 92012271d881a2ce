import { type Kind, type Mistake, below, choice, wrongKind } from "./kind";
import { EXAMPLES } from "./examples";
import { isPlain, isRecord } from "./record";

export const boolean: Kind<boolean> = { ...choice([true, false]), example: () => undefined };

const EACH = "an array, each element ";

/** A list whose elements are all of a kind; a late list is taken for a list of strings. */
export function list<T>(kind: Kind<T>): Kind<readonly T[]> {
  const title = `${EACH}${kind.title}`;
  return {
    title,
    mistake: (value) => (Array.isArray(value) ? inList(value, kind) : wrongKind(value, title)),
    example: (key) => {
      const element = kind.example?.(key);
      return element && `[${element}]`;
    },
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
    example: (key) => EXAMPLES[key],
  };
}

/** One of several kinds. */
export function either<T extends readonly unknown[]>(
  ...kinds: { readonly [I in keyof T]: Kind<T[I]> }
): Kind<T[number]> {
  const titles = kinds.map(({ title }) => title);
  const title = titles
    .map((each) => (each === `${EACH}${titles[0]}` ? "an array of them" : each))
    .join(", or ");
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
        isRecord(value) && !isPlain(value)
          ? undefined
          : mistakes.find(({ keys, meant }) => keys.length > 0 || meant);
      return within ?? wrongKind(value, title);
    },
    example: (key) => kinds.map((kind) => kind.example?.(key)).find((each) => each !== undefined),
  };
}
