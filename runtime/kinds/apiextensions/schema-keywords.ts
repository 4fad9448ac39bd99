/** Keywords of a schema, level by level: which are supported, and which go together. */
import type { JSONSchemaProps } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import type { CustomSchema } from '../../structural-schema/custom-schema.ts';
import { isTyped } from '../../structural-schema/rules/declared-type.ts';
import { cardinalityBelow, ONCE, TotalCost } from '../../structural-schema/rules/rule-costs.ts';
import { isApiMember } from '../../structural-schema/unknown-members.ts';
import { foundInEach, joined, NONE } from '../../validation/joined.ts';
import { eachEntry, eachItem, oneOf } from '../findings.ts';
import { brokenDemands, type Demand } from './demands.ts';
import { type RulePlace, validateRuleExpressions } from './rule-compilation.ts';
import type { SchemaPlace } from './schema-place.ts';
import type { Strictness } from './strictness.ts';
import { validateRules } from './validation-rules.ts';

/** of values */
export const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

interface Place {
  readonly strictness: Strictness;
  /** what is said of a default; undefined: there may be one */
  readonly noDefault: string | undefined;
  /** below the metadata, the kind or the version of an object, the outer one or an embedded one */
  readonly insideMetadata?: boolean;
  /** what was found in expressions of rules so far, which is told last */
  readonly inRules: FieldError[];
  /** undefined where rules are not looked at, as in alternatives */
  readonly rules: RulePlace | undefined;
}

const NO_DEFAULT = 'must not be set';
const OUTERMOST = { cardinality: ONCE, isRoot: true, isInScope: false, isParentTyped: () => true };

export interface RuleTreatment {
  /** whether expressions of rules are looked at */
  readonly areRulesChecked: boolean;
  readonly context: RulePlace['context'];
}

export function validateKeywords(
  schema: JSONSchemaProps,
  place: SchemaPlace,
  strictness: Strictness,
  { areRulesChecked, context }: RuleTreatment,
): readonly FieldError[] {
  const { path, above, isUnchanged } = place;
  const inRules: FieldError[] = [];
  const noDefault = strictness.defaults ? undefined : NO_DEFAULT;
  const total = new TotalCost(isUnchanged);
  const rules = areRulesChecked ? { ...OUTERMOST, environmentOf: strictness.ruleEnvironment, total, above, context } : undefined;
  const found = validateLevel(schema, path, { strictness, noDefault, inRules, rules }, true);
  return joined(found, inRules, total.findings(path));
}

function validateLevel(schema: JSONSchemaProps | undefined, path: string, place: Place, isRoot = false): readonly FieldError[] {
  if (schema === undefined) return NONE;
  const noDefault = schema.default === undefined ? undefined : place.noDefault;
  const found = joined(
    strictly(oneOf(schema.type || undefined, `${path}.type`, TYPES), 'validTypes', place),
    noDefault === undefined ? NONE : [forbidden(`${path}.default`, noDefault)],
    brokenDemands(SUPPORTED, schema, path, place),
    validateAdditional(schema, path, place),
    validateMembers(schema, path, place, isRoot),
    validateInner(schema, path, place),
    brokenDemands(MAP_TYPE, schema, path, place),
    oneOf(schema['x-kubernetes-map-type'], `${path}.x-kubernetes-map-type`, MAP_TYPES),
    validateListType(schema, path, place),
    validateListMapKeys(schema, path, place),
    strictly(validateItemsAreKeys(schema, path), 'mapKeys', place),
    validateRules(schema, path),
  );
  // What is wrong with a schema would be told again, in other words, by the types of its expressions.
  if (place.rules !== undefined && found.length === 0) place.inRules.push(...validateRuleExpressions(schema, path, place.rules));
  return found;
}

