/** Rule 2: what is lost between versions is found with generated objects, in trees of their own. */

import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import { generatedKinds } from '../../../codegen/policy/conversions/generated-kinds.ts';
import { proveConversions } from '../../../codegen/policy/conversions/prove-conversions.ts';
import { FindingList } from '../../../codegen/policy/finding.ts';
import { writeTree } from '../../../codegen/write/write.ts';
import { type SchemaFiles, text, withTree } from '../tree.ts';

interface Row {
  readonly name: string;
  readonly edit: (files: SchemaFiles) => void;
  /** `code element` */
  readonly expected: readonly string[];
  readonly message?: RegExp;
}

const schemasOf = (files: SchemaFiles, folder: string) => files.openapi[folder].components.schemas;
const conversionOf = (files: SchemaFiles) => schemasOf(files, 'toys/v1beta1').Toy['x-cluster-conversion'];

/** Two versions: what only the newer one has is kept in an annotation. */
function versions(files: SchemaFiles): void {
  conversionOf(files).steps = [{ op: 'keepInAnnotation', path: 'spec.parts', annotation: 'toys.example/parts' }];
  delete conversionOf(files).loses;
}

function addField(files: SchemaFiles, folder: string, schema: object = text({ 'x-cluster-pointer': true })): void {
  schemasOf(files, folder).ToySpec.properties.extra = schema;
  const proto = files.proto[folder] as string;
  files.proto[folder] = proto.replace('optional string colour = 1;', 'optional string colour = 1; optional string extra = 3;');
  if (folder === 'toys/v1beta1')
    files.proto[folder] = files.proto[folder].replace('optional string colour', 'reserved 2; optional string colour');
}

/** A hand-written conversion. @param body of `toHub` */
function convertBy(files: SchemaFiles, body: string): void {
  Object.assign(conversionOf(files), { function: 'toys/toy', converts: ['spec'] });
  files.raw['runtime/kinds/toys/toy.ts'] =
    `export const conversion = { toHub(object) { ${body} return object; }, fromHub: (object) => object };\n`;
}

const rows: readonly Row[] = [
  { name: 'versions that keep what they cannot say', edit: () => {}, expected: [] },
  {
    name: 'a field that the older version lacks',
    edit: (f) => {
      addField(f, 'toys/v1');
      conversionOf(f).converts = ['spec.extra'];
    },
    expected: ['CP201 toys/v1 Toy spec.extra'],
    message: /not in toys\.k8s\.io\/v1beta1/,
  },
  {
    name: 'a field that the newer version lacks',
    edit: (f) => {
      addField(f, 'toys/v1beta1');
      conversionOf(f).converts = ['spec.extra'];
    },
    expected: ['CP201 toys/v1beta1 Toy spec.extra'],
  },
  {
    name: 'a loss that is declared',
    edit: (f) => {
      addField(f, 'toys/v1beta1');
      conversionOf(f).loses = [{ path: 'spec.extra', reason: 'Nobody wants it.' }];
    },
    expected: ['CP201 toys/v1beta1 Toy spec.extra', 'CP203 toys/v1beta1 Toy spec.extra'],
  },
  {
    name: 'a loss that is declared of a version that is gone',
    edit: (f) => {
      addField(f, 'toys/v1beta1');
      conversionOf(f).loses = [{ path: 'spec.extra', reason: 'Nobody wants it.' }];
      for (const name of ['Toy', 'ToyList'])
        schemasOf(f, 'toys/v1beta1')[name]['x-cluster-lifecycle'] = { introduced: '1.0', deprecated: '1.22', removed: '1.28' };
    },
    expected: [],
  },
  {
    name: 'a version that does not tell zero from absent',
    edit: (f) => {
      addField(f, 'toys/v1');
      addField(f, 'toys/v1beta1', text());
      conversionOf(f).converts = ['spec.extra'];
    },
    expected: ['CP201 toys/v1 Toy spec.extra'],
    message: /zero and absent are one/,
  },
  {
    name: 'a hand-written conversion that drops a field',
    edit: (f) => convertBy(f, 'delete object.spec?.colour;'),
    expected: ['CP201 toys/v1beta1 Toy spec', 'CP201 toys/v1 Toy spec.colour'],
  },
  { name: 'a hand-written conversion that does its work', edit: (f) => convertBy(f, ''), expected: [] },
  {
    name: 'a hand-written conversion that fails',
    edit: (f) => convertBy(f, 'throw new Error("no toys");'),
    expected: ['CP202 toys/v1beta1 Toy', 'CP202 toys/v1 Toy'],
    message: /no object: no toys/,
  },
];

const conversions = suite('conversions');
for (const { name, edit, expected, message } of rows)
  conversions(name, () =>
    withTree(
      (files) => {
        versions(files);
        edit(files);
      },
      async (tree) => {
        const { files, errors } = await tree.generate();
        assert.equal(errors.map(formatDiagnostic), []);
        writeTree(path.join(tree.root, 'generated'), files);
        const model = await tree.model();
        const kinds = await generatedKinds(tree.root, model);
        assert.ok(kinds !== undefined && !('stale' in kinds));
        const list = new FindingList();
        proveConversions(model, kinds, list);
        const texts = list.findings.map(({ code, element, is }) => `${code} ${element}: ${is}`);
        assert.equal(
          [...new Set(list.findings.map(({ code, element }) => `${code} ${element}`))].sort(),
          [...expected].sort(),
          texts.join('\n'),
        );
        if (message !== undefined)
          assert.ok(
            texts.some((each) => message.test(each)),
            texts.join('\n'),
          );
      },
    ),
  );
conversions('are not tried with what other schemas have generated', () =>
  withTree(versions, async (tree) => {
    assert.is(await generatedKinds(tree.root, await tree.model()), undefined);
    await tree.build();
    tree.write('generated/toys/v1/descriptors.ts', '');
    assert.equal(await generatedKinds(tree.root, await tree.model()), { stale: 'generated/toys/v1/descriptors.ts' });
  }),
);
conversions.run();
