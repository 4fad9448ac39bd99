/** What handlers of verbs know of a request for a resource. */

import type { Context } from 'koa';
import { writeJson } from '../contract/json-writer.ts';
import type { ApiObject } from '../contract/object.ts';
import type { User } from '../contract/request-context.ts';
import type { Negotiated } from '../negotiation/negotiation.ts';
import type { Kind } from '../registry/kinds/kind.ts';
import { nameFault } from '../registry/resource-store/absent-object.ts';
import type { Written } from '../registry/resource-store/object-writes.ts';
import type { ResourceStore } from '../registry/resource-store/resource-store.ts';
import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { inStoredOrder } from '../registry/stored-objects/stored-object.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { newBadRequest, type Status } from '../status/status.ts';
import { encodeObject, encodeStatus, sendBytes, sendJsonLine, transformObject, wantsPretty } from './answers/respond.ts';
import { type ListOptions, listOptions } from './options.ts';
import type { ClientRequest } from './request/client-request.ts';
import type { RequestInfo } from './request/request-info.ts';
import type { ResourceServer } from './resource-server.ts';

export interface ResourceRequest {
  readonly server: ResourceServer;
  readonly client: ClientRequest;
  readonly context: Context;
  /** what was served when the request began */
  readonly registry: RegistrySnapshot;
  readonly info: RequestInfo;
  readonly user: User;
  readonly resource: Resource;
  /** the kind of the resource or subresource, in the version of the path */
  readonly kind: Kind;
  readonly store: ResourceStore;
  readonly negotiated: Negotiated;
  /** read already for lists and watches, because wrong options are refused before the form of the answer is chosen */
  readonly listOptions: ListOptions | undefined;
}

/** @throws StatusError BadRequest, Invalid */
export function listOptionsOf({ listOptions: known, info, server }: ResourceRequest): ListOptions {
  return known ?? listOptions(info.query, server);
}

/** Answers a request. @throws StatusError */
export type Handler = (request: ResourceRequest) => Promise<void>;

/** @throws StatusError BadRequest for a name that no path may hold */
export function requireName({ name }: Pick<RequestInfo, 'name'>): void {
  const fault = nameFault(name);
  if (fault !== undefined) throw newBadRequest(fault);
}

/** @throws StatusError BadRequest for the path of a collection, which what definitions have brought takes for that of an object where the verb is one of objects */
export function requireObjectPath({ name }: Pick<RequestInfo, 'name'>): void {
  if (name === '') throw newBadRequest('name must be provided');
}

/** Answers with the object that was written: with its stored bytes where these are the form that the client asked for. */
export function sendWritten(request: ResourceRequest, written: Written, status: number): Promise<void> {
  const { kind, negotiated } = request;
  const plain = negotiated.encoding === 'json' && negotiated.transform === 'none' && !wantsPretty(request.context, negotiated);
  if (plain && written.stored !== undefined && kind.hub === kind) return sendJsonLine(request.context, status, written.stored.json);
  const { object } = written;
  return sendHubObject(request, { ...object, metadata: inStoredOrder(object.metadata, kind.hub.data.type) }, status);
}

/** @param object of the hub; may be changed */
export async function sendHubObject(request: ResourceRequest, object: ApiObject, status: number): Promise<void> {
  const { server, client, kind, negotiated, info } = request;
  const began = performance.now();
  const ofHub = negotiated.transform === 'none' || kind.hub === kind ? object : structuredCopy(object);
  const shown = transformObject(server, kind, ofHub, kind.fromHub(object), negotiated, info.query);
  client.took('transform-response-object', performance.now() - began);
  return sendShown(request, shown, status);
}

/** Answers with an object in the form that was negotiated. */
export async function sendShown(request: ResourceRequest, shown: ReturnType<typeof transformObject>, status: number): Promise<void> {
  const { server, client, kind, negotiated, context } = request;
  const mediaType = server.negotiator.contentType(negotiated);
  const part = client.trace?.beginAnswer(mediaType, negotiated.encoding);
  const began = performance.now();
  const bytes = await encodeObject(server, kind, shown, negotiated, wantsPretty(context, negotiated));
  part?.begins(Buffer.byteLength(bytes));
  const sent = sendBytes(context, status, mediaType, bytes);
  await (part === undefined ? sent : part.until(sent));
  client.took('serialize-response-object', performance.now() - began);
}

function structuredCopy(object: ApiObject): ApiObject {
  return parseNativeJson(writeJson(object));
}

export async function sendStatus(request: ResourceRequest, status: Status, code: number): Promise<void> {
  const { server, client, context, negotiated } = request;
  client.recorder?.outcome(status);
  const part = client.trace?.beginAnswer(server.negotiator.contentType(negotiated), negotiated.encoding);
  const began = performance.now();
  const { contentType, bytes } = await encodeStatus(server, status, negotiated, wantsPretty(context, negotiated));
  part?.begins(Buffer.byteLength(bytes));
  const sent = sendBytes(context, code, contentType, bytes);
  await (part === undefined ? sent : part.until(sent));
  client.took('serialize-response-object', performance.now() - began);
}
