/** The history of schemas that earlier releases published, in generated data. */
import { type Dated, isThere } from '../../contract/lifespan.ts';
import type { Schema } from '../document.ts';

/** By definition name: schemas of other releases, or of the current one that its documents do not contain. */
export type SchemasHistory = Readonly<Record<string, SchemaHistory>>;

/** Successive forms of a schema. */
export type DatedSchemas = readonly Dated<{ readonly schema: Schema }>[];

export interface SchemaHistory {
  /** forms of the schema, without properties of `properties`; absent: as in documents of the current release */
  readonly forms?: DatedSchemas;
  /** forms of properties that have changed, by name; absent: none */
  readonly properties?: Readonly<Record<string, DatedSchemas>>;
}

/**
 * @param current the schema in documents of the current release; undefined: there is none
 * @returns undefined if the release had no such schema
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
