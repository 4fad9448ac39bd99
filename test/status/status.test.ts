/** What clients are told of each failure: code, reason, message and details, as 1.32 has them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as failures from '../../runtime/status/status.ts';

const test = suite('what clients are told of failures');
const POD = { group: '', resource: 'pods' };
const WEB = { group: 'apps', resource: 'deployments' };
const OF_WEB = { name: 'web', group: 'apps', kind: 'deployments' };

type Told = readonly [code: number, reason: string | undefined, message: string, details: object | undefined];
const rows: readonly [name: string, failure: failures.StatusError, ...Told][] = [
  [
    'an absent object of the core group',
    failures.newNotFound(POD, 'a'),
    404,
    'NotFound',
    'pods "a" not found',
    { name: 'a', kind: 'pods' },
  ],
  ['an absent object of another group', failures.newNotFound(WEB, 'web'), 404, 'NotFound', 'deployments.apps "web" not found', OF_WEB],
  ['a path that leads nowhere', failures.newUnknownResource(), 404, 'NotFound', 'the server could not find the requested resource', {}],
  ['a name that is taken', failures.newAlreadyExists(WEB, 'web'), 409, 'AlreadyExists', 'deployments.apps "web" already exists', OF_WEB],
  [
    'a generated name that is taken',
    failures.newGeneratedNameTaken(WEB, 'web'),
    409,
    'AlreadyExists',
    'deployments.apps "web" already exists, the server was not able to generate a unique name for the object',
    { ...OF_WEB, retryAfterSeconds: 1 },
  ],
  [
    'a conflict',
    failures.newConflict(WEB, 'web', 'x'),
    409,
    'Conflict',
    'Operation cannot be fulfilled on deployments.apps "web": x',
    OF_WEB,
  ],
  [
    'an apply that conflicts',
    failures.newApplyConflict('x', [{ reason: 'FieldManagerConflict', message: 'y' }]),
    409,
    'Conflict',
    'x',
    { causes: [{ reason: 'FieldManagerConflict', message: 'y' }] },
  ],
  ['a bad request', failures.newBadRequest('x'), 400, 'BadRequest', 'x', undefined],
  ['nobody known', failures.newUnauthorized(), 401, 'Unauthorized', 'Unauthorized', undefined],
  [
    'an object that the user may not have',
    failures.newForbidden(WEB, 'web', 'x'),
    403,
    'Forbidden',
    'deployments.apps "web" is forbidden: x',
    OF_WEB,
  ],
  [
    'causes of a refusal',
    failures.newForbidden(WEB, '', 'x', [{ message: 'y' }]),
    403,
    'Forbidden',
    'deployments.apps is forbidden: x',
    { group: 'apps', kind: 'deployments', causes: [{ message: 'y' }] },
  ],
  [
    'a refusal of no resource',
    failures.newForbidden({ group: '', resource: '' }, 'a', 'x'),
    403,
    'Forbidden',
    'forbidden: x',
    { name: 'a' },
  ],
  [
    'a refusal of a group alone',
    failures.newForbidden({ group: 'g', resource: '' }, '', 'x'),
    403,
    'Forbidden',
    '.g is forbidden: x',
    { group: 'g' },
  ],
  ['a path that the user may not use', failures.newForbiddenPath('x'), 403, 'Forbidden', 'forbidden: x', {}],
  ['what has no reason', failures.newUnknown('x'), 500, undefined, 'x', undefined],
  [
    'a method',
    failures.newMethodNotAllowed(),
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  ],
  [
    'a verb',
    failures.newMethodNotSupported(WEB, 'patch'),
    405,
    'MethodNotAllowed',
    'patch is not supported on resources of kind "deployments.apps"',
    { group: 'apps', kind: 'deployments' },
  ],
  [
    'a verb of a definition that goes',
    failures.newDefinitionTerminating(WEB, 'create'),
    405,
    'MethodNotAllowed',
    'create not allowed while custom resource definition is terminating',
    { group: 'apps', kind: 'deployments' },
  ],
  [
    'a form that there is not',
    failures.newNotAcceptable(['a/b', 'c/d']),
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: a/b, c/d',
    {},
  ],
  [
    'a form that there is not, plainly',
    failures.newNotAcceptablePlain(['a/b', 'c/d']),
    406,
    'NotAcceptable',
    'only the following media types are accepted: a/b, c/d',
    undefined,
  ],
  [
    'a body of another form',
    failures.newUnsupportedMediaType(['a/b', 'c/d']),
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: a/b, c/d',
    undefined,
  ],
  ['a patch of another form', failures.newUnsupportedPatchType(), 415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}],
  [
    'a patch that does not fit',
    failures.newPatchRejected(),
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  ],
  [
    'a body that is too long',
    failures.newRequestEntityTooLarge(3),
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3',
    undefined,
  ],
  ['a timeout', failures.newTimeout('x'), 504, 'Timeout', 'Timeout: x', {}],
  [
    'a version that is not there yet',
    failures.newTooLargeResourceVersion(9, 7, 1),
    504,
    'Timeout',
    'Timeout: Too large resource version: 9, current: 7',
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  ],
  [
    'such a version, without a time to wait',
    failures.newTooLargeResourceVersion(9, 7, 0),
    504,
    'Timeout',
    'Timeout: Too large resource version: 9, current: 7',
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  ],
  ['a version that is gone', failures.newExpired('x'), 410, 'Expired', 'x', undefined],
  ['a service that is away', failures.newServiceUnavailable('x'), 503, 'ServiceUnavailable', 'x', undefined],
  ['too many requests', failures.newTooManyRequests('x', 2), 429, 'TooManyRequests', 'x', { retryAfterSeconds: 2 }],
  ['too many events', failures.newTooManyEvents('x'), 429, 'TooManyRequests', 'Too many requests: x', undefined],
  [
    'a failure whose text may be read',
    failures.newInternalErrorOf('x'),
    500,
    'InternalError',
    'Internal error occurred: x',
    { causes: [{ message: 'x' }] },
  ],
  [
    'a fault, of which only the request is named',
    failures.newInternalError('7'),
    500,
    'InternalError',
    "Internal error occurred: see the server's log for request 7",
    { causes: [{ message: 'request 7' }] },
  ],
];
for (const [name, failure, code, reason, message, details] of rows)
  test(name, () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      code,
    };
    assert.is(JSON.stringify(failure.status), JSON.stringify(status));
    assert.is(failure.code, code);
  });

const answers: readonly [code: number, text: string, reason: string | undefined, message: string][] = [
  [400, 'x', 'BadRequest', 'the server rejected our request for an unknown reason'],
  [401, 'x', 'Unauthorized', 'the server has asked for the client to provide credentials'],
  [403, 'x', 'Forbidden', 'x'],
  [404, 'x', 'NotFound', 'the server could not find the requested resource'],
  [405, 'x', 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  [406, 'x', 'NotAcceptable', 'x'],
  [406, '', 'NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  [406, 'unknown', 'NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  [409, 'x', 'Conflict', 'the server reported a conflict'],
  [415, 'x', 'UnsupportedMediaType', 'x'],
  [418, 'x', undefined, 'the server responded with the status code 418 but did not return more information'],
  [422, 'x', 'Invalid', 'the server rejected our request due to an error in our request'],
  [429, 'x', 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  [499, 'x', undefined, 'the server responded with the status code 499 but did not return more information'],
  [500, 'a "b"\u001b', 'InternalError', 'an error on the server ("a \\"b\\"\\x1b") has prevented the request from succeeding'],
  [503, 'x', 'ServiceUnavailable', 'the server is currently unable to handle the request'],
  [504, 'x', 'Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
];
for (const [code, text, reason, message] of answers)
  test(`another server says ${code} and ${JSON.stringify(text)}`, () => {
    const { status } = failures.newServerAnswer(code, { group: '', resource: 'pods/log' }, 'web', text);
    assert.equal(
      { code: status.code, reason: status.reason, message: status.message, details: status.details },
      { code, reason, message: `${message} ( pods/log web)`, details: { name: 'web', kind: 'pods/log' } },
    );
  });

test('a failure is known by its reason', () => {
  const { isAlreadyExists, isConflict, isForbidden, isNotFound } = failures;
  const all = [isAlreadyExists, isConflict, isForbidden, isNotFound];
  const known = (failure: unknown) => all.map((is) => is(failure));
  assert.equal(known(failures.newAlreadyExists(POD, 'a')), [true, false, false, false]);
  assert.equal(known(failures.newConflict(POD, 'a', 'x')), [false, true, false, false]);
  assert.equal(known(failures.newForbidden(POD, 'a', 'x')), [false, false, true, false]);
  assert.equal(known(failures.newNotFound(POD, 'a')), [false, false, false, true]);
  assert.equal(known({ status: { reason: 'NotFound' } }), [false, false, false, false]);
});

test.run();
