/** Files as named rows: members, and what is wrong with them. */
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import type { FileKinds } from '../../runtime/files/file-kinds.ts';
import type { FileKindName } from '../../runtime/files/file-versions.ts';
import { problemsOf } from './reader.ts';

export type FileCase = readonly [name: string, members: object, problems: readonly string[]];

export interface FileCases {
  readonly kinds: FileKinds;
  readonly name: FileKindName;
  readonly apiVersion: string;
  /** as files spell it, where that is not the name */
  readonly kind?: string;
}

export function fileText({ name, apiVersion, kind = name.kind }: Omit<FileCases, 'kinds'>, members: object): string {
  return stringify({ apiVersion, kind, ...members }, { aliasDuplicateObjects: false });
}

/** A suite with a test for each row. The caller may add others, and runs it. */
export function fileSuite(title: string, cases: FileCases, rows: readonly FileCase[]): Test {
  const tests = suite(title);
  for (const [name, members, problems] of rows)
    tests(name, async () => assert.equal(await problemsOf(cases.kinds, fileText(cases, members), cases.name), problems));
  return tests;
}
