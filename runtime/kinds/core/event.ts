import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { age } from '../cells/age.ts';
import { dnsSubdomain, qualifiedName } from '../metadata/names.ts';

/** Characters of reporting instance, action and reason. */
const SHORT_TEXT = 128;
/** Characters of the note. */
const NOTE = 1024;

/** In events of the group `events` more is required than in those of the core group, which are the older form. */
function isNewForm(context: RuleContext): boolean {
  return context.requestVersion !== 'v1';
}

function validateNamespace({ metadata, involvedObject }: ApiObject): FieldError[] {
  const namespace = metadata.namespace ?? '';
  const involved: string = involvedObject?.namespace ?? '';
  const fits = involved === '' ? namespace === '' || namespace === 'default' : involved === namespace;
  return [
    ...(fits ? [] : [invalid('involvedObject.namespace', involved, 'does not match event.namespace')]),
    ...dnsSubdomain(namespace).map((message) => invalid('namespace', namespace, message)),
  ];
}

function validate(event: ApiObject, context: RuleContext): FieldError[] {
  const errors = validateNamespace(event);
  const isNew = (event.metadata.resourceVersion ?? '') === '';
  if (!isNew || !isNewForm(context)) return errors;
  return [
    ...errors,
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...validateSeries(event),
    ...validateReporter(event),
    ...neededShortText(event.action, 'action'),
    ...neededShortText(event.reason, 'reason'),
    ...((event.message ?? '').length > NOTE ? [invalid('message', '', `can have at most ${NOTE} characters`)] : []),
    ...(event.type === 'Normal' || event.type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...validateUnset(event),
  ];
}

function validateSeries({ series }: ApiObject): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

function validateReporter({ reportingComponent = '', reportingInstance = '' }: ApiObject): FieldError[] {
  return [
    ...(reportingComponent === '' ? [required('reportingController')] : []),
    ...qualifiedName(reportingComponent).map((message) => invalid('reportingController', reportingComponent, message)),
    ...neededShortText(reportingInstance, 'reportingInstance'),
  ];
}

function neededShortText(text: string | undefined, path: string): FieldError[] {
  if ((text ?? '') === '') return [required(path)];
  return (text as string).length > SHORT_TEXT ? [invalid(path, '', `can have at most ${SHORT_TEXT} characters`)] : [];
}

/** Members of the older form that new events must not have. */
function validateUnset({ firstTimestamp, lastTimestamp, count, source }: ApiObject): FieldError[] {
  const set: [unknown, string][] = [
    [firstTimestamp, 'firstTimestamp'],
    [lastTimestamp, 'lastTimestamp'],
    [count, 'count'],
    [source?.component, 'source.component'],
    [source?.host, 'source.host'],
  ];
  return set.filter(([value]) => Boolean(value)).map(([, path]) => invalid(path, '', 'needs to be unset'));
}

/** In the order in which 1.32 compares them, `reason` twice. */
const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];
/** Members that are reported by the name that they have in the newer form. */
const REPORTED_AS: Readonly<Record<string, string>> = { reportingComponent: 'reportingController' };

function validateUpdate(event: ApiObject, old: ApiObject, context: RuleContext): FieldError[] {
  if (!isNewForm(context)) return [];
  return [
    ...(deepEqual(event.series, old.series) ? [] : validateSeries(event)),
    ...IMMUTABLE.filter((member) => !deepEqual(event[member], old[member])).map((member) =>
      invalid(REPORTED_AS[member] ?? member, event[member] ?? (member === 'count' ? 0 : ''), 'field is immutable'),
    ),
  ];
}

function cells(event: ApiObject, now: number): unknown[] {
  const first = event.firstTimestamp ? age(event.firstTimestamp, now) : age(event.eventTime, now);
  const last = event.series ? age(event.series.lastObservedTime, now) : event.lastTimestamp ? age(event.lastTimestamp, now) : first;
  const count: number = event.series ? (event.series.count ?? 0) : (event.count ?? 1);
  const { kind = '', name = '', fieldPath = '' } = event.involvedObject ?? {};
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`,
    fieldPath,
    sourceCell(event),
    (event.message ?? '').trim(),
    first,
    count,
    event.metadata.name ?? '',
  ];
}

function sourceCell({ source, reportingComponent = '', reportingInstance = '' }: ApiObject): string {
  const component = source?.component || reportingComponent;
  const host = source?.host || reportingInstance;
  return host === '' ? component : `${component}, ${host}`;
}

export const rules: KindRules = {
  validate,
  validateUpdate,
  cells,
  selectableField: (event, path) => (path === 'source' ? event.source?.component || event.reportingComponent || '' : undefined),
};
