/**
 * Findings on their way up. A function of a type reports paths that begin at its own value (`.name`, `[0].name`, '' for the value itself);
 * whoever called it puts its own part before them. So nothing is put together for what is right.
 */
import type { FieldError } from '../contract/field-error.ts';

/** Adds findings of a rule, with the path of the value that it looked at before theirs. */
export function report(out: FieldError[], found: readonly FieldError[], path: string): void {
  for (const error of found) out.push(path === '' ? error : { ...error, field: `${path}${error.field}` });
}

/** Puts a path before those of all findings since `from`. */
export function below(out: FieldError[], from: number, path: string): void {
  for (let i = from; i < out.length; i++) {
    const error = out[i] as FieldError;
    out[i] = { ...error, field: `${path}${error.field}` };
  }
}

/** Paths of the findings of a whole object begin without a dot. */
export function ofObject(out: readonly FieldError[]): readonly FieldError[] {
  return out.map((error) => (error.field.startsWith('.') ? { ...error, field: error.field.slice(1) } : error));
}
