import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failed, outcomeOf, SUCCESS, statusOf } from '../../runtime/relay/command-outcome.ts';

const test = suite('how a command ended');

const exitCode = (message: unknown): object => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'Other' }, { reason: 'ExitCode', message }] },
});

test('an exit code goes through', () => {
  assert.equal(outcomeOf(JSON.stringify(exitCode('7'))), {
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: command terminated with exit code 7',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '7' }] },
  });
});
test('success, said or not', () => {
  assert.is(outcomeOf(''), SUCCESS);
  assert.is(outcomeOf('{"metadata":{},"status":"Success"}'), SUCCESS);
});

const failures: [message: unknown, text: string][] = [
  [{ status: 'Failure', message: 'no such container' }, 'no such container'],
  [{ status: 'Failure' }, ''],
  [{}, 'error stream protocol error: unknown error'],
  [[], 'error stream protocol error: json: cannot unmarshal array into Go value of type v1.Status in "[]"'],
  [null, 'error stream protocol error: unknown error'],
  [1, 'error stream protocol error: json: cannot unmarshal number into Go value of type v1.Status in "1"'],
  [true, 'error stream protocol error: json: cannot unmarshal bool into Go value of type v1.Status in "true"'],
  [{ status: 'Failure', reason: 'NonZeroExitCode' }, 'error stream protocol error: details must be set'],
  [{ status: 'Failure', reason: 'NonZeroExitCode', details: null }, 'error stream protocol error: details must be set'],
  [{ status: 'Failure', reason: 'NonZeroExitCode', details: {} }, 'error stream protocol error: no ExitCode cause given'],
  [{ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: {} } }, 'error stream protocol error: no ExitCode cause given'],
  [{ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [null] } }, 'error stream protocol error: no ExitCode cause given'],
  [exitCode('256'), 'error stream protocol error: invalid exit code value "256"'],
  [exitCode('-1'), 'error stream protocol error: invalid exit code value "-1"'],
  [exitCode(undefined), 'error stream protocol error: invalid exit code value ""'],
];
for (const [message, text] of failures)
  test(`${JSON.stringify(message)} is a failure`, () => {
    assert.equal(outcomeOf(JSON.stringify(message)), failed(text));
  });
test('what is no JSON is shown', () => {
  const problem = "invalid character 'o' looking for beginning of value";
  assert.equal(outcomeOf('oh "no"'), failed(`error stream protocol error: ${problem} in "oh \\"no\\""`));
  assert.equal(
    outcomeOf('{"a":1} x'),
    failed('error stream protocol error: invalid character \'x\' after top-level value in "{\\"a\\":1} x"'),
  );
});
test('a Status is told from other texts', () => {
  const status = { metadata: {}, status: 'Failure', message: 'no', code: 403 } as const;
  assert.equal(statusOf(JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...status })), status);
  for (const text of ['no', '{', '{}', '[]', 'null', '{"kind":"Pod","apiVersion":"v1"}']) assert.is(statusOf(text), undefined, text);
});
test.run();
