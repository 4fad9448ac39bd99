/** What findings of constraints say where the schema states nothing else: the sentences of 1.32. */
import type { Limit, Test } from '../contract/constraint.ts';

/** Behind the summary of the finding; '' where the summary says all. */
export function detailOf(test: Test): string {
  switch (test.name) {
    case 'minimum':
      return `must be greater than or equal to ${limitText(test.limit)}`;
    case 'maximum':
      return `must be less than or equal to ${limitText(test.limit)}`;
    case 'above':
      return `must be greater than ${limitText(test.limit)}`;
    case 'below':
      return `must be less than ${limitText(test.limit)}`;
    case 'range':
      return `must be between ${test.lowest} and ${test.highest}, inclusive`;
    case 'minLength':
      return `must be at least ${test.limit} characters long`;
    case 'maxLength':
      return `must be no more than ${test.limit} characters`;
    case 'minItems':
    case 'minProperties':
      return test.limit === 1 ? '' : `must have at least ${test.limit} items`;
    case 'pattern':
      return `must match the regex ${test.pattern}`;
    case 'equals':
      return `must be equal to ${JSON.stringify(test.value)}`;
    case 'neq':
      return `must not be equal to ${JSON.stringify(test.value)}`;
    case 'immutable':
      return 'field is immutable';
    case 'noSet':
      return 'field cannot be set once created';
    case 'noUnset':
      return 'field cannot be cleared once set';
    case 'noModify':
      return 'field cannot be modified once set';
    case 'noDecrease':
      return 'cannot be decremented';
    default:
      return '';
  }
}

/** @param names other names of members, as of `UnionStep`. @param path of a member from its struct */
export function reportedName(names: Readonly<Record<string, string>> | undefined, path: readonly string[]): string {
  const name = path.join('.');
  return names?.[name] ?? name;
}

function limitText(limit: Limit): string {
  return typeof limit === 'number' ? String(limit) : `\`${limit.path.join('.')}\``;
}

/** The reason of a finding where the schema states no other. */
export function reasonOf(test: Test): 'required' | 'invalid' | 'notSupported' | 'forbidden' | 'duplicate' | 'tooLong' | 'tooMany' {
  switch (test.name) {
    case 'required':
    case 'forbidden':
      return test.name;
    case 'minItems':
    case 'minProperties':
      return test.limit === 1 ? 'required' : 'invalid';
    case 'maxItems':
    case 'maxProperties':
      return 'tooMany';
    case 'maxLength':
    case 'maxBytes':
      return 'tooLong';
    case 'enum':
      return 'notSupported';
    case 'unique':
      return 'duplicate';
    default:
      return 'invalid';
  }
}
