/** Upstream's cases of configurations in parts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tableRows } from '../../harness/tables.ts';
import { settings } from '../settings.ts';

interface Row {
  readonly name: string;
  readonly main: object | null;
  readonly dropIns: readonly { readonly file: string; readonly content: string }[];
  readonly flags: readonly string[];
  readonly expected?: Readonly<Record<string, unknown>>;
  readonly errorContains?: string;
}

const table = suite('kubelet-merge.json');
const rows = tableRows<Row>('kubelet-merge.json');
if (rows.length === 0) table.skip('no rows in the table', () => {});
for (const { name, main, dropIns, flags, expected = {}, errorContains } of rows)
  table(name, async () => {
    const merged = settings({
      ...(main !== null && { main }),
      dropIns: Object.fromEntries(dropIns.map(({ file, content }) => [file.endsWith('.conf') ? file : `${file}.conf`, content])),
      flags,
    });
    if (errorContains !== undefined) {
      const error = await merged.then(
        () => assert.unreachable() as never,
        (reason: Error) => reason,
      );
      return assert.ok(error.message.includes(errorContains), error.message);
    }
    const { configuration } = await merged;
    const found = configuration as unknown as Record<string, unknown>;
    for (const [field, value] of Object.entries(expected)) assert.equal(JSON.parse(JSON.stringify(found[field])), value, field);
  });
table.run();