/** Elements of lists other than maps are not known again after a change. */
function validateItems(items: JSONSchemaProps | undefined, schema: JSONSchemaProps, path: string, place: Place): readonly FieldError[] {
  if (items === undefined) return NONE;
  const rules = rulesOf(items, schema, path, place, isMap(schema) ? undefined : path);
  return validateLevel(items, `${path}.items`, { ...place, rules });
}

/** The place of the rules of a part of a schema. @param path of the schema around it */
function rulesOf(
  part: JSONSchemaProps,
  around: JSONSchemaProps,
  path: string,
  { rules }: Place,
  uncorrelated: string | undefined,
): RulePlace | undefined {
  if (rules === undefined) return undefined;
  const isInScope = rules.isInScope || hasRules(around);
  return {
    ...rules,
    isInScope,
    isRoot: part['x-kubernetes-embedded-resource'] === true,
    isParentTyped: () => !isInScope || (isTyped(around as CustomSchema) && rules.isParentTyped()),
    cardinality: cardinalityBelow(around, rules.cardinality, path),
    uncorrelated: rules.uncorrelated ?? uncorrelated,
  };
}

/** Members of a map of a type that is none are not known again. */
const uncorrelatedMembers = ({ 'x-kubernetes-map-type': type }: JSONSchemaProps, path: string): string | undefined =>
  type === undefined || MAP_TYPES.includes(type) ? undefined : path;

/** What is found where a rule counts; whether it does is asked only then. */
function strictly(found: readonly FieldError[], rule: keyof Strictness, { strictness }: Place): readonly FieldError[] {
  return found.length > 0 && strictness[rule] ? found : NONE;
}

const isFilled = (map: object | undefined): boolean => map !== undefined && Object.keys(map).length > 0;

type Keyword = Demand<JSONSchemaProps, Place>;

const unsupported = (at: Keyword['at'], isGiven: (schema: JSONSchemaProps) => boolean): Keyword => ({
  at,
  as: 'forbidden',
  detail: `${at} is not supported`,
  broken: isGiven,
});

const SUPPORTED: readonly Keyword[] = [
  unsupported('id', ({ id }) => Boolean(id)),
  unsupported('additionalItems', ({ additionalItems }) => additionalItems !== undefined),
  unsupported('patternProperties', ({ patternProperties }) => isFilled(patternProperties)),
  unsupported('definitions', ({ definitions }) => isFilled(definitions)),
  unsupported('dependencies', ({ dependencies }) => dependencies !== undefined),
  unsupported('$ref', ({ $ref }) => $ref !== undefined),
  {
    at: 'type',
    as: 'forbidden',
    detail: 'type cannot be set to null, use nullable as an alternative',
    broken: ({ type }) => type === 'null',
  },
  {
    at: 'items',
    as: 'forbidden',
    detail: 'items must be a schema object and not an array',
    broken: ({ items }) => Array.isArray(items) && items.length > 0,
  },
  {
    at: 'x-kubernetes-embedded-resource',
    as: 'forbidden',
    detail: 'must not be used inside of resource meta',
    broken: (schema, { insideMetadata }) => insideMetadata === true && schema['x-kubernetes-embedded-resource'] === true,
  },
  {
    at: 'uniqueItems',
    as: 'forbidden',
    detail: 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    broken: ({ uniqueItems }) => uniqueItems === true,
  },
  {
    at: 'additionalProperties',
    as: 'forbidden',
    detail: 'additionalProperties and properties are mutual exclusive',
    broken: ({ additionalProperties: additional, properties }) => additional !== undefined && additional !== true && isFilled(properties),
  },
];

function validateAdditional(schema: JSONSchemaProps, path: string, place: Place): readonly FieldError[] {
  const { additionalProperties: additional } = schema;
  if (typeof additional !== 'object') return NONE;
  const inner: Place = place.insideMetadata
    ? { ...place, noDefault: `${NO_DEFAULT} inside additionalProperties applying to object metadata` }
    : place;
  const rules = rulesOf(additional, schema, path, place, undefined);
  return validateLevel(additional, `${path}.additionalProperties`, { ...inner, rules });
}

