/** The form of a table's columns and of their cells, which `runtime/contract/table.ts` describes. That a cell has exactly one source is checked later. */
import type { JsonObject } from './sources.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text, minItems: 1 };
const textOrTexts = { anyOf: [text, texts] };
const flag = { const: true };
const release = { type: 'string' };
const CELL = '#/definitions/cell';
const cells = { type: 'array', items: { $ref: CELL }, minItems: 1 };

/** Members that say nothing without another one, each with the one that it needs. */
const dependencies = {
  end: ['age'],
  last: ['path'],
  map: ['path'],
  otherwise: ['map'],
  separator: ['join'],
  limit: ['join'],
  set: ['join'],
};

const cellProperties: JsonObject = {
  path: text,
  text,
  count: textOrTexts,
  ratio: { ...texts, minItems: 2, maxItems: 2 },
  age: textOrTexts,
  duration: text,
  labels: text,
  selector: text,
  join: { anyOf: [text, cells] },
  first: cells,
  end: text,
  last: flag,
  as: { $ref: CELL },
  map: { type: 'object', additionalProperties: { $ref: CELL }, minProperties: 1 },
  otherwise: { $ref: CELL },
  separator: { type: 'string' },
  limit: { type: 'integer', minimum: 1 },
  set: flag,
  when: textOrTexts,
  transform: { enum: ['lower', 'trim'] },
  allowEmpty: flag,
  absent: { type: ['string', 'number', 'boolean', 'null'] },
  since: release,
  until: release,
};

/** Definitions that a form with columns in it has to include. */
export const cellDefinitions = {
  cell: {
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { type: 'object', properties: cellProperties, additionalProperties: false, dependencies },
    else: { type: ['string', 'number', 'boolean'] },
  },
};

export const columnForm = {
  type: 'object',
  properties: {
    name: text,
    type: { enum: ['string', 'integer', 'number', 'boolean', 'date'] },
    format: text,
    description: text,
    priority: { type: 'integer', minimum: 0 },
    function: text,
    undeclared: flag,
    ...cellProperties,
  },
  required: ['name'],
  additionalProperties: false,
  dependencies,
};
