/** The form of defaults that depend on other members; `runtime/contract/default-rule.ts` says what they mean. */
import { defaultFormats } from '../../runtime/contract/default-rule.ts';
import { conditionForm, gateForm } from './condition-form.ts';

const text = { type: 'string', minLength: 1 };
const release = { type: 'string' };

const rule = {
  properties: {
    when: conditionForm,
    gate: gateForm,
    value: {},
    from: text,
    as: { enum: [...defaultFormats] },
    entriesFrom: { type: 'array', items: text, minItems: 1 },
    alone: { enum: [true] },
    replaces: { enum: [true] },
    since: release,
    until: release,
  },
  additionalProperties: false,
};

/** One rule, or several that are tried in turn. */
export const defaultRulesForm = { type: ['object', 'array'], ...rule, items: { type: 'object', ...rule }, minItems: 1 };

/** Rules by the dotted path of the member that gets the default. */
export const defaultsBelowForm = { type: 'object', additionalProperties: defaultRulesForm, minProperties: 1 };
