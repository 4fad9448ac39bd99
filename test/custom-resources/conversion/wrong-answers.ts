/** Answers of webhooks that are none, or not what was asked for, and what clients are told of each. */
import { type Reply, type Review, send, success } from './webhook.ts';

/** Of the reviews, and the versions between which the tests convert. */
export const GROUP = 'apiextensions.k8s.io';
export const V1 = 'shop.example/v1';
export const V2 = 'shop.example/v2';

/** How messages begin that tell of a conversion from v1 of the tests' resource. */
export const FAILED = 'conversion webhook for shop.example/v1, Kind=Gadget failed: ';
export const RETURNED = 'conversion webhook for shop.example/v1, Kind=Gadget returned ';

/** A right answer that is made wrong. */
export const spoilt =
  (spoil: (answer: Review) => unknown): Reply =>
  (review, response) => {
    const answer = success(review);
    spoil(answer);
    send(response, answer);
  };
export const replaced =
  (replace: (answer: Review) => unknown): Reply =>
  (review, response) =>
    send(response, replace(success(review)));
export const spoiltObject = (spoil: (object: Review) => unknown): Reply => spoilt(({ response }) => spoil(response.convertedObjects[0]));
export const status = (code: number, body = '', type = 'text/plain'): Reply => {
  return (_review, response) => void response.writeHead(code, { 'content-type': type }).end(body);
};

