/** What calls of libraries may cost, where no table tells: rules of `CostEstimator` of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import { estimateCost, type SizeAt } from '../../../runtime/expressions/costs/estimate.ts';
import { UNBOUNDED } from '../../../runtime/expressions/environment/declarations.ts';
import { Environment } from '../../../runtime/expressions/environment/environment.ts';
import { jsonPatchLibrary } from '../../../runtime/expressions/libraries/json-patch.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { semverLibrary } from '../../../runtime/expressions/libraries/semver.ts';
import { DYN, listOf, STRING } from '../../../runtime/expressions/types/type.ts';

const environment = new Environment({
  libraries: [...kubernetesLibraries(32), semverLibrary, jsonPatchLibrary],
  mixedLiterals: true,
  variables: { text: STRING, other: STRING, texts: listOf(STRING), any: DYN },
});
/** `text` has up to 100 characters, `other` up to 10. */
const sizes: SizeAt = (path) => (path?.[0] === 'text' ? { min: 0n, max: 100n } : path?.[0] === 'other' ? { min: 0n, max: 10n } : undefined);
const UNKNOWN_WALK = 1_844_674_407_370_955_264n;

const rows: readonly [expression: string, min: bigint, max: bigint][] = [
  // a text of 100 characters is 10 units; each format costs as if its pattern had 128 characters
  ["format.named('uuid').value().validate(text)", 3n, 323n],
  ['isURL(text)', 2n, 2n],
  ['isQuantity(text)', 1n, 11n],
  ['jsonpatch.escapeKey(text).trim()', 1n, 21n],
  ["text.split(',').size()", 2n, 22n],
  // a limit that is stated is the size of the list, even where the text is shorter
  ["text.split(',', 1000).isSorted()", 1n, 21n + 1000n * (1n + UNKNOWN_WALK)],
  ['url(text) == url(other)', 3n, 14n],
  ['url(other) == url(text)', 3n, 23n],
  // a size that nobody knows counts, and one of a value that is not made here does not
  ['url(other) == url(string(size(texts)))', 5n, 5n + 2n * UNKNOWN_WALK],
  ['[url(other)].all(each, url(text) == each)', 15n, 29n],
  // an item whose type is not known has no size
  ["any.join(',').size()", 2n, 2n + UNKNOWN_WALK],
  ["quantity('1') == quantity('2')", 3n, 3n],
  ["quantity('1') != quantity('2')", 3n, 2n + UNKNOWN_WALK],
  ["format.named('uuid') == format.named('date')", 3n, 2n + UNKNOWN_WALK],
  ["format.named('uuid').value() == format.named('date').value()", 5n, 11n],
  ["ip('::1') == ip('::2')", 3n, 3n],
  ["semver('1234.56789012345.67890123456789')", 4n, 4n],
  ['isSemver(text, true)', 1n, 11n],
  ["semver('1.0.0').compareTo(semver('1.2.3'))", 3n, 3n],
  ["semver('1.2.3').major()", 2n, 2n],
  ["semver('1.0.0') == semver('1.2.3')", 3n, 3n],
  // an optional selection is a call
  ['any.?name', 2n, 2n],
  // twice a size that nobody knows, and two, is none in 64 bits
  ['strings.quote(string(any)).trim()', 2n, 1n + 2n * UNKNOWN_WALK],
  // four times a size that nobody knows is four bytes less than that size in 64 bits
  ['string(bytes(string(size(texts))))', 3n, 3n + 2n * UNKNOWN_WALK],
  ["dyn(quantity('1')) == quantity('2')", 4n, 3n + UNKNOWN_WALK],
];

const bounded = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value);
const test = suite('estimates of libraries');
for (const [expression, min, max] of rows)
  test(expression, () => assert.equal(estimateCost(compile(expression, environment), sizes).cost, { min, max: bounded(max) }));
test.run();
