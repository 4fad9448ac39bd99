/** The tests of constraints that keywords of a schema state: `enum`, limits, patterns and formats. */
import type { Test } from '../../../runtime/contract/constraint.ts';
import { wholePattern } from './cel-text.ts';
import { formatKeywords } from './formats.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Writes a test into a schema as keywords.
 * @param node the schema of the value, which gains the keywords
 * @param text fills in the names that a value of an `enum` may hold a template of
 * @returns whether the keywords state the whole test; if not, `node` is as it was
 */
export function setKeywords(test: Test, node: SchemaNode, text: (template: string) => string): boolean {
  const isNumber = node.type === 'integer' || node.type === 'number';
  switch (test.name) {
    case 'enum':
      if (node.type !== 'string' || node.enum !== undefined) return false;
      node.enum = test.values.map((value) => text(value));
      return true;
    case 'minimum':
    case 'maximum':
      return isNumber && typeof test.limit === 'number' && stated(node, { [test.name]: test.limit });
    case 'above':
      return isNumber && typeof test.limit === 'number' && stated(node, { minimum: test.limit, exclusiveMinimum: true });
    case 'below':
      return isNumber && typeof test.limit === 'number' && stated(node, { maximum: test.limit, exclusiveMaximum: true });
    case 'range':
      return isNumber && stated(node, { minimum: test.lowest, maximum: test.highest });
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return stated(node, { [test.name]: test.limit });
    case 'minLength':
      return stated(node, { minLength: test.limit });
    case 'minItems':
    case 'minProperties':
      // One that is empty is missing, which a rule says.
      return test.limit > 1 && stated(node, { [test.name]: test.limit });
    case 'pattern':
      return node.type === 'string' && stated(node, { pattern: wholePattern(test.pattern) });
    case 'format': {
      const [format] = test.formats;
      const keywords = test.formats.length === 1 && format !== undefined ? formatKeywords(format, node) : undefined;
      return keywords !== undefined && stated(node, keywords);
    }
    default:
      return false;
  }
}

/**
 * Whether a value passes a test, for the few tests that are decided without a server.
 * @param node the schema of the value, which says what a format means for it
 * @returns undefined where only the running server knows
 */
export function passes(test: Test, value: unknown, node: SchemaNode): boolean | undefined {
  switch (test.name) {
    case 'enum':
      return test.values.includes(String(value));
    case 'equals':
      return value === test.value;
    case 'neq':
      return value !== test.value;
    case 'minLength':
      return typeof value === 'string' ? value.length >= test.limit : undefined;
    case 'pattern':
      return typeof value === 'string' ? new RegExp(`^(?:${test.pattern})$`).test(value) : undefined;
    case 'format': {
      const keywords = test.formats.map((format) => formatKeywords(format, node));
      if (typeof value !== 'string' || keywords.some((each) => each?.pattern === undefined)) return undefined;
      return keywords.every((each) => new RegExp(each?.pattern as string).test(value));
    }
    case 'range':
      return typeof value === 'number' ? value >= test.lowest && value <= test.highest : undefined;
    case 'minimum':
      return typeof value === 'number' && typeof test.limit === 'number' ? value >= test.limit : undefined;
    default:
      return undefined;
  }
}

/** Sets keywords unless one of them is there with another value: a schema has one limit of each kind, and two cannot become one. */
function stated(node: SchemaNode, keywords: object): boolean {
  const said = Object.entries(keywords).filter(([, value]) => value !== undefined);
  if (said.some(([name, value]) => node[name] !== undefined && node[name] !== value)) return false;
  Object.assign(node, Object.fromEntries(said));
  return true;
}
