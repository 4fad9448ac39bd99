/** Answers to requests for aggregated discovery, in the form that was negotiated. */
import type { Context } from 'koa';
import { BodyPieces } from '../../../connections/body-pieces.ts';
import { answerOf } from '../../../connections/client-answer.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { AGGREGATED_KIND, type AggregatedDocument, type DiscoveryRoot } from '../../../discovery/aggregated.ts';
import type { Discovery } from '../../../discovery/discovery.ts';
import { inTurns } from '../../../event-loop/turns.ts';
import type { AggregatedForm, Negotiated } from '../../../negotiation/negotiation.ts';
import type { RegistrySnapshot } from '../../../registry/resources/registry-snapshot.ts';
import { isLong } from '../../../registry/stored-objects/long-value.ts';
import { parseNativeJson } from '../../../schema/json/native-json.ts';
import { type AnswerServer, encodeObject, encodeValue, sendBytes, sendPieces, wantsPretty } from '../../answers/respond.ts';
import type { FormPlace } from '../../long-form.ts';
import { requestOf } from '../../request/client-request.ts';
import type { BodyServer } from '../../resource-server.ts';

/** What they need of the server. */
export interface AggregatedDiscoveryServer extends AnswerServer, Pick<BodyServer, 'longRequests'> {
  readonly discovery: Discovery;
}

export async function sendAggregated(
  server: AggregatedDiscoveryServer,
  context: Context,
  root: DiscoveryRoot,
  { encoding, version, pretty: asked }: AggregatedForm,
): Promise<void> {
  const described = server.discovery.aggregated(root, version);
  const document = described instanceof Promise ? await described : described;
  const { etag, body } = document;
  requestOf(context).recorder?.answers();
  context.res.setHeader('etag', etag);
  context.res.setHeader('vary', 'Accept');
  context.res.setHeader('cache-control', 'public');
  if (context.req.headers['if-none-match'] === etag) {
    return answerOf(context).sendEmpty(304);
  }
  const negotiated: Negotiated = { encoding, transform: 'none', transformVersion: '', pretty: asked };
  const group = server.identity.text('apidiscovery.${groupDomain}');
  const type = `${server.negotiator.contentType(negotiated)};g=${group};v=${version};as=${AGGREGATED_KIND}`;
  const pretty = wantsPretty(context, negotiated);
  if (encoding === 'json' && !pretty)
    return body instanceof BodyPieces ? sendPieces(context, 200, type, body) : sendBytes(context, 200, type, body);
  return sendBytes(context, 200, type, await otherForm(server, context, document, { group, version, resource: '', negotiated }, pretty));
}

async function otherForm(
  server: AggregatedDiscoveryServer,
  context: Context,
  { body, object }: AggregatedDocument,
  place: FormPlace,
  pretty: boolean,
): Promise<Buffer | string> {
  const client = requestOf(context);
  const bytes = body instanceof BodyPieces ? await inTurns(body.shared()) : body;
  if ((body instanceof BodyPieces || isMuch(bytes, place)) && server.longRequests !== undefined)
    return server.longRequests.form({ place, form: { groups: { pretty } }, value: bytes }, client);
  return formOfGroups(server, client.registry, place, pretty, object ?? parseNativeJson<object>(bytes.toString('utf8')));
}

/** The bytes of JSON above which making protobuf takes long. This server's own groups have some 100 KB. */
const MUCH_PROTOBUF = 256 * 1024;

function isMuch(json: Buffer, { negotiated: { encoding } }: FormPlace): boolean {
  if (encoding === 'protobuf') return json.length > MUCH_PROTOBUF;
  return isLong(json, encoding === 'yaml' ? 'yaml' : 'indenting');
}

/** @param groups an `ApiGroupDiscoveryList` */
export async function formOfGroups(
  server: AnswerServer,
  registry: RegistrySnapshot,
  { group, version, negotiated }: FormPlace,
  pretty: boolean,
  groups: object,
): Promise<Buffer | string> {
  if (negotiated.encoding === 'json' || negotiated.encoding === 'yaml') return encodeValue(groups, negotiated.encoding, pretty);
  const kind = await registry.kind(group, version, AGGREGATED_KIND);
  return encodeObject(server, kind, groups as ApiObject, negotiated, pretty);
}
