/** Long texts, which any client may send, are read once and not once from each of their characters. */
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cron } from '../../runtime/formats/cron.ts';
import { parseLenientRange } from '../../runtime/formats/ip-text.ts';
import { parseUrl } from '../../runtime/formats/url-text.ts';
import { VALUE_FORMATS } from '../../runtime/formats/value-formats.ts';
import { environmentField } from '../../runtime/kinds/core/containers/field-references.ts';
import { readDuration } from '../../runtime/schema/scalar/duration.ts';
import { parseQuantity } from '../../runtime/schema/scalar/quantity.ts';

const test = suite('long texts');

/** Once from each character, a text of this length takes hours. */
const LENGTH = 3_000_000;
const MOST_MILLISECONDS = 10_000;
const ZEROS = '0'.repeat(LENGTH);

const thrown = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

const rows: readonly { readonly name: string; readonly read: () => unknown }[] = [
  { name: 'a duration of a custom resource', read: () => VALUE_FORMATS.get('duration')?.(`${ZEROS}!`) === false },
  { name: 'an e-mail address of a custom resource', read: () => VALUE_FORMATS.get('email')?.(`${'"a'.repeat(LENGTH / 2)}`) === false },
  { name: 'comments of an e-mail address', read: () => VALUE_FORMATS.get('email')?.(`a@b ${'(\\)'.repeat(LENGTH / 3)}`) === false },
  { name: 'a time of a custom resource', read: () => VALUE_FORMATS.get('datetime')?.(`2026-01-01T00:00:00.${ZEROS}!`) === false },
  { name: 'a duration of a built-in kind', read: () => typeof readDuration(`${'9'.repeat(LENGTH)}h`) === 'string' },
  { name: 'a quantity', read: () => thrown(() => parseQuantity(`${ZEROS}!`)) instanceof Error },
  { name: 'the duration of a schedule', read: () => cron(`@every ${ZEROS}!`).length === 1 },
  { name: 'a range of addresses', read: () => parseLenientRange(`1.2.3.${ZEROS}`) === undefined },
  { name: 'the port of a URL', read: () => 'error' in parseUrl(`http://h${':'.repeat(LENGTH)}\u2028`) },
  {
    name: 'a field of a pod that is referred to',
    read: () => environmentField({ apiVersion: 'v1', fieldPath: `a${"['".repeat(LENGTH / 2)}` }).length === 1,
  },
];

for (const { name, read } of rows) test(name, () => assert.is(runInNewContext('read()', { read }, { timeout: MOST_MILLISECONDS }), true));

test.run();
