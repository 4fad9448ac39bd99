/** Data in a form that a driver defines: settings for its devices, and what it reports of them. */
import type { RawExtension } from '../../../generated/meta/v1/types.ts';
import { type FieldError, tooLong } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { NONE } from '../../validation/joined.ts';

/** bytes of JSON */
const LONGEST_DATA = 10 * 1024;

export interface DataScope {
  /** the data was stored before: that of an older release may be longer than the limit */
  readonly isStored: boolean;
}

export function dataLength(data: RawExtension, _old: unknown, _context: RuleContext, { isStored }: DataScope): readonly FieldError[] {
  return !isStored && isLongerThan(JSON.stringify(data), LONGEST_DATA) ? [tooLong('', LONGEST_DATA)] : NONE;
}

export const isObject = (data: unknown): boolean => typeof data === 'object' && !Array.isArray(data);
