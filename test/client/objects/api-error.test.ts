/** What programs can tell of a refusal. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from '../../../generated/client/index.ts';

const QUESTIONS = { isAlreadyExists, isConflict, isForbidden, isGone, isInvalid, isNotFound, isUnauthorized };
const refused = (code: number, reason?: string): ApiError =>
  new ApiError(code, JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }));

const rows: [name: string, error: unknown, answers: (keyof typeof QUESTIONS)[]][] = [
  ['of what is not there', refused(404, 'NotFound'), ['isNotFound']],
  ['of a version that is gone', refused(410, 'Gone'), ['isGone']],
  ['of a page that is gone', refused(410, 'Expired'), ['isGone']],
  ['of a name that is taken', refused(409, 'AlreadyExists'), ['isAlreadyExists']],
  ['of a conflict', refused(409, 'Conflict'), ['isConflict']],
  ['with a known reason and the code of another one', refused(404, 'Forbidden'), ['isForbidden']],
  ['with a known reason that no question is about', refused(405, 'MethodNotAllowed'), []],
  ["with a webhook's own reason, of what is not there", refused(404, 'no such tenant'), ['isNotFound']],
  ["with a webhook's own reason, of what may not be", refused(403, 'not on fridays'), ['isForbidden']],
  ["with a webhook's own reason, of what is wrong", refused(422, 'two owners'), ['isInvalid']],
  ["with a webhook's own reason, of a conflict", refused(409, 'locked'), ['isConflict']],
  ["with a webhook's own reason, of what is gone", refused(410, 'retired'), ['isGone']],
  ['with an empty reason', refused(401, ''), ['isUnauthorized']],
  ['without a reason', refused(409), ['isAlreadyExists', 'isConflict']],
  ['without a Status', new ApiError(404, '<html>'), ['isNotFound']],
  ['that came from nowhere', new Error('NotFound'), []],
];
const test = suite('an error');
for (const [name, error, answers] of rows)
  test(name, () =>
    assert.equal(
      Object.entries(QUESTIONS).flatMap(([question, isSo]) => (isSo(error) ? [question] : [])),
      answers,
    ),
  );
test.run();
