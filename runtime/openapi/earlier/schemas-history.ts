/** What generated data say of the schemas that earlier releases published. */
import { type Dated, isThere } from '../../contract/lifespan.ts';
import type { Schema } from '../document.ts';

/** By definition name: what other releases published of it, or what documents of the current release do not tell. */
export type SchemasHistory = Readonly<Record<string, SchemaHistory>>;

/** Forms of something, one after the other. */
export type DatedSchemas = readonly Dated<{ readonly schema: Schema }>[];

export interface SchemaHistory {
  /** the schema, without properties that stand elsewhere; absent: as documents of the current release have it */
  readonly forms?: DatedSchemas;
  /** those that stand neither there nor in documents of the current release as they always were, by name; absent: none */
  readonly properties?: Readonly<Record<string, DatedSchemas>>;
}

/**
 * @param current as documents of the current release have it; undefined: they do not
 * @returns undefined where the release had nothing of the name
 */
export function schemaAt({ forms, properties = {} }: SchemaHistory, current: Schema | undefined, release: string): Schema | undefined {
  const schema = forms === undefined ? current : formAt(forms, release);
  if (schema?.properties === undefined) return schema;
  const members: Record<string, Schema> = { ...current?.properties, ...schema.properties };
  for (const [name, dated] of Object.entries(properties)) {
    const form = formAt(dated, release);
    if (form === undefined) delete members[name];
    else members[name] = form;
  }
  const sorted = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...schema, properties: Object.fromEntries(sorted) };
}

function formAt(dated: DatedSchemas, release: string): Schema | undefined {
  return dated.find((each) => isThere(each, release))?.schema;
}
