import { randomUUID } from 'node:crypto';
import { duplicate, type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import type { Struct } from '../struct.ts';
import { eachEntry, eachItem, invalidAs } from './findings.ts';
import { approximately, compare } from './quantities.ts';
import { allowsOvercommit, validateContainerResourceName, validateResourceName } from './resource-names.ts';

type ResourceList = Record<string, string>;

const CONTAINER = 'Container';
const TYPES = ['Pod', CONTAINER, 'PersistentVolumeClaim'];

function validate({ spec }: ApiObject, context: RuleContext): readonly FieldError[] {
  const types = new Set<string>();
  return eachItem(spec?.limits as readonly Struct[] | undefined, 'spec.limits', (item, at) => {
    const { type = '' } = item;
    const errors = [...validateType(type, `${at}.type`)];
    if (types.has(type)) errors.push(duplicate(`${at}.type`, type));
    types.add(type);
    return [...errors, ...validateItem(item, at, context)];
  });
}

function validateType(type: string, path: string): readonly FieldError[] {
  const messages = qualifiedName(type);
  if (messages.length > 0) return invalidAs(messages, path, type);
  return type.includes('/') || TYPES.includes(type) ? [] : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: Struct, path: string, context: RuleContext): readonly FieldError[] {
  const names = (list: string): readonly FieldError[] =>
    eachEntry(item[list] as ResourceList | undefined, `${path}.${list}`, (name, _value, at) =>
      item.type === 'Pod' || item.type === CONTAINER ? validateContainerResourceName(name, at, context) : validateResourceName(name, at),
    );
  const noDefaults = item.type === 'Pod';
  const noStorage = item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined;
  const checked = noDefaults ? { ...item, default: undefined, defaultRequest: undefined } : item;
  const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];
  const resources = new Set(lists.flatMap((list) => Object.keys(checked[list] ?? {})));
  return [
    ...names('max'),
    ...names('min'),
    ...['default', 'defaultRequest'].flatMap((list) => {
      if (!noDefaults) return names(list);
      return Object.keys(item[list] ?? {}).length > 0 ? [forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'")] : [];
    }),
    ...(noStorage ? [required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided')] : []),
    ...names('maxLimitRequestRatio'),
    ...[...resources].flatMap((name) => validateResource(checked, name, path, context)),
  ];
}

function validateResource(item: Struct, name: string, path: string, context: RuleContext): readonly FieldError[] {
  const value = (list: string): string | undefined => (Object.hasOwn(item[list] ?? {}, name) ? item[list][name] : undefined);
  const [min, max, limit, request] = [value('min'), value('max'), value('default'), value('defaultRequest')];
  const greater = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && compare(a, b) > 0;
  const at = (list: string): string => `${path}.${list}[${name}]`;
  const errors: FieldError[] = [];
  if (greater(min, max)) errors.push(invalid(at('min'), min, `min value ${min} is greater than max value ${max}`));
  if (greater(min, request))
    errors.push(invalid(at('defaultRequest'), request, `min value ${min} is greater than default request value ${request}`));
  if (greater(request, max))
    errors.push(invalid(at('defaultRequest'), request, `default request value ${request} is greater than max value ${max}`));
  if (greater(request, limit))
    errors.push(invalid(at('defaultRequest'), request, `default request value ${request} is greater than default limit value ${limit}`));
  if (greater(min, limit)) errors.push(invalid(at('default'), min, `min value ${min} is greater than default value ${limit}`));
  if (greater(limit, max)) errors.push(invalid(at('default'), max, `default value ${limit} is greater than max value ${max}`));
  errors.push(...validateRatio(value('maxLimitRequestRatio'), min, max, at('maxLimitRequestRatio')));
  const differ = limit !== undefined && request !== undefined && compare(limit, request) !== 0;
  if (differ && !allowsOvercommit(name, context))
    errors.push(invalid(at('defaultRequest'), request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`));
  return errors;
}

function validateRatio(ratio: string | undefined, min: string | undefined, max: string | undefined, path: string): readonly FieldError[] {
  if (ratio === undefined) return [];
  const errors = compare(ratio, '1') < 0 ? [invalid(path, ratio, `ratio ${ratio} is less than 1`)] : [];
  if (min === undefined || max === undefined) return errors;
  const limit = approximately(max) / approximately(min);
  if (approximately(ratio) > limit) errors.push(invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  return errors;
}

export const rules: KindRules = {
  /** The one kind that 1.32 names by itself where nobody does. */
  prepareForCreate(object) {
    object.metadata.name ||= randomUUID();
  },
  validate,
};
