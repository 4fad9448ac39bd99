/** The value that steps speak of. */
import type { Shape } from '../../../runtime/contract/constraint.ts';

/** The value that steps speak of, as expressions. */
export interface Subject {
  readonly value: string;
  /** the stored value, or `undefined` */
  readonly old: string;
  readonly holder: string;
  /** its path from the value of the function, as the inside of a template literal */
  readonly path: string;
  readonly holderPath: string;
  readonly shape: Shape;
  /** the label of the block that a finding which stops leaves */
  readonly label: string;
}

/** Whether the value is there, so that its content can be looked at. */
export function presentExpression({ value, shape }: Pick<Subject, 'value' | 'shape'>): string {
  return shape.kind === 'text' && !shape.pointer ? value : `${value} != null`;
}
