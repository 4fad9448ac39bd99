/** Finds errors of values whose schemas have a certain keyword, wherever they are in an object. */
import { type FieldError, MOST_FINDINGS } from '../contract/field-error.ts';
import { isObject } from '../schema/json/member.ts';
import type { CustomSchema } from './custom-schema.ts';

const NONE: readonly FieldError[] = [];

interface Search {
  /** whether the schema has the keyword */
  readonly isMeant: (schema: CustomSchema) => boolean;
  /** adds errors to `found`, with paths that begin with `path` @param value of any type */
  readonly look: (schema: CustomSchema, value: unknown, path: string, found: FieldError[]) => void;
}

/** The search for one keyword. Parts of a schema without it are skipped. */
export class SchemaSearch {
  readonly #search: Search;
  readonly #known = new WeakMap<CustomSchema, boolean>();

  constructor(search: Search) {
    this.#search = search;
  }

  /** @returns at most about `MOST_FINDINGS` errors, with paths relative to the value */
  findings(schema: CustomSchema, value: unknown): readonly FieldError[] {
    if (!this.#isInside(schema)) return NONE;
    const found: FieldError[] = [];
    this.#walk(schema, value, '', found);
    return found;
  }

  /** Whether the schema, or a schema within, has the keyword. */
  #isInside(schema: CustomSchema): boolean {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const { properties = {}, additionalProperties: others, items } = schema;
    const below = [...Object.values(properties), ...(typeof others === 'object' ? [others] : []), ...(items === undefined ? [] : [items])];
    const is = this.#search.isMeant(schema) || below.some((each) => this.#isInside(each));
    this.#known.set(schema, is);
    return is;
  }

  #walk(schema: CustomSchema, value: unknown, path: string, found: FieldError[]): void {
    if (!this.#isInside(schema) || found.length > MOST_FINDINGS) return;
    if (this.#search.isMeant(schema)) this.#search.look(schema, value, path, found);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items !== undefined) for (const [index, item] of value.entries()) this.#walk(items, item, `${path}[${index}]`, found);
    } else if (isObject(value)) {
      const { properties = {}, additionalProperties: others } = schema;
      for (const name of Object.keys(value)) {
        const isDeclared = Object.hasOwn(properties, name);
        const member = isDeclared ? properties[name] : typeof others === 'object' ? others : undefined;
        const at = isDeclared ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
        if (member !== undefined) this.#walk(member, value[name], at, found);
      }
    }
  }
}
