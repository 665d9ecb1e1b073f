// The script of the page: runs what the server has in /jobs.json, here or in a worker, and writes down what came of it.
import { runJobs } from './run.mjs';

const jobs = await (await fetch('/jobs.json')).json();

const inWorker = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(jobs);
  });

let results;
try {
  results = await (location.search === '?worker' ? inWorker() : runJobs(jobs));
} catch (error) {
  results = { elements: 0, wrong: [`${error.stack ?? error}`] };
}
document.querySelector('#results').textContent = JSON.stringify(results);
