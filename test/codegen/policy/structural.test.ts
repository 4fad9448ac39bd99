/** Kinds that came from definitions: the policy holds their schemas, and the commands of a version's life know them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import { run as newVersion } from '../../../codegen/commands/new-version.ts';
import type { Model } from '../../../codegen/model/model.ts';
import { structuralDefinitions } from '../../../codegen/model/structural/definitions.ts';
import { compareStates } from '../../../codegen/policy/check-api.ts';
import { FindingList } from '../../../codegen/policy/finding.ts';
import { lamps } from '../check/cases/structural.ts';
import { withTree } from '../tree.ts';

const SPEC = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 9 }, inner: { $ref: '#/components/schemas/Inner' } },
};
const INNER = { type: 'object', properties: { mode: { type: 'string', enum: ['A', 'B'] } } };

async function modelOf(spec: object, inner: object): Promise<Model> {
  let model: Model | undefined;
  await withTree(
    (files) => {
      files.openapi['lamps/v1'] = lamps(spec, { Inner: inner });
    },
    async (tree) => {
      model = await tree.model();
    },
  );
  return model as Model;
}

const test = suite('kinds of structural schemas in the policy');
const changes: readonly [name: string, spec: object, inner: object, found: readonly string[]][] = [
  ['nothing', SPEC, INNER, []],
  ['a shorter text', { ...SPEC, properties: { ...SPEC.properties, name: { type: 'string', maxLength: 3 } } }, INNER, ['spec.name']],
  ['a member that is needed', { ...SPEC, required: ['name', 'inner'] }, INNER, ['spec']],
  [
    'a value that is gone, behind a reference',
    SPEC,
    { type: 'object', properties: { mode: { type: 'string', enum: ['A'] } } },
    ['spec.inner.mode'],
  ],
  ['a member that is gone', { ...SPEC, properties: { name: SPEC.properties.name } }, INNER, ['spec.inner']],
];
for (const [name, spec, inner, found] of changes)
  test(`${name} is found once`, async () => {
    const list = new FindingList();
    compareStates(await modelOf(SPEC, INNER), await modelOf(spec, inner), list);
    const errors = list.findings.filter(({ severity }) => severity === 'error');
    assert.equal(
      errors.map(({ element }) => element),
      found.map((each) => `lamps/v1 Lamp ${each}`),
      JSON.stringify(errors),
    );
  });
test('a new version has the same schema', () =>
  withTree(
    (files) => {
      files.openapi['lamps/v1'] = lamps(SPEC, { Inner: INNER });
      files.openapi['lamps/v1'].components.schemas.Lamp['x-cluster-table'] = {
        columns: [{ name: 'N', type: 'string', path: '.spec.name' }],
      };
      Object.assign(files.releases, { current: '1.30', oldest: '1.30' });
    },
    async (tree) => {
      const { log } = console;
      const printed: string[] = [];
      console.log = (line: string) => void printed.push(line);
      try {
        assert.is(await newVersion(tree.root, ['lamps.example.com/v2', '--from', 'v1']), 0);
      } finally {
        console.log = log;
      }
      const { errors } = await tree.generate();
      assert.equal(errors.map(formatDiagnostic), []);
      const text = readFileSync(path.join(tree.root, 'schemas/lamps/v2/openapi.yaml'), 'utf8');
      assert.is(parse(text)['x-cluster-group-version'].structural, true);
      const [definition] = structuralDefinitions((await tree.model()).all);
      const [v1, v2] = definition?.spec.versions ?? [];
      assert.equal(v2?.schema, v1?.schema);
      assert.equal(v2?.additionalPrinterColumns, [{ name: 'N', type: 'string', jsonPath: '.spec.name' }]);
      assert.not.match(printed.join('\n'), 'types.proto');
      assert.equal([v1?.storage, v2?.storage], [true, false]);
    },
  ));
test.run();
