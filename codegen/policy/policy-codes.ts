/**
 * Every violation of the deprecation policy that the checks look for (specification: Deprecation rules). A code never gets another meaning, and one that is
 * retired is never used again.
 */
import type { Severity } from '../check/codes.ts';

export const policyRules = ['1', '2', '3', '4a', '4b', '5a', '5b', '5c', '6', '7', '8', '9', '10', '11a', '11b'] as const;

/** A rule, by its number in the specification. */
export type PolicyRule = (typeof policyRules)[number];

interface PolicyCodeEntry {
  /** Absent if the code is about the exceptions themselves. */
  readonly rule?: PolicyRule;
  /** What happened to the element that the finding names. */
  readonly title: string;
  /** What to do about it, if the finding has nothing more exact to say. */
  readonly remedy: string;
  /** A warning asks for something, but nobody breaks by what was found. */
  readonly severity: Severity;
}

const error = (rule: PolicyRule, title: string, remedy: string): PolicyCodeEntry => ({ rule, title, remedy, severity: 'error' });
const warning = (rule: PolicyRule, title: string, remedy: string): PolicyCodeEntry => ({ rule, title, remedy, severity: 'warning' });

const IN_A_NEW_VERSION = 'Leave it as it was, and change it in a new version of the group (cluster-schema new-version).';

