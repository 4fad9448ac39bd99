import { invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { integerProblem } from '../../formats/integers.ts';
import { integerOf, parseInt64 } from '../../schema/scalar/raw-number.ts';
import { NONE } from '../../validation/joined.ts';
import { nameWarnings } from '../core/name-warnings.ts';
import { ROLLBACK } from './field-annotations.ts';
import { templateWarnings } from './workload.ts';

const rollback = ({ metadata }: ApiObject): string | undefined => metadata.annotations?.[ROLLBACK];

/** The revision in one form; undefined and an empty text mean none. @param object changed */
function setRollback({ metadata }: ApiObject, revision: string | undefined): void {
  if (metadata.annotations === undefined && !revision) return;
  const { [ROLLBACK]: _given, ...annotations } = metadata.annotations ?? {};
  if (revision) annotations[ROLLBACK] = String(parseInt64(revision) ?? revision);
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
}

function prepareRollback(object: ApiObject): void {
  const given = rollback(object);
  if (given !== undefined) setRollback(object, given);
}

export const rules: KindRules = {
  conversionProblem(object) {
    const revision = rollback(object);
    const problem = revision ? integerProblem(revision) : undefined;
    return problem && `failed to parse annotation[${ROLLBACK}]=${revision} as int64: ${problem}`;
  },
  prepareForCreate: prepareRollback,
  prepareForUpdate: prepareRollback,
  validate(object) {
    const revision = parseInt64(rollback(object) ?? '') ?? 0n;
    return revision < 0n ? [invalid('spec.rollback.version', integerOf(revision), 'must be greater than or equal to 0')] : NONE;
  },
  /** Labels stay as they were: besides the status, only annotations go in through it, but none that stand for fields of the spec. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
    if (rollback(object) !== rollback(old)) setRollback(object, rollback(old));
  },
  fieldAnnotations: [ROLLBACK],
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
};
