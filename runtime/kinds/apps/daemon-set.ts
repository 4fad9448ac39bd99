import type { KindRules } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { integerProblem } from '../../formats/integers.ts';
import { deepEqual } from '../../schema/equal.ts';
import { TEMPLATE_GENERATION } from './field-annotations.ts';
import { templateWarnings } from './workload.ts';

const countText = ({ metadata }: ApiObject): string => metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
const conversionProblem = (object: ApiObject): string | undefined => integerProblem(countText(object));

function templateGeneration(object: ApiObject): number {
  const value = Number(countText(object));
  return Number.isSafeInteger(value) ? value : 0;
}

function setTemplateGeneration({ metadata }: ApiObject, value: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(value) };
}

export const rules: KindRules = {
  conversionProblem,
  /** The internal form of 1.32 has a number, so the annotation is there from the beginning, and belongs to who sends the object without it. */
  defaults: (object) => conversionProblem(object) ?? setTemplateGeneration(object, templateGeneration(object)),
  prepareForCreate: (object) => setTemplateGeneration(object, Math.max(templateGeneration(object), 1)),
  prepareForUpdate: (object, old) =>
    setTemplateGeneration(object, templateGeneration(old) + (deepEqual(object.spec.template, old.spec.template) ? 0 : 1)),
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  warnings: templateWarnings,
  fieldAnnotations: [TEMPLATE_GENERATION],
};