function validateMembers(schema: JSONSchemaProps, path: string, place: Place, isRoot: boolean): readonly FieldError[] {
  const isObject = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const below = (name: string): Place => {
    if (!isObject || !isApiMember(name)) return place;
    return { ...place, insideMetadata: true, ...(isRoot && { noDefault: `${NO_DEFAULT} in top-level ${name}` }) };
  };
  const uncorrelated = uncorrelatedMembers(schema, path);
  return eachEntry(schema.properties, `${path}.properties`, (name, member, at) =>
    validateLevel(member, at, { ...below(name), rules: rulesOf(member, schema, path, place, uncorrelated) }),
  );
}

function validateInner(schema: JSONSchemaProps, path: string, place: Place): readonly FieldError[] {
  const { items } = schema;
  const alternative: Place = { ...place, rules: undefined };
  const each = (list: readonly JSONSchemaProps[] | undefined, keyword: string) =>
    eachItem(list, `${path}.${keyword}`, (inner, at) => validateLevel(inner, at, alternative));
  return joined(
    validateLevel(schema.not, `${path}.not`, alternative),
    each(schema.allOf, 'allOf'),
    each(schema.oneOf, 'oneOf'),
    each(schema.anyOf, 'anyOf'),
    eachEntry(schema.definitions, `${path}.definitions`, (_, inner, at) => validateLevel(inner, at, alternative)),
    Array.isArray(items) ? each(items, 'items') : validateItems(items, schema, path, place),
    eachEntry(schema.dependencies, `${path}.dependencies`, (_, inner, at) =>
      // 1.32 reads what is neither a schema nor a list of names as nothing.
      Array.isArray(inner) || inner === null ? NONE : validateLevel(inner, at, alternative),
    ),
  );
}

const MAP_TYPE: readonly Keyword[] = [
  {
    at: 'x-kubernetes-preserve-unknown-fields',
    as: 'invalid',
    detail: 'must be true or undefined',
    broken: (schema) => schema['x-kubernetes-preserve-unknown-fields'] === false,
  },
  ...typeOf('object', 'x-kubernetes-map-type'),
];

const LIST_TYPE: readonly Keyword[] = typeOf('array', 'x-kubernetes-list-type');

/** A keyword that only schemas of one type have. */
function typeOf(wanted: string, keyword: 'x-kubernetes-map-type' | 'x-kubernetes-list-type'): readonly Keyword[] {
  const detail = `must be ${wanted} if ${keyword} is specified`;
  return [
    { at: 'type', as: 'required', detail, broken: (schema) => schema[keyword] !== undefined && !schema.type },
    {
      at: 'type',
      as: 'invalid',
      detail,
      broken: (schema) => schema[keyword] !== undefined && Boolean(schema.type) && schema.type !== wanted,
    },
  ];
}

function validateListType(schema: JSONSchemaProps, path: string, place: Place): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return NONE;
  return joined(
    brokenDemands(LIST_TYPE, schema, path, place),
    schema.type === 'array' ? strictly(nonAtomicSet(schema, path), 'atomicSets', place) : NONE,
    oneOf(listType, `${path}.x-kubernetes-list-type`, LIST_TYPES),
  );
}

/** Elements of a set are compared as wholes, so they must be owned as wholes; a list is by default. */
export function nonAtomicSet(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { items } = schema;
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined || Array.isArray(items)) return NONE;
  if (items.type !== 'object' && items.type !== 'array') return NONE;
  const keyword = items.type === 'object' ? 'x-kubernetes-map-type' : 'x-kubernetes-list-type';
  const owned = items[keyword];
  if (owned === 'atomic' || (owned === undefined && items.type === 'array')) return NONE;
  // 1.32 shows the list type of objects too.
  return [
    invalid(
      `${path}.items.${keyword}`,
      items['x-kubernetes-list-type'],
      'must be atomic as item of a list with x-kubernetes-list-type=set',
    ),
  ];
}

