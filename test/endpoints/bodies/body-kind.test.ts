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
  [
    'batch/v9',
    'CronJob',
    'CronJob in version "v9" cannot be handled as a CronJob: no kind "CronJob" is registered for version "batch/v9" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    'batch/v1',
    'Nothing',
    'Nothing in version "v1" cannot be handled as a CronJob: no kind "Nothing" is registered for version "batch/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
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
  [
    '/v1',
    'CronJob',
    'CronJob in version "v1" cannot be handled as a CronJob: no kind "CronJob" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
  [
    'a/',
    'CronJob',
    'CronJob in version "" cannot be handled as a CronJob: no kind "CronJob" is registered for version "a/" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
];

for (const [apiVersion, kind, message] of ROWS)
  test(`${String(apiVersion)} ${String(kind)}`, async () => {
    const body = Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name: 'a' } }));
    const cronJob = await loadKind('batch/v1', 'CronJob');
    const decoded = await Promise.try(() => decodeObject(body, 'json', cronJob, 'Warn', kinds, () => {})).catch((error) => error);
    assert.is(decoded instanceof Error ? decoded.message : undefined, message);
  });

const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

/** Bodies that say twice what they are, or in members of another case. */
const SAID_OTHERWISE: readonly (readonly [body: string, encoding: 'json' | 'yaml', message: string | undefined])[] = [
  ['{"Kind":"CronJob","APIVERSION":"batch/v1"}', 'json', undefined],
  [
    '{"kind":"CronJob","Kind":"Job"}',
    'json',
    'Job in version "v1" cannot be handled as a CronJob: converting (v1.Job) to (batch.CronJob): unknown conversion',
  ],
  ['{"Kind":"Job","kind":"CronJob"}', 'json', undefined],
  ['{"Kind":"Job","kind":"CronJob","Kind":null}', 'json', undefined],
  [
    '{"kind":1,"kind":"CronJob"}',
    'json',
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1,"kind":"CronJob"})`,
  ],
  [
    '{"apiversion":{},"kind":[]}',
    'json',
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .apiVersion of type string ({"apiversion":{},"kind":[]})`,
  ],
  [
    '{"\\u212aind":"Job"}',
    'json',
    'Job in version "v1" cannot be handled as a CronJob: converting (v1.Job) to (batch.CronJob): unknown conversion',
  ],
  ['kind: CronJob\nKind: Nothing\n', 'yaml', undefined],
  [
    'kiNd: Nothing\nkInd: CronJob\n',
    'yaml',
    `Nothing in version "v1" cannot be handled as a CronJob: no kind "Nothing" is registered for version "batch/v1" ${SCHEME}`,
  ],
  [
    '{"kind":"A\u007f"}',
    'json',
    `A\u007f in version "v1" cannot be handled as a CronJob: no kind "A\\x7f" is registered for version "batch/v1" ${SCHEME}`,
  ],
  [
    '{"apiVersion":"batch/v\u007f"}',
    'json',
    `CronJob in version "v\\x7f" cannot be handled as a CronJob: no kind "CronJob" is registered for version "batch/v\\x7f" ${SCHEME}`,
  ],
];

for (const [body, encoding, message] of SAID_OTHERWISE)
  test(body, async () => {
    const cronJob = await loadKind('batch/v1', 'CronJob');
    const decoded = await Promise.try(() => decodeObject(Buffer.from(body), encoding, cronJob, 'Ignore', kinds, () => {})).catch(
      (error) => error,
    );
    assert.is(decoded instanceof Error ? decoded.message : undefined, message);
  });

test('the core group is the one without a name', async () => {
  const body = Buffer.from(JSON.stringify({ apiVersion: '/v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  const decoded = await decodeObject(body, 'json', await loadKind('v1', 'ConfigMap'), 'Warn', kinds, () => {});
  assert.equal([decoded.object.apiVersion, decoded.object.metadata.name], ['v1', 'a']);
});

test.run();
