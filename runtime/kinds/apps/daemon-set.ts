import type { KindRules } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { integerProblem } from '../../formats/integers.ts';
import { deepEqual } from '../../schema/equal.ts';
import { TEMPLATE_GENERATION } from './field-annotations.ts';
import { templateWarnings } from './workload.ts';

function templateGeneration(object: ApiObject): number {
  const value = Number(object.metadata.annotations?.[TEMPLATE_GENERATION]);
  return Number.isSafeInteger(value) ? value : 0;
}

function setTemplateGeneration(object: ApiObject, value: number): void {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(value) };
}

export const rules: KindRules = {
  conversionProblem({ metadata }) {
    const count = metadata.annotations?.[TEMPLATE_GENERATION];
    return count === undefined ? undefined : integerProblem(count);
  },
  prepareForCreate: (object) => setTemplateGeneration(object, Math.max(templateGeneration(object), 1)),
  prepareForUpdate(object, old) {
    const changed = !deepEqual(object.spec.template, old.spec.template);
    setTemplateGeneration(object, templateGeneration(old) + (changed ? 1 : 0));
  },
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  warnings: templateWarnings,
  fieldAnnotations: [TEMPLATE_GENERATION],
};
