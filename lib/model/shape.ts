/*
 * Exports kinds of values and shapes of objects from one place.
 */

export { boolean, either, list, record } from "./composed-kinds";
export {
  type Kind,
  anyObject,
  anything,
  choice,
  example,
  method,
  number,
  text,
  unfilled,
  wrongKind,
} from "./kind";
export {
  type ObjectKind,
  type Shape,
  checkGiven,
  checkProps,
  like,
  made,
  object,
  optional,
} from "./object-kind";
