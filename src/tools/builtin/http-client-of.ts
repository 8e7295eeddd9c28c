import { AddressGuard } from '../web/address-guard.ts';
import { HttpClient } from '../web/http-client.ts';
import type { BuiltinSettings } from './builtin-settings.ts';

/** The client of the web tools of a task; throws `task_invalid` where its settings are wrong. */
export function httpClientOf({ web }: BuiltinSettings): HttpClient {
  return new HttpClient(new AddressGuard(web?.privateHosts));
}
