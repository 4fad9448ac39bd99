/**
 * What a reviewer would try: variants of violations, with what they are found as, and changes beside them that are allowed. Cases of each rule as the specification
 * words it stand in `cases/`; these hold that a rule does not depend on how a change is written.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fields } from './cases/variants/fields.ts';
import { tables } from './cases/variants/tables.ts';
import { versions } from './cases/variants/versions.ts';
import { messagesOf, outcomeOf } from './states.ts';

const variants = [fields, versions, tables];

const violations = suite('variants of violations');
for (const { name, expected, edit, earlier } of variants.flatMap((each) => each.violations))
  violations(name, async () => {
    const outcome = await outcomeOf(edit, earlier);
    assert.equal(
      outcome.findings.map(({ code, rule, element }) => `${code} ${rule} ${element}`).sort(),
      expected.map(([code, rule, element]) => `${code} ${rule} ${element}`).sort(),
      messagesOf(outcome).join('\n'),
    );
  });
violations.run();

const allowed = suite('variants of allowed changes');
for (const { name, edit, earlier } of variants.flatMap((each) => each.allowed))
  allowed(name, async () => assert.equal(messagesOf(await outcomeOf(edit, earlier)), []));
allowed.run();