export interface WrongAnswer {
  readonly name: string;
  readonly reply: Reply;
  /** `uid` stands for that of the question */
  readonly message: string;
  readonly versions?: readonly string[];
  /** how often it is asked; absent: once */
  readonly times?: number;
}
const NAMES = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
export const WRONG_ANSWERS: readonly WrongAnswer[] = [
  {
    name: 'a number beyond all that a double holds',
    reply: (review, response) => {
      const text = JSON.stringify(success(review)).replace(/"kind":"Gadget"/g, '"kind":"Gadget","huge":1e400');
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    },
    message: `json: cannot unmarshal number 1e400 into Go value of type float64`,
  },
  {
    name: 'no body',
    reply: status(200, '', 'application/json'),
    message: `${FAILED}0-length response with status code: 200 and content type: application/json`,
  },
  {
    name: 'an error',
    reply: status(500, ' it broke \n'),
    message: `${FAILED}an error on the server ("it broke") has prevented the request from succeeding`,
  },
  {
    name: 'an error that is no text',
    reply: status(502, '{', 'application/json'),
    message: `${FAILED}an error on the server ("unknown") has prevented the request from succeeding`,
  },
  { name: 'no such path', reply: status(404), message: `${FAILED}the server could not find the requested resource` },
  { name: 'a bad request', reply: status(400), message: `${FAILED}the server rejected our request for an unknown reason` },
  {
    name: 'an error in the form of this API',
    reply: status(500, JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'not today' }), 'application/json'),
    message: `${FAILED}not today`,
  },
  {
    name: 'a redirection without an end',
    reply: (_review, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    message: `${FAILED}Post "/elsewhere": stopped after 10 redirects`,
    times: 10,
  },
  {
    name: 'a redirection to another server, which is not followed',
    reply: (_review, response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    message: `${FAILED}the server responded with the status code 307 but did not return more information`,
  },
  {
    name: 'no JSON',
    reply: (_review, response) => send(response, '{"a":x}'),
    message: `${FAILED}couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value`,
  },
  {
    name: 'a text',
    reply: (_review, response) => send(response, '<html>hello</html>'),
    message: `${FAILED}couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${NAMES}`,
  },
  {
    name: 'YAML of another question',
    reply: (_review, response) => send(response, 'kind: ConversionReview\napiVersion: apiextensions.k8s.io/v1\nresponse: {uid: x}\n'),
    message: `${FAILED}expected response.uid="uid", got "x"`,
  },
  {
    name: 'no object',
    reply: (_review, response) => send(response, '[1]'),
    message: `${FAILED}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${NAMES}`,
  },
  {
    name: 'no names',
    reply: replaced(({ response }) => ({ response })),
    message: `${FAILED}expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got /, Kind=`,
  },
  {
    name: 'the other version of reviews',
    reply: spoilt((answer) => Object.assign(answer, { apiVersion: `${GROUP}/v1beta1` })),
    message: `${FAILED}converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
  },
  {
    name: 'something else',
    reply: spoilt((answer) => Object.assign(answer, { kind: 'AdmissionReview' })),
    message: `${FAILED}no kind "AdmissionReview" is registered for version "${GROUP}/v1" in scheme "pkg/runtime/scheme.go:110"`,
  },
  {
    name: 'the question',
    reply: (review, response) => send(response, { ...review, response: undefined }),
    message: `${FAILED}no response provided`,
  },
  {
    name: 'the question of the older version',
    versions: ['v1beta1'],
    reply: replaced(({ kind }) => ({ kind })),
    message: `${FAILED}no response provided`,
  },
  {
    name: 'an answer of another type',
    reply: spoilt((answer) => Object.assign(answer, { response: 'yes' })),
    message: `${FAILED}json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse`,
  },
  {
    name: 'another uid',
    reply: spoilt((answer) => Object.assign(answer.response, { uid: 'a"b' })),
    message: `${FAILED}expected response.uid="uid", got "a\\"b"`,
  },
  { name: 'no uid', reply: spoilt((answer) => delete answer.response.uid), message: `${FAILED}expected response.uid="uid", got ""` },
  {
    name: 'a failure with a reason',
    reply: spoilt((answer) => Object.assign(answer.response, { result: { status: 'Failure', message: 'it has no colour' } })),
    message: `${FAILED}it has no colour`,
  },
  {
    name: 'a failure',
    reply: spoilt((answer) => Object.assign(answer.response, { result: { status: 'Failure' } })),
    message: `${FAILED}response.result.status was 'Failure', not 'Success'`,
  },
  {
    name: 'no result',
    versions: ['v1beta1'],
    reply: spoilt((answer) => delete answer.response.result),
    message: `${FAILED}response.result.status was '', not 'Success'`,
  },
  {
    name: 'too few objects',
    reply: spoilt((answer) => answer.response.convertedObjects.pop()),
    message: `${RETURNED}0 objects, expected 1`,
  },
  {
    name: 'too many',
    reply: spoilt((answer) => answer.response.convertedObjects.push({})),
    message: `${RETURNED}2 objects, expected 1`,
  },
  {
    name: 'none',
    reply: spoilt((answer) => Object.assign(answer.response, { convertedObjects: null })),
    message: `${RETURNED}0 objects, expected 1`,
  },
  {
    name: 'objects that are not in a list',
    reply: spoilt((answer) => Object.assign(answer.response, { convertedObjects: {} })),
    message: `${FAILED}json: cannot unmarshal object into Go struct field ConversionReview.response.convertedObjects of type []runtime.RawExtension`,
  },
  {
    name: 'null for an object',
    reply: spoilt((answer) => Object.assign(answer.response, { convertedObjects: [null] })),
    message: 'unexpected end of JSON input',
  },
  {
    name: 'a text for an object',
    reply: spoilt((answer) => Object.assign(answer.response, { convertedObjects: ['x'] })),
    message: 'json: cannot unmarshal string into Go value of type map[string]interface {}',
  },
  {
    name: 'an object without kind',
    reply: spoilt((answer) => Object.assign(answer.response, { convertedObjects: [{ a: 1 }] })),
    message: `Object 'Kind' is missing in '{"a":1}'`,
  },
  {
    name: 'an object of the old version',
    reply: spoiltObject((object) => Object.assign(object, { apiVersion: V1 })),
    message: `${RETURNED}invalid object at index 0: invalid groupVersion (expected ${V2}, received ${V1})`,
  },
  {
    name: 'another kind',
    reply: spoiltObject((object) => Object.assign(object, { kind: 'Widget' })),
    message: `${RETURNED}invalid object at index 0: invalid kind (expected Gadget, received Widget)`,
  },
  {
    name: 'another name',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { name: 'y' })),
    message: `${RETURNED}invalid object: must have the same name: x != y`,
  },
  {
    name: 'another namespace',
    reply: spoiltObject(({ metadata }) => delete metadata.namespace),
    message: `${RETURNED}invalid object: must have the same namespace: a != `,
  },
  {
    name: 'another uid of the object',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { uid: '1' })),
    message: `${RETURNED}invalid object: must have the same UID: uid-x != 1`,
  },
  {
    name: 'no metadata',
    reply: spoiltObject((object) => delete object.metadata),
    message: `${RETURNED}invalid object: must have the same name: x != `,
  },
  {
    name: 'labels of another type',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { labels: ['a'] })),
    message: `${RETURNED}invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
  },
  {
    name: 'a label that is no text',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { labels: { a: 1 } })),
    message: `${RETURNED}invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
  },
  {
    name: 'a label that nobody may have',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { labels: { a: '-' } })),
    message: `${RETURNED}invalid metadata: metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  },
  {
    name: 'an annotation that nobody may have',
    reply: spoiltObject(({ metadata }) => Object.assign(metadata, { annotations: { 'a/': '' } })),
    message: `${RETURNED}invalid metadata: [metadata.annotation: Invalid value: "a/": name part must be non-empty, metadata.annotation: `,
  },
];
