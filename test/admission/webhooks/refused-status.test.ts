/** What webhooks refuse with, and what a client is told of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answering, askingWebhooks, CONFIG_MAPS, configure, create, hook, request, webhook } from '../webhooked-server.ts';

const test = suite('what webhooks refuse');
askingWebhooks(test);

interface Denial {
  readonly name: string;
  readonly status?: object;
  readonly code: number;
  readonly message: string;
}
const denials: Denial[] = [
  { name: 'no explanation', code: 400, message: 'admission webhook "a.example.com" denied the request without explanation' },
  { name: 'a message', status: { message: 'no' }, code: 400, message: 'admission webhook "a.example.com" denied the request: no' },
  {
    name: 'a reason and a code',
    status: { reason: 'Forbidden', code: 403 },
    code: 403,
    message: 'admission webhook "a.example.com" denied the request: Forbidden',
  },
  {
    name: 'a code of success',
    status: { code: 200, status: 'Success', message: 'no' },
    code: 400,
    message: 'admission webhook "a.example.com" denied the request: no',
  },
  {
    name: 'a code that is none',
    status: { code: 5_000, message: 'no' },
    code: 599,
    message: 'admission webhook "a.example.com" denied the request: no',
  },
];
for (const kind of ['Validating', 'Mutating'] as const)
  for (const { name, status, code, message } of denials)
    test(`${kind}: refuse with ${name}`, async () => {
      await configure(kind, hook());
      webhook.reply = answering({ allowed: false, ...(status && { status }) });
      const answer = await create('a');
      assert.is(answer.status, code);
      assert.is(answer.body.message, message);
      assert.is(answer.body.code, code);
      assert.is((await request('GET', `${CONFIG_MAPS}/a`)).status, 404);
    });

/** Members of a refusal's status, and what 1.32 says of a value of another type. */
const wrongStatus: [status: object, found: string, place: string, type: string][] = [
  [{ code: 'x' }, 'string', 'Status.response.status.code', 'int32'],
  [{ code: 1e10 }, 'number 10000000000', 'Status.response.status.code', 'int32'],
  [{ message: {} }, 'object', 'Status.response.status.message', 'string'],
  [{ reason: [] }, 'array', 'Status.response.status.reason', 'v1.StatusReason'],
  [{ status: 5 }, 'number', 'Status.response.status.status', 'string'],
  [{ kind: 5 }, 'number', 'Status.response.status.kind', 'string'],
  [{ metadata: 'x' }, 'string', 'Status.response.status.metadata', 'v1.ListMeta'],
  [{ metadata: { continue: 5 } }, 'number', 'ListMeta.response.status.metadata.continue', 'string'],
  [{ metadata: { remainingItemCount: '5' } }, 'string', 'ListMeta.response.status.metadata.remainingItemCount', 'int64'],
  [
    { metadata: { remainingItemCount: 1e19 } },
    'number 10000000000000000000',
    'ListMeta.response.status.metadata.remainingItemCount',
    'int64',
  ],
  [{ details: 'x' }, 'string', 'Status.response.status.details', 'v1.StatusDetails'],
  [{ details: { name: 5 } }, 'number', 'StatusDetails.response.status.details.name', 'string'],
  [{ details: { uid: true } }, 'bool', 'StatusDetails.response.status.details.uid', 'types.UID'],
  [{ details: { causes: 5 } }, 'number', 'StatusDetails.response.status.details.causes', '[]v1.StatusCause'],
  [{ details: { causes: ['x'] } }, 'string', 'StatusDetails.response.status.details.causes', 'v1.StatusCause'],
  [{ details: { causes: [{ field: 5 }] } }, 'number', 'StatusCause.response.status.details.causes.field', 'string'],
  [{ details: { retryAfterSeconds: 'x' } }, 'string', 'StatusDetails.response.status.details.retryAfterSeconds', 'int32'],
  [{ details: { retryAfterSeconds: 1.5 } }, 'number 1.5', 'StatusDetails.response.status.details.retryAfterSeconds', 'int32'],
];
for (const [status, found, at, type] of wrongStatus)
  test(`a status of a wrong type is no refusal: ${at} of ${found}`, async () => {
    await configure('Validating', hook());
    webhook.reply = answering({ allowed: false, status });
    const answer = await create('a');
    assert.is(answer.status, 500);
    const call = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook';
    assert.is(answer.body.message, `${call}: json: cannot unmarshal ${found} into Go struct field ${at} of type ${type}`);
  });
test('a refusal has the members of a status alone', async () => {
  await configure('Validating', hook());
  const causes = [{ message: 'm', field: 'f', more: {} }, null];
  const details = { name: 'n', causes, retryAfterSeconds: 7, constructor: 'x', uid: null };
  webhook.reply = answering({ allowed: false, status: { message: 'no', details } });
  const answer = await create('a');
  assert.equal(answer.body.details, { name: 'n', causes: [{ message: 'm', field: 'f' }, {}], retryAfterSeconds: 7 });
});

/** What a refusal's status says beside its message, and what clients are told of it. */
const told: [name: string, says: object, status: string, metadata: object][] = [
  ['success', { status: 'Success' }, 'Failure', {}],
  ['nothing', { status: '', metadata: { continue: '', more: 'x' } }, 'Failure', {}],
  ['another outcome', { status: 'Pending' }, 'Pending', {}],
  [
    'metadata',
    { metadata: { selfLink: '/x', resourceVersion: '7', continue: 'c', remainingItemCount: 0 } },
    'Failure',
    { selfLink: '/x', resourceVersion: '7', continue: 'c', remainingItemCount: 0 },
  ],
];
for (const [name, says, status, metadata] of told)
  test(`a refusal that says ${name}`, async () => {
    await configure('Validating', hook());
    webhook.reply = answering({ allowed: false, status: { message: 'no', ...says } });
    const { body } = await create('a');
    assert.equal([body.status, body.metadata], [status, metadata]);
  });

test.run();
