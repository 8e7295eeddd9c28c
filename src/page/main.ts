/* The script of the page: it reads the data that the page carries and shows them. */
import type { PageData } from '../views/page/page-data.ts';
import { DATA_ELEMENT } from '../views/page/render-page.ts';
import { showList } from './list-page.ts';
import { showRun } from './run-page.ts';

function start(): void {
  const page = document.getElementById('page');
  const text = document.getElementById(DATA_ELEMENT)?.textContent;
  if (page === null || text === undefined) return;
  const data = JSON.parse(text) as PageData;
  if (data.kind === 'run') showRun(page, data);
  else showList(page, data);
}

start();
