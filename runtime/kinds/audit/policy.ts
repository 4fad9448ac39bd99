import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { eachItem, neededOneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

export const rules: KindRules = {
  validate: ({ rules: list, omitStages }) => [
    ...((list ?? []).length === 0 ? [required('rules', 'a policy has at least one rule')] : []),
    ...validateStages(omitStages, 'omitStages'),
    ...eachItem<Struct>(list, 'rules', validateRule),
  ],
};

function validateRule({ level, nonResourceURLs, resources, namespaces, omitStages }: Struct, at: string): readonly FieldError[] {
  const paths: readonly string[] = nonResourceURLs ?? [];
  const both = paths.length > 0 && ((resources ?? []).length > 0 || (namespaces ?? []).length > 0);
  const problem = 'rules cannot apply to both regular resources and non-resource URLs';
  return [
    ...neededOneOf(level, `${at}.level`, LEVELS),
    ...eachItem(paths, `${at}.nonResourceURLs`, validatePath),
    ...eachItem<Struct>(resources, `${at}.resources`, validateResources),
    ...validateStages(omitStages, `${at}.omitStages`),
    ...(both ? [invalidShown(`${at}.nonResourceURLs`, goStrings(paths), problem)] : []),
  ];
}

function validatePath(url: string, at: string): readonly FieldError[] {
  if (url === '*') return [];
  return [
    ...(url.startsWith('/') ? [] : [invalid(at, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*') ? [invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule")] : []),
  ];
}

function validateResources({ group, resources, resourceNames }: Struct, at: string): readonly FieldError[] {
  const problems = group ? dnsSubdomain(group) : [];
  const names: readonly string[] = resourceNames ?? [];
  return [
    ...(problems.length > 0 ? [invalid(`${at}.group`, group, problems.join(','))] : []),
    ...(names.length > 0 && (resources ?? []).length === 0
      ? [invalidShown(`${at}.resourceNames`, goStrings(names), 'using resourceNames requires at least one resource')]
      : []),
  ];
}

function validateStages(stages: readonly string[] | undefined, path: string): readonly FieldError[] {
  return eachItem(stages, path, (stage, at) =>
    STAGES.includes(stage) ? [] : [invalid(at, stage, `allowed stages are ${STAGES.join(',')}`)],
  );
}
