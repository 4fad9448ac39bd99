/** What the flags of batches come to. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditFlags, logFlags, webhookFlags } from '../../runtime/audit/audit-flags.ts';

const test = suite('flags of batches of events');

const rows: [name: string, waits: number, waited: number][] = [
  ['a time is waited for', 1_000, 1_000],
  ['one that is longer than a timer can wait is as long as that', 2 ** 32, 2 ** 31 - 1],
];
for (const [name, waits, waited] of rows)
  test(name, () => {
    const files = { 'audit-log-path': '/audit.log', 'audit-webhook-config-file': '/webhook.conf' };
    const flags = { ...files, 'audit-log-batch-max-wait': waits, 'audit-webhook-batch-max-wait': waits } as AuditFlags;
    assert.equal([logFlags(flags)?.batch.maxBatchWait, webhookFlags(flags)?.batch.maxBatchWait], [waited, waited]);
  });

test.run();
