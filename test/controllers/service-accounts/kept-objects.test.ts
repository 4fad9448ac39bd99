/** The authority that is kept in every namespace: what is put right in it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { rootCertificates } from '../../../runtime/controllers/service-accounts/kept-objects.ts';

const test = suite('the authority in every namespace');

const DESCRIPTION = 'd/description';
const kept = rootCertificates('PEM', (template) => template.replace('${labelDomain}', 'd'));
const right = { 'ca.crt': 'PEM' };
const described = { [DESCRIPTION]: 'own words' };
const rows: readonly [
  name: string,
  annotations: Record<string, string> | undefined,
  data: Record<string, string> | undefined,
  isRight: boolean,
][] = [
  ['as it is made', described, right, true],
  ['another annotation besides', { ...described, a: 'b' }, right, true],
  ['another authority', described, { 'ca.crt': 'other' }, false],
  ['more data', described, { ...right, more: '' }, false],
  ['no data', described, undefined, false],
  ['an empty description', { [DESCRIPTION]: '' }, right, false],
  ['no description', { a: 'b' }, right, false],
  ['no annotations', undefined, right, false],
];
for (const [name, annotations, data, isRight] of rows)
  test(name, () => {
    const object = {
      metadata: { name: 'n', labels: { l: 'x' }, ...(annotations && { annotations }) },
      ...(data && { data }),
    } as unknown as ApiObject;
    const repaired = kept.repaired(object);
    if (isRight) return assert.is(repaired, undefined);
    const { data: repairedData, metadata } = repaired as ApiObject;
    assert.equal(repairedData, right);
    assert.equal(metadata.labels, { l: 'x' });
    const { [DESCRIPTION]: description, ...others } = metadata.annotations as Record<string, string>;
    assert.match(description as string, /trust its API server/);
    const { [DESCRIPTION]: _, ...before } = annotations ?? ({} as Record<string, string>);
    assert.equal(others, before);
  });

test.run();
