import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  newAlreadyExists,
  newConflict,
  newForbidden,
  newGeneratedNameTaken,
  newInvalid,
  newNotFound,
  type StatusError,
} from '../../runtime/status/status.ts';

const test = suite('names in messages');
const of = { group: 'apps', resource: 'deployments', kind: 'Deployment' };
const NAME = 'a"\\\u0000\u00a0é';
const SHOWN = '"a\\"\\\\\\x00\\u00a0é"';

const failures: [failure: StatusError, message: string][] = [
  [newNotFound(of, NAME), `deployments.apps ${SHOWN} not found`],
  [newAlreadyExists(of, NAME), `deployments.apps ${SHOWN} already exists`],
  [
    newGeneratedNameTaken(of, NAME),
    `deployments.apps ${SHOWN} already exists, the server was not able to generate a unique name for the object`,
  ],
  [newConflict(of, NAME, 'x'), `Operation cannot be fulfilled on deployments.apps ${SHOWN}: x`],
  [newForbidden(of, NAME, 'x'), `deployments.apps ${SHOWN} is forbidden: x`],
  [newForbidden(of, '', 'x'), 'deployments.apps is forbidden: x'],
  [newInvalid(of, NAME, []), `Deployment.apps ${SHOWN} is invalid`],
];
for (const [{ status }, message] of failures)
  test(`are shown as Go shows them: ${status.reason}`, () => assert.is(status.message, message));

test.run();
