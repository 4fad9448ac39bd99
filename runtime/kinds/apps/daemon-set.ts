import type { KindRules } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { integerProblem } from '../../formats/integers.ts';
import { deepEqual } from '../../schema/equal.ts';
import { parseInt64 } from '../../schema/scalar/raw-number.ts';
import { TEMPLATE_GENERATION } from './field-annotations.ts';
import { templateWarnings } from './workload.ts';

const countText = ({ metadata }: ApiObject): string => metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
const conversionProblem = (object: ApiObject): string | undefined => integerProblem(countText(object));

const templateGeneration = (object: ApiObject): bigint => parseInt64(countText(object)) ?? 0n;

function setTemplateGeneration({ metadata }: ApiObject, value: bigint): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(BigInt.asIntN(64, value)) };
}

export const rules: KindRules = {
  conversionProblem,
  /** The internal form of 1.32 has a number, so the annotation is there from the beginning, and belongs to who sends the object without it. */
  defaults(object) {
    if (conversionProblem(object) === undefined) setTemplateGeneration(object, templateGeneration(object));
  },
  prepareForCreate(object) {
    const sent = templateGeneration(object);
    setTemplateGeneration(object, sent < 1n ? 1n : sent);
  },
  prepareForUpdate: (object, old) =>
    setTemplateGeneration(object, templateGeneration(old) + (deepEqual(object.spec.template, old.spec.template) ? 0n : 1n)),
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  warnings: templateWarnings,
  fieldAnnotations: [TEMPLATE_GENERATION],
};
