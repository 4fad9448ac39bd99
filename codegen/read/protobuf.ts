/** Compiles the .proto files together, with imports relative to `schemas/`. */
import path from 'node:path';
import { pbjs } from 'protobufjs-cli';
import type { Report } from '../check/diagnostic.ts';
import { findNumberErrors } from './field-numbers.ts';
import type { Message, MessageField } from './sources.ts';

/** A namespace or message as pbjs writes it in JSON. */
interface PbjsNode {
  readonly nested?: Readonly<Record<string, PbjsNode>>;
  readonly fields?: Readonly<Record<string, PbjsField>>;
  readonly reserved?: Message['reserved'];
}

interface PbjsField {
  readonly id: number;
  readonly type: string;
  readonly rule?: string;
  readonly keyType?: string;
}

/** @param files texts by path from `root`. @returns messages by full name; none when the files do not compile */
export async function readMessages(
  root: string,
  files: ReadonlyMap<string, string>,
  report: Report,
): Promise<ReadonlyMap<string, Message>> {
  let wrongNumbers = 0;
  for (const [file, text] of files) {
    if (text.trim() === '') report('CS002', { file, path: '' }, 'The file holds nothing.');
    for (const { code, path: at, problem } of findNumberErrors(text)) {
      report(code, { file, path: at }, problem);
      wrongNumbers++;
    }
  }
  if (files.size === 0) return new Map();
  const schemas = path.join(root, 'schemas');
  try {
    const names = [...files.keys()].map((file) => path.join(root, file));
    const compiled = JSON.parse(await compile(['--target', 'json', '--keep-case', '--path', schemas, ...names])) as PbjsNode;
    return collectMessages(compiled);
  } catch (error) {
    // The compiler stops at the first wrong number; those are all reported above.
    if (wrongNumbers === 0) report('CS004', placeOf((error as Error).message, root, files), messageOf(error as Error, root));
    return new Map();
  }
}

function compile(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    pbjs.main(args, (error, output) => (error ? reject(error) : resolve(output ?? '{}')));
  });
}

/** The message names the file where the syntax is wrong, the message type where a name is. */
function placeOf(message: string, root: string, files: ReadonlyMap<string, string>): { file: string; path: string } {
  const named = /\(?([^\s()]+\.proto)/.exec(message)?.[1];
  if (named !== undefined) return { file: path.relative(root, named).split(path.sep).join('/'), path: '' };
  const type = /in Type \.?([\w.]+)/.exec(message)?.[1] ?? '';
  const scope = type.slice(0, type.lastIndexOf('.'));
  const holder = [...files].find(([, text]) => new RegExp(`^\\s*package\\s+${scope.replaceAll('.', '[.]')}\\s*;`, 'm').test(text));
  return { file: holder?.[0] ?? 'schemas', path: type.slice(scope.length + 1) };
}

function messageOf(error: Error, root: string): string {
  return error.message.replaceAll(`${root}/`, '').split('\n')[0] as string;
}

function collectMessages(root: PbjsNode): Map<string, Message> {
  const raw = new Map<string, { node: PbjsNode; scope: string; name: string }>();
  const visit = (node: PbjsNode, name: string, scope: string): void => {
    const fullName = scope === '' ? name : `${scope}.${name}`;
    if (node.fields !== undefined) raw.set(fullName, { node, scope, name });
    for (const [child, inner] of Object.entries(node.nested ?? {})) visit(inner, child, fullName);
  };
  for (const [child, inner] of Object.entries(root.nested ?? {})) visit(inner, child, '');
  const messages = new Map<string, Message>();
  for (const [fullName, { node, scope, name }] of raw) {
    const fields = Object.entries(node.fields ?? {}).map(([field, spec]) => toField(field, spec, fullName, raw));
    messages.set(fullName, { name, fullName, package: scope, fields, reserved: node.reserved ?? [] });
  }
  return messages;
}

function toField(name: string, spec: PbjsField, scope: string, known: ReadonlyMap<string, unknown>): MessageField {
  const rule = spec.keyType !== undefined ? 'map' : spec.rule === 'repeated' ? 'repeated' : 'single';
  return { name, number: spec.id, rule, type: resolveTypeName(spec.type, scope, known) };
}

/** Protobuf looks names up from the innermost scope outwards; a leading dot makes them absolute. */
function resolveTypeName(type: string, scope: string, known: ReadonlyMap<string, unknown>): string {
  if (type.startsWith('.')) return type.slice(1);
  for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const candidate = at === '' ? type : `${at}.${type}`;
    if (known.has(candidate) || at === '') return candidate;
  }
}
