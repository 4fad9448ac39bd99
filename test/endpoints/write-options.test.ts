/** Options of writes that 1.32 refuses, with its message. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../runtime/contract/identity.ts';
import { writeOptions } from '../../runtime/endpoints/options.ts';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { StatusError } from '../../runtime/status/status.ts';

const identity = { text: (template: string) => template.replace('${groupDomain}', 'example'), emptyDryRun: false } as unknown as Identity;

const test = suite('options of writes');

const REFUSED: [query: string, message: string][] = [
  ['dryRun=x', 'dryRun: Unsupported value: []string{"x"}: supported values: "All"'],
  ['dryRun=All&dryRun=', 'dryRun: Unsupported value: []string{"All", ""}: supported values: "All"'],
  ['fieldValidation=no', 'fieldValidation: Unsupported value: "no": supported values: "", "Ignore", "Strict", "Warn"'],
];
for (const [query, message] of REFUSED)
  test(`refused: ${query}`, () => {
    try {
      writeOptions(new Query(query), 'create', identity);
    } catch (error) {
      assert.instance(error, StatusError);
      return assert.ok((error as StatusError).message.includes(message), (error as StatusError).message);
    }
    assert.unreachable();
  });

test.run();
