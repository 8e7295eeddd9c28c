import type { ModelLink, ProviderEntry } from './provider-entry.ts';
import type { Task } from './task.ts';

/** A provider that a task names, with the id that it has in the log: its name, and `#2` … for a second of that name. */
export interface NamedProvider extends ProviderEntry {
  readonly id: string;
}

/** One place to ask: a provider of the task, and the model there. */
export interface ChainLink {
  readonly provider: string;
  readonly model: string;
}

/** Every provider that a task names, in order of mention: its chain, then those of roles with chains of their own. */
export function listProviders(task: Pick<Task, 'provider' | 'models'>): NamedProvider[] {
  const named: NamedProvider[] = [];
  for (const entry of mentions(task)) {
    if (named.some((known) => isSame(known, entry))) continue;
    const before = named.filter(({ name }) => name === entry.name).length;
    named.push({ ...entry, id: before === 0 ? entry.name : `${entry.name}#${before + 1}` });
  }
  return named;
}

/** Where a role is asked, the first place first; with `isEconomy` the economy model stands in for the first one's. */
export function chainOf(
  task: Pick<Task, 'provider' | 'models'>,
  role: string,
  isEconomy: boolean,
): readonly ChainLink[] {
  const named = listProviders(task);
  const own = task.models[role];
  const links = Array.isArray(own)
    ? own.map((link: ModelLink) => ({ entry: toEntry(link.provider), model: link.model }))
    : toEntries(task.provider).map((entry) => ({ entry, model: undefined }));
  return links.map(({ entry, model }, index) => {
    const models = {
      ...(index === 0 && !Array.isArray(own) ? textModels(task.models) : {}),
      ...entry.models,
    };
    const id = named.find((known) => isSame(known, entry))?.id ?? entry.name;
    const chosen = (isEconomy ? models['economy'] : undefined) ?? model ?? modelOfRole(models, role);
    return { provider: id, model: chosen ?? entry.model ?? '' };
  });
}

function modelOfRole(models: Readonly<Record<string, string>>, role: string): string | undefined {
  if (role === 'replanner') return models['replanner'] ?? models['planner'];
  if (role === 'planner' || role === 'critic') return models[role];
  return models[role] ?? models['worker'];
}

function mentions(task: Pick<Task, 'provider' | 'models'>): ProviderEntry[] {
  const ofRoles = Object.values(task.models).flatMap((model) =>
    typeof model === 'string' ? [] : model.map((link) => toEntry(link.provider)),
  );
  return [...toEntries(task.provider), ...ofRoles];
}

function textModels(models: Task['models']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(models).flatMap(([role, model]) => (typeof model === 'string' ? [[role, model]] : [])),
  );
}

function toEntries(provider: Task['provider']): ProviderEntry[] {
  return (Array.isArray(provider) ? provider : [provider]).map(toEntry);
}

function toEntry(provider: string | ProviderEntry): ProviderEntry {
  return typeof provider === 'string' ? { name: provider } : provider;
}

/** Entries that differ in their models alone are the same provider. */
function isSame(a: ProviderEntry, b: ProviderEntry): boolean {
  return a.name === b.name && a.baseUrl === b.baseUrl && a.api === b.api && a.apiKeyEnv === b.apiKeyEnv;
}
