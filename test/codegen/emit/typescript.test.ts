import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { literal, moduleAlias, relativeImport } from '../../../codegen/emit/typescript.ts';

const literals = suite('literals');
literals('are expressions of their value', () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // the generated text is run, which is what it is for
      const back: unknown = new Function(`return (${literal(value)});`)();
      assert.equal(JSON.stringify(back), JSON.stringify(JSON.parse(JSON.stringify(value))));
    }),
  ),
);
literals('keep placeholders as text, in single quotes', () => assert.is(literal('a ${b} \'c\' "d"'), `'a \${b} \\'c\\' "d"'`));
literals('have a member of the name __proto__', () => {
  const back: object = new Function(`return (${literal(JSON.parse('{ "__proto__": 0, "a": { "__proto__": [] } }'))});`)();
  assert.is(JSON.stringify(back), '{"__proto__":0,"a":{"__proto__":[]}}');
});
literals('leave out members that are undefined', () => assert.is(literal({ a: undefined, 'b-c': [1, null] }), "{ 'b-c': [1, null] }"));
literals.run();

const modules = suite('modules');
modules('have names', () => {
  assert.equal(['meta/v1', 'resource/v1alpha3', 'admission-registration/v1'].map(moduleAlias), [
    'metaV1',
    'resourceV1alpha3',
    'admissionRegistrationV1',
  ]);
});
modules('find each other', () => {
  assert.is(relativeImport('apps/v1', 'core/v1/types.ts'), '../../core/v1/types.ts');
  assert.is(relativeImport('apps/v1', 'apps/v2/types.ts'), '../v2/types.ts');
  assert.is(relativeImport('.', 'apps/v1/kinds.ts'), './apps/v1/kinds.ts');
});
modules.run();
