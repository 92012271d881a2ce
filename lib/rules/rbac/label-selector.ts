type Labels = Readonly<Record<string, string>>;

/**
 * True where a Kubernetes label selector selects an object's labels; an empty selector selects everything, a
 * malformed one nothing. Never throws.
 *
 * Source: `LabelSelectorAsSelector` in apimachinery:pkg/apis/meta/v1/helpers.go.
 */
export function selectorMatches(selector: unknown, labels: Labels): boolean {
  if (typeof selector !== "object" || selector === null || Array.isArray(selector)) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector as Readonly<Record<string, unknown>>;
  return labelsMatch(matchLabels ?? {}, labels) && expressionsMatch(matchExpressions ?? [], labels);
}

function labelsMatch(wanted: unknown, labels: Labels): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return false;
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

function expressionsMatch(expressions: unknown, labels: Labels): boolean {
  return (
    Array.isArray(expressions) && expressions.every((expression) => expressionMatches(expression, labels))
  );
}

type Operator = (found: string | undefined, values: readonly unknown[]) => boolean;

const OPERATORS: Readonly<Record<string, Operator>> = {
  In: (found, values) => values.length > 0 && found !== undefined && values.includes(found),
  NotIn: (found, values) => values.length > 0 && (found === undefined || !values.includes(found)),
  Exists: (found, values) => values.length === 0 && found !== undefined,
  DoesNotExist: (found, values) => values.length === 0 && found === undefined,
};

function expressionMatches(expression: unknown, labels: Labels): boolean {
  if (typeof expression !== "object" || expression === null) return false;
  const { key, operator, values } = expression as Readonly<Record<string, unknown>>;
  if (typeof key !== "string" || typeof operator !== "string") return false;
  const test = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  const list = Array.isArray(values) ? values : [];
  return test?.(Object.hasOwn(labels, key) ? labels[key] : undefined, list) ?? false;
}
