/** Reads OpenAPI documents, holds them against the OpenAPI 3.0 schema, and sees to it that every $ref leads somewhere. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPI } from 'openapi-types';
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
  await validate(content, file, report);
  return content;
}

/**
 * Every document is validated as it stands: with references left in place each schema is looked at once, in the file that declares it.
 */
async function validate(content: JsonObject, file: string, report: Report): Promise<void> {
  try {
    await new SwaggerParser().validate(structuredClone(content) as unknown as OpenAPI.Document, {
      resolve: { external: false },
      dereference: { excludedPathMatcher: () => true },
      validate: { schema: true, spec: false },
    });
  } catch (error) {
    const details = (error as { details?: readonly AjvDetail[] }).details;
    if (details === undefined) report('CS003', { file, path: '' }, (error as Error).message);
    else for (const { instancePath, message } of deepest(details)) report('CS003', { file, path: dotted(instancePath) }, `It ${message}.`);
  }
}

interface AjvDetail {
  readonly instancePath: string;
  readonly message?: string;
  readonly keyword: string;
}

/** Of the errors at one place the first; and none that only says that one further down is there (`oneOf` and the like). */
function deepest(details: readonly AjvDetail[]): AjvDetail[] {
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
