/** The form of conditions, which defaults and constraints share: `runtime/contract/condition.ts` says what they mean. */
const single = ['string', 'number', 'boolean'];

const memberTest = {
  type: [...single, 'array', 'object'],
  items: { type: single },
  properties: {
    not: { type: [...single, 'array'], items: { type: single } },
    present: { type: 'boolean' },
    above: { type: 'number' },
    below: { type: 'number' },
  },
  additionalProperties: false,
  minItems: 1,
  minProperties: 1,
  maxProperties: 1,
};

/** Of `when`: all members of a condition must hold, or those of one of several. */
export const conditionForm = {
  type: ['object', 'array'],
  additionalProperties: memberTest,
  items: { type: 'object', additionalProperties: memberTest },
  minItems: 1,
};

/** Of `gate`. */
export const gateForm = { type: 'string', pattern: '^!?[A-Za-z][A-Za-z0-9]*$' };
