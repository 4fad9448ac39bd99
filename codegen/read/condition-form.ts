/** The form of conditions, which defaults and constraints share; `runtime/contract/condition.ts` says what they mean. */
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

/** The form of `when`: an object whose tests must all hold, or a list of such objects of which one must hold. */
export const conditionForm = {
  type: ['object', 'array'],
  additionalProperties: memberTest,
  items: { type: 'object', additionalProperties: memberTest },
  minItems: 1,
};

/** The form of `gate`: the name of a feature gate, or `!` and the name where the gate must be off. */
export const gateForm = { type: 'string', pattern: '^!?[A-Za-z][A-Za-z0-9]*$' };
