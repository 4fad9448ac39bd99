/** Writes `openapi-history.json`: the schemas that earlier releases published, where the documents of the current release do not tell them. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../../runtime/openapi/document.ts';
import type { DatedSchemas, SchemaHistory } from '../../../runtime/openapi/earlier/schemas-history.ts';
import type { GroupVersion } from '../../model/model.ts';
import { PublishedSchemas } from '../openapi/schemas.ts';
import type { HistoryModel } from './history-model.ts';
import type { Window } from './window.ts';

/** @param documented definitions that documents of the current release have */
export function emitSchemaHistory(history: HistoryModel, documented: ReadonlySet<string>): string {
  const { releases } = history.window;
  const published = releases.map((release) => new PublishedSchemas(history.model.at(release)));
  const served = new Set(
    releases.flatMap((release) =>
      history.model
        .at(release)
        .groupVersions.filter(isServed)
        .map(({ folder }) => folder),
    ),
  );
  const definitions = history.releasedVersions
    .filter(({ folder }) => served.has(folder))
    .flatMap(({ types }) => types.map(({ definition }) => definition))
    .sort();
  const lines = definitions.flatMap((definition) => {
    const forms = withoutGaps(published.map((schemas) => schemas.get(definition)));
    const found = forms && historyOf(forms, history.window, documented.has(definition));
    return found === undefined ? [] : [`${JSON.stringify(definition)}:${JSON.stringify(found)}`];
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

const isServed = ({ resources }: GroupVersion): boolean => resources.length > 0;

/**
 * Nobody asks for a schema in a release that does not have it, so the form that comes next, or came before, may stand in its place.
 * @returns undefined if no release has it
 */
function withoutGaps(forms: readonly (Schema | undefined)[]): readonly Schema[] | undefined {
  const last = forms.findLast((form) => form !== undefined);
  return last && forms.map((_, index) => forms.slice(index).find((form) => form !== undefined) ?? last);
}

/**
 * @param forms the schema in each release of the window
 * @param documented whether documents of the current release have its form
 * @returns undefined if these documents tell everything
 */
function historyOf(forms: readonly Schema[], window: Window, documented: boolean): SchemaHistory | undefined {
  if (!documented && forms.every((form) => isDeepStrictEqual(form, forms[0]))) return { forms: datedForms(forms, window) };
  const dated = (all: readonly (Schema | undefined)[]): DatedSchemas | undefined => {
    const found = datedForms(all, window);
    return documented && isAlways(found) ? undefined : found;
  };
  const own = dated(forms.map((form) => (form.properties === undefined ? form : { ...form, properties: {} })));
  const names = [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))].sort();
  const properties = names.flatMap((name) => {
    const found = dated(forms.map((form) => form.properties?.[name]));
    return found === undefined ? [] : [[name, found]];
  });
  if (own === undefined && properties.length === 0) return undefined;
  return { ...(own !== undefined && { forms: own }), ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
}

const isAlways = (dated: DatedSchemas): boolean => dated.length === 1 && dated[0]?.since === undefined && dated[0]?.until === undefined;

/** Joins equal forms of releases that follow each other. */
function datedForms(forms: readonly (Schema | undefined)[], { releases }: Window): DatedSchemas {
  const begins = forms.flatMap((form, index) => (index === 0 || !isDeepStrictEqual(form, forms[index - 1]) ? [index] : []));
  return begins.flatMap((begin, index) => {
    const [schema, end] = [forms[begin], begins[index + 1]];
    if (schema === undefined) return [];
    return [
      { schema, ...(begin > 0 && { since: releases[begin] as string }), ...(end !== undefined && { until: releases[end] as string }) },
    ];
  });
}
