import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DiagnosticCode, diagnosticCodes } from '../../../codegen/check/codes.ts';
import { text, withTree } from '../tree.ts';
import { conversionCases } from './cases/conversions.ts';
import { defaultsCases } from './cases/defaults.ts';
import { proto, spec } from './cases/edits.ts';
import { protobufCases } from './cases/protobuf.ts';
import { readingCases } from './cases/reading.ts';
import { releasesCases } from './cases/releases.ts';
import { resourcesCases } from './cases/resources.ts';
import { schemasCases } from './cases/schemas.ts';
import { statedValuesCases } from './cases/stated-values.ts';
import { structuralCases } from './cases/structural.ts';
import { tablesCases } from './cases/tables.ts';

const diagnostics = suite('diagnostics');
const rows = [
  ...readingCases,
  ...schemasCases,
  ...defaultsCases,
  ...protobufCases,
  ...resourcesCases,
  ...conversionCases,
  ...releasesCases,
  ...tablesCases,
  ...statedValuesCases,
  ...structuralCases,
];
for (const [name, code, file, path, edit] of rows)
  diagnostics(`${code} ${name}`, () =>
    withTree(edit, async (tree) => {
      const { errors, warnings, files } = await tree.generate();
      const all = [...errors, ...warnings];
      const found = all.find((each) => each.code === code && each.file === file && each.path === path);
      assert.ok(
        found,
        `${code} ${file} ${path} is not among\n${all.map((each) => `${each.code} ${each.file} ${each.path}: ${each.problem}`).join('\n')}`,
      );
      assert.ok(found.problem.length > 0 && found.remedy.length > 0);
      assert.not.match(JSON.stringify(all), tree.root);
      if (errors.length > 0) assert.is(files.size, 0);
    }),
  );
diagnostics('have a case each', () => {
  const covered = new Set(rows.map(([, code]) => code));
  assert.equal(
    Object.keys(diagnosticCodes).filter((code) => !covered.has(code as DiagnosticCode)),
    [],
  );
});
diagnostics('are reported together', () =>
  withTree(
    (f) => {
      spec(f).colour['x-cluster-alway'] = true;
      spec(f).size = text();
      proto(f, 'string name = 1;', 'string name = 2;');
      f.openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-lifecycle'].introduced = '9.9';
    },
    async (tree) => {
      const { errors } = await tree.generate();
      assert.equal(errors.map(({ code }) => code).sort(), ['CS012', 'CS030', 'CS035', 'CS050']);
    },
  ),
);
diagnostics('of releases that cannot be read are about these alone', () =>
  withTree(
    (f) => {
      f.releases.releases['1.20'] = 'soon';
      spec(f).colour['x-cluster-since'] = '1.20';
    },
    async (tree) => {
      const { errors } = await tree.generate();
      assert.equal(
        errors.map(({ code, file }) => `${code} ${file}`),
        ['CS013 schemas/releases.yaml'],
      );
    },
  ),
);
diagnostics('are none for markers that 1.32 publishes on what is no list', () =>
  withTree(
    (f) => {
      spec(f).seal = { description: 'Bytes.', type: 'string', format: 'byte', 'x-kubernetes-list-type': 'atomic' };
      proto(f, 'Part parts = 2;', 'Part parts = 2; optional bytes seal = 3;');
    },
    async (tree) => assert.equal((await tree.generate()).errors, []),
  ),
);
diagnostics('are none in order', () =>
  withTree(
    () => {},
    async (tree) => {
      const { errors, warnings, files } = await tree.generate();
      assert.equal([...errors, ...warnings], []);
      assert.ok(files.size > 0);
    },
  ),
);
diagnostics.run();
