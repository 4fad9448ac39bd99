/** The schemas of this tree hold the API of earlier releases as a whole: all that is generated can be generated of it. */
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitAll } from '../../../codegen/emit/emit.ts';
import { modelOf } from '../tree.ts';

const model = await modelOf(path.join(import.meta.dirname, '../../..'));
const generated = emitAll(model.at('1.20'), {});
const text = (file: string): string => generated.get(file) ?? '';

interface Row {
  readonly name: string;
  readonly file: string;
  readonly has?: RegExp;
  readonly lacks?: RegExp;
}

const rows: readonly Row[] = [
  { name: 'a kind that is gone', file: 'policy/v1beta1/descriptors.ts', has: /PodSecurityPolicySpec/ },
  { name: 'a resource of a version that was removed', file: 'routes.ts', has: /name: 'ingresses'[^\n]*version: 'v1', kind: 'Ingress'/ },
  {
    name: 'a group version that is gone, and is off by default',
    file: 'routes.ts',
    has: /folder: 'batch\/v2alpha1',[^}]*enabledByDefault: false/,
  },
  { name: 'a version that was on by default', file: 'routes.ts', has: /folder: 'extensions\/v1beta1',[^}]*enabledByDefault: true/ },
  { name: 'no version that came later', file: 'routes.ts', lacks: /folder: 'autoscaling\/v2',/ },
  { name: 'no field that came later', file: 'core/v1/descriptors.ts', has: /topologySpreadConstraints/, lacks: /schedulingGates/ },
  { name: 'no value that came later', file: 'core/v1/types.ts', has: /'ReadWriteMany'/, lacks: /ReadWriteOncePod/ },
  { name: 'documents of the release', file: 'extensions/v1beta1/openapi.json', has: /"version":"v1\.20\.0".*\n[\s\S]*ingresses/ },
  { name: 'stages of feature gates', file: 'feature-gates.ts', has: /'1\.20'/, lacks: /'1\.21'/ },
];

const earlier = suite('what is generated of 1.20 has');
for (const { name, file, has, lacks } of rows)
  earlier(name, () => {
    if (has !== undefined) assert.match(text(file), has);
    if (lacks !== undefined) {
      assert.ok(text(file).length > 0);
      assert.not.match(text(file), lacks);
    }
  });
earlier('nothing where there is no such release', () => assert.throws(() => model.at('1.100'), /there is no release 1\.100/));
earlier.run();
