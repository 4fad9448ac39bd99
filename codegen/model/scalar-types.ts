/** The TypeScript types of scalars, as text. */
import type { ScalarName } from '../../runtime/contract/descriptor.ts';

export const SCALAR_TYPES = {
  string: 'string',
  boolean: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  rawExtension: '{ [member: string]: unknown }',
  fieldsV1: '{ [member: string]: unknown }',
  json: 'unknown',
  structOrBoolean: 'boolean',
  structOrList: 'unknown[]',
  structOrNames: 'string[]',
} as const satisfies Readonly<Record<ScalarName, string>>;
