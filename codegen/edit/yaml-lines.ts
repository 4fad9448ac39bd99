/** Writes new YAML in the style of the schemas: what fits on a line stands on one. */
import { isObject } from '../read/sources.ts';
import { flowText } from './yaml-text.ts';

/** Greatest number of characters in a line, as in the schemas. */
const WIDTH = 160;

/**
 * @param indent number of spaces before each line
 * @returns the lines of a member of a mapping
 */
export function memberLines(key: string, value: unknown, indent: number): string[] {
  const space = ' '.repeat(indent);
  const flow = `${space}${flowText({ [key]: value }).slice(2, -2)}`;
  if (flow.length <= WIDTH || !isLong(value)) return [flow];
  const name = flowText({ [key]: 0 }).slice(2, -5);
  return [`${space}${name}:`, ...valueLines(value, indent + 2)];
}

/** @param value a collection that is not empty */
export function valueLines(value: unknown, indent: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => itemLines(item, indent));
  return Object.entries(value as object).flatMap(([key, member]) => memberLines(key, member, indent));
}

function itemLines(item: unknown, indent: number): string[] {
  const space = ' '.repeat(indent);
  const flow = `${space}- ${flowText(item)}`;
  if (flow.length <= WIDTH || !isLong(item)) return [flow];
  const [first = '', ...others] = valueLines(item, indent + 2);
  return [`${space}- ${first.trimStart()}`, ...others];
}

/** Whether the value may stand on several lines. */
function isLong(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}
