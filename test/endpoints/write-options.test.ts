/** Options of writes that 1.32 refuses, with its message. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../runtime/contract/identity.ts';
import { type WriteOptions, type WriteVerb, writeOptions } from '../../runtime/endpoints/options.ts';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { StatusError } from '../../runtime/status/status.ts';

const identity = { text: (template: string) => template.replace('${groupDomain}', 'example'), emptyDryRun: false } as unknown as Identity;

const test = suite('options of writes');

const REFUSED: [query: string, message: string, verb?: WriteVerb][] = [
  ['dryRun=x', 'dryRun: Unsupported value: []string{"x"}: supported values: "All"'],
  ['dryRun=All&dryRun=', 'dryRun: Unsupported value: []string{"All", ""}: supported values: "All"'],
  ['fieldValidation=no', 'fieldValidation: Unsupported value: "no": supported values: "", "Ignore", "Strict", "Warn"'],
  ['', 'PatchOptions.meta.example "" is invalid: fieldManager: Required value: is required for apply patch', 'apply'],
  ['force=true', 'PatchOptions.meta.example "" is invalid: force: Forbidden: may not be specified for non-apply patch', 'patch'],
  ['dryRun=x', 'UpdateOptions.meta.example "" is invalid: ', 'update'],
];
for (const [query, message, verb = 'create'] of REFUSED)
  test(`refused: ${query} of ${verb}`, () => {
    try {
      writeOptions(new Query(query), verb, identity);
    } catch (error) {
      assert.instance(error, StatusError);
      return assert.ok((error as StatusError).message.includes(message), (error as StatusError).message);
    }
    assert.unreachable();
  });

const READ: [query: string, verb: WriteVerb, options: WriteOptions][] = [
  ['', 'create', { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined }],
  ['dryRun=All&fieldManager=m', 'update', { dryRun: true, fieldManager: 'm', fieldValidation: 'Warn', force: undefined }],
  ['fieldManager=m&fieldValidation=Strict', 'apply', { dryRun: false, fieldManager: 'm', fieldValidation: 'Strict', force: undefined }],
  ['fieldManager=m&force=true', 'apply', { dryRun: false, fieldManager: 'm', fieldValidation: 'Warn', force: true }],
  ['fieldManager=m&force=false', 'apply', { dryRun: false, fieldManager: 'm', fieldValidation: 'Warn', force: false }],
  ['fieldValidation=Ignore', 'patch', { dryRun: false, fieldManager: '', fieldValidation: 'Ignore', force: undefined }],
];
for (const [query, verb, options] of READ)
  test(`read: ${query} of ${verb}`, () => assert.equal(writeOptions(new Query(query), verb, identity), options));

test.run();
