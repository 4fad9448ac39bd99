import type { Binding } from '../../../generated/core/v1/types.ts';
import { type FieldError, notSupported } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';

/** 1.32 writes the empty kind as a name, which is none. */
export function toNode({ target: { kind } }: Binding): readonly FieldError[] {
  return !kind || kind === 'Node' ? NONE : [notSupported('.target.kind', kind, ['Node', '<empty>'])];
}
