import type { ControllerRevision } from '../../../generated/apps/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { goBytes, goStructure } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { isSame } from '../../validation/values.ts';

/** Data that are gone are told of as data that are others. What has no members is shown as 1.32 shows all data. */
export function sameData({ data }: ControllerRevision, old: ControllerRevision | undefined): readonly FieldError[] {
  if (isSame(data, old?.data)) return NONE;
  return [invalid('.data', typeof data === 'object' && data !== null ? data : rawExtension(data), 'field is immutable')];
}

function rawExtension(data: unknown): Notation {
  const raw = goBytes(data === undefined || data === null ? undefined : Buffer.from(JSON.stringify(data)).toString('base64'));
  return new Notation(goStructure('runtime.RawExtension', { Raw: raw, Object: 'runtime.Object(nil)' }));
}

export const rules: KindRules = {};
