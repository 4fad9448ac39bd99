import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { invalidAs } from './findings.ts';

const NAME_LENGTH = 128;
const MESSAGE_LENGTH = 1_024;
/** The version of the core group. */
const CORE = 'v1';

/** An event about something in a namespace is in that namespace; those about the cluster are in the default one. */
function validateEvent(event: ApiObject, context: RuleContext): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  const ofNewForm = (event.eventTime ?? null) !== null;
  return [
    ...(ofNewForm ? validateNewForm(event, namespace, context) : validateOldForm(event, namespace)),
    ...invalidAs(dnsSubdomain(namespace), 'namespace', namespace),
  ];
}

function validateOldForm({ involvedObject }: ApiObject, namespace: string): FieldError[] {
  const about: string = involvedObject?.namespace ?? '';
  const fits = about === '' ? namespace === '' || namespace === 'default' : about === namespace;
  return fits ? [] : [mismatch(about)];
}

const mismatch = (namespace: string): FieldError => invalid('involvedObject.namespace', namespace, 'does not match event.namespace');

/** Who reports has names in two forms: the core group, and the hub, call the controller `reportingComponent`. */
function validateNewForm(event: ApiObject, namespace: string, context: RuleContext): FieldError[] {
  const { involvedObject, reportingComponent: controller = '', reportingInstance = '', action = '', reason = '', message = '' } = event;
  const path = context.requestVersion === CORE ? 'reportingComponent' : 'reportingController';
  const misplaced = !involvedObject?.namespace && namespace !== 'default' && namespace !== context.text('${systemNamespace}');
  return [
    ...(misplaced ? [mismatch('')] : []),
    ...(controller === '' ? [required(path)] : []),
    ...invalidAs(qualifiedName(controller), path, controller),
    ...limited('reportingInstance', reportingInstance),
    ...limited('action', action),
    ...limited('reason', reason),
    ...(isLongerThan(message, MESSAGE_LENGTH) ? [tooLong('message', MESSAGE_LENGTH)] : []),
  ];
}

function limited(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  return isLongerThan(value, NAME_LENGTH) ? [tooLong(path, NAME_LENGTH)] : [];
}

const tooLong = (path: string, limit: number): FieldError => invalid(path, '', `can have at most ${limit} characters`);

/** In the group of events, whose writers are all new, an event is more than it has to be in the core group. */
const isStrict = (context: RuleContext): boolean => context.requestVersion !== '' && context.requestVersion !== CORE;

function validateNew(event: ApiObject): FieldError[] {
  const { type = '', source, count = 0 } = event;
  const unset = (path: string, isSet: boolean): FieldError[] => (isSet ? [invalid(path, '', 'needs to be unset')] : []);
  return [
    ...validateSeries(event),
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', Boolean(event.firstTimestamp)),
    ...unset('lastTimestamp', Boolean(event.lastTimestamp)),
    ...unset('count', count !== 0),
    ...unset('source', Boolean(source?.component || source?.host)),
  ];
}

function validateSeries({ series }: ApiObject): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}

/** In the order in which 1.32 compares them, the reason twice; only the series of an event goes on. */
const FIXED = [
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
  if (!isStrict(context)) return [];
  return [
    ...(deepEqual(event.series, old.series) ? [] : validateSeries(event)),
    ...FIXED.filter((member) => !deepEqual(event[member], old[member])).map((member) =>
      invalid(REPORTED_AS[member] ?? member, event[member] ?? (member === 'count' ? 0 : ''), 'field is immutable'),
    ),
  ];
}

export const rules: KindRules = {
  validate: validateEvent,
  validateCreate: (event, context) => (isStrict(context) ? validateNew(event) : []),
  validateUpdate,
  selectableField: ({ source, reportingComponent }, path) =>
    path === 'source' ? source?.component || reportingComponent || '' : undefined,
};