export const policyCodes = {
  // exceptions
  CP001: {
    title: 'exceptions are not stated well',
    remedy: 'Bring the entry into the form that schemas/README.md shows.',
    severity: 'error',
  },
  CP002: {
    title: 'exception has ended',
    remedy: 'Repair what it excuses, or have it reviewed again and state a later end.',
    severity: 'error',
  },
  CP003: { title: 'exception excuses nothing', remedy: 'Remove it: what it was for is no longer there.', severity: 'error' },

  // rule 1: resources
  CP101: error('1', 'resource is gone', IN_A_NEW_VERSION),
  CP102: error('1', 'resource has another scope, kind or singular name', IN_A_NEW_VERSION),
  CP103: error('1', 'verb is gone', 'Serve the verb as long as the version is served.'),
  CP104: error('1', 'subresource is gone or has another kind', IN_A_NEW_VERSION),
  CP105: error('1', 'short name or category is gone', 'Keep it: command lines and scripts have it.'),
  CP106: error('1', 'selectable field is gone', 'Keep it: clients select by it.'),
  CP107: error('1', 'kind is gone', IN_A_NEW_VERSION),
  CP108: error('1', 'resource does less than before', 'Leave the behaviour of the resource as it was.'),
  CP109: error('1', 'column of the table is gone or has moved', 'Keep the columns in their order, and add new ones behind them.'),
  // rule 1: types
  CP110: error('1', 'field is gone', IN_A_NEW_VERSION),
  CP111: error('1', 'field has another type', IN_A_NEW_VERSION),
  CP112: error('1', 'protobuf number or name is another', 'Give the field the number and the name that it had.'),
  CP113: error('1', 'number or name that was used before is used again', 'Take one that was never used, and reserve what was.'),
  CP114: error('1', 'number or name is no longer reserved', 'Reserve it in types.proto: once used, it must never be used again.'),
  CP115: error('1', 'value is gone', IN_A_NEW_VERSION),
  CP116: error('1', 'set of values is closed', 'Let it take other values as before; say in the description which are known.'),
  CP117: error('1', 'absent means something else', 'Leave the default as it was, and change it in a new version of the group.'),
  CP118: error('1', 'field is required', 'Let it be absent as before, or give it a default.'),
  CP119: error('1', 'constraint is tighter', 'Allow what was allowed; objects that are stored have such values.'),
  CP120: error('1', 'list or map is owned otherwise', 'Leave list type, map keys and map type as they were.'),
  CP121: error('1', 'field is patched otherwise', 'Leave patch strategy and merge key as they were.'),
  CP122: error('1', 'field is behind a gate that is off', 'Let it be there without the gate, or choose one that is on.'),
  CP123: error('1', 'annotation has another name', 'Keep the name: objects carry it.'),
  CP124: error('1', 'identifier is another', 'Leave it as it was: clients and stored objects have it.'),
  CP125: error('1', 'object is converted otherwise', 'Convert what was there as before: clients of that version rely on it.'),
  // definitions of custom kinds alone
  CP130: warning('1', 'description is another', 'See whether it still says what the field did before.'),
  CP131: warning('1', 'field takes more than before', 'Clients that read it must be ready for what they have not seen yet.'),
  CP132: error('1', 'field may no longer be null', 'Let it be null as before.'),
  CP133: warning('1', 'field is required, and has a default', 'See whether the default is right for objects that are stored.'),
  CP134: warning('1', 'rule refuses for another reason', 'See whether clients go by the reason of the refusal.'),

  // rule 2
  CP200: error('2', 'conversions cannot be tried', 'Run cluster-schema generate: generated/ is not what the schemas say.'),
  CP201: error('2', 'field has no equivalent in another version', 'Add the field there, or keep it in an annotation (keepInAnnotation).'),
  CP202: error('2', 'object changes on its way through another version', 'Correct the steps or the function that converts it.'),
  CP203: error('2', 'loss is declared between versions that are served', 'Keep what would be lost in an annotation (keepInAnnotation).'),

  // rule 3
  CP301: error('3', 'version is deprecated in favour of a less stable one', 'Wait until a version that is at least as stable is served.'),
  CP302: error('3', 'replacement is not there yet', 'Deprecate it in a release that serves the replacement.'),
  CP303: error('3', 'replacement goes before what it replaces', 'Serve the replacement at least as long.'),

  // rule 4a
  CP401: error('4a', 'stable version is removed', 'Keep it for all releases of the major version; it may stay deprecated.'),
  CP402: error('4a', 'version is removed too early', 'Deprecate it first, and serve it for 9 months and 3 releases more.'),
  CP403: error('4a', 'beta version is not deprecated in time', 'Deprecate it within 9 months or 3 releases of its introduction.'),
  CP404: warning('4a', 'deprecated beta version is still served', 'Remove it (cluster-schema remove).'),
  CP405: error('4a', 'version that is not stable is on by default', 'State enabledByDefault: false.'),
  CP406: error('4a', 'version is off by default', 'Leave it on as long as it is served.'),
  CP407: error('4a', 'lifecycle says something else of the past', 'State the release in which it was announced.'),
  CP408: error('4a', 'release has another date, or is gone', 'Leave the dates of what was released as they are.'),

  // rule 4b
  CP410: error('4b', 'storage version moves too early', 'Store the former version for one release more: both must have been served.'),
  CP411: error('4b', 'preferred version moves too early', 'Prefer the former version for one release more: both must have been served.'),
  CP412: error('4b', 'stored version cannot be read', 'Keep the kind of that version, and its conversion, in the schemas.'),
  CP413: error('4b', 'storage or preferred version moves back', 'Move only to a newer version that is at least as stable.'),

  // rules 5 and 6
  CP501: error(
    '5b',
    'flag is gone too early',
    'Keep the flag: state since when it is deprecated, and leave it for the time that rule 5 says.',
  ),
  CP502: error('5b', 'flag takes other values', 'Take the values that it took, and add a new flag for the others.'),
  CP503: error('5c', 'flag is deprecated in favour of a less stable one', 'Name a replacement that is at least as stable.'),
  CP504: error('5b', 'flag says something else of the past', 'State the release in which its deprecation was announced.'),
  CP505: error('5b', 'flag is less stable than before', 'Leave its stability as it was.'),
  CP601: error('6', 'deprecated flag gives no warning', 'State in deprecated.warning what people shall do instead.'),

  // rules 7 and 8
  CP701: error('7', 'behaviour is gone too early', 'Announce it as deprecated in schemas/behaviours.yaml, and keep it for a year.'),
  CP702: error(
    '7',
    'behaviour changes without being announced',
    'State the former one in schemas/behaviours.yaml as deprecated, and keep it for a year.',
  ),
  CP703: error('7', 'behaviour says something else of the past', 'State the release in which its deprecation was announced.'),
  CP801: error('8', 'feature is deprecated in favour of a less stable one', 'Name a replacement that is at least as stable.'),

  // rules 9 and 10
  CP901: error('9', 'feature gate is gone too early', 'Keep the gate for the time that rule 9 says.'),
  CP902: error('9', 'feature gate goes back', 'Let the stages follow each other: Alpha, Beta, GA, or Deprecated.'),
  CP903: error('9', 'feature gate says something else of the past', 'Leave the stages of releases that are out as they were.'),
  CP904: error('9', 'feature gate has another default than its stage', 'Leave Alpha gates off, and GA gates on.'),
  CP1001: error('10', 'feature gate without effect can be turned', 'State locked: true, so that nobody believes it does something.'),

  // rule 11
  CP1101: error('11b', 'metric is gone too early', 'Deprecate it first, and delete it one release after it was hidden.'),
  CP1102: error('11a', 'metric changes', 'Leave type, labels and buckets as they were, or add a metric of another name.'),
  CP1103: error('11a', 'metric is less stable than before', 'Leave its stability as it was.'),
  CP1104: error('11a', 'metric is gone before its time', 'Keep it for the time that rule 11a says.'),
  CP1105: warning('11b', 'hidden metric is still there', 'Delete it from schemas/metrics.yaml and from the code.'),
  CP1106: error('11b', 'metric says something else of the past', 'State the release in which its deprecation was announced.'),
} as const satisfies Record<string, PolicyCodeEntry>;

export type PolicyCode = keyof typeof policyCodes;
