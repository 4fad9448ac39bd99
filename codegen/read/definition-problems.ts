/**
 * Finds out why no server would take a definition, as far as the code that is made of it depends on that: names, which become names of files, and the form of
 * the schemas.
 */
import { isObject } from './sources.ts';

/** The parts of a definition that are looked at. */
export interface StatedNames {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly versions: readonly { readonly name: string; readonly schema: unknown }[];
}

/** More levels than any schema has: published definitions have less than a tenth of them. */
const MOST_LEVELS = 256;
const LABEL = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;

/** @returns one clause for each problem, such as `the version "x_1" is no DNS label`; [] if the definition can be read */
export function definitionProblems({ group, plural, kind, versions }: StatedNames): string[] {
  const quoted = (what: string, name: string): string => `the ${what} ${JSON.stringify(name)}`;
  return [
    ...(SUBDOMAIN.test(group) ? [] : [`${quoted('group', group)} is no DNS subdomain of two parts or more`]),
    ...(LABEL.test(plural) ? [] : [`${quoted('plural name', plural)} is no DNS label`]),
    ...(LABEL.test(kind.toLowerCase()) ? [] : [`${quoted('kind', kind)} is no DNS label but for capitals`]),
    ...versions.flatMap(({ name, schema }) => {
      if (!LABEL.test(name)) return [`${quoted('version', name)} is no DNS label`];
      const problem = schemaProblem(schema);
      return problem === undefined ? [] : [`the schema of ${name} ${problem}`];
    }),
  ];
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
/** Members of a schema that the generator reads, with the form that each must have. */
const FORMS: Readonly<Record<string, { readonly name: string; fits(value: unknown): boolean }>> = {
  description: { name: 'text', fits: (value) => typeof value === 'string' },
  enum: { name: 'list', fits: Array.isArray },
  required: { name: 'list of texts', fits: isTexts },
  'x-kubernetes-list-map-keys': { name: 'list of texts', fits: isTexts },
};

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly level: number;
}

/**
 * Schemas are looked at one after the other, without recursion, because a schema with a YAML alias may contain itself.
 * @returns the problem; undefined if the schema can be read
 */
function schemaProblem(schema: unknown): string | undefined {
  const waiting: Place[] = [{ value: schema, path: '', level: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path, level } = next;
    if (!isObject(value)) return `at ${path} is no object`;
    if (level > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
    const wrong = Object.entries(FORMS).find(([member, { fits }]) => value[member] !== undefined && !fits(value[member]));
    if (wrong !== undefined) return `at ${path === '' ? '' : `${path}.`}${wrong[0]} is no ${wrong[1].name}`;
    const { properties = {}, items, additionalProperties } = value;
    const below = (name: string, member: unknown): Place => ({
      value: member,
      path: path === '' ? name : `${path}.${name}`,
      level: level + 1,
    });
    if (!isObject(properties)) return `at ${below('properties', properties).path} is no object`;
    for (const [name, member] of Object.entries(properties)) waiting.push(below(`properties.${name}`, member));
    // A list of schemas for the items is of no form that a server takes, and nothing here reads it.
    if (items !== undefined && !Array.isArray(items)) waiting.push(below('items', items));
    if (typeof additionalProperties !== 'boolean' && additionalProperties !== undefined)
      waiting.push(below('additionalProperties', additionalProperties));
  }
  return undefined;
}
