import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { applyMergePatch } from '../../../runtime/schema/patch/merge-patch.ts';
import { patchedText } from '../../../runtime/schema/patch/patch-text.ts';

const texts = suite('texts of patched documents');

texts('what a merge patch has touched has its members by name, the rest is as it was', () => {
  const document = parseJson('{"kind":"K","apiVersion":"v1","spec":{"z":1,"y":{"b":1,"a":2},"x":{"d":1,"c":2}}}').value;
  const merged = applyMergePatch(document, parseJson('{"spec":{"x":{"e":5},"list":[{"g":1,"f":2}]}}').value);
  assert.is(
    patchedText(merged, document),
    '{"apiVersion":"v1","kind":"K","spec":{"list":[{"f":2,"g":1}],"x":{"c":2,"d":1,"e":5},"y":{"b":1,"a":2},"z":1}}',
  );
});

texts.run();
