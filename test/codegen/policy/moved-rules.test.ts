/** Rules that moved to another file are the same rules, and others are not. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withMovedRules } from '../../../codegen/policy/moved-rules.ts';
import type { Sources } from '../../../codegen/read/sources.ts';

const test = suite('rules that moved');

/** @param files exports by file below `runtime/kinds/` */
function sources(rules: readonly string[], files: Readonly<Record<string, readonly string[]>> = {}): Sources {
  const validations = rules.map((rule, at) => (at % 2 === 0 ? { rule } : { when: { holds: rule }, required: true }));
  const content = { components: { schemas: { Toy: { 'x-cluster-validations': validations } } } };
  return {
    documents: [{ folder: 'toys/v1', file: 'schemas/toys/v1/openapi.yaml', content }],
    ruleFiles: new Map(Object.entries(files).map(([file, names]) => [file, new Set(names)])),
  } as unknown as Sources;
}

interface Row {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly files?: Readonly<Record<string, readonly string[]>>;
  /** names of the earlier rules as they are compared */
  readonly compared: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'none has', before: ['toys/toy#size'], after: ['toys/toy#size', 'toys/part#size'], compared: ['toys/toy#size'] },
  {
    name: 'one has, and is in a condition too',
    before: ['toys/toy#size', 'toys/toy#size', 'toys/toy#colour'],
    after: ['toys/sizes/toy#size', 'toys/toy#colour'],
    compared: ['toys/sizes/toy#size', 'toys/sizes/toy#size', 'toys/toy#colour'],
  },
  {
    name: 'several of one name, told apart by their files',
    before: ['toys/toy#size', 'toys/part#size'],
    after: ['toys/parts/part#size', 'toys/toys/toy#size'],
    compared: ['toys/toys/toy#size', 'toys/parts/part#size'],
  },
  {
    name: 'several of one name in files of other names, which may be either',
    before: ['toys/toy#size', 'toys/part#size'],
    after: ['toys/sizes#size', 'toys/amounts#size'],
    compared: ['toys/toy#size', 'toys/part#size'],
  },
  {
    name: 'the export is still where it was, and another one is named',
    before: ['toys/toy#size'],
    after: ['toys/part#size'],
    files: { 'toys/toy': ['size'], 'toys/part': ['size'] },
    compared: ['toys/toy#size'],
  },
  {
    name: 'two became one, so that one of them tests something else',
    before: ['toys/toy#size', 'toys/part#size'],
    after: ['toys/sizes#size'],
    compared: ['toys/toy#size', 'toys/part#size'],
  },
  {
    name: 'the other one was there before',
    before: ['toys/toy#size', 'toys/part#size'],
    after: ['toys/part#size', 'toys/part#size'],
    compared: ['toys/toy#size', 'toys/part#size'],
  },
  { name: 'its export has another name', before: ['toys/toy#size'], after: ['toys/toy#sizes'], compared: ['toys/toy#size'] },
];

for (const { name, before, after, files, compared } of rows)
  test(name, () => {
    const earlier = sources(before);
    const copy = structuredClone(earlier.documents);
    const found = withMovedRules(earlier, sources(after, files));
    assert.equal(found.documents, sources(compared).documents);
    assert.equal(earlier.documents, copy);
  });

test('texts that only look like names stay', () => {
  const earlier = sources(['toys/toy#size']);
  const described = { ...earlier.documents[0], content: { description: 'toys/toy#size', example: { rule: 7 } } };
  const both = { ...earlier, documents: [...earlier.documents, described] } as unknown as Sources;
  const [first, second] = withMovedRules(both, sources(['toys/sizes#size'])).documents;
  assert.equal(first, sources(['toys/sizes#size']).documents[0]);
  assert.equal(second, described);
});

test.run();
