import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, isConflict, isGone, isNotFound } from '../../../runtime/client/objects/api-error.ts';
import { parseJson } from '../../../runtime/client/objects/json.ts';
import { jsonPointer } from '../../../runtime/client/objects/patches.ts';

const json = suite('JSON of servers');
const same = ['{"a":9007199254740993}', '{"a":-9223372036854775808,"b":[18446744073709551615]}', '{"a":"12345678901234567890","b":1.5}'];
for (const text of same) json(`is written again as it came: ${text}`, () => assert.is(JSON.stringify(parseJson(text)), text));
json('has other numbers as JavaScript has them', () => {
  assert.equal(parseJson('{"a":1e3,"b":2.0,"c":1.00000000000000000,"d":9007199254740991}'), {
    a: 1000,
    b: 2,
    c: 1,
    d: 9007199254740991,
  });
});
json('keeps names with backslashes apart', () => {
  const texts = ['{"a":1,"b\\\\":2}', '{"a":1,"b\\u0041":2}'];
  assert.equal(
    texts.map((text) => JSON.stringify(parseJson(text))),
    ['{"a":1,"b\\\\":2}', '{"a":1,"bA":2}'],
  );
});
json.run();

const errors = suite('errors of the API');
const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'pods "a" not found', reason: 'NotFound', code: 404 };
errors('say what the Status says', () => {
  const details = { causes: [{ field: 'spec', message: 'no', reason: 'FieldValueInvalid' }], retryAfterSeconds: 2 };
  const error = new ApiError(404, JSON.stringify({ ...status, details }));
  assert.equal([error.message, error.code, error.reason, error.retryAfter], ['pods "a" not found', 404, 'NotFound', 2_000]);
  assert.equal(error.causes, details.causes);
});
errors('say what the answer says where it is no Status', () => {
  const error = new ApiError(502, '<html>Bad Gateway</html>\n', '3');
  assert.equal(
    [error.message, error.code, error.reason, error.status, error.retryAfter],
    ['<html>Bad Gateway</html>', 502, undefined, undefined, 3_000],
  );
  assert.is(new ApiError(503, '').message, 'the server answered with status 503');
});
errors('are told apart by their reason, and by the code where there is none', () => {
  const conflict = new ApiError(409, JSON.stringify({ ...status, reason: 'AlreadyExists', code: 409 }));
  assert.equal(
    [isNotFound(new ApiError(404, JSON.stringify(status))), isConflict(conflict), isConflict(new ApiError(409, ''))],
    [true, false, true],
  );
  assert.equal([isGone(new ApiError(410, '')), isGone(new Error('gone')), isNotFound(undefined)], [true, false, false]);
});
errors.run();

const pointers = suite('JSON pointers');
pointers('escape what has a meaning in them', () =>
  assert.is(jsonPointer('metadata', 'labels', 'example.com/a~b', 0), '/metadata/labels/example.com~1a~0b/0'),
);
pointers.run();
