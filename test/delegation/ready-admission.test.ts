import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import { readyAdmission } from '../../runtime/delegation/ready-admission.ts';

const attributes = { resource: { groupResource: { group: 'lights.example.com', resource: 'lamps' } }, name: 'one' } as AdmissionAttributes;

function ready(answers: boolean[]) {
  const asked: string[] = [];
  const step = (name: string) => async (): Promise<undefined> => void asked.push(name);
  const admission = { mutate: step('mutate'), validate: step('validate'), close: () => void asked.push('close') };
  const objects = { missing: [], ready: async () => answers.shift() === true, close: async () => {} };
  return { asked, admission: readyAdmission(admission, objects) };
}

const test = suite('admission that needs objects of another server');
test('goes on once they are known, and asks no more', async () => {
  const { asked, admission } = ready([true]);
  await admission.mutate(attributes);
  await admission.validate(attributes);
  await admission.mutate(attributes);
  admission.close?.();
  assert.equal(asked, ['mutate', 'validate', 'mutate', 'close']);
});
test('refuses what comes before, in the words of 1.32', async () => {
  const { asked, admission } = ready([false, true]);
  const refusal = await Promise.try(() => admission.validate(attributes)).then(
    () => assert.unreachable('it was not refused'),
    ({ status }) => status,
  );
  assert.equal([refusal.code, refusal.message], [403, 'lamps.lights.example.com "one" is forbidden: not yet ready to handle request']);
  await admission.validate(attributes);
  assert.equal(asked, ['validate']);
});
test.run();
