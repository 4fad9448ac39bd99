/** Every diagnostic of the generator. A code never gets another meaning, and one that is retired is never used again. */
export type Severity = 'error' | 'warning';

interface CodeEntry {
  readonly title: string;
  /** What to do about it, if the report has nothing more exact to say. */
  readonly remedy: string;
  readonly severity: Severity;
}

const error = (title: string, remedy: string): CodeEntry => ({ title, remedy, severity: 'error' });
const warning = (title: string, remedy: string): CodeEntry => ({ title, remedy, severity: 'warning' });

export const diagnosticCodes = {
  // reading
  CS001: error('file cannot be read', 'Correct the syntax at the place that the message names.'),
  CS002: error('file is empty', 'Declare at least one schema, or remove the file.'),
  CS003: error('not an OpenAPI document', 'Bring the document into the form of OpenAPI 3.0.'),
  CS004: error('protobuf file does not compile', 'Correct what the message names; imports are relative to schemas/.'),
  CS005: error('group version lacks one of its two files', 'A group version has openapi.yaml and types.proto: add the missing one.'),

  // shape of the schemas
  CS010: error('unknown $ref', 'Point it to a schema of this file, or of ../../<folder>/<version>/openapi.yaml.'),
  CS011: error('schema of a form that the generator does not know', 'Use a type, a $ref, or allOf with one $ref and siblings.'),
  CS012: error('unknown x-cluster key', 'Correct the spelling, or remove the key.'),
  CS013: error('value of a wrong form', 'Give the value in the form that the message names.'),
  CS014: warning('missing description', 'Say in a sentence what it is for, with units and limits.'),
  CS015: error('definition name is used twice', 'Give one of the types another name or x-cluster-definition.'),
  CS016: error('name cannot be used', 'Choose a name that begins with a capital letter and holds letters and digits only.'),
  CS017: error('names clash', 'Rename one of them.'),
  CS018: error('unknown identity placeholder', 'Use a name of schemas/identity.yaml, or add it there.'),
  CS019: error('default does not fit the type', 'Give a value of the type, one of the enum where there is one.'),
  CS020: error('required names no property', 'Remove the name, or add the property.'),
  CS021: error('list map keys do not fit', 'Name members of the element type that are required or have a default.'),
  CS022: error('patch merge key does not fit', 'Name a member of the element type.'),
  CS023: error('marker on a field of another type', 'Remove the marker, or change the type of the field.'),
  CS024: error('constraints cannot be compiled', 'Use constraint keywords of JSON Schema with values of their type.'),
  CS025: error('struct holds itself without end', 'Mark one of the members x-cluster-pointer, so that it may be absent.'),
  CS090: error('default is never set', 'Remove it, or state it before the one that is always set.'),
  CS091: error('condition does not fit', 'Name members of the struct, with values of their types.'),
  CS092: error('default cannot be made', 'State a value, or a member or maps of the same type to take it from.'),

  // protobuf
  CS030: error('property without protobuf field', 'Add the field to the message with a number that was never used.'),
  CS031: error('protobuf field without property', 'Add the property; or remove the field and reserve its number and name.'),
  CS032: error('types disagree', 'Give property and protobuf field the same type.'),
  CS033: error('field number or name is used twice', 'Give one of the fields a number and a name that were never used.'),
  CS034: error('field number or name is reserved', 'Use one that was never used.'),
  CS035: error('field number is skipped without being reserved', 'Reserve the number: once used, it must never be used again.'),
  CS036: error('message without schema', 'Add the schema, or remove the message.'),
  CS037: error('schema without message', 'Add the message, or mark the schema x-cluster-protobuf: false.'),
  CS038: error('no protobuf field for an inline struct', 'Add one field whose type is the message of the inline struct.'),
  CS039: error('protobuf package does not fit', 'Name the package as x-cluster-group-version does, with _ for -.'),

  // group versions, resources, kinds
  CS040: error('group version is not declared well', 'State group, version and package in x-cluster-group-version.'),
  CS041: error('group version is declared twice', 'Let one folder declare it.'),
  CS042: error('kind is missing', 'Declare a schema of this name with x-cluster-kind: true.'),
  CS043: error('resource or subresource is declared twice', 'Remove one of them.'),
  CS044: error('resource is neither stored nor handled', 'State storage for a stored resource, or handler for a virtual one.'),
  CS045: error('path leads to no member', 'Name the members from the top of the object, separated by dots.'),
  CS046: error('storage hub without conversion', 'Add x-cluster-conversion to the kind, or store it in its own version.'),
  CS047: error('conversion does not lead to the hub', 'Name the group, version and kind of the stored form.'),
  CS048: error('name of hand-written code is malformed', 'Write <folder>/<name> in lower case, such as core/pods/pod.'),
  CS049: error('list kind is missing', 'Declare <Kind>List with metadata and items.'),
  CS056: error('one prefix is stored in two forms', 'State the same storage for every version of the resource.'),
  CS058: warning('kind of a group version that is not declared', 'Declare the group version with this kind.'),
  CS069: error('index or alias of a field that nobody can select by', 'Name it among the selectableFields as well.'),
  CS070: error('hand-written code is missing', 'Write the file with the export, or correct the name.'),
  CS071: error('hand-written code that no schema names', 'Name it in the schema of its kind, or remove the export.'),
  CS057: error('cell without one source', 'Say with exactly one member where the value comes from, such as path, count or first.'),
  CS072: error('cell does not fit the type', 'Use a member of the cell that is for values of this type, or another path.'),
  CS073: error('table of a kind that is stored in another form', 'Remove it: rows are made of the stored form, by the table of that kind.'),
  CS100: error(
    'member that another version loses',
    'Add the member or a step for it, name it in converts where the function converts it, or state in loses why it may be lost.',
  ),
  CS101: error(
    'value that another version does not have',
    'Map it with a step, name the member in converts where the function does, or state in loses why it may be lost.',
  ),
  CS102: error('loss that is none', 'Remove it from loses.'),
  CS103: error('default breaks a constraint', 'Choose a value that is allowed, or change the constraint.'),
  CS104: error('example does not validate', 'Bring the example into the form that the schema states.'),
  CS105: error('structural schema that no definition may have', 'Bring the schema into the form that the message asks for.'),

  // releases
  CS050: error('unknown release', 'Use a release of schemas/releases.yaml, in quotes, or add it there.'),
  CS051: error('lifecycle is out of order', 'A kind is introduced, then deprecated, then removed.'),
  CS052: error('replacement is missing', 'Name a kind that the schemas declare.'),
  CS053: error('unknown feature gate', 'Use a gate of schemas/feature-gates.yaml, or add it there.'),
  CS054: error('releases are out of order', 'List them from the oldest to the newest, each once.'),
  CS059: error('flags are not declared well', 'Bring schemas/flags.yaml into its form.'),
  CS060: error(
    'kinds of files are stated as kinds of the API',
    'Remove it; a group version of files has no resources, tables and protobuf.',
  ),
  CS061: error('default roles and bindings are not declared well', 'Bring schemas/default-policy.yaml into its form.'),
  CS062: error('metrics are not declared well', 'Bring schemas/metrics.yaml into its form.'),
  CS063: error('behaviours are not declared well', 'Bring schemas/behaviours.yaml into its form.'),
  CS064: error('exceptions to the policy are not declared well', 'Bring schemas/policy-exceptions.yaml into its form.'),
  CS080: error('lifespan is out of order', 'Let it begin before it ends, forms and values within that of the field.'),
  CS081: error('type is not there as long as what refers to it', 'State the same releases for both, or none for the type.'),
  CS082: error('number of a field that is gone is free', 'State it as x-cluster-number, and reserve it in types.proto.'),
  CS083: error(
    'lifespan and lifecycle contradict each other',
    'A kind is introduced when its type is there, and removed before that goes.',
  ),
  CS085: error('schema is a copy', 'Refer to that of the newer version by $ref, and state beside it the x- members that differ.'),
  CS055: error('lifecycle is missing', 'State in x-cluster-lifecycle since which release there is the kind.'),
} as const satisfies Record<string, CodeEntry>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