const hasRules = (schema: JSONSchemaProps): boolean => (schema['x-kubernetes-validations']?.length ?? 0) > 0;
const isMap = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-list-type'] === 'map';
const hasKeys = (schema: JSONSchemaProps): boolean => (schema['x-kubernetes-list-map-keys']?.length ?? 0) > 0;

const LIST_MAP: readonly Keyword[] = [
  {
    at: 'x-kubernetes-list-type',
    as: 'required',
    detail: 'must be map if x-kubernetes-list-map-keys is non-empty',
    broken: (schema) => hasKeys(schema) && schema['x-kubernetes-list-type'] === undefined,
  },
  {
    at: 'x-kubernetes-list-type',
    as: 'invalid',
    detail: 'must be map if x-kubernetes-list-map-keys is non-empty',
    broken: (schema) => hasKeys(schema) && schema['x-kubernetes-list-type'] !== undefined && !isMap(schema),
  },
  {
    at: 'x-kubernetes-list-map-keys',
    as: 'required',
    detail: 'must not be empty if x-kubernetes-list-type is map',
    broken: (schema) => isMap(schema) && !hasKeys(schema),
  },
  {
    at: 'items',
    as: 'required',
    detail: 'must have a schema if x-kubernetes-list-type is map',
    broken: (schema) => isMap(schema) && schema.items === undefined,
  },
  {
    at: 'items',
    as: 'invalid',
    detail: 'must only have a single schema if x-kubernetes-list-type is map',
    broken: (schema) => isMap(schema) && Array.isArray(schema.items),
  },
];

function validateListMapKeys(schema: JSONSchemaProps, path: string, place: Place): readonly FieldError[] {
  if (!isMap(schema) && !hasKeys(schema)) return NONE;
  const errors = brokenDemands(LIST_MAP, schema, path, place);
  const { items } = schema;
  if (!isMap(schema) || items === undefined || Array.isArray(items)) return errors;
  if (items.type === 'object') return joined(errors, validateKeyMembers(schema['x-kubernetes-list-map-keys'] ?? [], items, path));
  return [...errors, invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")];
}

function validateKeyMembers(keys: readonly string[], items: JSONSchemaProps, path: string): readonly FieldError[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  return foundInEach(keys, (key, index) => {
    const member = items.properties?.[key];
    const isScalar = member?.type !== 'array' && member?.type !== 'object';
    const wanted = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    return joined(
      member === undefined ? [invalidShown(at, goStrings(keys), 'entries must all be names of item properties')] : NONE,
      isScalar ? NONE : [invalid(`${path}.items.properties[${key}].type`, items.type, wanted)],
      keys.indexOf(key) < index ? [invalidShown(at, goStrings(keys), 'must not contain duplicate entries')] : NONE,
    );
  });
}

/** Elements of sets and maps are never null, and keys of maps always there. */
export function validateItemsAreKeys(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const { items } = schema;
  if (items === undefined || Array.isArray(items) || (listType !== 'set' && listType !== 'map')) return NONE;
  return joined(
    items.nullable === true ? [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)] : NONE,
    foundInEach(listType === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined, (key) => {
      const member = items.properties?.[key];
      const isRequired = items.required?.includes(key) === true;
      return member === undefined ? NONE : brokenDemands(KEY, member, `${path}.items.properties[${key}]`, isRequired);
    }),
  );
}

/** Of a member by which elements are told apart; the place is whether it is required. */
const KEY: readonly Demand<JSONSchemaProps, boolean>[] = [
  {
    at: 'default',
    as: 'required',
    detail: 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    broken: (member, isRequired) => !isRequired && member.default === undefined,
  },
  {
    at: 'nullable',
    as: 'forbidden',
    detail: 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    broken: ({ nullable }) => nullable === true,
  },
];
