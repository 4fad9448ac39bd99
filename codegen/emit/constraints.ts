/**
 * Constraints compiled by ajv into code that stands alone. One function per type: what a member's own type constrains is left to that
 * type's function, by the keyword `x-type`, so that nothing is compiled twice and types may go in circles.
 */
import { _, Ajv, type KeywordCxt, Name } from 'ajv';
import { default as standalone } from 'ajv/dist/standalone/index.js';
import { callRef } from 'ajv/dist/vocabularies/core/ref.js';
import type { JsonSchema } from '../model/model.ts';

/** Calls the function that its value names, such as `PodSpec` or `coreV1.PodSpec`, on the value at hand. */
export const TYPE_KEYWORD = 'x-type';

/** The one function of ajv's own runtime that the code needs is written into it. */
const CODE_POINTS = 'require("ajv/dist/runtime/ucs2length").default';
export const CODE_POINTS_FUNCTION = 'codePoints';

function createAjv(ownProperties: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    validateFormats: false,
    inlineRefs: false,
    ownProperties,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addKeyword({ keyword: TYPE_KEYWORD, schemaType: 'string', code: callNamed });
  return ajv;
}

function callNamed(context: KeywordCxt): void {
  const [first = '', second] = (context.schema as string).split('.');
  callRef(context, second === undefined ? _`${new Name(first)}` : _`${new Name(first)}.${new Name(second)}`);
}

/**
 * @param schemas by the names under which the functions are exported
 * @param ownProperties a member is only there where the object itself has it: for members named as those that every object inherits
 * @returns the text of an ES module without its imports
 * @throws Error for a constraint that does not compile, or not without a library at run time
 */
export function compileConstraints(schemas: ReadonlyMap<string, JsonSchema>, ownProperties = false): string {
  const ajv = createAjv(ownProperties);
  for (const [name, schema] of schemas) ajv.addSchema(schema, name);
  const code = standalone.default(ajv, Object.fromEntries([...schemas.keys()].map((name) => [name, name])));
  const text = code.replace('"use strict";\n', '').replaceAll(CODE_POINTS, CODE_POINTS_FUNCTION);
  const library = /require\("([^"]+)"\)/.exec(text)?.[1];
  if (library !== undefined) throw new Error(`a keyword needs ${library} at run time`);
  return text;
}
