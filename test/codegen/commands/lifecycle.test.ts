/** The commands of a version's life, on toys: what they write, that it can be generated from at once, and what they refuse. */
import { linkSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import { type Command, UsageError } from '../../../codegen/commands/command.ts';
import { run as deprecate } from '../../../codegen/commands/deprecate.ts';
import { groupVersionOf } from '../../../codegen/commands/lifecycle-change.ts';
import { run as newVersion } from '../../../codegen/commands/new-version.ts';
import { run as promote } from '../../../codegen/commands/promote.ts';
import { run as remove } from '../../../codegen/commands/remove.ts';
import type { ModelData } from '../../../codegen/model/model.ts';
import { type Json, type SchemaFiles, struct, type Tree, text as textSchema, withTree } from '../tree.ts';

const GROUP = 'toys.${groupDomain}';
const schemasOf = (files: SchemaFiles, folder: string): Json => files.openapi[folder].components.schemas;

/** Of release 1.30: v1 since 1.20, v1beta1 since 1.18 and deprecated in 1.20. */
function toys(files: SchemaFiles): void {
  Object.assign(files.releases, { current: '1.30', oldest: '1.30' });
  for (const [folder, lifecycle] of [
    ['toys/v1', { introduced: '1.20' }],
    ['toys/v1beta1', { introduced: '1.18', deprecated: '1.20' }],
  ] as const)
    for (const name of ['Toy', 'ToyList']) schemasOf(files, folder)[name]['x-cluster-lifecycle'] = { ...lifecycle };
  schemasOf(files, 'toys/v1').Toy['x-cluster-table'] = { columns: [{ name: 'Name', path: '.metadata.name', format: 'name' }] };
}

interface Outcome {
  readonly code: number;
  readonly printed: string;
}

async function outcomeOf(command: Command, root: string, args: readonly string[]): Promise<Outcome> {
  const printed: string[] = [];
  const { log, error } = console;
  console.log = (text: string) => void printed.push(text);
  console.error = (text: string) => void printed.push(text);
  try {
    return { code: await command(root, args), printed: printed.join('\n') };
  } finally {
    Object.assign(console, { log, error });
  }
}

async function done(tree: Tree, command: Command, ...args: string[]): Promise<string> {
  const { code, printed } = await outcomeOf(command, tree.root, args);
  assert.is(code, 0, printed);
  const { errors } = await tree.generate();
  assert.equal(errors.map(formatDiagnostic), []);
  return printed;
}

async function refused(tree: Tree, why: RegExp, command: Command, ...args: string[]): Promise<void> {
  const before = text(tree, 'toys/v1') + text(tree, 'toys/v1beta1');
  const { code, printed } = await outcomeOf(command, tree.root, args);
  assert.is(code, 1, printed);
  assert.match(printed, why);
  assert.match(printed, /nothing was changed/);
  assert.is(text(tree, 'toys/v1') + text(tree, 'toys/v1beta1'), before);
}

const text = (tree: Tree, folder: string, file = 'openapi.yaml'): string =>
  readFileSync(path.join(tree.root, 'schemas', folder, file), 'utf8');
const document = (tree: Tree, folder: string): Json => parse(text(tree, folder));
const setCurrent = (tree: Tree, release: string): void =>
  tree.write(
    'schemas/releases.yaml',
    readFileSync(path.join(tree.root, 'schemas/releases.yaml'), 'utf8').replace(/current: "?[0-9.]+"?/, `current: "${release}"`),
  );

const life = suite('the commands of a version');
life('new-version writes a version that has all that another one has', () =>
  withTree(toys, async (tree) => {
    const printed = await done(tree, newVersion, 'toys/v2', '--from', 'v1');
    assert.match(printed, /schemas\/toys\/v2\/openapi\.yaml: new, \d+ lines\nschemas\/toys\/v2\/types\.proto: new/);
    assert.match(printed, /toys\/v2 has all that toys\/v1 has, and is introduced in 1\.31\./);
    const { 'x-cluster-group-version': groupVersion, 'x-cluster-resources': resources, components } = document(tree, 'toys/v2');
    assert.equal(groupVersion, { group: GROUP, version: 'v2', package: 'test.toys.v2', groupPriority: 1000, versionPriority: 209 });
    assert.equal(resources, [{ name: 'toys', as: '../v1/openapi.yaml' }]);
    assert.equal(Object.keys(components.schemas), ['Toy', 'ToyList', 'ToySpec', 'Part']);
    assert.equal(components.schemas.Toy, {
      $ref: '../v1/openapi.yaml#/components/schemas/Toy',
      'x-cluster-lifecycle': { introduced: '1.31' },
      'x-cluster-conversion': { to: { group: GROUP, version: 'v1', kind: 'Toy' }, steps: [] },
    });
    assert.is(
      text(tree, 'toys/v2', 'types.proto').trim(),
      text(tree, 'toys/v1', 'types.proto').replaceAll('test.toys.v1', 'test.toys.v2').trim(),
    );
    const model = await tree.model();
    assert.equal(
      [model.at('1.30'), model.at('1.31')].map(({ groupVersions }) => groupVersions.some(({ folder }) => folder === 'toys/v2')),
      [false, true],
    );
  }),
);
life('new-version takes over the conversion of a version that has one, and is of the release that it is told', () =>
  withTree(
    (files) => {
      toys(files);
      schemasOf(files, 'toys/v1beta1').Toy['x-cluster-conversion'].steps = [
        { op: 'keepInAnnotation', path: 'spec.parts', annotation: 'toys.example/parts' },
      ];
      delete schemasOf(files, 'toys/v1beta1').Toy['x-cluster-conversion'].loses;
    },
    async (tree) => {
      await done(tree, newVersion, 'toys.k8s.io/v1beta2', '--from', 'v1beta1', '--in', '1.32');
      const { Toy } = document(tree, 'toys/v1beta2').components.schemas;
      assert.equal(Toy['x-cluster-conversion'], document(tree, 'toys/v1beta1').components.schemas.Toy['x-cluster-conversion']);
      assert.equal(Toy['x-cluster-lifecycle'], { introduced: '1.32' });
      assert.is(document(tree, 'toys/v1beta2')['x-cluster-group-version'].versionPriority, undefined);
    },
  ),
);
life('deprecate names the newest version that can replace the one that goes', () =>
  withTree(toys, async (tree) => {
    await done(tree, newVersion, 'toys/v2', '--from', 'v1', '--in', '1.30');
    const before = text(tree, 'toys/v1');
    const printed = await done(tree, deprecate, 'toys/v1');
    const lifecycle = { introduced: '1.20', deprecated: '1.31', replacement: { group: GROUP, version: 'v2', kind: 'Toy' } };
    assert.equal(document(tree, 'toys/v1').components.schemas.Toy['x-cluster-lifecycle'], lifecycle);
    assert.match(printed, /\+ replacement: \{ group: "toys\.\$\{groupDomain\}", version: v2, kind: ToyList \}/);
    assert.is(text(tree, 'toys/v1').split('\n').length, before.split('\n').length + 4);
  }),
);
life('deprecate concerns single kinds, with their lists, and the release and the replacement that it is told', () =>
  withTree(
    (files) => {
      toys(files);
      const { schemas } = files.openapi['toys/v1beta1'].components;
      for (const name of ['Toy', 'ToyList']) schemas[name]['x-cluster-lifecycle'] = { introduced: '1.29' };
      schemas.Doll = {
        ...schemas.ToySpec,
        'x-cluster-kind': true,
        'x-cluster-lifecycle': { introduced: '1.29' },
        'x-cluster-protobuf': false,
      };
    },
    async (tree) => {
      await done(tree, deprecate, 'toys/v1beta1', 'Toy', '--in', '1.32', '--replacement', 'toys/v1');
      const { schemas } = document(tree, 'toys/v1beta1').components;
      for (const name of ['Toy', 'ToyList'])
        assert.equal(schemas[name]['x-cluster-lifecycle'], {
          introduced: '1.29',
          deprecated: '1.32',
          replacement: { group: GROUP, version: 'v1', kind: name },
        });
      assert.equal(schemas.Doll['x-cluster-lifecycle'], { introduced: '1.29' });
    },
  ),
);
life('deprecate refuses what only a less stable version can replace', () =>
  withTree(toys, async (tree) => {
    await done(tree, newVersion, 'toys/v2beta1', '--from', 'v1', '--in', '1.30');
    await refused(
      tree,
      /CP301 \(rule 3\) toys\/v1 Toy: .*\n {2}was stable\n {2}is {2}deprecated in 1\.31, when only v2beta1 can take its place/,
      deprecate,
      'toys/v1',
    );
  }),
);
life('deprecate refuses to say that it was announced long ago', () =>
  withTree(toys, async (tree) => {
    await done(tree, newVersion, 'toys/v2', '--from', 'v1', '--in', '1.30');
    await refused(tree, /CP407 \(rule 4a\) toys\/v1 Toy/, deprecate, 'toys/v1', '--in', '1.29');
  }),
);
life('remove refuses what the policy does not allow yet, says when it does, and then does it', () =>
  withTree(
    (files) => {
      toys(files);
      for (const name of ['Toy', 'ToyList'])
        schemasOf(files, 'toys/v1beta1')[name]['x-cluster-lifecycle'] = { introduced: '1.27', deprecated: '1.29' };
    },
    async (tree) => {
      await refused(
        tree,
        /CP402 \(rule 4a\) toys\/v1beta1 Toy[\s\S]*Serve it until 1\.32 \(2024-12-11\)/,
        remove,
        'toys/v1beta1',
        '--in',
        '1.31',
      );
      await done(tree, remove, 'toys/v1beta1', '--in', '1.32');
      assert.equal(document(tree, 'toys/v1beta1').components.schemas.Toy['x-cluster-lifecycle'], {
        introduced: '1.27',
        deprecated: '1.29',
        removed: '1.32',
      });
      await refused(tree, /CP401 \(rule 4a\) toys\/v1 Toy: stable version is removed/, remove, 'toys/v1', '--in', '1.33');
    },
  ),
);
life('an exception lets pass what the policy forbids', () =>
  withTree(toys, async (tree) => {
    tree.write(
      'schemas/policy-exceptions.yaml',
      '- { code: CP401, elements: [ toys/v1 * ], reason: Nobody ever had toys., until: "1.34" }\n',
    );
    await done(tree, remove, 'toys/v1', '--in', '1.33');
  }),
);
life('promote makes a version the one that is stored and preferred, a release after it came', () =>
  withTree(toys, async (tree) => {
    await done(tree, newVersion, 'toys/v2', '--from', 'v1');
    setCurrent(tree, '1.31');
    await refused(tree, /CP410 \(rule 4b\)[\s\S]*CP411 \(rule 4b\)/, promote, 'toys/v2');
    setCurrent(tree, '1.32');
    const printed = await done(tree, promote, 'toys/v2');
    assert.match(printed, /Toy is stored as toys\/v2\.\ntoys\/v2 is the preferred version of its group\./);
    const [older, newer, beta] = ['toys/v1', 'toys/v2', 'toys/v1beta1'].map((folder) => document(tree, folder));
    const to = { group: GROUP, version: 'v2', kind: 'Toy' };
    assert.equal(older['x-cluster-resources'][0].storage, { version: 'v2' });
    assert.equal(older.components.schemas.Toy['x-cluster-conversion'], { to, steps: [] });
    assert.is(older.components.schemas.Toy['x-cluster-table'], undefined);
    assert.equal(newer.components.schemas.Toy['x-cluster-table'], { columns: [{ name: 'Name', path: '.metadata.name', format: 'name' }] });
    assert.is(newer.components.schemas.Toy['x-cluster-conversion'], undefined);
    assert.is(newer['x-cluster-group-version'].versionPriority, undefined);
    assert.equal(beta.components.schemas.Toy['x-cluster-conversion'].to, to);
    const stored = (await tree.model()).groupVersions.flatMap(({ resources }) => resources.map(({ storage }) => storage?.version));
    assert.equal([...new Set(stored)], ['v2']);
  }),
);
life('promote turns steps around, and refuses what has no way back by steps', () =>
  withTree(toys, async (tree) => {
    await done(tree, newVersion, 'toys/v2', '--from', 'v1', '--in', '1.31');
    const spec = {
      type: 'object',
      description: 'A struct.',
      properties: {
        tint: { description: 'A text.', type: 'string' },
        parts: { description: 'A list.', type: 'array', items: { $ref: '#/components/schemas/Part' } },
      },
    };
    const older = document(tree, 'toys/v1');
    older.components.schemas.Toy['x-cluster-table'] = {
      columns: [
        { name: 'Colour', path: '.spec.colour' },
        { name: 'Parts', count: '.spec.parts' },
      ],
    };
    tree.write('schemas/toys/v1/openapi.yaml', stringify(older));
    const content = document(tree, 'toys/v2');
    content.components.schemas.ToySpec = spec;
    content.components.schemas.Toy['x-cluster-conversion'].steps = [{ op: 'rename', from: 'spec.tint', to: 'spec.colour' }];
    tree.write('schemas/toys/v2/openapi.yaml', JSON.stringify(content));
    tree.write('schemas/toys/v2/types.proto', text(tree, 'toys/v2', 'types.proto').replace('colour', 'tint'));
    setCurrent(tree, '1.32');
    await done(tree, promote, 'toys/v2');
    assert.equal(document(tree, 'toys/v2').components.schemas.Toy['x-cluster-table'].columns, [
      { name: 'Colour', path: '.spec.tint' },
      { name: 'Parts', count: '.spec.parts' },
    ]);
    assert.equal(document(tree, 'toys/v1').components.schemas.Toy['x-cluster-conversion'].steps, [
      { op: 'rename', from: 'spec.colour', to: 'spec.tint' },
    ]);
    assert.equal(document(tree, 'toys/v1beta1').components.schemas.Toy['x-cluster-conversion'].steps, [
      { op: 'rename', from: 'spec.colour', to: 'spec.tint' },
    ]);
  }),
);
life('kinds that are gone stay as they are', () =>
  withTree(
    (files) => {
      toys(files);
      for (const name of ['Toy', 'ToyList']) schemasOf(files, 'toys/v1beta1')[name]['x-cluster-lifecycle'].removed = '1.24';
      schemasOf(files, 'toys/v1beta1').Doll = { ...struct({ name: textSchema() }), 'x-cluster-kind': true, 'x-cluster-protobuf': false };
      schemasOf(files, 'toys/v1beta1').Doll['x-cluster-lifecycle'] = { introduced: '1.24' };
    },
    async (tree) => {
      for (const [command, ...args] of [
        [deprecate, 'toys/v1beta1', 'Toy'],
        [remove, 'toys/v1beta1', 'Toy', '--in', '1.31'],
      ] as const)
        try {
          await outcomeOf(command, tree.root, args);
          assert.unreachable();
        } catch (error) {
          assert.match((error as Error).message, 'toys/v1beta1 Toy is not served since 1.24');
        }
      await outcomeOf(deprecate, tree.root, ['toys/v1beta1', '--in', '1.30']);
      const { Toy, Doll } = document(tree, 'toys/v1beta1').components.schemas;
      assert.is(Toy['x-cluster-lifecycle'].deprecated, '1.20');
      assert.is(Doll['x-cluster-lifecycle'].deprecated, '1.30');
    },
  ),
);
life('they replace a file as a whole, so that nobody finds a part of it', () =>
  withTree(toys, async (tree) => {
    const file = path.join(tree.root, 'schemas/toys/v1/openapi.yaml');
    const [before, former] = [readFileSync(file, 'utf8'), path.join(tree.root, 'former')];
    linkSync(file, former);
    await done(tree, deprecate, 'toys/v1', '--in', '1.31');
    assert.is.not(readFileSync(file, 'utf8'), before);
    assert.is(readFileSync(former, 'utf8'), before);
  }),
);
life('they mean the core group by a version alone, not files of no group', () => {
  const all = {
    groupVersions: [
      { folder: 'clientconfig/v1', group: '', version: 'v1', files: true },
      { folder: 'core/v1', group: '', version: 'v1', files: false },
    ],
    identity: { names: {} },
  } as unknown as ModelData;
  for (const [text, folder] of [
    ['v1', 'core/v1'],
    ['core/v1', 'core/v1'],
    ['clientconfig/v1', 'clientconfig/v1'],
  ] as const)
    assert.is(groupVersionOf(all, text).folder, folder);
});
const wrong: [name: string, command: Command, args: string[], why: RegExp][] = [
  ['a version that is there', newVersion, ['toys/v1beta1', '--from', 'v1'], /toys\/v1beta1 is there already/],
  ['a name that is none', newVersion, ['toys/2', '--from', 'v1'], /2 is no name of a version/],
  ['a version to begin as that is not there', newVersion, ['toys/v2', '--from', 'v3'], /no group version toys\/v3/],
  ['no version to begin as', newVersion, ['toys/v2'], /--from VERSION is missing/],
  ['a release that is out', newVersion, ['toys/v2', '--from', 'v1', '--in', '1.29'], /1\.29 is out/],
  [
    'a release that nobody knows',
    newVersion,
    ['toys/v2', '--from', 'v1', '--in', '1.99'],
    /there is no release 1\.99 in schemas\/releases\.yaml/,
  ],
  ['a group that is not there', deprecate, ['dolls/v1'], /no group version dolls\/v1/],
  ['a kind that is not there', deprecate, ['toys/v1', 'Doll'], /toys\/v1 has no kind Doll/],
  ['a version in favour of itself', deprecate, ['toys/v1', '--replacement', 'toys/v1'], /toys\/v1 cannot replace itself/],
  ['what is deprecated already', deprecate, ['toys/v1beta1'], /is deprecated in 1\.20 already/],
  ['a removal without a release', remove, ['toys/v1'], /--in RELEASE is missing/],
  ['a flag that is not there', promote, ['--all'], /which GROUP\/VERSION/],
  ['an argument too many', promote, ['toys/v1', 'Toy'], /which GROUP\/VERSION/],
];
for (const [name, command, args, why] of wrong)
  life(`they refuse ${name}`, () =>
    withTree(toys, async (tree) => {
      try {
        await outcomeOf(command, tree.root, args);
      } catch (error) {
        assert.instance(error, UsageError);
        return assert.match((error as Error).message, why);
      }
      assert.unreachable();
    }),
  );
life.run();
