import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectAdmission, type Operated } from '../../runtime/admission/object-admission.ts';
import type { Admission, AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';

const test = suite('the admission of one request');
const OBJECT: ApiObject = { kind: 'K', apiVersion: 'v1', metadata: { name: 'given' } };

function admission(name = '', over = false) {
  const asked: string[] = [];
  const steps: string[] = [];
  const record = (phase: string) => async (attributes: AdmissionAttributes) =>
    void asked.push(`${phase} ${attributes.operation} ${attributes.name} ${attributes.object?.kind} ${attributes.old?.kind}`);
  const phases: Admission = { mutate: record('mutate'), validate: record('validate') };
  const request = {
    ...OWN_WORK,
    took: (step: string) => void steps.push(step),
    throwIfOver() {
      if (over) throw new Error('its time is over');
    },
  };
  const operated = {
    request,
    operation: 'update',
    name,
    namespace: '',
    resource: { groupResource: { group: '', resource: 'things' } },
  } as unknown as Operated;
  return { admission: new ObjectAdmission(phases, operated), asked, steps };
}

test('asks each phase with all that is known, and notes how long it took', async () => {
  const { admission: of, asked, steps } = admission('named');
  await of.mutate(OBJECT, undefined);
  await of.validate(OBJECT, OBJECT);
  assert.equal(asked, ['mutate update named K undefined', 'validate update named K K']);
  assert.equal(steps, ['admission', 'admission']);
});

test('takes the name of the object where the request names none', async () => {
  const { admission: of, asked } = admission();
  await of.admit(OBJECT, undefined);
  await of.admit(undefined, OBJECT);
  assert.equal(asked, [
    'mutate update given K undefined',
    'validate update given K undefined',
    'mutate update  undefined K',
    'validate update  undefined K',
  ]);
});

test('undoes wrong changes of managedFields, whoever writes, and tells who asks', async () => {
  const told: string[] = [];
  const before = [{ manager: 'm' }];
  const object: ApiObject = { ...OBJECT, metadata: { name: 'x', managedFields: before } };
  const phases: Admission = {
    async mutate(attributes) {
      (attributes.object as ApiObject).metadata.managedFields = [{ operation: 'x' }];
    },
    validate: async () => undefined,
  };
  const operated = {
    request: { ...OWN_WORK, warn: (text: string) => told.push(text) },
    name: 'x',
    namespace: 'a',
    resource: { groupResource: {} },
  };
  await new ObjectAdmission(phases, operated as unknown as Operated).mutate(object, undefined);
  assert.is(object.metadata.managedFields, before);
  assert.match(told.join(), /managedFields was in an invalid state after admission/);
});

test('goes no further where the time of the request is over', async () => {
  const { admission: of, asked } = admission('x', true);
  const outcome = await of.admit(OBJECT, undefined).then(
    () => 'admitted',
    ({ message }) => message,
  );
  assert.equal([outcome, asked.length], ['its time is over', 1]);
});

test.run();
