import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeObject } from '../../../runtime/endpoints/bodies/body.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('kinds in bodies');
const kinds = {
  findKind: (group: string, version: string, kind: string) =>
    loadKind(group === '' ? version : `${group}/${version}`, kind).catch(() => undefined),
};

const UNRECOGNIZED = 'the object provided is unrecognized (must be of type CronJob): ';

/** What a body of these names gives at the path of cron jobs in batch/v1. */
const ROWS: readonly (readonly [apiVersion: unknown, kind: unknown, message: string | undefined])[] = [
  [undefined, undefined, undefined],
  ['', '', undefined],
  ['batch/v1', 'CronJob', undefined],
  ['batch/v1beta1', 'CronJob', 'the API version in the data (batch/v1beta1) does not match the expected API version (batch/v1)'],
  ['batch/v1', 'Job', 'Job in version "v1" cannot be handled as a CronJob: converting (v1.Job) to (batch.CronJob): unknown conversion'],
  ['v1', 'Pod', 'Pod in version "v1" cannot be handled as a CronJob: converting (v1.Pod) to (batch.CronJob): unknown conversion'],
  ['batch/v9', 'CronJob', 'CronJob in version "v9" cannot be handled as a CronJob: no kind "CronJob" is registered for version "batch/v9"'],
  ['batch/v1', 'Nothing', 'Nothing in version "v1" cannot be handled as a CronJob: no kind "Nothing" is registered for version "batch/v1"'],
  [
    1,
    'CronJob',
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":1,"kind":"CronJo ...)`,
  ],
  [
    'batch/v1',
    ['CronJob'],
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string ({"apiVersion":"batch/v1","kind ...)`,
  ],
  ['a/b/c', 'CronJob', `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`],
  ['/', 'CronJob', undefined],
  ['batch/', 'CronJob', undefined],
  ['/v1', 'CronJob', 'CronJob in version "v1" cannot be handled as a CronJob: no kind "CronJob" is registered for version "v1"'],
  ['a/', 'CronJob', 'CronJob in version "" cannot be handled as a CronJob: no kind "CronJob" is registered for version "a/"'],
];

for (const [apiVersion, kind, message] of ROWS)
  test(`${String(apiVersion)} ${String(kind)}`, async () => {
    const body = Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name: 'a' } }));
    const cronJob = await loadKind('batch/v1', 'CronJob');
    const decoded = await Promise.try(() => decodeObject(body, 'json', cronJob, 'Warn', kinds, () => {})).catch((error) => error);
    assert.is(decoded instanceof Error ? decoded.message : undefined, message);
  });

test('the core group is the one without a name', async () => {
  const body = Buffer.from(JSON.stringify({ apiVersion: '/v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  const decoded = await decodeObject(body, 'json', await loadKind('v1', 'ConfigMap'), 'Warn', kinds, () => {});
  assert.equal([decoded.object.apiVersion, decoded.object.metadata.name], ['v1', 'a']);
});

test.run();
