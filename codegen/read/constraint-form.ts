/** The form of constraints in schemas; `codegen/model/constraints/entries.ts` has their types and says what they mean. */
import { conditionForm } from './condition-form.ts';

const text = { type: 'string' };
const flag = { enum: [true] };
const size = { type: 'integer', minimum: 0 };
const value = { type: ['string', 'number', 'boolean'] };
const numberOrMember = { type: ['number', 'string'] };
const texts = { type: 'array', items: text };
const reason = {
  enum: ['required', 'invalid', 'notSupported', 'forbidden', 'duplicate', 'notFound', 'typeInvalid', 'internal', 'tooLong', 'tooMany'],
};
const object = (properties: object) => ({ type: 'object', properties, additionalProperties: false });

export const CONSTRAINT_DEFINITIONS = 'cluster:constraints';

const entries = { $ref: `${CONSTRAINT_DEFINITIONS}#/$defs/entries` };

export const ruleName = { type: 'string', pattern: '^[a-z][a-z0-9-]*(/[a-z][a-z0-9-]*)*#[a-z][A-Za-z0-9]*$' };

const entry = object({
  required: flag,
  forbidden: flag,
  enum: { anyOf: [flag, texts] },
  minimum: numberOrMember,
  maximum: numberOrMember,
  above: numberOrMember,
  below: numberOrMember,
  range: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  span: { type: 'array', items: text, minItems: 1, maxItems: 2 },
  minLength: size,
  maxLength: size,
  maxBytes: size,
  minItems: size,
  maxItems: size,
  minProperties: size,
  maxProperties: size,
  pattern: text,
  format: { anyOf: [text, texts] },
  join: text,
  equals: value,
  neq: value,
  unique: { anyOf: [flag, text, texts] },
  countsUnset: flag,
  immutable: flag,
  noSet: flag,
  noUnset: flag,
  noModify: flag,
  noDecrease: flag,
  nested: flag,
  rule: ruleName,
  holds: ruleName,
  scoped: flag,
  items: entries,
  keys: entries,
  values: entries,
  keyLength: size,
  else: entries,
  first: entries,
  all: entries,
  text: entries,
  number: entries,
  within: entries,
  union: {
    ...object({
      discriminator: text,
      members: { anyOf: [texts, { type: 'object', additionalProperties: { type: ['string', 'null'] } }] },
      none: text,
      several: text,
      beside: texts,
      as: reason,
      reported: { type: 'object', additionalProperties: text },
    }),
    required: ['members'],
  },
  oneOf: texts,
  zeroOrOneOf: texts,
  none: text,
  several: text,
  at: text,
  message: text,
  as: reason,
  path: text,
  shown: {},
  limit: size,
  of: { enum: ['holder'] },
  absent: {},
  stop: { type: 'boolean' },
  ratchet: flag,
  when: conditionForm,
  gate: text,
  on: { enum: ['create', 'update', 'status'] },
  since: text,
  until: text,
});

export const constraintDefinitions = {
  $id: CONSTRAINT_DEFINITIONS,
  $defs: { entries: { type: 'array', items: { anyOf: [text, entry] } } },
};

/** Marks of a property that constrain it. */
export const propertyConstraints = {
  'x-cluster-required': { anyOf: [flag, text] },
  'x-cluster-immutable': { anyOf: [flag, text] },
  'x-cluster-format': { anyOf: [text, texts] },
  'x-cluster-unique': { anyOf: [flag, text, texts] },
  'x-cluster-open': flag,
  'x-cluster-closed': flag,
  'x-cluster-unchecked': flag,
  'x-cluster-reported-as': text,
  'x-cluster-validations': entries,
};

/** Marks of a schema of type object that constrain it. */
export const structConstraints = {
  'x-cluster-scope': ruleName,
  'x-cluster-validated-twice': { enum: [true, 'last'] },
  'x-cluster-validations': entries,
};
