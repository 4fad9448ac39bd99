/** A v3 document that is joined from the parts of several resources. The text of each part is made once. */
import type { OpenapiPart, OpenapiSource } from '../contract/openapi-source.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { openapiV3 } from './gnostic/openapi-v3.ts';
import { inSlices, slices } from './gnostic/slices.ts';
import { jsonSlices } from './json-slices.ts';
import { ServedDocument } from './served-document.ts';

/** @param sources at least one, all of one group version */
export function joinedDocument(sources: readonly OpenapiSource[]): ServedDocument {
  const hash = documentHash(Buffer.from(sources.map((each) => each.hash).join(' ')));
  return new ServedDocument({ json: () => joinedJson(sources), hash, sources, table: openapiV3 });
}

/** The members of a part as JSON text, by name. */
interface PartTexts {
  readonly info: OpenapiPart['info'];
  readonly paths: readonly [string, string][];
  readonly schemas: readonly [string, string][];
}

const texts = new WeakMap<OpenapiSource, Promise<PartTexts>>();
/** texts of schemas that all parts share */
const schemaTexts = new WeakMap<object, string>();

function textsOf(source: OpenapiSource): Promise<PartTexts> {
  const known = texts.get(source);
  if (known !== undefined) return known;
  const made = source.load().then(async ({ info, paths, schemas, isMuchWork = false }): Promise<PartTexts> => {
    if (isMuchWork) for (const schema of Object.values(schemas)) schemaTexts.set(schema, await inSlices(jsonSlices(schema)));
    return {
      info,
      paths: Object.entries(paths).map(([path, item]) => [path, JSON.stringify(item)]),
      schemas: Object.entries(schemas).map(([name, schema]) => [name, textOf(schema)]),
    };
  });
  texts.set(source, made);
  made.catch(() => texts.delete(source));
  return made;
}

function textOf(schema: object): string {
  const known = schemaTexts.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  schemaTexts.set(schema, text);
  return text;
}

async function joinedJson(sources: readonly OpenapiSource[]): Promise<Buffer> {
  const pause = slices();
  const paths = new Map<string, string>();
  const schemas = new Map<string, string>();
  let info = {};
  for (const source of sources) {
    const part = await textsOf(source);
    info = part.info;
    for (const [path, text] of part.paths) paths.set(path, text);
    for (const [name, text] of part.schemas) schemas.set(name, text);
    await pause();
  }
  const members = `"paths":${objectText(paths)},"components":{"schemas":${objectText(schemas)}}`;
  return Buffer.from(`{"openapi":"3.0.0","info":${JSON.stringify(info)},${members}}`);
}

/** The JSON of an object whose members are sorted. */
function objectText(members: ReadonlyMap<string, string>): string {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
