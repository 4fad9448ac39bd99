import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NotEnforced } from '../../../runtime/contract/kind.ts';
import { notEnforcedWarnings } from '../../../runtime/registry/resources/not-enforced.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';

const test = suite('what nothing enforces');
const DEFINITIONS: NotEnforced = { members: ['x-rules'], paths: ['spec.conversion.webhook'] };
const object = (members: object) => ({ kind: 'K', apiVersion: 'v1', metadata: { name: 'x' }, ...members });

interface Row {
  readonly name: string;
  readonly notEnforced: NotEnforced | undefined;
  readonly members?: object;
  readonly told: readonly string[];
}
const rows: readonly Row[] = [
  { name: 'nothing', notEnforced: undefined, told: [] },
  { name: 'all objects', notEnforced: 'objects', told: ['things: the object is'] },
  {
    name: 'a member at any depth',
    notEnforced: DEFINITIONS,
    members: { spec: { a: [{ b: { 'x-rules': [] } }] } },
    told: ['x-rules: it is'],
  },
  {
    name: 'a path',
    notEnforced: DEFINITIONS,
    members: { spec: { conversion: { webhook: {} } } },
    told: ['spec.conversion.webhook: it is'],
  },
  { name: 'neither', notEnforced: DEFINITIONS, members: { spec: { conversion: { strategy: 'None' }, webhook: {} } }, told: [] },
];
for (const { name, notEnforced, members = {}, told } of rows)
  test(`${name} is told`, () => {
    const resource = { data: { name: 'things', notEnforced } } as unknown as Resource;
    const warnings = notEnforcedWarnings(resource, object(members));
    assert.equal(
      warnings,
      told.map((thing) => `this server does not enforce ${thing} stored and has no effect`),
    );
  });

test.run();
